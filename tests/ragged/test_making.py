"""Ragged tensors made in every way, and refused where their parts do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

R = tf.RaggedTensor
C = tf.ragged.constant
InvalidArgument = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "made",
    [
        R.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
        R.from_row_lengths([1, 2, 3], [2, 0, 1]),
        R.from_row_starts([1, 2, 3], [0, 2, 2]),
        R.from_row_limits([1, 2, 3], [2, 2, 3]),
        R.from_value_rowids([1, 2, 3], [0, 0, 2]),
        R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=3),
        R.from_tensor([[1, 2], [0, 0], [3, 0]], lengths=[2, 0, 1]),
        R.from_tensor([[1, 2], [0, 0], [3, 0]], padding=0),
        R.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])),
        C([[1, 2], [], [3]]),
    ],
)
def test_every_way_to_the_same_rows(made: Any) -> None:
    assert made.to_list() == [[1, 2], [], [3]]
    assert repr(made) == str(made) == "<tf.RaggedTensor [[1, 2], [], [3]]>"
    assert made.shape.as_list() == [3, None] and made.dtype is tf.int32
    assert made.row_splits.dtype is tf.int64 and made.ragged_rank == 1
    assert made.uniform_row_length is None
    np.testing.assert_array_equal(made.row_splits.numpy(), [0, 2, 2, 3])
    np.testing.assert_array_equal(made.row_lengths().numpy(), [2, 0, 1])
    np.testing.assert_array_equal(made.row_starts().numpy(), [0, 2, 2])
    np.testing.assert_array_equal(made.row_limits().numpy(), [2, 2, 3])
    np.testing.assert_array_equal(made.value_rowids().numpy(), [0, 0, 2])
    assert int(made.nrows()) == 3 and made.nrows(tf.int32).dtype is tf.int32


def test_rows_of_one_length() -> None:
    rows = R.from_uniform_row_length(C([[1], [2, 3], [4], []]), 2)
    assert rows.to_list() == [[[1], [2, 3]], [[4], []]]
    assert rows.shape.as_list() == [2, 2, None] and int(rows.uniform_row_length) == 2
    empty = R.from_uniform_row_length([], 0, nrows=3)
    assert empty.to_list() == [[], [], []] and empty.shape.as_list() == [3, 0]


def test_several_levels() -> None:
    wanted = [[[1], [2, 3]], []]
    assert C(wanted, dtype=tf.int32).to_list() == wanted
    assert R.from_nested_row_splits([1, 2, 3], [[0, 2, 2], [0, 1, 3]]).to_list() == wanted
    assert R.from_nested_row_lengths([1, 2, 3], [[2, 0], [1, 2]]).to_list() == wanted
    made = R.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]], [2, None])
    assert made.to_list() == wanted and made.ragged_rank == 2
    assert [s.numpy().tolist() for s in made.nested_row_splits] == [[0, 2, 2], [0, 1, 3]]
    assert [s.numpy().tolist() for s in made.nested_row_lengths()] == [[2, 0], [1, 2]]
    assert [s.numpy().tolist() for s in made.nested_value_rowids()] == [[0, 0], [0, 1, 1]]
    inner = C([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert inner.shape.as_list() == [2, None, 2] and inner.flat_values.shape == (3, 2)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 5]), InvalidArgument, "Received: 5, 3"),
        (lambda: R.from_row_splits([1, 2, 3], [1, 3]), InvalidArgument, "start with zero"),
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 1, 3]), InvalidArgument, "monotonic"),
        (lambda: R.from_row_splits([1, 2, 3], []), ValueError, "may not be empty"),
        (lambda: R.from_row_splits([1, 2, 3], [[0, 3]]), ValueError, "rank 1"),
        (lambda: R.from_row_splits([1, 2, 3], [0.0, 3.0]), ValueError, "int32 or int64"),
        (
            lambda: R.from_row_splits([1], [0, 1], validate="a"),
            TypeError,
            "validate must be True or False",
        ),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 0, 2]), InvalidArgument, "Received: 4, 3"),
        (lambda: R.from_row_lengths([1], [-1, 2]), InvalidArgument, "not be negative"),
        (lambda: R.from_row_starts([1, 2], [1]), InvalidArgument, "start with zero"),
        (lambda: R.from_row_starts([1, 2], [0, 3]), InvalidArgument, "sorted, up to nvals"),
        (lambda: R.from_row_limits([1, 2], [2, 1]), InvalidArgument, "sorted"),
        (lambda: R.from_row_limits([1, 2], [1]), InvalidArgument, "Received: 1, 2"),
        (lambda: R.from_value_rowids([1, 2], [1, 0]), InvalidArgument, "sorted"),
        (lambda: R.from_value_rowids([1, 2], [-1, 0]), InvalidArgument, "negative"),
        (lambda: R.from_value_rowids([1, 2], [0, 3], nrows=2), ValueError, "nrows=2"),
        (lambda: R.from_value_rowids([1, 2], [0, 0], nrows=-1), ValueError, "got -1"),
        (lambda: R.from_value_rowids([1, 2], [0]), ValueError, "incompatible"),
        (lambda: R.from_uniform_row_length([1, 2, 3], 2), ValueError, "must equal nvals=3"),
        (lambda: R.from_uniform_row_length([1, 2, 3], -1), ValueError, ">= 0"),
        (lambda: R.from_nested_row_splits([1], tf.constant([0, 1])), TypeError, "must be a list"),
        (
            lambda: R.from_nested_value_rowids([1], [[0]], [1, 1]),
            ValueError,
            "one number per entry",
        ),
        (
            lambda: R.from_tensor([[1]], lengths=[1], padding=0),
            ValueError,
            "`lengths` and `padding` exclude",
        ),
        (lambda: R.from_tensor([[1]], ragged_rank=0), ValueError, "must be 1 or more"),
        (lambda: R.from_tensor([1]), ValueError, "rank"),
        (lambda: R.from_sparse(3), TypeError, "SparseTensor"),
        (
            lambda: R.from_sparse(tf.SparseTensor([[0, 1]], [1], [1, 2])),
            InvalidArgument,
            "not right-ragged",
        ),
        (lambda: R([1], [0, 1]), ValueError, "not constructed directly"),
        (
            lambda: R.from_row_splits(C([[1]]), np.array([0, 1], np.int32)),
            ValueError,
            "`values` has row_splits of",
        ),
    ],
)
def test_rows_that_are_none_are_refused(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_what_is_not_checked_is_not_refused() -> None:
    assert R.from_row_splits([1, 2, 3], [0, 2, 5], validate=False).to_list() == [[1, 2], [3]]


def test_rows_that_are_none_are_refused_when_the_graph_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def make(splits: Any) -> Any:
        return R.from_row_splits([1, 2, 3], splits)

    assert make([0, 1, 3]).to_list() == [[1], [2, 3]]
    with pytest.raises(InvalidArgument, match="monotonic"):
        make([0, 2, 1, 3])
    with pytest.raises(InvalidArgument, match="as many values"):
        make([0, 2])


@pytest.mark.parametrize(
    ("arguments", "wanted", "shape"),
    [
        (([],), [], [0]),
        ((3,), 3, []),
        (([1, 2],), [1, 2], [2]),
        (([[], []],), [[], []], [2, None]),
        (([[], [[]]],), [[], [[]]], [2, None, None]),
        (([[1, 2], [3, 4]], None, 0), [[1, 2], [3, 4]], [2, 2]),
        (([[[1, 2]], [[3, 4]]], None, 1), [[[1, 2]], [[3, 4]]], [2, None, 2]),
        (([[[1, 2]], [[3, 4]]], None, None, (2,)), [[[1, 2]], [[3, 4]]], [2, None, 2]),
        (([[], []], None, 1, (2,)), [[], []], [2, None, 2]),
        (([], None, 2), [], [0, None, None]),
        (([np.array([1, 2]), np.array([3])],), [[1, 2], [3]], [2, None]),
    ],
)
def test_constants(arguments: Any, wanted: Any, shape: list[int | None]) -> None:
    made = C(*arguments)
    assert made.shape.as_list() == shape
    assert (made.to_list() if isinstance(made, R) else made.numpy().tolist()) == wanted


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([[1, [2]]],), ValueError, "depth 1 and at depth 2"),
        (([[1, 2], ["a"]],), ValueError, "mixed types"),
        (([[1], [[]]],), ValueError, "nested 3 deep"),
        ((3, None, 1), ValueError, "incompatible with ragged_rank=1"),
        (([1], None, 1), ValueError, "depth greater than 1"),
        (([[1]], None, -1), ValueError, "nonnegative"),
        (([[[1, 2]]], None, 2, (2,)), ValueError, "incompatible with ragged_rank=2"),
        (([[[1, 2], [3]]], None, 1), ValueError, "inconsistent shape"),
        ((C([[1]]),), TypeError, "Received a RaggedTensor"),
    ],
)
def test_constants_that_are_none(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        C(*arguments)
