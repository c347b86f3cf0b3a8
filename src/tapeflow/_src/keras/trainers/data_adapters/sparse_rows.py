"""Rows of sparse matrices and tensors, to be taken in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf


def is_sparse_matrix(value: Any) -> bool:
    """Whether a value is a matrix of `scipy.sparse`, or something that has its methods."""
    return hasattr(value, "tocoo") and hasattr(value, "shape")


def is_coordinate_array(value: Any) -> bool:
    """Return whether a value is an array of JAX in coordinate format, `BCOO`."""
    return (
        hasattr(value, "todense")
        and hasattr(value, "indices")
        and hasattr(value, "data")
        and not is_sparse_matrix(value)
    )


def is_sparse(value: Any) -> bool:
    """Return whether a value is a sparse matrix or tensor."""
    return (
        isinstance(value, tf.SparseTensor) or is_sparse_matrix(value) or is_coordinate_array(value)
    )


class SparseRows:
    """A sparse tensor whose values are sorted by rows; `take` returns some of these."""

    def __init__(self, value: Any, floatx: str) -> None:
        if is_sparse_matrix(value):
            matrix = value.tocoo()
            indices = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
            values, shape = np.asarray(matrix.data), matrix.shape
        elif is_coordinate_array(value):
            indices = np.asarray(value.indices, np.int64)
            values, shape = np.asarray(value.data), value.shape
        else:
            indices = np.asarray(value.indices)
            values, shape = np.asarray(value.values), np.asarray(value.dense_shape)
        order = np.lexsort(indices.T[::-1])
        self._indices, self._values = indices[order], values[order]
        if self._values.dtype.kind == "f":
            self._values = self._values.astype(floatx)
        self.shape = tuple(int(size) for size in shape)
        self._starts = np.searchsorted(self._indices[:, 0], np.arange(self.shape[0] + 1))

    def take(self, rows: np.ndarray) -> Any:
        """A `tf.SparseTensor` of the rows with these numbers, in this order."""
        counts = self._starts[rows + 1] - self._starts[rows]
        ends = np.cumsum(counts)
        # For each value of the result: its place among those of its row, and in all of them.
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        positions = np.repeat(self._starts[rows], counts) + within
        indices = self._indices[positions]
        indices[:, 0] = np.repeat(np.arange(len(rows)), counts)
        return tf.SparseTensor(indices, self._values[positions], (len(rows), *self.shape[1:]))
