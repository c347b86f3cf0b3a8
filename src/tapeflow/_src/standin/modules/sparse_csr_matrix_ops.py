"""`tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops`: products of sparse matrices.

Sparse matrices, also batched ones, are SparseTensors in row-major order: no other format exists.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.core.types import ShapeLike, TensorLike
from tapeflow.sparse import SparseTensor


def sparse_tensor_to_csr_sparse_matrix(
    indices: TensorLike, values: TensorLike, dense_shape: ShapeLike, name: str | None = None
) -> SparseTensor:
    """Return the matrix with these entries."""
    return tf.sparse.reorder(SparseTensor(indices, values, dense_shape))


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: SparseTensor, type: Any, name: str | None = None
) -> SparseTensor:
    """Return a matrix as a SparseTensor."""
    return sparse_matrix


def sparse_matrix_sparse_mat_mul(
    a: SparseTensor,
    b: SparseTensor,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return the product of two matrices, with an entry for each sum that has a term."""
    a, b = _oriented(a, transpose_a, adjoint_a), _oriented(b, transpose_b, adjoint_b)
    columns_of_a, rows_of_b = _keys(a, -1, b.dense_shape[-2]), _keys(b, -2, b.dense_shape[-2])
    # The entries of `b` that an entry of `a` is multiplied with stand side by side.
    start = tf.searchsorted(rows_of_b, columns_of_a, side="left")
    counts = tf.searchsorted(rows_of_b, columns_of_a, side="right") - start
    left = tf.repeat(tf.range(tf.size(counts)), counts)
    first = start - tf.cumsum(counts, exclusive=True)
    right = tf.gather(first, left) + tf.range(tf.reduce_sum(counts))
    terms = tf.gather(a.values, left) * tf.gather(b.values, right)
    row, column = tf.gather(a.indices[:, :-1], left), tf.gather(b.indices[:, -1:], right)
    shape = tf.concat([a.dense_shape[:-1], b.dense_shape[-1:]], 0)
    position = _raveled(tf.concat([row, column], 1), shape)
    order = tf.argsort(position, stable=True)
    unique, segment = tf.unique(tf.gather(position, order))
    values = tf.math.segment_sum(tf.gather(terms, order), segment)
    return SparseTensor(tf.transpose(tf.unravel_index(unique, shape)), values, shape)


def _oriented(matrix: SparseTensor, transpose: bool, adjoint: bool) -> SparseTensor:
    """Return a matrix, its transpose or its adjoint."""
    if not transpose and not adjoint:
        return matrix
    rank = matrix.indices.shape[-1]
    turned = tf.sparse.transpose(matrix, [*range(rank - 2), rank - 1, rank - 2])
    return tf.sparse.map_values(tf.math.conj, turned) if adjoint else turned


def _keys(matrix: SparseTensor, axis: int, size: Any) -> Any:
    """Return the index of each entry along an axis, different for each matrix of a batch."""
    own = matrix.indices[:, axis]
    return own if matrix.indices.shape[-1] == 2 else matrix.indices[:, 0] * size + own


def _raveled(indices: TensorLike, shape: ShapeLike) -> Any:
    """Return rows of indices as positions in row-major order."""
    strides = tf.math.cumprod(shape, exclusive=True, reverse=True)
    return tf.reduce_sum(indices * strides, 1)
