"""Batch normalization: the gradient op against the same formula made of simple ops, twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.registry import OPS

X = tf.constant(np.random.default_rng(0).normal(size=(4, 3, 2, 4)).astype(np.float32))
SCALE, OFFSET = tf.constant([1.0, 2.0, 0.5, -1.0]), tf.constant([0.1, 0.2, 0.3, 0.4])
WEIGHTS = tf.constant(np.random.default_rng(1).normal(size=(4, 3, 2, 4)).astype(np.float32))
MEAN, VARIANCE = tf.constant([0.1, -0.2, 0.3, 0.0]), tf.constant([1.0, 2.0, 0.5, 1.5])
ROWS = tf.constant([0, 1, 2])
EPSILON = 1e-3


def fused(x: Any, scale: Any, offset: Any, training: bool) -> Any:
    empty = tf.constant([], tf.float32)
    mean, variance = (empty, empty) if training else (MEAN, VARIANCE)
    return OPS["FusedBatchNormV3"](
        x, scale, offset, mean, variance, epsilon=EPSILON, is_training=training
    )[0]


def simple(x: Any, scale: Any, offset: Any, training: bool) -> Any:
    mean, variance = MEAN, VARIANCE
    if training:
        count = float(np.prod(x.shape[:3]))
        mean = OPS["Sum"](x, ROWS) / count
        variance = OPS["Sum"]((x - mean) ** 2.0, ROWS) / count
    return (x - mean) * (variance + EPSILON) ** -0.5 * scale + offset


def gradients(normalize: Any, training: bool) -> tuple[Any, list[Any], list[Any]]:
    sources = [X, SCALE, OFFSET]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            y = normalize(X, SCALE, OFFSET, training)
            loss = OPS["Sum"](y * y * WEIGHTS, tf.constant([0, 1, 2, 3]))
        first = inner.gradient(loss, sources)
        mixed = OPS["Sum"](first[0] * WEIGHTS, tf.constant([0, 1, 2, 3]))
        mixed += OPS["Sum"](first[1] * SCALE + first[2] * OFFSET, tf.constant([0]))
    return y, first, outer.gradient(mixed, sources)


@pytest.mark.parametrize("training", [True, False])
def test_values_and_gradients_of_both_orders(training: bool) -> None:
    y, first, second = gradients(fused, training)
    y2, first2, second2 = gradients(simple, training)
    np.testing.assert_allclose(y.numpy(), y2.numpy(), rtol=1e-4, atol=1e-4)
    for a, b in zip([*first, *second], [*first2, *second2], strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-3, atol=2e-3)
