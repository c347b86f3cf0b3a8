"""Sparse tensors as containers, and what `tf.nest` sees of them and of ragged ones."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf


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
