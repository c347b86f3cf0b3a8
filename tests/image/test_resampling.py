"""Bands of weights are the whole matrix, for few channels and many."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.kernels import resampling
from tapeflow._src.kernels import resize_weights as weights


@pytest.mark.parametrize("channels", [1, 3, 7])
@pytest.mark.parametrize("sizes", [((40, 21), (17, 50)), ((5, 9), (37, 4))])
def test_bands_are_the_matrix(
    channels: int, sizes: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    before, after = sizes
    images = np.random.default_rng(0).random((2, *before, channels), dtype=np.float32)
    rows, columns = (weights.bicubic_matrix(*pair, False, True) for pair in zip(before, after))
    expected = np.einsum("ah,bw,nhwc->nabc", rows, columns, images.astype(np.float64))
    np.testing.assert_allclose(resampling.weigh(images, rows, columns), expected, atol=1e-5)


def test_images_are_divided_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    images = np.random.default_rng(0).random((5, 12, 12, 3), dtype=np.float32)
    rows = weights.bicubic_matrix(12, 20, False, True)
    expected = resampling.weigh(images, rows, rows)
    monkeypatch.setattr(resampling, "_MANY", 1)
    np.testing.assert_array_equal(resampling.weigh(images, rows, rows), expected)


def test_rows_of_zeros_are_zero() -> None:
    images = np.ones((1, 30, 30, 2), np.float32)
    matrix = np.zeros((40, 30), np.float32)
    matrix[3, 4] = 1
    result = resampling.weigh(images, matrix, matrix)
    assert result.sum() == 2 and (result[0, 3, 3] == 1).all()


def test_gradients_of_nearest_pixels_sum_over_copies() -> None:
    grads = np.random.default_rng(0).random((2, 9, 7, 3), dtype=np.float32)
    summed = tf.raw_ops.ResizeNearestNeighborGrad(grads=grads, size=[4, 5]).numpy()
    wide = tf.raw_ops.ResizeNearestNeighborGrad(grads=grads.astype(np.float64), size=[4, 5])
    np.testing.assert_allclose(summed, wide, rtol=1e-6)
    grads[0, 0, 0, 0] = np.inf
    infinite = tf.raw_ops.ResizeNearestNeighborGrad(grads=grads, size=[4, 5]).numpy()
    assert np.isinf(infinite).sum() == 1 and not np.isnan(infinite).any()
