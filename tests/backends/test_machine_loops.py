"""Fills and sequences by machine code are those of NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import blocks, machine_loops

_ODD = (1 << 20) + 13


@pytest.mark.parametrize("dtype", [*"?bBhHiIqQefdFD", ml_dtypes.bfloat16])
@pytest.mark.parametrize("size", [1 << 20, _ODD])
def test_large_arrays_are_filled(dtype: object, size: int) -> None:
    value = np.array(3).astype(np.dtype(dtype))
    filled = blocks.filled((size,), value, value.dtype)
    assert filled.dtype == value.dtype
    np.testing.assert_array_equal(filled, np.full(size, value))


def test_references_are_no_bits() -> None:
    zeros = tf.zeros([_ODD], tf.string)
    assert zeros.numpy()[-1] == b""
    objects = np.empty(_ODD, object)
    assert not machine_loops.fill(objects, np.array(b"", object))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("start", "step"), [(0, 1), (-5, 3), (7, 1000)])
def test_large_ranges_count(dtype: type, start: int, step: int) -> None:
    stop = start + _ODD * step
    counted = tf.range(start, stop, step, dtype=dtype).numpy()
    assert counted.dtype == dtype
    np.testing.assert_array_equal(counted, np.arange(start, stop, step))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot_ignores_indices_outside(axis: int) -> None:
    indices = np.array([[0, 3, -1], [2, 9, 1]])
    hot = tf.one_hot(indices, 4, 2.0, -1.0, axis=axis).numpy()
    expected = np.where(indices[..., None] == np.arange(4), 2.0, -1.0)
    np.testing.assert_array_equal(hot, np.moveaxis(expected, -1, axis))
    assert tf.one_hot(indices, 0, axis=axis).numpy().size == 0
