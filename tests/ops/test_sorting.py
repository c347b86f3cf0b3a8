"""Edge values of sorting and searching, as TensorFlow gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends.numpy_groups import descending_order

NAN, INF = math.nan, math.inf
NUMBERS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def gradient(function: Any, x: Any) -> Any:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


# -- sort ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMBERS + INTEGERS)
def test_sorting_is_stable_in_both_directions(dtype: str) -> None:
    x = tf.constant([3, 1, 2, 1], dtype)
    np.testing.assert_array_equal(tf.sort(x).numpy().astype(int), [1, 1, 2, 3])
    np.testing.assert_array_equal(
        tf.sort(x, direction="DESCENDING").numpy().astype(int), [3, 2, 1, 1]
    )
    np.testing.assert_array_equal(tf.argsort(x), [1, 3, 2, 0])
    np.testing.assert_array_equal(tf.argsort(x, direction="DESCENDING"), [0, 2, 1, 3])
    assert tf.argsort(x).dtype == tf.int32
    assert tf.sort(x).dtype == dtype


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sorting_the_extreme_integers(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.max, 1, 0], dtype)
    np.testing.assert_array_equal(tf.sort(x), np.sort(x))
    np.testing.assert_array_equal(tf.sort(x, direction="DESCENDING"), np.sort(x)[::-1])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_sorting_along_any_axis(axis: int) -> None:
    x = np.random.default_rng(0).uniform(size=(3, 4, 5))
    np.testing.assert_array_equal(tf.sort(x, axis), np.sort(x, axis))
    np.testing.assert_array_equal(tf.argsort(x, tf.constant(axis)), np.argsort(x, axis))


def test_wrong_sorting() -> None:
    with pytest.raises(ValueError, match="one of ASCENDING, DESCENDING"):
        tf.sort([1.0], direction="ascending")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sort([1.0], axis=1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.argsort(1.0)
    with pytest.raises(ValueError, match="None"):
        tf.sort([1.0], axis=None)
    for value in ([True], ["a"], [1j]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.sort(value)


def test_gradient_of_sorting() -> None:
    weights = tf.constant([1.0, 2, 3, 4, 5])
    found = gradient(lambda x: tf.sort(x) * weights, [3.0, 1, 5, 5, 2])
    np.testing.assert_array_equal(found, [3, 1, 4, 5, 2])


@pytest.mark.parametrize("dtype", NUMBERS + INTEGERS)
@pytest.mark.parametrize("size", [1, 30, 300, 20_000])
@pytest.mark.parametrize("k", [0, 1, 7, 20_000])
def test_order_of_many_with_equal_ones(dtype: str, size: int, k: int) -> None:
    x = np.random.default_rng(size).integers(0, 50, size).astype(tf.as_dtype(dtype).np)
    keys = -x.astype(np.int64)
    k = min(k, size)
    np.testing.assert_array_equal(descending_order(x, k), np.argsort(keys, kind="stable")[:k])
    rows = np.stack([x, x[::-1]])
    np.testing.assert_array_equal(
        descending_order(rows, k), np.argsort(np.stack([keys, keys[::-1]]), kind="stable")[:, :k]
    )


# -- the largest -----------------------------------------------------------------------------


def test_top_k() -> None:
    values, indices = tf.math.top_k([3.0, 1, 5, 5, 2], 3)
    np.testing.assert_array_equal(values, [5, 5, 3])
    np.testing.assert_array_equal(indices, [2, 3, 0])
    result = tf.math.top_k([[1, 2, 3], [6, 5, 4]], k=2, index_type=tf.int64)
    assert type(result).__name__ == "TopKV2"
    assert result.indices.dtype == tf.int64
    np.testing.assert_array_equal(result.values, [[3, 2], [6, 5]])


@pytest.mark.parametrize("size", [6, 600])
def test_top_k_takes_nan_first_and_zeros_as_equal(size: int) -> None:
    x = np.full(size, -5.0, np.float32)
    x[:6] = [1, NAN, -0.0, 0.0, -NAN, INF]
    np.testing.assert_array_equal(tf.math.top_k(x, 6).indices, [1, 4, 5, 0, 2, 3])


@pytest.mark.parametrize(
    ("x", "k", "message"),
    [
        ([1.0], -1, "Need k >= 0, got -1"),
        ([1.0], 2, "at least k columns. Had 1, needed 2"),
        (1.0, 1, r"must be >= 1-D, got shape \[\]"),
        ([1.0], [1], r"k must be scalar, got shape \[1\]"),
        ([True], 1, "allowed values"),
    ],
)
def test_wrong_top_k(x: Any, k: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.math.top_k(x, k)


def test_gradient_of_top_k() -> None:
    x = [[3.0, 1, 5, 5, 2], [1, 2, 3, 4, 5]]
    expected = [[1, 0, 1, 1, 0], [0, 0, 1, 1, 1]]
    np.testing.assert_array_equal(gradient(lambda x: tf.math.top_k(x, 3).values, x), expected)
    np.testing.assert_array_equal(
        gradient(lambda x: tf.math.top_k(x, 0).values, x), np.zeros((2, 5))
    )


def test_approximate_top_k_is_exact() -> None:
    x = tf.constant([[3.0, 1, 5, 5, 2], [1, 2, 3, 4, 5]])
    values, indices = tf.math.approx_max_k(x, 2)
    np.testing.assert_array_equal(values, [[5, 5], [5, 4]])
    np.testing.assert_array_equal(indices, [[2, 3], [4, 3]])
    values, indices = tf.math.approx_min_k(x, 1, reduction_dimension=0)
    np.testing.assert_array_equal(values, [[1, 1, 3, 4, 2]])
    np.testing.assert_array_equal(indices, [[1, 0, 1, 1, 0]])
    assert indices.dtype == tf.int32


def test_nth_element() -> None:
    x = [3.0, 1, 5, 5, 2]
    assert tf.raw_ops.NthElement(input=x, n=1).numpy() == 2
    assert tf.raw_ops.NthElement(input=x, n=1, reverse=True).numpy() == 5
    found = gradient(lambda x: tf.raw_ops.NthElement(input=x, n=3), x)
    np.testing.assert_array_equal(found, [0, 0, 0.5, 0.5, 0])
    for n, message in ((5, "last dimension > n = 5"), (-1, "non-negative but is -1")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.raw_ops.NthElement(input=x, n=n)


PREDICTIONS = np.array([[0.1, 0.5, 0.4], [0.3, 0.3, 0.3], [NAN, 1, 2], [INF, 1, 2]], np.float32)


@pytest.mark.parametrize(
    ("target", "k", "expected"),
    [
        (0, 1, [False, True, False, False]),
        (1, 1, [True, True, False, False]),
        (2, 2, [True, True, False, False]),
        (0, 3, [True, True, False, False]),
        (0, 0, [False] * 4),
        (3, 4, [False] * 4),
        (-1, 4, [False] * 4),
    ],
)
def test_in_top_k(target: int, k: int, expected: Any) -> None:
    np.testing.assert_array_equal(tf.math.in_top_k([target] * 4, PREDICTIONS, k), expected)


def test_wrong_in_top_k() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must match length of targets 2"):
        tf.math.in_top_k([0, 0], PREDICTIONS, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2-dimensional"):
        tf.math.in_top_k([0], [1.0], 1)
    with pytest.raises(ValueError, match="float32"):
        tf.math.in_top_k([0], tf.constant([[1.0]], tf.float64), 1)


# -- searching -------------------------------------------------------------------------------


def test_searchsorted() -> None:
    sequence = [0.0, 3, 9, 9, 10]
    np.testing.assert_array_equal(tf.searchsorted(sequence, [0.0, 4, 10, 9]), [0, 2, 4, 2])
    np.testing.assert_array_equal(
        tf.searchsorted(sequence, [0.0, 4, 10, 9], side="right"), [1, 2, 5, 4]
    )
    rows = tf.searchsorted([sequence, [1, 2, 3, 4, 5]], [[2.0, 4, 9], [0, 2, 6]], out_type=tf.int64)
    assert rows.dtype == tf.int64
    np.testing.assert_array_equal(rows, [[1, 2, 2], [0, 1, 5]])
    cube = np.arange(12).reshape(2, 2, 3)
    np.testing.assert_array_equal(tf.searchsorted(cube, cube), [[[0, 1, 2]] * 2] * 2)


def test_searchsorted_at_the_edges() -> None:
    assert tf.searchsorted(tf.constant([], tf.float32), [1.0]).numpy() == [0]
    assert tf.searchsorted([0.0, 3.0], [NAN]).numpy() == [0]
    assert tf.searchsorted([0.0, 3.0], [NAN], side="right").numpy() == [2]


def test_wrong_searchsorted() -> None:
    with pytest.raises(ValueError, match="must be 'left' or 'right'"):
        tf.searchsorted([1.0], [1.0], side="middle")
    for sequence, values in (([[0.0], [1.0]], [1.0]), ([0.0], [[1.0], [2.0]]), ([0.0], 1.0)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.searchsorted(sequence, values)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.searchsorted(tf.constant([0.0]), tf.constant([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out_type"):
        tf.searchsorted([0.0], [1.0], out_type=tf.float32)


def test_bucketize() -> None:
    bucketize = tf.raw_ops.Bucketize
    found = bucketize(input=[[-5, 10000], [150, 10], [5, 100]], boundaries=[0, 10, 100])
    np.testing.assert_array_equal(found, [[0, 3], [3, 2], [1, 3]])
    # Boundaries are float32: the double 0.1 is below the boundary 0.1.
    doubles = tf.constant([0.1, 0.2], tf.float64)
    np.testing.assert_array_equal(bucketize(input=doubles, boundaries=[0.1, 0.2]), [0, 1])
    np.testing.assert_array_equal(
        bucketize(input=[NAN, 0.1, INF], boundaries=[0.1, 10.0]), [2, 1, 2]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sorted boundaries"):
        bucketize(input=[0.1], boundaries=[1.0, 0.0])
