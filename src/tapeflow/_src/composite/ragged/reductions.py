"""Ragged tensors summed up: over rows, across them, and by segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.reshaping import with_axis
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.filling import ones_like
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.math.arithmetic import add_v2, true_divide
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.reduction import all_, any_, max_, mean, min_
from tapeflow._src.ops.math.segment import (
    unsorted_segment_max,
    unsorted_segment_min,
    unsorted_segment_prod,
)
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

Segments = Callable[[Any, Any, Any], Any]
_SEGMENTS: dict[Op, Segments] = {
    sum_: unsorted_segment_sum,
    prod: unsorted_segment_prod,
    max_: unsorted_segment_max,
    min_: unsorted_segment_min,
}


@implements(sum_, prod, max_, min_)
def _(op: Op, rows: Any, axis: Any, *, keep_dims: bool, name: str | None = None) -> Any:
    axes = _axes(rows, axis)
    if axes is None:
        return _of_everything(op, rows, keep_dims, name)
    return _reduce_axes(op, rows, axes, keep_dims)


@implements(mean)
def _(op: Op, rows: Any, axis: Any, *, keep_dims: bool) -> Any:
    ones = rows.with_flat_values(ones_like(rows.flat_values))
    axes = _axes(rows, axis)
    if axes is None:
        total, count = (_of_everything(sum_, each, keep_dims) for each in (rows, ones))
    else:
        total, count = (_reduce_axes(sum_, each, axes, keep_dims) for each in (rows, ones))
    return true_divide(total, count)


@implements(all_, any_)
def _(op: Op, rows: Any, axis: Any, *, keep_dims: bool) -> Any:
    axes = _axes(rows, axis)
    if axes is None:
        return _of_everything(op, rows, keep_dims)
    # Booleans as numbers: all are true if the product is not 0, any if the sum is not.
    numbers = rows.with_flat_values(cast(rows.flat_values, DstT=dtypes.int32))
    total = _reduce_axes(prod if op is all_ else sum_, numbers, axes, keep_dims)
    return not_equal(total, dispatch.convert(0, dtypes.int32))


def _axes(rows: Any, axis: Any) -> list[int] | None:
    """Return the axes, counted from the front and sorted; None for all of them."""
    if axis is None:
        return None
    if isinstance(axis, Tensor):
        if axis.static_value is None:
            raise ValueError(
                "`axis` must have a static value: it decides the rank of the result. Pass a "
                "Python int."
            )
        axis = axis.static_value
    rank = rows.shape.rank
    listed = np.asarray(axis).reshape(-1).tolist()
    axes = sorted({positive_axis(each, rank) for each in listed})
    return None if rank is not None and len(axes) == rank and len(listed) == rank else axes


def _of_everything(op: Op, rows: Any, keep_dims: bool, name: str | None = None) -> Any:
    values = rows.flat_values
    result = op(values, static_ints(tuple(range(len(values.shape)))), keep_dims=False, name=name)
    if not keep_dims:
        return result
    return reshape(result, static_ints((1,) * len(rows.shape)))


def _reduce_axes(op: Op, rows: Any, axes: list[int], keep_dims: bool) -> Any:
    """Reduce one axis after the other, the innermost first."""
    for axis in reversed(axes):
        rows = _over_one(op, rows, axis)
    for axis in axes if keep_dims else ():
        rows = with_axis(rows, axis)
    return rows


def _over_one(op: Op, rows: Any, axis: int) -> Any:
    if not is_ragged(rows):
        return op(rows, static_ints((axis,)), keep_dims=False)
    partition = rows._row_partition
    if axis > 1:
        return rows.with_values(_over_one(op, rows.values, axis - 1))
    if axis == 1:
        ids, count = partition.value_rowids(), partition.nrows()
    else:
        ids, count = partition.offsets_in_rows(), longest(partition)
    return in_segments(_SEGMENTS[op], rows.values, ids, count)


def longest(partition: RowPartition) -> Any:
    """Return the length of the longest row; 0 if there is none."""
    zero = sizes.vector(scalar(0, partition.row_splits()))
    lengths = concat_v2([partition.row_lengths(), zero], scalar_int(0))
    return max_(lengths, static_ints((0,)))


# -- by segments ------------------------------------------------------------------------------


@implements(unsorted_segment_sum, unsorted_segment_prod, unsorted_segment_max, unsorted_segment_min)
def _(op: Op, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    if not is_ragged(data):
        raise ValueError("If segment_ids is ragged, data must be ragged too.")
    return in_segments(op, data, segment_ids, num_segments)


def in_segments(op: Segments, data: Any, ids: Any, count: Any) -> Any:
    """Reduce the rows of `data` with equal ids element-wise."""
    if is_ragged(ids):
        if not is_ragged(data):
            raise ValueError("If segment_ids is ragged, data must be ragged too.")
        text = "segment_ids and data must have the same rows"
        require_equal(ids._row_partition.row_splits(), data._row_partition.row_splits(), text)
        return in_segments(op, data.values, ids.values, count)
    if not is_ragged(data):
        return op(data, ids, count)
    partition = data._row_partition
    kind = partition.dtype
    ids = sizes.as_dtype_of(dispatch.convert(ids, None, kind), kind)
    count = sizes.as_dtype_of(dispatch.convert(count, None, kind), kind)
    lengths = unsorted_segment_max(partition.row_lengths(), ids, count)
    lengths = maximum(lengths, scalar(0, lengths))
    result = RowPartition._of_lengths(lengths)
    # A row of the result is as long as the longest of its rows: values are aligned by position.
    outer = gather_v2(ids, partition.value_rowids(), scalar_int(0))
    starts = gather_v2(result.row_starts(), outer, scalar_int(0))
    segment_ids = add_v2(starts, partition.offsets_in_rows())
    return data._like(in_segments(op, data.values, segment_ids, result.nvals()), result)
