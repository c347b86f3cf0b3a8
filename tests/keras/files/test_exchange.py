"""Files of Keras with lambdas, bfloat16 weights and subclasses of Model, and such files of ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.files import keras_2_archive
from tests.keras.files.exchange import GOLDEN, X, expected, models, subclass

h5py = __import__("h5py")
keras = tf.keras
# The code of a lambda is that of one version of Python.
NAMES = [
    pytest.param("lambda", marks=pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="")),
    "bfloat16",
    "subclass",
]


def check(model: Any, name: str) -> None:
    found = tf.cast(model(X), tf.float32)
    np.testing.assert_allclose(found, expected()[name], rtol=1e-2 if name == "bfloat16" else 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_files_of_keras_are_read(name: str) -> None:
    cls = subclass(keras)
    path = GOLDEN / f"keras_exchange_{name}.keras"
    model = keras.models.load_model(path, safe_mode=False)
    check(model, name)
    assert (type(model) is cls) == (name == "subclass")
    if name == "bfloat16":
        assert model.weights[0].dtype == "bfloat16"
    if name != "lambda":
        again = models(keras)[name]
        again.set_weights([0 * weight for weight in again.get_weights()])
        again.load_weights(path)
        check(again, name)


def test_archives_of_keras_2_are_read_with_what_only_keras_2_writes() -> None:
    model = keras.models.load_model(keras_2_archive.PATH)
    outputs = model.predict(keras_2_archive.X, verbose=0)
    np.testing.assert_allclose(outputs, keras_2_archive.OUTPUTS, rtol=1e-2)
    assert model.get_layer("mixed").dtype_policy.name == "mixed_bfloat16"
    results = model.evaluate(keras_2_archive.X, np.array([0, 1]), verbose=0, return_dict=True)
    assert results == pytest.approx(keras_2_archive.RESULTS, rel=1e-5)
    assert type(model.optimizer) is keras.optimizers.RMSprop


def test_hdf5_files_keep_ngrams_that_are_none(tmp_path: Path) -> None:
    """Keras 3 reads a TextVectorization only with them."""
    layer = keras.layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=2)
    keras.Sequential([keras.Input((1,), dtype="string"), layer]).save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        layers = json.loads(file.attrs["model_config"])["config"]["layers"]
    assert layers[-1]["config"]["ngrams"] is None


@pytest.mark.filterwarnings("ignore:The lambda at")
@pytest.mark.parametrize("name", ["lambda", "bfloat16", "subclass"])
def test_files_of_ours_are_read(name: str, tmp_path: Path) -> None:
    models(keras)[name].save(tmp_path / "m.keras")
    check(keras.models.load_model(tmp_path / "m.keras", safe_mode=False), name)


def test_layers_in_layers_keep_their_module_in_hdf5(tmp_path: Path) -> None:
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((4, 2)),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.TimeDistributed(layers.Dense(2)),
            layers.RNN([layers.GRUCell(2), layers.LSTMCell(3)]),
        ]
    )
    model.save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5") as file:
        parts = json.loads(file.attrs["model_config"])["config"]["layers"]
    _, both, each, recurrent = (part["config"] for part in parts)
    cells = recurrent["cell"]["config"]["cells"]
    for inner in (both["layer"], both["backward_layer"], each["layer"], *cells):
        assert inner["module"] == "keras.layers"
    x = tf.random.normal((2, 4, 2))
    again = keras.models.load_model(tmp_path / "m.h5")
    np.testing.assert_array_equal(again(x), model(x))


@pytest.mark.parametrize("prefix", ["", "_"])
def test_projections_of_attention_have_their_public_names(tmp_path: Path, prefix: str) -> None:
    x = keras.Input((5, 4))
    attention = keras.layers.MultiHeadAttention(2, 3)
    model = keras.Model(x, attention(x, x))
    path = tmp_path / "m.weights.h5"
    model.save_weights(path)
    before = model.get_weights()
    names = [f"{name}_dense" for name in ("query", "key", "value", "output")]
    with h5py.File(path, "r+") as file:
        group = file["layers/multi_head_attention"]
        assert set(names) <= set(group)
        for name in names if prefix else ():
            group.move(name, f"_{name}")  # as private attributes
    model.set_weights([np.zeros_like(value) for value in before])
    model.load_weights(path)
    for one, other in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
