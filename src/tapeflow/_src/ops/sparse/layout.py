"""Where the elements of sparse tensors are: sorted, reshaped, joined, cut, filled up."""

from __future__ import annotations

import math

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import normalize_axis, require_rank, shape_from_value
from tapeflow._src.core.registry import UNREGISTERED, Index, InferError, Many, ManyIndex, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import range_, scalar_int, size
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.transpose import invert_permutation
from tapeflow._src.ops.sparse.arithmetic import values_at
from tapeflow._src.ops.sparse.parts import HOST, check_parts, require_inside, row_order

# -- order -------------------------------------------------------------------------------------


@op("SparseReorder", host=HOST, checked=True, outputs=("output_indices", "output_values"))
def sparse_reorder(xp, input_indices: Index, input_values, input_shape: Static):
    """Sort the elements by their coordinates."""
    order = row_order(input_indices)
    return input_indices[order], input_values[order]


@sparse_reorder.infer
def _(input_indices, input_values, input_shape):
    count, rank = check_parts(input_indices, input_values, input_shape)
    return Spec((count, rank), dtypes.int64), Spec((count,), input_values.dtype)


@sparse_reorder.gradient
def _(drows, dvalues, *, input_indices, input_shape):
    zero = scalar_int(0)
    numbers = range_(zero, size(dvalues), scalar_int(1))
    _, order = sparse_reorder(input_indices, numbers, input_shape)
    return None, gather_v2(dvalues, invert_permutation(order), zero)


# -- shape -------------------------------------------------------------------------------------


@op(
    "SparseReshape",
    grad=None,
    host=HOST,
    checked=True,
    outputs=("output_indices", "output_shape"),
)
def sparse_reshape(xp, input_indices: Index, input_shape: Static, new_shape: Static):
    """Return the coordinates of the same elements in a tensor of another shape."""
    current = tuple(input_shape.tolist())
    dims = _resolved(current, new_shape.tolist())
    require_inside(xp, input_indices, current)
    flat = np.zeros(len(input_indices), np.int64)
    for axis, count in enumerate(current):
        flat = flat * count + input_indices[:, axis]
    columns = np.empty((len(flat), len(dims)), np.int64)
    for axis in range(len(dims) - 1, -1, -1):
        flat, columns[:, axis] = np.divmod(flat, max(dims[axis], 1))
    return columns, np.array(dims, np.int64)


def _resolved(current: tuple[int, ...], requested: list[int]) -> list[int]:
    """Return the new sizes, with -1 computed."""
    total = math.prod(current)
    open_ = [axis for axis, count in enumerate(requested) if count == -1]
    if len(open_) > 1:
        raise InferError(f"only one output dimension may be -1, not both {open_[0]} and {open_[1]}")
    if any(count < -1 for count in requested):
        raise InferError(f"Size of each dimension must be non-negative, got {requested}")
    product = math.prod(count for count in requested if count != -1)
    fits = total == product if not open_ else (total % product == 0 if product else False)
    if open_ and not product:
        raise InferError(
            "reshape cannot infer the missing input size for an empty tensor unless all "
            "specified input sizes are non-zero"
        )
    if not fits:
        what = "requires a multiple of" if open_ else "has"
        raise InferError(
            f"Input to reshape is a SparseTensor with {total} dense values, but the requested "
            f"shape {what} {product}. input_shape={fmt_shape(current)} output_shape={requested}"
        )
    return [total // product if count == -1 else count for count in requested]


@sparse_reshape.infer
def _(input_indices, input_shape, new_shape):
    count, _ = check_parts(input_indices, None, input_shape)
    require_rank(new_shape, 1, "Target shape")
    if input_shape.value is not None and new_shape.value is not None:
        _resolved(tuple(input_shape.value.tolist()), new_shape.value.tolist())
    rank = new_shape.shape[0] if new_shape.shape else None
    return Spec((count, rank), dtypes.int64), Spec((rank,), dtypes.int64)


# -- joining -----------------------------------------------------------------------------------


@op(
    "SparseConcat",
    grad=None,
    host=HOST,
    checked=True,
    outputs=("output_indices", "output_values", "output_shape"),
)
def sparse_concat(xp, indices: ManyIndex, values: Many, shapes: ManyIndex, *, concat_dim):
    """Concatenate sparse tensors along an axis."""
    dims = np.stack(shapes)
    axis = concat_dim % dims.shape[1]
    others = np.delete(dims, axis, axis=1)
    differs = (others != others[0]).any(axis=1)
    xp.require(
        not differs.any(),
        lambda: (
            f"Input shapes must match: expected {dims[0].tolist()} but got "
            f"{dims[np.argmax(differs)].tolist()} beyond axis {axis}"
        ),
    )
    starts = np.cumsum(dims[:, axis]) - dims[:, axis]
    shift = np.zeros(dims.shape, np.int64)
    shift[:, axis] = starts
    rows = np.concatenate([part + by for part, by in zip(indices, shift, strict=True)])
    order = row_order(rows)
    result = dims[0].copy()
    result[axis] = dims[:, axis].sum()
    return rows[order], np.concatenate(values)[order], result


@sparse_concat.infer
def _(indices, values, shapes, *, concat_dim):
    if not len(indices) == len(values) == len(shapes) > 0:
        raise InferError(
            f"Expected as many indices as values and shapes, got {len(indices)}, {len(values)} "
            f"and {len(shapes)}"
        )
    counts, ranks = [], []
    for i, parts in enumerate(zip(indices, values, shapes, strict=True)):
        count, rank = check_parts(*parts, name=f"input {i}")
        counts.append(count)
        ranks.append(rank)
    static_ranks = [rank for rank in ranks if rank is not None]
    if any(rank != static_ranks[0] for rank in static_ranks):
        raise InferError(f"Ranks of all input tensors must match: got {ranks}")
    rank = static_ranks[0] if static_ranks else None
    if rank is not None:
        normalize_axis(concat_dim, rank, "Concat dimension")
    total = None if None in counts else sum(counts)
    return (
        Spec((total, rank), dtypes.int64),
        Spec((total,), values[0].dtype),
        Spec((rank,), dtypes.int64),
    )


# -- cutting -----------------------------------------------------------------------------------


@op(
    "SparseSlice",
    host=HOST,
    checked=True,
    outputs=("output_indices", "output_values", "output_shape"),
)
def sparse_slice(xp, indices: Index, values, shape: Static, start: Index, size: Index):
    """Return the elements within a box, clipped to the tensor."""
    xp.require((size >= 0).all(), lambda: f"Expected a non-negative size, got {size.tolist()}")
    moved = indices - start
    inside = ((moved >= 0) & (moved < size)).all(axis=1)
    dims = np.clip(shape - start, 0, size)
    return moved[inside], values[inside], dims


@sparse_slice.infer
def _(indices, values, shape, start, size):
    _, rank = check_parts(indices, values, shape)
    for name, spec in (("start", start), ("size", size)):
        require_rank(spec, 1, f"Input {name}")
        count = spec.shape[0] if spec.shape else None
        if None not in (count, rank) and count != rank:
            raise InferError(f"Expected {name} to be a vector of length {rank} but got {count}.")
    return (
        Spec((None, rank), dtypes.int64),
        Spec((None,), values.dtype),
        Spec((rank,), dtypes.int64),
    )


@sparse_slice.gradient
def _(drows, dvalues, dshape, *, indices, start, output_indices):
    return None, sparse_slice_grad(dvalues, indices, start, output_indices)


@op(
    "SparseSliceGrad",
    dtypes=NUMERIC,
    grad=UNREGISTERED,
    host=HOST,
    checked=True,
    outputs=("val_grad",),
)
def sparse_slice_grad(
    xp, backprop_val_grad, input_indices: Index, input_start: Index, output_indices: Index
):
    """Compute the gradient w.r.t. all elements, zero outside of the box."""
    return values_at(backprop_val_grad, input_indices, output_indices + input_start)


@sparse_slice_grad.infer
def _(backprop_val_grad, input_indices, input_start, output_indices):
    require_rank(input_indices, 2, "input_indices")
    require_rank(output_indices, 2, "output_indices")
    rows = input_indices.shape[:1] if input_indices.shape else (None,)
    return Spec(rows, backprop_val_grad.dtype)


# -- filling up --------------------------------------------------------------------------------


@op(
    "SparseFillEmptyRows",
    host=HOST,
    checked=True,
    outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)
def sparse_fill_empty_rows(xp, indices: Index, values, dense_shape: Static, default_value):
    """Return the elements by row, with `default_value` in each empty row.

    And which rows those are, and where each element went.
    """
    count, rows = int(dense_shape[0]), indices[:, 0]
    wrong = (rows < 0) | (rows >= count)
    first = int(np.argmax(wrong)) if wrong.any() else 0
    xp.require(not wrong.any(), lambda: f"indices({first}, 0) is invalid: {rows[first]} >= {count}")
    empty = np.bincount(rows, minlength=count) == 0
    added = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    added[:, 0] = np.flatnonzero(empty)
    every = np.concatenate([indices, added])
    filled = np.concatenate([values, np.full(len(added), default_value, values.dtype)])
    order = np.argsort(every[:, 0], kind="stable")
    positions = np.empty(len(every), np.int64)
    positions[order] = np.arange(len(every))
    return every[order], filled[order], empty, positions[: len(indices)]


@sparse_fill_empty_rows.infer
def _(indices, values, dense_shape, default_value):
    count, rank = check_parts(indices, values, dense_shape)
    require_rank(default_value, 0, "default_value")
    if rank == 0:
        raise InferError("Dense shape cannot be empty.")
    dims = shape_from_value(dense_shape)
    return (
        Spec((None, rank), dtypes.int64),
        Spec((None,), values.dtype),
        Spec((dims[0] if dims else None,), dtypes.bool),
        Spec((count,), dtypes.int64),
    )


@sparse_fill_empty_rows.gradient
def _(drows, dvalues, dempty, dmap, *, reverse_index_map):
    by_values, by_default = sparse_fill_empty_rows_grad(reverse_index_map, dvalues)
    return None, by_values, None, by_default


@op(
    "SparseFillEmptyRowsGrad",
    dtypes=NUMERIC,
    grad=UNREGISTERED,
    checked=True,
    outputs=("d_values", "d_default_value"),
)
def sparse_fill_empty_rows_grad(xp, reverse_index_map: Index, grad_values):
    """Compute the gradients w.r.t. the elements, and the default value."""
    count = grad_values.shape[0]
    inside = (reverse_index_map >= 0) & (reverse_index_map < count)
    xp.require(
        xp.all(inside), f"Elements in reverse index map must be in [0, {count}), the gradients"
    )
    added = xp.index_set(xp.ones(count, bool), reverse_index_map, False)
    rest = xp.sum(xp.where(added, grad_values, xp.zeros_like(grad_values)))
    return xp.take(grad_values, reverse_index_map, mode="clip"), rest.astype(grad_values.dtype)


@sparse_fill_empty_rows_grad.infer
def _(reverse_index_map, grad_values):
    require_rank(reverse_index_map, 1, "reverse_index_map")
    require_rank(grad_values, 1, "grad_values")
    return (
        Spec(reverse_index_map.shape or (None,), grad_values.dtype),
        Spec((), grad_values.dtype),
    )
