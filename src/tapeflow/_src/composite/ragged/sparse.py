"""Between ragged tensors and sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import every, require, require_nested
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, ManyIndex, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.shape import reshape
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.comparison import equal, greater
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_and, logical_or


@op(
    "RaggedTensorToSparse",
    outputs=("sparse_indices", "sparse_values", "sparse_dense_shape"),
    host="data-dependent shape",
    checked=True,
)
def ragged_tensor_to_sparse(xp, rt_nested_splits: ManyIndex, rt_dense_values):
    """Return the coordinates of all values, the values, and the sizes of the smallest box around
    them.
    """
    require_nested(xp, rt_nested_splits, len(rt_dense_values), whole=True)
    rows = len(rt_nested_splits[0]) - 1
    columns = [np.arange(rows)]
    sizes_found = [rows]
    for splits in rt_nested_splits:
        lengths = np.diff(splits)
        offsets = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
        columns = [*(np.repeat(column, lengths) for column in columns), offsets]
        sizes_found.append(int(lengths.max(initial=0)))
    inner = rt_dense_values.shape[1:]
    each = int(np.prod(inner, dtype=np.int64))
    columns = [np.repeat(column, each) for column in columns]
    if inner:
        coordinates = np.indices(inner).reshape(len(inner), -1)
        columns += [np.tile(column, len(rt_dense_values)) for column in coordinates]
    indices = np.stack(columns, axis=1).astype(np.int64)
    return indices, rt_dense_values.reshape(-1), np.array([*sizes_found, *inner], np.int64)


@ragged_tensor_to_sparse.infer
def _(rt_nested_splits, rt_dense_values):
    if not rt_nested_splits:
        raise InferError("RaggedTensorToSparse needs at least one level of rows")
    values = rt_dense_values
    if values.shape == ():
        raise InferError("RaggedTensorToSparse needs values of at least one axis, got a scalar")
    for splits in rt_nested_splits:
        require_rank(splits, 1, "rt_nested_splits")
        if splits.shape is not None and splits.shape[0] == 0:
            raise InferError("ragged splits must have at least one element, got none")
    rank = None if values.shape is None else len(values.shape) + len(rt_nested_splits)
    return (
        Spec((None, rank), dtypes.int64),
        Spec((None,), values.dtype),
        Spec((rank,), dtypes.int64),
    )


@ragged_tensor_to_sparse.gradient
def _(d_indices, d_values, d_shape, *, shape_of_rt_dense_values, rt_nested_splits):
    return [None] * len(rt_nested_splits), reshape(d_values, shape_of_rt_dense_values)


def to_sparse(rows: Any) -> SparseTensor:
    """Return the values at their coordinates."""
    indices, values, shape = ragged_tensor_to_sparse(list(rows.nested_row_splits), rows.flat_values)
    return SparseTensor(indices, values, shape)


def from_sparse(cls: Any, sparse: Any, row_splits_dtype: Any) -> Any:
    """Return the rows of a sparse matrix, which must have values at the beginning of
    each row only.
    """
    dtype = as_dtype(row_splits_dtype)
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"st_input must be a SparseTensor, received {type(sparse).__name__}.")
    rank = sparse.dense_shape.shape[0] if sparse.shape.rank is None else sparse.shape.rank
    if rank is None:
        rank = sparse.indices.shape[1]
    if rank is None:
        raise ValueError("Rank of SparseTensor must be known.")
    if rank != 2:
        raise ValueError(f"Rank of SparseTensor must be 2, but is {rank}.")
    _require_packed_rows(sparse.indices)
    ids = sizes.as_dtype_of(get_item(sparse.indices, (slice(None), 0)), dtype)
    count = sizes.as_dtype_of(get_item(sparse.dense_shape, 0), dtype)
    return cls.from_value_rowids(sparse.values, ids, count, validate=False)


def _require_packed_rows(indices: Any) -> None:
    """Return the first value of a row is in its first column, each other follows the one before."""
    rows, columns = get_item(indices, (slice(None), 0)), get_item(indices, (slice(None), 1))
    later, earlier = slice(1, None), slice(None, -1)
    same_row = equal(get_item(rows, later), get_item(rows, earlier))
    next_column = equal(
        get_item(columns, later), add_v2(get_item(columns, earlier), scalar(1, columns))
    )
    new_row = greater(get_item(rows, later), get_item(rows, earlier))
    first_column = equal(get_item(columns, later), scalar(0, columns))
    packed = logical_or(logical_and(same_row, next_column), logical_and(new_row, first_column))
    text = "SparseTensor is not right-ragged"
    require(every(packed), text, indices)
    starts = get_item(columns, slice(None, 1))
    require(every(equal(starts, scalar(0, columns))), text, indices)
