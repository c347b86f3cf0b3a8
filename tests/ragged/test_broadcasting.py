"""Ragged tensors spread over each other: as NumPy does where rows are even, else as TensorFlow."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

D = tf.experimental.DynamicRaggedShape


def ragged(array: np.ndarray[Any, Any], levels: int) -> Any:
    """An array as a tensor with so many levels of rows, none of them known to be even."""
    rows = tf.reshape(array, D.from_lengths(list(array.shape), num_row_partitions=levels))
    for level in reversed(range(levels)) if levels else ():
        rows = _forgetful(rows, level)
    return rows


def _forgetful(rows: Any, level: int) -> Any:
    if level:
        return rows.with_values(_forgetful(rows.values, level - 1))
    return tf.RaggedTensor.from_row_splits(rows.values, rows.row_splits)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("traced", [False, True])
def test_even_rows_are_spread_as_numpy_does(seed: int, traced: bool) -> None:
    rng = random.Random(seed)
    rank = rng.randrange(2, 5)
    dims = [rng.randrange(1, 4) for _ in range(rank)]
    other = [size if rng.random() < 0.5 else 1 for size in dims][rng.randrange(rank) :]
    a, b = np.arange(np.prod(dims)).reshape(dims), 100 * np.arange(np.prod(other)).reshape(other)
    x = ragged(a, rng.randrange(1, rank))
    # A ragged axis is not spread: the second has rows only where it has the size of the first.
    levels = 0
    while levels + 1 < len(other) and other[levels + 1] == dims[rank - len(other) + levels + 1]:
        levels += 1
    y = ragged(b, rng.randrange(levels + 1)) if len(other) == rank else tf.constant(b)
    add = tf.function(lambda p, q: p + q) if traced else lambda p, q: p + q
    assert np.array_equal(add(x, y).to_tensor(), a + b)
    assert np.array_equal(add(y, x).to_tensor(), a + b)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ([1], [[[], [2, 3], [4]], [[], [5], [6]]]),
        ([[1], [2], [3]], [[[], [3, 4], [6]], [[], [6], [8]]]),
        ([[[1]], [[2]]], [[[], [2, 3], [4]], [[], [6], [7]]]),
        ([[[1], [2], [3]]], [[[], [3, 4], [6]], [[], [6], [8]]]),
    ],
)
def test_over_rows_of_different_lengths(value: Any, wanted: Any) -> None:
    inner = tf.ragged.constant([[], [1, 2], [3], [], [4], [5]], dtype=tf.int32)
    rows = tf.RaggedTensor.from_uniform_row_length(inner, 3)
    assert (rows + tf.constant(value)).to_list() == wanted
    signature = [rows._type_spec, tf.TensorSpec([None] * np.ndim(value), tf.int32)]
    add = tf.function(lambda x, y: x + y, input_signature=signature)
    assert add(rows, value).to_list() == wanted


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([3, 3, (0, 1, 1, 2, 1, 0, 2, 2, 1)], [1]),
        ([2, 3, (0, 2, 1, 0, 1, 1)], [1, 1]),
        ([1, 3, (0, 1, 0), (2,)], [1, 3, 1, 1]),
        ([2, 2, (0, 0, 2, 0), (1, 0)], []),
    ],
)
def test_shapes_are_spread(a: Any, b: Any) -> None:
    wide = D.from_lengths(a)
    assert tf.broadcast_dynamic_shape(wide, D.from_lengths(b)).static_lengths() == a
    assert tf.broadcast_dynamic_shape(D.from_lengths(b), wide).static_lengths() == a
    spread = tf.broadcast_to(tf.fill(D.from_lengths(b), 7), wide)
    assert spread.to_list() == tf.fill(wide, 7).to_list()


def test_more_ragged_than_the_shape() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="more ragged axes"):
        tf.broadcast_to(tf.ragged.constant([[1], [2]]), D.from_lengths([2, 3]))
    with pytest.raises(ValueError, match="Cannot broadcast"):
        tf.broadcast_to([[1]], D.from_lengths([2]))
