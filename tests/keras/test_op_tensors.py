"""Functions of `tf` applied to KerasTensors are operations of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.arange(24, dtype="float32").reshape(2, 3, 4) / 24

FUNCTIONS: dict[str, Any] = {
    "mean": lambda t: tf.reduce_mean(t, axis=1),
    "mean of all": tf.reduce_mean,
    "concat": lambda t: tf.concat([t, t], 1),
    "add to a tensor": lambda t: tf.ones((3, 4)) + t,
    "add a tensor": lambda t: t + tf.ones((3, 4)),
    "matmul": lambda t: tf.matmul(t, t, transpose_b=True),
    "reshape by the batch size": lambda t: tf.reshape(t, (tf.shape(t)[0], 12)),
    "split": lambda t: tf.split(t, 2, axis=-1),
    "cast": lambda t: tf.cast(t, tf.float64),
    "where": lambda t: tf.where(t > 0.5, t, tf.zeros_like(t)),
    "one hot": lambda t: tf.one_hot(tf.argmax(t, -1), 4),
    "einsum": lambda t: tf.einsum("bij,bkj->bik", t, t),
    "normalize": lambda t: tf.math.l2_normalize(t, axis=-1),
    "moments": lambda t: tf.nn.moments(t, [1]),
    "conv": lambda t: tf.nn.conv1d(t, tf.ones((2, 4, 3)), 1, "SAME"),
    "resize": lambda t: tf.image.resize(tf.expand_dims(t, -1), (6, 8)),
    "broadcast": lambda t: tf.broadcast_to(t[:, :1], tf.shape(t)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_in_a_model_computes_what_it_computes(name: str) -> None:
    function = FUNCTIONS[name]
    x = keras.Input((3, 4))
    model = keras.Model(x, function(x))
    again = keras.Model.from_config(model.get_config())
    expected = function(tf.constant(X))
    for each in (model, again):
        found = zip(tf.nest.flatten(each(X)), tf.nest.flatten(expected), strict=True)
        for mine, theirs in found:
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)
    for output, value in zip(tf.nest.flatten(model.outputs), tf.nest.flatten(expected)):
        assert output.shape[1:] == tuple(value.shape)[1:]


def test_layers_take_the_results_and_are_trained() -> None:
    x = keras.Input((3, 4))
    pooled = tf.reduce_mean(tf.nn.relu(keras.layers.Dense(2, kernel_initializer="ones")(x)), axis=1)
    assert keras.backend.is_keras_tensor(pooled)
    model = keras.Model(x, keras.layers.Dense(1)(pooled))
    model.compile("sgd", "mse")
    before = model.get_weights()
    model.fit(X, np.ones((2, 1), "float32"), verbose=0)
    assert not np.array_equal(before[0], model.get_weights()[0])


def test_files_name_only_ops_that_compute() -> None:
    x = keras.Input((3, 4))
    config = keras.Model(x, tf.sin(x)).get_config()
    config["layers"][1]["config"]["op"] = "ReadFile"
    with pytest.raises((ValueError, TypeError), match="only computes"):
        keras.Model.from_config(config)
