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


TOTAL = tf.reduce_sum
CONTROL_FLOW: dict[str, Any] = {
    "cond": lambda t: tf.cond(TOTAL(t) > 3.0, lambda: t * 2, lambda: t - 1),
    "cond, not taken": lambda t: tf.cond(TOTAL(t) > 99.0, lambda: tf.sin(t), lambda: -t),
    "cond of a pair": lambda t: tf.cond(TOTAL(t) > 3.0, lambda: (t, t + 1), lambda: (t - 1, t)),
    "cond in cond": lambda t: tf.cond(
        TOTAL(t) > 3.0, lambda: tf.cond(t[0, 0, 1] > 0.5, lambda: t, lambda: t * 3), lambda: -t
    ),
    "case": lambda t: tf.case(
        [(TOTAL(t) < 3.0, lambda: t), (TOTAL(t) < 99.0, lambda: t * 5)], default=lambda: -t
    ),
    "switch_case": lambda t: tf.switch_case(
        tf.cast(TOTAL(t) > 3.0, tf.int32), [lambda: t, lambda: tf.exp(t)]
    ),
    "map_fn": lambda t: tf.map_fn(tf.square, t),
    "map_fn of a pair": lambda t: tf.map_fn(
        lambda pair: TOTAL(pair[0] * pair[1]), (t, t + 1), fn_output_signature=tf.float32
    ),
    "map_fn with a captured tensor": lambda t: tf.map_fn(lambda row: row * TOTAL(t), t),
    "vectorized_map": lambda t: tf.vectorized_map(lambda row: row @ tf.transpose(row), t),
    "scan": lambda t: tf.scan(lambda a, b: a + b, t),
    "scan from zeros": lambda t: tf.scan(
        lambda a, b: a + TOTAL(b), t, initializer=tf.constant(0.0)
    ),
    "foldl": lambda t: tf.foldl(lambda a, b: a * 2 + b, t),
    "foldr": lambda t: tf.foldr(lambda a, b: a * 2 + b, t),
    "while_loop": lambda t: tf.while_loop(
        lambda i, y: i < tf.shape(t)[0] + 1, lambda i, y: (i + 1, y + t), (0, t)
    )[1],
}


@pytest.mark.parametrize("name", CONTROL_FLOW)
def test_control_flow_in_a_model_computes_what_it_computes(name: str) -> None:
    function = CONTROL_FLOW[name]
    x = keras.Input((3, 4))
    outputs = function(x)
    model = keras.Model(x, outputs)
    for batch in (X, X * 8, np.concatenate([X, X])):
        batch = tf.constant(batch)
        for call in (model, tf.function(model)):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(batch)
                mine = tf.nest.flatten(call(batch))
                theirs = tf.nest.flatten(function(batch))
            for a, b in zip(mine, theirs, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6)
                np.testing.assert_allclose(
                    tape.gradient(a, batch), tape.gradient(b, batch), rtol=1e-6
                )
    for output, value in zip(tf.nest.flatten(outputs), theirs):
        assert tuple(output.shape)[1:] == tuple(value.shape)[1:]


def test_control_flow_trains_and_refuses_what_is_no_part_of_the_model() -> None:
    x = keras.Input((3, 4))
    dense = keras.layers.Dense(4)
    h = dense(x)
    y = tf.map_fn(tf.nn.relu, h) + tf.cond(tf.reduce_mean(h) > 0.0, lambda: h, lambda: x)
    model = keras.Model(x, keras.layers.Dense(1)(y))
    model.compile("sgd", "mse")
    before = dense.get_weights()[0]
    model.fit(X, np.ones((2, 3, 1), "float32"), verbose=0)
    assert not np.array_equal(before, dense.get_weights()[0])
    with pytest.raises(ValueError, match=r"no part of the model.*dense.*kernel"):
        tf.map_fn(dense, x)
    with pytest.raises(NotImplementedError, match="`call` of a layer"):
        model.get_config()
