"""Ragged and sparse tensors as containers: made, taken apart, shown, and seen by `tf.nest`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

R = tf.RaggedTensor
InvalidArgument = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "made",
    [
        R.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
        R.from_row_lengths([1, 2, 3], [2, 0, 1]),
        R.from_value_rowids([1, 2, 3], [0, 0, 2]),
        tf.ragged.constant([[1, 2], [], [3]]),
    ],
)
def test_four_ways_to_the_same_rows(made: Any) -> None:
    assert made.to_list() == [[1, 2], [], [3]]
    assert repr(made) == "<tf.RaggedTensor [[1, 2], [], [3]]>"
    assert made.shape.as_list() == [3, None] and made.dtype is tf.int32
    assert made.row_splits.dtype is tf.int64 and made.ragged_rank == 1
    np.testing.assert_array_equal(made.row_lengths().numpy(), [2, 0, 1])
    assert int(made.nrows()) == 3


def test_several_levels() -> None:
    rows = tf.ragged.constant([[[1], [2, 3]], []])
    assert rows.shape.as_list() == [2, None, None] and rows.ragged_rank == 2
    np.testing.assert_array_equal(rows.flat_values.numpy(), [1, 2, 3])
    np.testing.assert_array_equal(rows.nested_row_splits[0].numpy(), [0, 2, 2])
    inner = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert inner.shape.as_list() == [2, None, 2]
    assert R.from_value_rowids([1], [0], nrows=3).to_list() == [[1], [], []]


def test_constants() -> None:
    assert tf.ragged.constant(3).dtype is tf.int32
    assert tf.ragged.constant([]).shape == (0,)
    assert tf.ragged.constant([["a", "b"], ["c"]]).to_list() == [[b"a", b"b"], [b"c"]]
    assert tf.ragged.constant([[1], [2, 3]], dtype=tf.float32).dtype is tf.float32
    with pytest.raises(ValueError, match="nesting depth"):
        tf.ragged.constant([[1, [2]]])
    with pytest.raises(ValueError, match="mixed types"):
        tf.ragged.constant([[1, 2], ["a"]])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 5]), "last split is 5"),
        (lambda: R.from_row_splits([1, 2, 3], [1, 3]), "start with 0"),
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 1, 3]), "not decrease"),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 0, 2]), "last split is 4"),
        (lambda: R.from_row_lengths([1], [-1, 2]), "not be negative"),
        (lambda: R.from_value_rowids([1, 2], [1, 0]), "sorted"),
        (lambda: R.from_value_rowids([1, 2], [0, 3], nrows=2), "nrows is 2"),
    ],
)
def test_rows_that_are_none_are_refused(make: Any, text: str) -> None:
    with pytest.raises(InvalidArgument, match=text):
        make()


def test_ragged_constructor_names_the_factories() -> None:
    with pytest.raises(ValueError, match="from_row_splits"):
        R([1], [0, 1])


def test_sparse() -> None:
    sparse = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
    assert sparse.shape == (3, 4) and sparse.get_shape() == (3, 4) and sparse.dtype is tf.int32
    assert sparse.indices.dtype is tf.int64
    np.testing.assert_array_equal(sparse.with_values([5, 6]).values.numpy(), [5, 6])
    assert "dense_shape=tf.Tensor([3 4]" in str(sparse)
    with pytest.raises(ValueError, match="not compatible"):
        tf.SparseTensor(indices=[[0]], values=[1, 2], dense_shape=[3])
    with pytest.raises(ValueError, match="rank"):
        tf.SparseTensor(indices=[0], values=[1], dense_shape=[3])


def test_nest_expands_them() -> None:
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    sparse = tf.SparseTensor([[0]], [1.0], [3])
    doubled = tf.nest.map_structure(
        lambda t: t * 2 if t.dtype is tf.float32 else t, (ragged, sparse), expand_composites=True
    )
    assert doubled[0].to_list() == [[2.0], [4.0, 6.0]]
    np.testing.assert_array_equal(doubled[1].values.numpy(), [2.0])
    assert tf.nest.flatten([ragged, sparse]) == [ragged, sparse]
    assert len(tf.nest.flatten([ragged, sparse], expand_composites=True)) == 5
