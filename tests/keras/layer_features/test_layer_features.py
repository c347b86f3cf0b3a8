"""Layers that only Keras 2 has, and laws that recorded values do not show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
RANDOM = np.random.default_rng(1)
X = {
    1: RANDOM.standard_normal((2, 7, 3)).astype("float32"),
    2: RANDOM.standard_normal((2, 5, 6, 3)).astype("float32"),
}


def local(axes: int, implementation: int, **arguments: Any) -> Any:
    cls = getattr(keras.layers, f"LocallyConnected{axes}D")
    return cls(4, 3, implementation=implementation, **arguments)


@pytest.mark.parametrize("axes", [1, 2])
def test_equal_weights_at_all_positions_are_a_convolution(axes: int) -> None:
    convolution = getattr(keras.layers, f"Conv{axes}D")(4, 3, use_bias=False)
    expected = convolution(X[axes])
    layer = local(axes, 1, use_bias=False)
    layer.build(X[axes].shape)
    kernel = convolution.get_weights()[0].reshape(1, -1, 4)
    layer.set_weights([np.broadcast_to(kernel, layer.kernel.shape)])
    np.testing.assert_allclose(layer(X[axes]), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_implementations_agree(axes: int, data_format: str) -> None:
    x = X[axes] if data_format == "channels_last" else np.moveaxis(X[axes], -1, 1).copy()
    dense, sparse = (
        local(axes, number, padding="same", strides=2, data_format=data_format) for number in (2, 3)
    )
    expected = dense(x)
    sparse.build(x.shape)
    inputs = int(np.prod(x.shape[1:]))
    matrix = dense.get_weights()[0].reshape(inputs, -1).T
    rows, columns = sparse._entries.T
    sparse.set_weights([matrix[rows, columns], dense.get_weights()[1]])
    np.testing.assert_allclose(sparse(x), expected, rtol=1e-5, atol=1e-5)
    assert tuple(expected.shape) == dense.compute_output_shape(x.shape)


def test_a_model_of_them_trains_and_comes_back(tmp_path: Path) -> None:
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((7, 3)),
            local(1, 1),
            layers.ThresholdedReLU(0.1),
            layers.AdaptiveAveragePooling1D(2),
            layers.SpectralNormalization(layers.Dense(2)),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    model.fit(X[1], np.ones((2, 1), "float32"), verbose=0)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(X[1]), model(X[1]))


def test_thresholded_relu_is_zero_up_to_the_threshold() -> None:
    layer = keras.layers.ThresholdedReLU(theta=1.0)
    assert layer(np.array([-2.0, 1.0, 1.5], "float32")).numpy().tolist() == [0.0, 0.0, 1.5]
    with pytest.raises(ValueError, match="theta"):
        keras.layers.ThresholdedReLU(-1)


def test_same_padding_needs_another_implementation() -> None:
    with pytest.raises(ValueError, match="implementation"):
        local(1, 1, padding="same")


def test_embedding_indices_carry_masks_only_forwards() -> None:
    layer = keras.layers.ReversibleEmbedding(5, 3, mask_zero=True)
    vectors = layer(np.array([[1, 0]]))
    np.testing.assert_array_equal(vectors._keras_mask, [[True, False]])
    assert getattr(layer(vectors, reverse=True), "_keras_mask", None) is None


def test_arguments_of_first_layers_in_keras_2() -> None:
    kernel, bias = np.ones((3, 2), "float32"), np.full(2, 0.5, "float32")
    with pytest.warns(UserWarning, match="legacy"):
        dense = keras.layers.Dense(2, batch_input_shape=(4, 3), weights=[kernel, bias])
    model = keras.Sequential([dense])
    assert model.input_shape == (4, 3)
    np.testing.assert_allclose(model(np.ones((4, 3), "float32")), np.full((4, 2), 3.5))
    assert keras.layers.Embedding(5, 2, input_length=7)(np.zeros((1, 3))).shape == (1, 3, 2)
