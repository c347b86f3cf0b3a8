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
    "layer_steps",
    "layer_steps_keras_2",
    "tf1",
)
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
    found = difference(run(tf, programs(table)[name]), recorded(table)[name], 2e-5)
    assert found is None, found


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_recorded_in_vain(table: str) -> None:
    assert set(recorded(table)) == set(programs(table))
