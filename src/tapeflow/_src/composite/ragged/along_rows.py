"""Cumulative sums, softmax and counts along the rows of ragged tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.sparse import ragged_tensor_to_sparse
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.registry import Index, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.math.arithmetic import real_div, sub
from tapeflow._src.ops.math.counting import dense_bincount
from tapeflow._src.ops.math.elementwise import exp
from tapeflow._src.ops.math.reduction import max_
from tapeflow._src.ops.math.scan import as_type, cumsum
from tapeflow._src.ops.nn.softmax import log_softmax, softmax


@implements(softmax, log_softmax)
def _(operation: Op, rows: Any) -> Any:
    if len(rows.flat_values.shape) > 1:
        return rows.with_flat_values(operation(rows.flat_values))
    if operation is log_softmax:
        return NotImplemented
    last = static_ints((len(rows.shape) - 1,))
    weights = exp(sub(rows, max_(rows, last, keep_dims=True)))
    return real_div(weights, sum_(weights, last, keep_dims=True))


@implements(cumsum)
def _(operation: Op, rows: Any, axis: Any, *, exclusive: bool, reverse: bool) -> Any:
    at = positive_axis(axis, rows.shape.rank)
    options = {"exclusive": exclusive, "reverse": reverse}
    flat = rows.flat_values
    if at > rows.ragged_rank:
        return rows.with_flat_values(cumsum(flat, scalar_int(at - rows.ragged_rank), **options))
    # The zeros that rows are filled up with add nothing to the sums of the others.
    filled = cumsum(rows.to_tensor(), scalar_int(at), **options)
    numbers = sizes.numbers_below(sizes.count(flat, dtypes.int64))
    coordinates, _, _ = ragged_tensor_to_sparse(list(rows.nested_row_splits), numbers)
    return rows.with_flat_values(gather_nd(filled, coordinates))


@op(
    "RaggedBincount",
    dtypes=frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64}),
    grad=None,
    checked=True,
)
def ragged_bincount(
    xp, splits: Index, values: Index, size: Static, weights, *, binary_output=False
):
    """Count each number below `size` in each row, or whether it occurs."""
    bins, rows = int(size), splits.shape[0] - 1
    xp.require(xp.all(values >= 0), "Input must be non-negative")
    numbers = xp.searchsorted(splits[1:], xp.arange(values.shape[0]), side="right")
    total = rows * bins
    # Values that are too large are dropped: they go behind the last bin.
    cells = xp.where(values < bins, numbers * bins + values, total)
    if binary_output or not weights.shape[0]:
        flat = xp.groups.segment_count(cells, total)
        flat = as_type(xp.minimum(flat, 1) if binary_output else flat, weights.dtype)
    else:
        flat = xp.groups.segment_reduce("add", weights, cells, total, 0)
    return flat.reshape((rows, bins))


@ragged_bincount.infer
def _(splits, values, size, weights, *, binary_output):
    if size.value is not None and size.value < 0:
        raise InferError(f"size ({size.value}) must be non-negative")
    rows = None if not splits.shape or splits.shape[0] is None else splits.shape[0] - 1
    return Spec((rows, None if size.value is None else int(size.value)), weights.dtype)


@implements(dense_bincount)
def _(operation: Op, rows: Any, size: Any, weights: Any, *, binary_output: bool) -> Any:
    if rows.ragged_rank != 1 or len(rows.flat_values.shape) != 1:
        raise ValueError(f"bincount: a ragged tensor must have rank 2, got {rows.shape}")
    flat = weights.flat_values if is_ragged(weights) else reshape(weights, static_ints((-1,)))
    splits = sizes.as_dtype_of(rows.row_splits, dtypes.int64)
    bins = dispatch.convert(size, None, rows.dtype)
    return ragged_bincount(splits, rows.flat_values, bins, flat, binary_output=binary_output)
