"""Gradients of batched matrix products with respect to a matrix that the whole batch shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

SHAPES = [
    ((3, 4, 5), (5, 6)),
    ((2, 3, 4, 5), (5, 6)),
    ((0, 4, 5), (5, 6)),
    ((3, 4, 0), (0, 6)),
    ((3, 4, 5), (1, 5, 6)),
]


def _gradient(x: Any, y: Any, transpose_a: bool, transpose_b: bool) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(y)
        product = tf.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)
        loss = tf.reduce_sum(tf.sin(product))
    return tape.gradient(loss, y)


def _swapped(array: np.ndarray, swap: bool) -> np.ndarray:
    return np.swapaxes(array, -1, -2) if swap else array


@pytest.mark.parametrize("transposed", [(False, False), (False, True), (True, False)])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_gradient_is_the_sum_over_the_batch(
    left: tuple[int, ...], right: tuple[int, ...], transposed: tuple[bool, bool]
) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=left).astype(np.float32), rng.normal(size=right).astype(np.float32)
    batched = np.swapaxes(a, -1, -2) @ np.cos(a @ b)
    summed = batched.sum(tuple(range(batched.ndim - 2))).reshape(b.shape)
    x, y = (np.array(_swapped(array, swap)) for array, swap in zip((a, b), transposed))
    unknown = [tf.TensorSpec([None] * array.ndim) for array in (x, y)]

    def gradient(x: Any, y: Any) -> Any:
        return _gradient(x, y, *transposed)

    for run in (gradient, tf.function(gradient), tf.function(gradient, unknown)):
        actual = run(tf.constant(x), tf.constant(y))
        assert actual.shape == y.shape
        np.testing.assert_allclose(actual, _swapped(summed, transposed[1]), rtol=1e-4, atol=1e-5)
