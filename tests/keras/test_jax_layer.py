"""`JaxLayer`: a model written in JAX gives what JAX gives, eagerly, traced, compiled, trained."""

from __future__ import annotations

import copy
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.internal.jax_functions import JaxFunction

keras = tf.keras
X = np.random.default_rng(0).standard_normal((4, 5)).astype(np.float32)


@keras.saving.register_keras_serializable("jax_layer_test")
def init(rng: Any, inputs: Any) -> Any:
    kernel = jax.random.normal(rng, (inputs.shape[-1], 3))
    return {"layers": [{"w": kernel, "b": jnp.ones(3)}]}


@keras.saving.register_keras_serializable("jax_layer_test")
def call(params: Any, inputs: Any) -> Any:
    for layer in params["layers"]:
        inputs = jnp.tanh(inputs @ layer["w"] + layer["b"])
    return inputs


@keras.saving.register_keras_serializable("jax_layer_test")
def init_stateful(rng: Any, inputs: Any, training: Any) -> Any:
    assert training is True
    return init(rng, inputs), {"calls": jnp.zeros((), jnp.int32)}


@keras.saving.register_keras_serializable("jax_layer_test")
def call_stateful(training: Any, inputs: Any, rng: Any, state: Any, params: Any) -> Any:
    outputs = call(params, inputs)
    if training:
        outputs = outputs * jax.random.bernoulli(rng, 0.5, outputs.shape)
        state = {"calls": state["calls"] + 1}
    return outputs, state


def values(layer: Any) -> Any:
    return jax.tree_util.tree_map(lambda variable: variable.numpy(), layer.params)


@pytest.mark.parametrize("jit_compile", [None, False, True])
def test_outputs_and_gradients_are_those_of_jax(jit_compile: bool | None) -> None:
    layer = keras.layers.JaxLayer(call, init)
    layer.build((None, 5))

    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x)
            loss = tf.reduce_sum(outputs**2)
        return outputs, tape.gradient(loss, [x, *layer.trainable_weights])

    if jit_compile is not None:
        gradients = tf.function(gradients, jit_compile=jit_compile)
    outputs, received = gradients(tf.constant(X))

    def loss(params: Any, x: Any) -> Any:
        return jnp.sum(call(params, x) ** 2)

    by_params, by_x = jax.grad(loss, (0, 1))(values(layer), X)
    np.testing.assert_allclose(outputs, call(values(layer), X), rtol=1e-5)
    expected = [by_x, *jax.tree_util.tree_leaves(by_params)]
    for one, other in zip(received, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_second_derivatives() -> None:
    cube = JaxFunction(lambda x: {"y": x**3, "unused": jnp.arange(2)})
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)["y"]
        first = inner.gradient(y, x)
    np.testing.assert_allclose(first, [3.0, 12.0])
    np.testing.assert_allclose(outer.gradient(first, x), [6.0, 12.0])


def test_unknown_sizes_stay_unknown() -> None:
    layer = keras.layers.JaxLayer(lambda inputs: (inputs.reshape((-1, 2)), inputs[..., 0]))
    doubled, first = layer(keras.Input((None, 4)))
    assert doubled.shape == (None, 2)
    assert first.shape == (None, None)
    traced = tf.function(layer, input_signature=[tf.TensorSpec((None, 6))])
    assert traced(tf.ones((2, 6)))[0].shape == (6, 2)


@jax.enable_x64(False)
def test_functions_see_the_default_precision_of_jax() -> None:
    function = JaxFunction(lambda x: (x, jnp.ones(2)))
    for call in (function, tf.function(function), tf.function(function, jit_compile=True)):
        doubles, ones = call(tf.constant([1.0, 2.0], tf.float64))
        assert (doubles.dtype, ones.dtype) == (tf.float32, tf.float32)
    x = tf.constant([2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)[0] * 3
    assert tape.gradient(y, x).dtype == tf.float64


def test_state_and_keys_change_while_training_only() -> None:
    layer = keras.layers.JaxLayer(call_stateful, init_stateful, seed=7)
    still = layer(X)
    assert layer.state["calls"].numpy() == 0
    np.testing.assert_array_equal(still, layer(X))
    first, second = layer(X, training=True), tf.function(layer)(X, training=True)
    assert layer.state["calls"].numpy() == 2
    for counter, outputs in enumerate((first, second)):
        key = np.array([7, counter], np.uint32)
        state = {"calls": 0}
        expected, _ = call_stateful(True, X, key, state, values(layer))
        np.testing.assert_allclose(outputs, expected, rtol=1e-5)


def test_fit_trains_params_and_keeps_state(tmp_path: pathlib.Path) -> None:
    keras.utils.set_random_seed(0)
    layer = keras.layers.JaxLayer(call_stateful, init_stateful)
    model = keras.Sequential([keras.Input((5,)), layer])
    assert model.output_shape == (None, 3)
    before = layer.get_weights()
    model.compile("sgd", "mse")
    model.fit(np.tile(X, (4, 1)), np.zeros((16, 3)), batch_size=4, epochs=3, verbose=0)
    assert layer.state["calls"].numpy() == 12
    assert all((one != other).any() for one, other in zip(before, layer.get_weights()))
    assert (len(layer.trainable_weights), len(layer.non_trainable_weights)) == (2, 1)

    path = str(tmp_path / "model.keras")
    model.save(path)
    loaded = keras.models.load_model(path)
    np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    assert loaded.layers[0].state["calls"].numpy() == 12
    weights = str(tmp_path / "model.weights.h5")
    model.save_weights(weights)
    other = keras.models.clone_model(model)
    other.load_weights(weights)
    np.testing.assert_array_equal(other(X), model(X))


def test_config() -> None:
    layer = keras.layers.JaxLayer(call, init, name="mine")
    config = layer.get_config()
    assert set(config) == {
        *("name", "trainable", "dtype", "call_fn", "init_fn", "native_serialization_platforms")
    }
    assert config["call_fn"]["config"] == "jax_layer_test>call"
    again = keras.layers.JaxLayer.from_config(config)
    assert (again.name, again.call_fn, again.init_fn) == ("mine", call, init)
    assert again.get_config() == config


def test_values_instead_of_an_initializer_and_copies() -> None:
    params = {"layers": [{"w": np.ones((5, 3)), "b": np.arange(3.0), "note": "kept"}]}
    layer = keras.layers.JaxLayer(lambda params, inputs: call(params, inputs), params=params)
    assert layer.params["layers"][0]["note"] == "kept"
    assert [weight.shape for weight in layer.weights] == [(3,), (5, 3)]
    assert [weight.dtype for weight in layer.weights] == ["float32", "float32"]
    other = copy.deepcopy(layer)
    np.testing.assert_array_equal(other(X), layer(X))
    other.weights[0].assign([5.0, 5.0, 5.0])
    assert (other(X).numpy() != layer(X).numpy()).any()


def test_mixed_precision() -> None:
    layer = keras.layers.JaxLayer(call_stateful, init_stateful, dtype="mixed_bfloat16")
    assert layer(X, training=True).dtype == tf.bfloat16
    assert [weight.dtype for weight in layer.weights] == ["float32", "float32", "int32"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"call_fn": lambda params, inputs: inputs}, "init_fn"),
        ({"call_fn": lambda x: x}, "inputs"),
        ({"call_fn": lambda inputs, mask: inputs}, "mask"),
        ({"call_fn": call, "init_fn": lambda inputs, key: inputs}, "key"),
    ],
)
def test_functions_with_other_arguments_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        keras.layers.JaxLayer(**arguments)


def test_a_state_of_another_structure_is_refused() -> None:
    layer = keras.layers.JaxLayer(lambda state, inputs: (inputs, {}), state={"n": jnp.zeros(())})
    with pytest.raises(ValueError, match="structure"):
        layer(X)


def test_tensors_of_unknown_rank_are_refused() -> None:
    function = tf.function(JaxFunction(jnp.sin), input_signature=[tf.TensorSpec(None)])
    with pytest.raises(ValueError, match="unknown shape"):
        function(X)
