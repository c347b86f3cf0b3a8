"""Edge values of segment reductions, as TensorFlow gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import numpy_groups

DATA = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
LOWEST = float(np.finfo(np.float32).min)
KINDS = ["sum", "mean", "prod", "max", "min"]


def sorted_segments(kind: str) -> Any:
    return getattr(tf.math, f"segment_{kind}")


def unsorted_segments(kind: str) -> Any:
    return getattr(tf.math, f"unsorted_segment_{kind}")


def gradient(function: Any, x: Any) -> Any:
    x = tf.constant(x, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", [[4, 6], [0, 0], [5, 6]]),
        ("mean", [[2, 3], [0, 0], [5, 6]]),
        ("prod", [[3, 8], [1, 1], [5, 6]]),
        ("max", [[3, 4], [0, 0], [5, 6]]),
        ("min", [[1, 2], [0, 0], [5, 6]]),
    ],
)
def test_sorted_segments_with_a_gap(kind: str, expected: Any) -> None:
    np.testing.assert_array_equal(sorted_segments(kind)(DATA, [0, 0, 2]), expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("sum", [-56, 0, 8]), ("mean", [-28, 0, 8]), ("prod", [16, 1, 8]), ("max", [100, 0, 8])],
)
def test_sorted_segments_of_small_integers(kind: str, expected: Any) -> None:
    result = sorted_segments(kind)(tf.constant([100, 100, 8], tf.int8), [0, 0, 2])
    assert result.dtype == tf.int8
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("data", "ids", "message"),
    [
        (DATA, [0, 2, 1], "not increasing"),
        (DATA, [-1, 0, 1], r"Segment id -1 out of range \[0, 2\)"),
        (DATA, [0, 1], "same size as dimension 0"),
        (DATA, [[0, 0], [1, 1], [1, 2]], "should be a vector"),
        (1.0, [0], "at least rank 1"),
    ],
)
def test_wrong_sorted_ids(kind: str, data: Any, ids: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sorted_segments(kind)(data, ids)


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_no_segments(kind: str) -> None:
    empty = tf.constant(np.zeros((0, 2), np.float32))
    assert sorted_segments(kind)(empty, tf.constant([], tf.int32)).shape == (0, 2)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", [[3, 4], [0, 0]]),
        ("prod", [[3, 4], [1, 1]]),
        ("max", [[3, 4], [LOWEST, LOWEST]]),
        ("min", [[3, 4], [-LOWEST, -LOWEST]]),
        ("mean", [[3, 4], [0, 0]]),
        ("sqrt_n", [[3, 4], [0, 0]]),
    ],
)
def test_negative_ids_are_left_out(kind: str, expected: Any) -> None:
    np.testing.assert_array_equal(unsorted_segments(kind)(DATA, [-1, 0, -5], 2), expected)


def test_ids_of_any_rank() -> None:
    total = tf.math.unsorted_segment_sum
    np.testing.assert_array_equal(total(DATA, [[0, 1], [0, 2], [-1, 2]], 3), [4, 2, 10])
    np.testing.assert_array_equal(total(DATA, 1, 2), [np.zeros_like(DATA), DATA])


@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min", "mean", "sqrt_n"])
@pytest.mark.parametrize(
    ("ids", "count", "message"),
    [
        ([2, 0, 1], 2, r"segment_ids\[0\] = 2 is out of range \[0, 2\)"),
        ([0, 1], 3, r"data.shape = \[3,2\] does not start with segment_ids.shape = \[2\]"),
        ([-1, -1, -1], -1, "num_segments == -1 must not be negative"),
        ([0, 0, 0], [2], r"num_segments should be a scalar, not shape \[1\]"),
    ],
)
def test_wrong_unsorted_ids(kind: str, ids: Any, count: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        unsorted_segments(kind)(DATA, ids, count)


def test_means_of_integers_are_floats() -> None:
    result = tf.math.unsorted_segment_mean([5, 6, 8], [0, 0, 2], 4)
    assert result.dtype == tf.float64
    np.testing.assert_array_equal(result, [5.5, 0, 8, 0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16"])
@pytest.mark.parametrize("columns", [1, 3, 64])
def test_many_rows_give_what_a_loop_gives(dtype: str, columns: int) -> None:
    generator = np.random.default_rng(3)
    rows = generator.integers(-4, 5, (1000, columns)).astype(dtype)
    ids = generator.integers(-1, 20, 1000)
    expected = np.zeros((20, columns), dtype)
    for i, row in zip(ids, rows, strict=True):
        if i >= 0:
            expected[i] += row
    result = tf.math.unsorted_segment_sum(rows, ids, 20)
    np.testing.assert_array_equal(result, expected)


def test_both_ways_to_add_up_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(4).uniform(size=(300, 40))
    ids = np.random.default_rng(5).integers(0, 9, 300)
    by_product = numpy_groups.segment_reduce("add", rows, ids, 9, 0)
    monkeypatch.setattr(numpy_groups, "_WORTH_A_PRODUCT", 10**9)
    np.testing.assert_allclose(numpy_groups.segment_reduce("add", rows, ids, 9, 0), by_product)


# -- gradients -------------------------------------------------------------------------------

TIED = [[1, 2], [1, 0], [5, 5]]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", [[1, 1], [1, 1], [1, 1]]),
        ("mean", [[0.5, 0.5], [0.5, 0.5], [1, 1]]),
        ("max", [[0.5, 1], [0.5, 0], [1, 1]]),
        ("min", [[0.5, 0], [0.5, 1], [1, 1]]),
        ("prod", [[1, 0], [1, 2], [1, 1]]),
    ],
)
def test_gradients_of_sorted_segments(kind: str, expected: Any) -> None:
    found = gradient(lambda x: sorted_segments(kind)(x, [0, 0, 2]), TIED)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", [[1, 1], [0, 0], [1, 1]]),
        ("mean", [[0.5, 0.5], [0, 0], [0.5, 0.5]]),
        ("max", [[0.5, 1], [0, 0], [0.5, 0]]),
        ("min", [[0.5, 0], [0, 0], [0.5, 1]]),
        ("prod", [[1, 0], [0, 0], [1, 2]]),
    ],
)
def test_gradients_of_unsorted_segments(kind: str, expected: Any) -> None:
    rows = [[1, 2], [1, 0], [1, 0]]
    found = gradient(lambda x: unsorted_segments(kind)(x, [2, -1, 2], 4), rows)
    np.testing.assert_array_equal(found, expected)


def test_gradient_of_a_segment_with_two_zeros() -> None:
    found = gradient(lambda x: tf.math.unsorted_segment_prod(x, [2, 2, 2], 4), [[0], [0], [1]])
    np.testing.assert_array_equal(found, [[0], [0], [0]])


# -- picked rows -----------------------------------------------------------------------------

PICKS, PARTS = [0, 1, 0, 2], [0, 0, 2, 2]


def sparse_segments(kind: str) -> Any:
    return getattr(tf.raw_ops, f"SparseSegment{kind}")


@pytest.mark.parametrize(
    ("kind", "weight"), [("Sum", 1.0), ("Mean", 1 / 2), ("SqrtN", 1 / np.sqrt(2))]
)
def test_picked_rows(kind: str, weight: float) -> None:
    result = sparse_segments(kind)(data=DATA, indices=PICKS, segment_ids=PARTS)
    sums = np.array([[4, 6], [0, 0], [6, 8]], np.float32)
    np.testing.assert_allclose(result, sums * np.float32(weight), rtol=1e-6)
    more = sparse_segments(f"{kind}WithNumSegments")(
        data=DATA, indices=PICKS, segment_ids=PARTS, num_segments=5
    )
    np.testing.assert_allclose(more[:3], result)
    np.testing.assert_array_equal(more[3:], np.zeros((2, 2)))


@pytest.mark.parametrize("kind", ["Sum", "Mean", "SqrtN"])
@pytest.mark.parametrize(
    ("indices", "ids", "message"),
    [
        ([0, 1, 0, 3], PARTS, r"indices\[3\] == 3 out of range \[0, 3\)"),
        ([0, 1, 0, -1], PARTS, r"indices\[3\] == -1 out of range"),
        (PICKS, [0, 1, 0, 2], "not increasing"),
        (PICKS, [-1, 0, 0, 2], "Segment id -1 out of range"),
        (PICKS, [0, 0, 2], "should have same size"),
    ],
)
def test_wrong_picks(kind: str, indices: Any, ids: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sparse_segments(kind)(data=DATA, indices=indices, segment_ids=ids)


def test_more_ids_than_segments() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be < num_segments"):
        tf.raw_ops.SparseSegmentSumWithNumSegments(
            data=DATA, indices=PICKS, segment_ids=PARTS, num_segments=2
        )


def test_sparse_gradient_names_each_row_once() -> None:
    def picked(x: Any, sparse: bool) -> Any:
        return tf.raw_ops.SparseSegmentMean(
            data=x, indices=PICKS, segment_ids=[0, 0, 1, 1], sparse_gradient=sparse
        )

    slices = gradient(lambda x: picked(x, True), DATA)
    assert isinstance(slices, tf.IndexedSlices)
    np.testing.assert_array_equal(slices.indices, [0, 1, 2])
    np.testing.assert_array_equal(slices.values, [[1, 1], [0.5, 0.5], [0.5, 0.5]])
    dense = gradient(lambda x: picked(x, False), DATA)
    np.testing.assert_array_equal(tf.convert_to_tensor(slices), dense)
