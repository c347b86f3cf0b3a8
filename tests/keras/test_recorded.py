"""What Keras gives, as it was recorded: activations, initializers, losses and so on."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tests.keras.oracle import difference, programs, recorded, run

TABLES = (
    "activations",
    "backend",
    "behaviour",
    "constraints",
    "feature_columns",
    "initializers",
    "losses",
    "metrics",
    "namespaces",
    "ops_image",
    "ops_nn",
    "image_generator",
    "preprocessing_image",
    "preprocessing_text",
    "recurrent",
    "attention",
    "layer_features",
    "quantization",
    "regularizers",
    "recurrent_keras_2",
    "merging",
    "corner_cases",
    "upstream_cases",
    "layer_steps",
    "layer_steps_keras_2",
    "tf1",
    "tf1_recurrent",
)
TOLERANCE = 1e-5
# Programs in which float32 itself is less exact than that.
INEXACT = {
    # The logarithm of magnitudes near 0: in float32 both libraries are 4e-4 away from their
    # results in float64, in which they agree to 4e-13.
    ("preprocessing_image", "STFTSpectrogram"): 2e-5,
    # Keras computes `1 - 0.999 ** step` of Adam in float32, with a relative error of 1e-5: its
    # first step of 0.1 is 7e-7 away from the one in float64, ours 8e-8.
    ("corner_cases", "averaged weights swapped for evaluation"): 2e-5,
}
# Of the long tables one program of three is run each time, and all of them by `make test-all`.
LONG = 40
CASES = [
    pytest.param(
        table, name, marks=pytest.mark.slow if len(programs(table)) > LONG and at % 3 else ()
    )
    for table in TABLES
    for at, name in enumerate(programs(table))
]


@pytest.mark.parametrize(("table", "name"), CASES)
def test_as_recorded(table: str, name: str) -> None:
    tolerance = INEXACT.get((table, name), TOLERANCE)
    found = difference(run(tf, programs(table)[name]), recorded(table)[name], tolerance)
    assert found is None, found


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_recorded_in_vain(table: str) -> None:
    assert set(recorded(table)) == set(programs(table))
