"""Attention layers beyond their values: models, files, functions, masks that travel."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
X = np.random.default_rng(1).standard_normal((2, 5, 8)).astype("float32")


def transformer() -> tf.keras.Model:
    inputs = keras.Input((5, 8))
    attended = keras.layers.MultiHeadAttention(2, 4, dropout=0.1)(inputs, inputs)
    x = keras.layers.LayerNormalization()(keras.layers.Add()([inputs, attended]))
    x = keras.layers.GroupQueryAttention(4, 4, 2)(x, x, use_causal_mask=True)
    return keras.Model(inputs, keras.layers.Dense(1)(x[:, 0]))


def test_a_transformer_trains_and_comes_back_from_a_file(tmp_path: Path) -> None:
    keras.utils.set_random_seed(1)
    model = transformer()
    model.compile(keras.optimizers.Adam(0.01), "mse")
    x = np.random.default_rng(2).standard_normal((64, 5, 8)).astype("float32")
    y = x[:, 0, :1] * x[:, 1, :1]
    losses = model.fit(x, y, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < 0.8 * losses[0]
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(X), model(X))


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("scores", [False, True])
def test_functions_agree_with_eager_calls(jit_compile: bool, scores: bool) -> None:
    layer = keras.layers.MultiHeadAttention(2, 4)

    def attend(x: tf.Tensor) -> list[tf.Tensor]:
        return tf.nest.flatten(layer(x, x, use_causal_mask=True, return_attention_scores=scores))

    expected = attend(tf.constant(X))
    for ours, theirs in zip(tf.function(attend, jit_compile=jit_compile)(X), expected):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_inputs_keep_their_masks() -> None:
    embedding = keras.layers.Embedding(4, 8, mask_zero=True)
    x = embedding(np.array([[1, 2, 0]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = keras.layers.MultiHeadAttention(2, 4)(x, x)
    np.testing.assert_array_equal(y._keras_mask, x._keras_mask)


def test_a_subclass_may_attend_in_its_own_way() -> None:
    class First(keras.layers.MultiHeadAttention):
        def _compute_attention(self, query, key, value, attention_mask=None, training=None, s=None):
            assert attention_mask is not None
            return value[:, :1] + 0 * query, None

    layer = First(2, 4)
    y = layer(X, X, use_causal_mask=True)
    np.testing.assert_allclose(y[:, 0], y[:, 4], rtol=1e-6)


def test_dropout_follows_its_seed() -> None:
    first, second = (keras.layers.MultiHeadAttention(2, 4, dropout=0.5, seed=7) for _ in range(2))
    first.build(X.shape, X.shape)
    second.build(X.shape, X.shape)
    second.set_weights(first.get_weights())
    results = [layer(X, X, training=True).numpy() for layer in (first, second)]
    np.testing.assert_allclose(*results, rtol=1e-6)
    assert not np.allclose(results[0], first(X, X))
