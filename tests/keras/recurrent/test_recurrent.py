"""Recurrent layers beyond their values: files, fused and generic steps, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.random.default_rng(1).standard_normal((2, 5, 3)).astype("float32")
LAYERS = pytest.mark.parametrize("name", ["LSTM", "GRU", "SimpleRNN"])


def model_of(name: str, **arguments: Any) -> Any:
    layer = getattr(keras.layers, name)
    return keras.Sequential([keras.Input((5, 3)), layer(4, **arguments), keras.layers.Dense(2)])


@LAYERS
def test_a_model_comes_back_from_a_keras_file(name: str, tmp_path: Path) -> None:
    model = model_of(name, dropout=0.1, recurrent_dropout=0.1)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(X), model(X))


@LAYERS
def test_a_saved_model_holds_ops_of_tensorflow(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    tf.saved_model.save(model, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    (result,) = loaded.signatures["serving_default"](tf.constant(X)).values()
    np.testing.assert_allclose(result, model(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_whole_sequences_are_one_op_unless_they_must_not_be(name: str) -> None:
    def ops(**arguments: Any) -> set[str]:
        layer = getattr(keras.layers, name)(4, **arguments)
        traced = tf.function(layer).get_concrete_function(tf.TensorSpec([2, 5, 3]))
        return {op.type for op in traced.graph.get_operations()}

    assert f"_{name}Sequence" in ops()
    for arguments in (
        {"use_cudnn": False},
        {"unroll": True},
        {"activation": "relu"},
        {"recurrent_activation": "hard_sigmoid"},
    ):
        assert f"_{name}Sequence" not in ops(**arguments)


@LAYERS
def test_training_reduces_the_loss(name: str) -> None:
    keras.utils.set_random_seed(1)
    random = np.random.default_rng(2)
    x = random.standard_normal((64, 6, 3)).astype("float32")
    y = x.sum((1, 2), keepdims=True)[:, 0]
    layer = getattr(keras.layers, name)(8, dropout=0.1)
    model = keras.Sequential([keras.Input((6, 3)), layer, keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(0.02), "mse")
    losses = model.fit(x, y, epochs=15, verbose=0).history["loss"]
    assert losses[-1] < 0.6 * losses[0]


def test_dropout_draws_one_pattern_for_all_steps() -> None:
    layer = keras.layers.SimpleRNN(
        3,
        activation=None,
        kernel_initializer="ones",
        recurrent_initializer="zeros",
        dropout=0.5,
        return_sequences=True,
    )
    outputs = layer(tf.ones([4, 6, 8]), training=True).numpy()
    np.testing.assert_array_equal(outputs, np.repeat(outputs[:, :1], 6, axis=1))
    assert not np.array_equal(outputs, layer(tf.ones([4, 6, 8]), training=True))


def test_ragged_sequences_end_where_their_rows_do() -> None:
    layer = keras.layers.LSTM(4, return_sequences=True)
    rows = tf.RaggedTensor.from_tensor(tf.constant(X), lengths=[2, 5])
    ragged = layer(rows)
    assert ragged.row_lengths().numpy().tolist() == [2, 5]
    np.testing.assert_allclose(ragged[0], layer(X[:1, :2])[0], rtol=1e-5, atol=1e-6)


def test_time_major_swaps_the_first_two_axes() -> None:
    layer = keras.layers.GRU(4, return_sequences=True)
    swapped = keras.layers.GRU(4, return_sequences=True, time_major=True)
    expected = layer(X)
    swapped.build((5, 2, 3))
    swapped.set_weights(layer.get_weights())
    result = swapped(X.swapaxes(0, 1))
    np.testing.assert_allclose(result, np.swapaxes(expected, 0, 1), rtol=1e-5, atol=1e-6)


def test_states_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match=r"2 states.*Received an `initial_state` of 1"):
        keras.layers.LSTM(2)(X, initial_state=[np.ones((2, 2), "float32")])


def test_a_stateful_layer_needs_a_batch_size() -> None:
    with pytest.raises(ValueError, match="stateful=True"):
        keras.layers.LSTM(2, stateful=True)(keras.Input((5, 3)))


@pytest.mark.parametrize("name", ["SimpleRNNCell", "GRUCell", "LSTMCell"])
def test_cells_take_integers(name: str) -> None:
    cells = [getattr(keras.layers, name)(4) for _ in range(2)]
    layer = keras.layers.RNN(keras.layers.StackedRNNCells(cells))
    numbers = np.arange(24).reshape(2, 4, 3)
    received = layer(numbers)
    np.testing.assert_allclose(received, layer(numbers.astype("float32")), rtol=1e-6)
