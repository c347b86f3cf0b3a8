"""Layers refuse what they cannot take, and do in functions while training what they do eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
L = keras.layers


def ones(*shape: int) -> Any:
    return tf.ones(shape)


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: L.Dense(0), ValueError, "`units`.*positive integer.*units=0"),
    (
        lambda: L.Dense(2)(keras.Input((None,))),
        ValueError,
        r"Dense .* last dimension .*\(None, None\)",
    ),
    (lambda: L.Conv2D(0, 1), ValueError, "`filters`.*positive integer.*filters=0"),
    (lambda: L.Conv2D(3, 3, groups=2), ValueError, "multiple.*filters=3, groups=2"),
    (lambda: L.Conv2D(4, 3, groups=2)(ones(1, 5, 5, 3)), ValueError, "3 input channels .*groups=2"),
    (lambda: L.Conv2D(1, 5)(ones(1, 3, 3, 1)), ValueError, "output size would be negative"),
    (lambda: L.Conv2D(1, (1, 2, 3)), ValueError, r"2 integers.*kernel_size=\(1, 2, 3\)"),
    (lambda: L.Conv2D(1, 2, strides=0), ValueError, "strides=0, where each must be >= 1"),
    (
        lambda: L.Conv2D(1, 2, 2, dilation_rate=2),
        ValueError,
        r"strides=\(2, 2\), dilation_rate=\(2, 2\)",
    ),
    (lambda: L.Conv2D(1, 1, padding="causal"), ValueError, "padding='causal'"),
    (lambda: L.Conv2DTranspose(1, 3, 2, output_padding=2), ValueError, "smaller than the stride"),
    (lambda: L.MaxPooling2D(5)(keras.Input((3, 3, 1))), ValueError, "would be negative"),
    (lambda: L.MaxPooling2D()(ones(1, 2, 2)), ValueError, "expected ndim=4, found ndim=3"),
    (
        lambda: L.Concatenate()([ones(1, 2), ones(1, 2, 3)]),
        ValueError,
        r"agree on every axis but axis=-1",
    ),
    (lambda: L.Add()(ones(2)), ValueError, r"list of inputs.*layer\(\[a, b\]\)"),
    (lambda: L.Add()([ones(1, 2), ones(1, 3)]), ValueError, r"\(2,\) and \(3,\) .* incompatible"),
    (lambda: L.Subtract()([ones(1, 2)] * 3), ValueError, "expected 2 inputs.*Received 3"),
    (
        lambda: L.Dot(axes=1)([ones(1, 2), ones(1, 3)]),
        ValueError,
        "sizes 2 .axis 1.* and 3 .axis 1",
    ),
    (lambda: L.Reshape((5,))(keras.Input((3,))), ValueError, r"\(3,\) and target_shape=\(5,\)"),
    (lambda: L.Reshape((-1, -1)), ValueError, "-1 for at most one"),
    (lambda: L.Permute((0, 1)), ValueError, r"each of 1..2 once.*dims=\(0, 1\)"),
    (lambda: L.RepeatVector(1.5), TypeError, "`n` must be an integer.*1.5"),
    (lambda: L.Dropout(1.5), ValueError, "between 0 and 1. Received: rate=1.5"),
    (lambda: L.Dropout(0.5, noise_shape=3), ValueError, "must be a tuple or list"),
    (lambda: L.Cropping1D(2)(ones(1, 3, 1)), ValueError, "`cropping`.*axis 1"),
    (lambda: L.ZeroPadding2D((1, 2, 3)), ValueError, "should have 2 elements"),
    (
        lambda: L.UpSampling2D(interpolation="odd"),
        ValueError,
        "`interpolation` must be one of .*odd",
    ),
    (lambda: L.ReLU(max_value=-1), ValueError, "ReLU: `max_value` .* max_value=-1"),
    (lambda: L.LeakyReLU(-1), ValueError, "LeakyReLU: `negative_slope` .*=-1"),
    (lambda: L.GroupNormalization(3)(ones(1, 4)), ValueError, "positive divisor"),
    (lambda: L.BatchNormalization()(keras.Input((None,))), ValueError, "known size of axis -1"),
    (lambda: L.LayerNormalization(axis="x"), TypeError, "`axis` must be an integer.*'x'"),
    (lambda: L.EinsumDense("ab,bc", 3)(ones(1, 2)), ValueError, "equation 'ab,bc'"),
    (lambda: L.EinsumDense("ab,bc->ad", 3)(ones(1, 2)), ValueError, "dimension 'd'"),
    (lambda: L.Embedding(3, 2)(tf.constant([5])), tf.errors.InvalidArgumentError, r"\[0\] = 5"),
    (lambda: L.TimeDistributed(L.Dense(1))(ones(2, 2)), ValueError, "TimeDistributed .* rank 3"),
    (
        lambda: keras.Input((2,), batch_shape=(1, 2)),
        ValueError,
        "`shape` .* or `batch_shape` .*not both",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), WRONG)
def test_what_is_wrong_is_said(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: L.Dropout(0.5, seed=3),
        lambda: L.SpatialDropout1D(0.5, seed=3),
        lambda: L.GaussianNoise(0.5, seed=3),
        lambda: L.GaussianDropout(0.5, seed=3),
        lambda: L.AlphaDropout(0.5, seed=3),
        lambda: L.BatchNormalization(momentum=0.5),
        lambda: L.BatchNormalization(axis=1, momentum=0.5),
    ],
)
def test_training_is_the_same_in_functions(make: Callable[[], Any]) -> None:
    x = tf.random.stateless_normal((4, 3, 5), [1, 2])
    found = []
    for options in (None, {}, {"jit_compile": True}):
        layer = make()

        def twice(x: Any, layer: Any = layer) -> Any:
            return layer(x, training=True), layer(x, training=True)

        layer(x)
        run = twice if options is None else tf.function(twice, **options)
        found.append([*run(x), *layer.variables, layer(x)])
    for other in found[1:]:
        for mine, eager in zip(other, found[0], strict=True):
            np.testing.assert_allclose(mine, eager, rtol=1e-4, atol=1e-5)


def test_masked_steps_do_not_count_in_batch_normalization() -> None:
    x = tf.constant([[[1.0], [3.0], [100.0]]])
    mask = tf.constant([[True, True, False]])
    layer = L.BatchNormalization(momentum=0.0)
    layer(x, training=True, mask=mask)
    np.testing.assert_allclose(layer.moving_mean, [2.0], rtol=1e-6)
    np.testing.assert_allclose(layer.moving_variance, [1.0], rtol=1e-6)


def test_a_frozen_batch_normalization_does_not_move() -> None:
    layer = L.BatchNormalization()
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    layer(x)
    layer.trainable = False
    np.testing.assert_allclose(layer(x, training=True), layer(x, training=False))
    assert layer.moving_mean.numpy().tolist() == [0.0, 0.0]
    assert len(layer.non_trainable_weights) == 4


def test_sizes_that_are_not_known_while_tracing() -> None:
    cases = [
        (L.Conv2DTranspose(2, 3, 2), (None, None, None, 3), (1, 4, 4, 3)),
        (L.GroupNormalization(2), (None, None, 4), (2, 3, 4)),
        (L.Flatten(), (None, None, 3), (2, 4, 3)),
        (L.UpSampling2D(2, interpolation="bilinear"), (None, None, None, 2), (1, 2, 3, 2)),
        (L.Reshape((-1, 2)), (None, None, 4), (2, 3, 4)),
        (L.TimeDistributed(L.Dense(2)), (None, None, 3), (2, 4, 3)),
    ]
    for layer, spec, shape in cases:
        x = tf.random.stateless_normal(shape, [1, 2])
        expected = layer(x)
        traced = tf.function(layer, input_signature=[tf.TensorSpec(spec)])
        np.testing.assert_allclose(traced(x), expected, rtol=1e-4, atol=1e-5)
        symbolic = layer(keras.Input(spec[1:]))
        assert len(symbolic.shape) == expected.shape.rank
