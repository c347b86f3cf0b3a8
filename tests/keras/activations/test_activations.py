"""Activations in functions and models, and by their names."""

from __future__ import annotations

import pytest

import tapeflow as tf

activations = tf.keras.activations


@pytest.mark.parametrize("name", ["relu", "softmax", "gelu", "sparsemax", "hard_silu"])
@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_in_functions(name: str, compiled: bool) -> None:
    function = getattr(activations, name)
    x = tf.constant([[-2.0, 0.5, 1.0], [3.0, -0.1, 0.0]])
    traced = tf.function(function, jit_compile=compiled)
    tf.debugging.assert_near(traced(x), function(x), atol=1e-6)


def test_of_what_is_not_there_yet() -> None:
    x = tf.keras.KerasTensor((2, None, 4))
    assert activations.relu(x, max_value=2.0).shape == (2, None, 4)
    assert activations.glu(x).shape == (2, None, 2)


def test_functions_of_ones_own() -> None:
    @tf.keras.saving.register_keras_serializable("tests")
    def twice(x: tf.Tensor) -> tf.Tensor:
        return x * 2

    assert activations.get(twice) is twice
    config = activations.serialize(twice)
    assert (config["module"], config["config"]) == ("builtins", "tests>twice")
    assert activations.deserialize(config) is twice
    assert activations.get("tests>twice") is twice


def test_two_names_of_one_function() -> None:
    assert activations.swish is activations.silu
    assert activations.get("hard_swish") is activations.hard_silu
    assert activations.get(None) is activations.linear


@pytest.mark.parametrize(
    ("name", "arguments", "home"),
    [
        ("relu", {"max_value": 2.0}, "keras.src.activations.activations"),
        ("mish", {}, "keras.src.activations.activations"),
        ("tanh", {}, "keras.src.ops.numpy"),
        ("swish", {}, "keras.src.ops.nn"),
        ("gelu", {"approximate": True}, "keras.src.ops.nn"),
    ],
)
def test_in_models_that_are_saved(name: str, arguments: dict[str, object], home: str) -> None:
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, getattr(activations, name)(inputs, **arguments))
    loaded = tf.keras.models.model_from_json(model.to_json())
    assert model.get_config()["layers"][1]["module"] == home
    x = tf.constant([[-1.0, 0.5, 3.0]])
    tf.debugging.assert_equal(loaded(x), model(x))
