"""From sparse coordinates to dense tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import require_rank, shape_from_value
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import reshape, static_ints, sum_, sum_to
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.math.arithmetic import sub


def _bad_row(rows: Any, dims: tuple[int, ...]) -> str:
    """Return the error of coordinates that are not sorted, unique and within `dims`."""
    for i, row in enumerate(rows.tolist()):
        if any(not 0 <= n < size for n, size in zip(row, dims, strict=True)):
            return f"indices[{i}] = {row} is out of bounds: need 0 <= index < {fmt_shape(dims)}"
        if i and row < rows[i - 1].tolist():
            return (
                f"indices[{i}] = {row} is out of order. Many sparse ops require sorted indices. "
                f"Use tf.sparse.reorder first."
            )
        if i and row == rows[i - 1].tolist():
            return f"indices[{i}] = {row} is repeated"
    return "indices are not sorted and unique"


@op("SparseToDense", checked=True)
def sparse_to_dense(
    xp,
    sparse_indices: Index,
    output_shape: Static,
    sparse_values,
    default_value,
    *,
    validate_indices=True,
):
    """Return a tensor of `default_value` with `sparse_values` at the rows of `sparse_indices`."""
    dims = tuple(output_shape.tolist())
    if not dims:
        # The only coordinate of a scalar is empty.
        values = xp.concatenate([xp.reshape(default_value, (1,)), xp.reshape(sparse_values, (-1,))])
        return values[-1]
    rows = sparse_indices.reshape(-1, len(dims))
    inside = xp.all((rows >= 0) & (rows < np.array(dims, rows.dtype)))
    if validate_indices and rows.shape[0] > 1:
        # The first coordinate that differs from the row before decides the order.
        step = rows[1:] - rows[:-1]
        first = xp.argmax(step != 0, axis=1)
        inside = inside & xp.all(xp.take_along_axis(step, first[:, None], axis=1) > 0)
    xp.require(inside, lambda: _bad_row(np.asarray(rows), dims))
    base = xp.full(dims, default_value, dtype=sparse_values.dtype)
    return xp.index_set(base, tuple(rows[:, i] for i in range(len(dims))), sparse_values)


@sparse_to_dense.infer
def _(sparse_indices, output_shape, sparse_values, default_value, *, validate_indices):
    require_rank(default_value, 0, "default_value")
    dims = shape_from_value(output_shape)
    if sparse_indices.shape is not None:
        if len(sparse_indices.shape) > 2:
            raise InferError(
                f"sparse_indices should be a scalar, vector, or matrix, got shape "
                f"{fmt_shape(sparse_indices.shape)}"
            )
        depth = sparse_indices.shape[1] if len(sparse_indices.shape) == 2 else 1
        if dims is not None and depth not in (None, len(dims)):
            raise InferError(
                f"output_shape has {len(dims)} elements but sparse_indices name {depth}"
            )
        count = sparse_indices.shape[0] if sparse_indices.shape else 1
        shape = sparse_values.shape
        fits = not shape or (len(shape) == 1 and (None in (shape[0], count) or shape[0] == count))
        if not fits:
            raise InferError(
                f"sparse_values has shape {fmt_shape(shape)}, should be [] or [{count}]"
            )
    return Spec(dims, sparse_values.dtype)


@sparse_to_dense.gradient
def _(dz, *, sparse_indices, shape_of_sparse_values):
    rank = len(dz.shape)
    where = reshape(sparse_indices, static_ints((-1, rank)))
    by_values = gather_nd(dz, where)
    everything = sum_(dz, static_ints(tuple(range(rank))))
    by_default = sub(everything, sum_(by_values, static_ints((0,))))
    # One value may stand for all of them.
    return None, None, sum_to(by_values, shape_of_sparse_values), by_default
