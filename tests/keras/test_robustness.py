"""Half precision beyond its range, copies of fitted models, and notes on errors in models."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
X, Y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")


@pytest.mark.parametrize("name", ["GroupNormalization", "LayerNormalization"])
def test_normalizations_of_large_halves_are_finite(name: str) -> None:
    options = {"groups": 2} if name == "GroupNormalization" else {}
    layer = getattr(layers, name)(dtype="mixed_float16", **options)
    outputs = layer(tf.constant([[6e4, -6e4, 5e4, 4e4]], "float16"))
    assert outputs.dtype == tf.float16
    assert np.isfinite(outputs).all()


def test_a_fitted_model_is_pickled_with_its_optimizer() -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=False)
    model.fit(X, Y, verbose=0)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X, verbose=0), model.predict(X, verbose=0))
    assert int(copy.optimizer.iterations) == 1


def test_inputs_of_another_structure_are_warned_of() -> None:
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")
    model = tf.keras.Model({"a": a, "b": b}, layers.Add()([a, b]))
    with pytest.warns(UserWarning, match="structure of the inputs"):
        np.testing.assert_array_equal(model([X, X]), 2 * X)


class Fails(layers.Layer):  # type: ignore[misc, name-defined]
    def call(self, x: Any) -> Any:
        return tf.reshape(x, (3, 7))


def test_errors_in_fit_name_the_layer() -> None:
    model = tf.keras.Sequential([layers.Dense(2), Fails(name="broken")])
    model.compile("sgd", "mse", jit_compile=False)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
        model.fit(X, Y, verbose=0)
    notes = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert "broken" in notes
    assert "Fails.call()" in notes
