"""Vocabularies that were learned from data, in files: loaded, they can be learned anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
TEXTS, OTHERS = np.array([["a"], ["b"], ["b"]]), np.array([["x"], ["y"], ["x"]])


def loaded(layer: Any, dtype: str, path: Any) -> Any:
    keras.Sequential([keras.Input((1,), dtype=dtype), layer]).save(str(path))
    return keras.models.load_model(str(path), compile=False).layers[-1]


@pytest.mark.parametrize("name", ["m.h5", "m", "m.keras"])
@pytest.mark.parametrize(
    "layer",
    [
        lambda: layers.StringLookup(),
        lambda: layers.StringLookup(output_mode="multi_hot"),
        lambda: layers.IntegerLookup(),
        lambda: layers.TextVectorization(),
        lambda: layers.TextVectorization(output_mode="tf_idf"),
    ],
)
def test_a_loaded_layer_is_adapted_again(layer: Any, name: str, tmp_path: Any) -> None:
    layer = layer()
    numbers = isinstance(layer, layers.IntegerLookup)
    first, second = ([[3], [4], [4]], [[8], [9], [8]]) if numbers else (TEXTS, OTHERS)
    layer.adapt(np.array(first))
    again = loaded(layer, "int64" if numbers else "string", tmp_path / name)
    assert again.get_vocabulary() == layer.get_vocabulary()
    config = again.get_config()
    assert (config["vocabulary"], config["idf_weights"]) == (None, None)
    twice = loaded(again, "int64" if numbers else "string", tmp_path / f"2{name}")
    assert twice.get_vocabulary() == layer.get_vocabulary()
    np.testing.assert_allclose(twice(np.array(first)), layer(np.array(first)))
    twice.adapt(np.array(second))
    assert twice.get_vocabulary()[-2:] == ([8, 9] if numbers else ["x", "y"])


@pytest.mark.parametrize("name", ["m.h5", "m", "m.keras"])
def test_a_passed_vocabulary_stays(name: str, tmp_path: Any) -> None:
    again = loaded(layers.StringLookup(vocabulary=["a", "b"]), "string", tmp_path / name)
    assert again.get_config()["vocabulary"] == ["a", "b"]
    with pytest.raises(ValueError, match="vocabulary"):
        again.adapt(OTHERS)
