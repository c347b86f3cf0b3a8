"""Every layer gives what Keras gives: values, names, shapes, configs (`layer_samples`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.layer_samples import SAMPLES, inputs_of, name_of, run, weights_of

GOLDEN = Path(__file__).parents[1] / "golden"
ARRAYS = np.load(GOLDEN / "keras_layers.npz")
FACTS = json.loads((GOLDEN / "keras_layers.json").read_text(encoding="utf-8"))
CASES = pytest.mark.parametrize("index", range(len(SAMPLES)), ids=name_of)
keras = tf.keras


def built(index: int) -> tuple[Any, Any]:
    """The layer of a sample, with its weights, and its inputs."""
    cls, arguments, _ = SAMPLES[index]
    x = tf.nest.map_structure(tf.constant, inputs_of(index))
    layer = getattr(keras.layers, cls)(**arguments)
    layer(x)
    layer.set_weights(weights_of(layer, index))
    return layer, x


@CASES
def test_values_and_facts_are_those_of_keras(index: int) -> None:
    found = run(keras, index)
    facts = json.loads(found.pop("facts"))
    expected = FACTS[name_of(index)]
    for fact in expected:
        if fact == "losses":
            np.testing.assert_allclose(facts[fact], expected[fact], rtol=1e-5)
        elif fact in ("static", "symbolic"):
            # A size that Keras leaves open may be known here.
            ours, theirs = tf.nest.flatten(facts[fact]), tf.nest.flatten(expected[fact])
            assert len(ours) == len(theirs)
            assert all(each in (mine, None) for mine, each in zip(ours, theirs)), fact
        else:
            assert facts[fact] == expected[fact], fact
    for part, array in found.items():
        theirs = ARRAYS[f"{name_of(index)}/{part}"]
        assert array.dtype == theirs.dtype and array.shape == theirs.shape
        np.testing.assert_allclose(array, theirs, rtol=1e-4, atol=1e-5, err_msg=part)


@CASES
def test_functions_give_the_same(index: int) -> None:
    layer, x = built(index)
    expected = layer(x)
    traced = tf.function(layer.__call__)
    np.testing.assert_allclose(traced(x), expected, rtol=1e-5, atol=1e-6)
    compiled = tf.function(layer.__call__, jit_compile=True)
    np.testing.assert_allclose(compiled(x), expected, rtol=1e-4, atol=1e-5)
    assert layer(x).dtype == expected.dtype


@CASES
def test_a_config_makes_the_same_layer(index: int) -> None:
    layer, x = built(index)
    again = keras.layers.deserialize(json.loads(json.dumps(keras.layers.serialize(layer))))
    assert type(again) is type(layer)
    assert json.dumps(again.get_config()) == json.dumps(layer.get_config())
    again(x)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(x), layer(x))


@CASES
def test_mixed_precision_computes_in_half_and_keeps_variables_whole(index: int) -> None:
    cls, arguments, _ = SAMPLES[index]
    x = inputs_of(index)
    layer = getattr(keras.layers, cls)(dtype="mixed_float16", **arguments)
    y = layer(x)
    assert y.dtype == tf.float16
    assert all(weight.dtype == tf.float32 for weight in layer.weights)
    assert layer(x).dtype == tf.float16


@CASES
def test_gradients_reach_inputs_and_weights(index: int) -> None:
    layer, x = built(index)
    if SAMPLES[index][0] == "Embedding":
        x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(tf.square(layer(x)))
    weights = layer.trainable_weights
    sources = weights if SAMPLES[index][0] == "Embedding" else [*weights, *tf.nest.flatten(x)]
    assert all(gradient is not None for gradient in tape.gradient(total, sources))


@pytest.mark.parametrize("name", ["Dropout", "SpatialDropout1D"])
def test_dropout_of_everything_returns_zeros(name: str) -> None:
    layer = getattr(tf.keras.layers, name)(1.0)
    x = np.ones((2, 3, 4), "float32")
    assert not layer(x, training=True).numpy().any()
    assert layer(x, training=False).numpy().all()


def test_dense_on_ragged_tensors() -> None:
    layer = tf.keras.layers.Dense(2)
    layer.build((None, 3))
    x = tf.RaggedTensor.from_row_lengths(np.ones((5, 3), "float32"), [2, 3])
    rows = layer(x)
    assert [len(row) for row in rows.to_list()] == [2, 3]
    np.testing.assert_allclose(rows.flat_values.numpy(), layer(x.flat_values).numpy())
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows of 3 numbers"):
        layer(tf.ragged.constant([[1.0, 2.0], [3.0]]))
