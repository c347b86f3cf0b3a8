"""Edge values of counting, as TensorFlow gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

NAN, INF = math.nan, math.inf


# -- unique ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "y", "idx", "count"),
    [
        ([1, 1, 2, 4, 4, 4, 7, 1], [1, 2, 4, 7], [0, 0, 1, 2, 2, 2, 3, 0], [3, 1, 3, 1]),
        ([2.0, 1.0, 2.0], [2, 1], [0, 1, 0], [2, 1]),
        ([2**30, -(2**30), 2**30], [2**30, -(2**30)], [0, 1, 0], [2, 1]),
        (["b", "a", "b"], [b"b", b"a"], [0, 1, 0], [2, 1]),
        ([True, False, True], [True, False], [0, 1, 0], [2, 1]),
        ([NAN, 1.0, NAN], [NAN, 1, NAN], [0, 1, 2], [1, 1, 1]),
        ([-0.0, 0.0], [-0.0], [0, 0], [2]),
    ],
)
def test_unique_in_order_of_occurrence(values: Any, y: Any, idx: Any, count: Any) -> None:
    result = tf.unique_with_counts(values, out_idx=tf.int64)
    np.testing.assert_array_equal(result.y, y)
    np.testing.assert_array_equal(result.idx, idx)
    np.testing.assert_array_equal(result.count, count)
    assert result.count.dtype == tf.int64
    plain = tf.unique(values)
    assert type(plain).__name__ == "Unique"
    np.testing.assert_array_equal(plain.idx, idx)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float32", "bfloat16"])
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_unique_of_many(dtype: str, size: int) -> None:
    x = np.random.default_rng(size).integers(0, 100, size).astype(tf.as_dtype(dtype).np)
    if dtype == "int8":
        x -= 50
    y, idx, count = (t.numpy() for t in tf.unique_with_counts(x))
    assert y.tolist() == list(dict.fromkeys(x.tolist()))
    np.testing.assert_array_equal(y[idx], x)
    np.testing.assert_array_equal(count, [(x == value).sum() for value in y])


def test_unique_slices() -> None:
    unique = tf.raw_ops.UniqueWithCountsV2
    y, idx, count = unique(x=[[1, 0, 1], [2, 0, 2]], axis=[-1])
    np.testing.assert_array_equal(y, [[1, 0], [2, 0]])
    np.testing.assert_array_equal(idx, [0, 1, 0])
    np.testing.assert_array_equal(count, [2, 1])


@pytest.mark.parametrize(
    ("x", "axis", "message"),
    [
        ([[1, 2]], [], "expects a 1D vector"),
        ([1, 2], 0, "axis expects a 1D vector"),
        ([[1, 2]], [0, 1], "larger than 1 elements"),
        ([[1, 2]], [2], r"axis has to be between \[0, 2\)"),
    ],
)
def test_wrong_unique(x: Any, axis: Any, message: str) -> None:
    axis = tf.constant(axis, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.UniqueV2(x=x, axis=axis)


def test_unique_of_no_slices() -> None:
    y, idx, count = tf.raw_ops.UniqueWithCountsV2(x=np.zeros((0, 3), np.float32), axis=[0])
    assert (y.shape, idx.shape, count.shape) == ((0, 3), (0,), (0,))


def test_unique_has_no_gradient() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.unique(x).y
    with pytest.raises(LookupError, match="Unique"):
        tape.gradient(y, x)


def test_list_diff() -> None:
    out, idx = tf.raw_ops.ListDiff(x=[1, 2, 3, 4, 2], y=[2, 9])
    np.testing.assert_array_equal(out, [1, 3, 4])
    np.testing.assert_array_equal(idx, [0, 2, 3])
    np.testing.assert_array_equal(tf.raw_ops.ListDiff(x=["a", "b"], y=["a"]).out, [b"b"])
    np.testing.assert_array_equal(tf.raw_ops.ListDiff(x=[NAN, 1.0], y=[NAN]).out, [NAN, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="y should be a 1D vector"):
        tf.raw_ops.ListDiff(x=[1], y=[[1]])


# -- bins ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "expected", "dtype"),
    [
        ({"arr": [1, 1, 2, 3, 2, 4, 4, 5]}, [0, 2, 2, 1, 2, 1], "int32"),
        ({"arr": []}, [], "int32"),
        ({"arr": [1, 1, 2], "weights": [1.0, 5, 0.5]}, [0, 6, 0.5], "float32"),
        ({"arr": [1, 1, 2], "minlength": 6}, [0, 2, 1, 0, 0, 0], "int32"),
        ({"arr": [1, 1, 2, 7], "maxlength": 3}, [0, 2, 1], "int32"),
        ({"arr": [1, 1, 2, 7], "minlength": 5, "maxlength": 3}, [0, 2, 1], "int32"),
        ({"arr": [[1, 1], [2, 0]]}, [1, 2, 1], "int32"),
        ({"arr": [[1, 1], [2, 0]], "axis": -1}, [[0, 2, 0], [1, 0, 1]], "int32"),
        (
            {"arr": [[1, 1], [2, 0]], "axis": -1, "weights": [[1, 2], [3, 4]]},
            [[0, 3, 0], [4, 0, 3]],
            "int32",
        ),
        ({"arr": [1, 1, 3], "binary_output": True}, [0, 1, 0, 1], "int32"),
        ({"arr": [1.0, 2.0], "dtype": tf.float64}, [0, 1, 1], "float64"),
        ({"arr": 3}, [0, 0, 0, 1], "int32"),
        ({"arr": [1, 2], "maxlength": 0}, [], "int32"),
    ],
)
def test_bincount(arguments: Any, expected: Any, dtype: str) -> None:
    result = tf.math.bincount(**arguments)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"arr": [1, -1]}, tf.errors.InvalidArgumentError, "must be non-negative"),
        ({"arr": [1], "axis": 1}, ValueError, "must be None, 0 or -1"),
        (
            {"arr": [1], "weights": [1], "binary_output": True},
            ValueError,
            "mutually exclusive",
        ),
        (
            {"arr": [1, 2], "weights": [1.0]},
            tf.errors.InvalidArgumentError,
            "weights must be empty",
        ),
        ({"arr": [1], "maxlength": -1}, tf.errors.InvalidArgumentError, "must be non-negative"),
        ({"arr": [[[1]]], "axis": -1}, tf.errors.InvalidArgumentError, "at most rank 2"),
        ({"arr": [1], "dtype": tf.uint8}, tf.errors.InvalidArgumentError, "allowed values"),
    ],
)
def test_wrong_bincount(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tf.math.bincount(**arguments)


def test_huge_numbers_need_no_huge_table() -> None:
    counts = tf.math.bincount([1, 10**9], maxlength=3)
    np.testing.assert_array_equal(counts, [0, 1, 0])


def test_histogram() -> None:
    values = [-1.0, 0, 1.5, 2, 5, 15, INF, -INF]
    counts = tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5, dtype=tf.int64)
    assert counts.dtype == tf.int64
    np.testing.assert_array_equal(counts, [3, 1, 1, 0, 3])
    bins = tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5)
    np.testing.assert_array_equal(bins, [0, 0, 1, 2, 4, 4, 4, 0])
    integers = tf.histogram_fixed_width(np.arange(20), np.array([0, 10]), nbins=3)
    np.testing.assert_array_equal(integers, [4, 3, 13])


def test_histogram_of_many() -> None:
    values = np.random.default_rng(1).uniform(-2, 2, 100_000)
    expected, _ = np.histogram(np.clip(values, -1, 1), bins=7, range=(-1, 1))
    np.testing.assert_array_equal(tf.histogram_fixed_width(values, [-1.0, 1.0], nbins=7), expected)


@pytest.mark.parametrize(
    ("values", "limits", "nbins", "message"),
    [
        ([NAN], [0.0, 1.0], 2, "must not contain NaN"),
        ([1.0], [5.0, 5.0], 2, r"value_range\[0\] < value_range\[1\]"),
        ([1.0], [5.0, 6.0, 7.0], 2, "vector of 2 elements"),
        ([1.0], [0.0, 1.0], 0, "positive number, but got '0'"),
    ],
)
def test_wrong_histograms(values: Any, limits: Any, nbins: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.histogram_fixed_width(values, limits, nbins)


# -- confusion matrix ------------------------------------------------------------------------


def test_confusion_matrix() -> None:
    matrix = tf.math.confusion_matrix([1, 2, 2], [2, 2, 1], weights=[1, 2, 3])
    assert matrix.dtype == tf.int32
    np.testing.assert_array_equal(matrix, [[0, 0, 0], [0, 0, 1], [0, 3, 2]])
    wide = tf.math.confusion_matrix([[1], [0]], [1, 1], num_classes=3, dtype=tf.float32)
    np.testing.assert_array_equal(wide, [[0, 1, 0], [0, 1, 0], [0, 0, 0]])
    none = tf.constant([], tf.int32)
    np.testing.assert_array_equal(tf.math.confusion_matrix(none, none, 1), [[0]])


@pytest.mark.parametrize(
    ("labels", "predictions", "options", "error", "message"),
    [
        ([4], [1], {"num_classes": 3}, tf.errors.InvalidArgumentError, "`labels` out of bound"),
        ([1], [4], {"num_classes": 3}, tf.errors.InvalidArgumentError, "`predictions` out of"),
        ([-1], [1], {}, tf.errors.InvalidArgumentError, "`labels` contains negative"),
        ([1], [-1], {}, tf.errors.InvalidArgumentError, "`predictions` contains negative"),
        ([1, 2], [2, 2, 1], {}, tf.errors.InvalidArgumentError, "Shapes of all inputs must"),
        ([1, 2], [2, 2], {"weights": [1]}, ValueError, "compatible"),
    ],
)
def test_wrong_confusion_matrix(
    labels: Any, predictions: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tf.math.confusion_matrix(labels, predictions, **options)
