"""Functions of Keras 2's backend as parts of models that are saved, and in functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
K = keras.backend


def test_a_model_with_backend_functions_is_saved_and_loaded(tmp_path: Path) -> None:
    inputs = keras.Input((4, 3))
    outputs = K.concatenate([K.mean(inputs, axis=1), K.max(inputs, axis=1)], axis=-1)
    model = keras.Model(inputs, K.clip(outputs, -1.0, 1.0))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    x = np.random.default_rng(1).normal(size=(2, 4, 3)).astype("float32")
    np.testing.assert_array_equal(loaded(x), model(x))


def test_an_unknown_function_in_a_config_is_refused() -> None:
    config = {"name": "x", "function": "eval"}
    with pytest.raises(TypeError, match="eval"):
        type(K.square(keras.Input((1,)))._keras_history.operation).from_config(config)


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_in_functions(compiled: bool) -> None:
    def compute(x: tf.Tensor) -> tf.Tensor:
        y = K.batch_dot(x, K.softmax(x), axes=2)
        return K.switch(y > 0.0, K.sqrt(y), K.zeros_like(y))

    x = tf.random.normal((2, 3, 4), seed=1)
    traced = tf.function(compute, jit_compile=compiled)
    tf.debugging.assert_near(traced(x), compute(x), atol=1e-6)
