"""Reductions over groups of rows given by segment ids."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import in_rows
from tapeflow._src.core.dtypes import FROM_NUMPY, NUMERIC, REAL
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    fill,
    ones_like,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import rank
from tapeflow._src.ops.math.arithmetic import conj_of, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, greater_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.product import count_zeros, product_of_others, without_zeros
from tapeflow._src.ops.math.reduction import divide_integers, highest, lowest
from tapeflow._src.ops.math.scan import accumulator, as_type
from tapeflow._src.ops.math.segment_sum import (
    batch_unsorted,
    fold_segments,
    infer_unsorted,
    unsorted_segment_sum,
)

_HOST = "data-dependent shape"


def infer_sorted(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    """Infer `(data, segment_ids)`: the number of rows follows from the last id."""
    data, segment_ids = specs
    if segment_ids.shape is not None and len(segment_ids.shape) != 1:
        raise InferError("segment_ids should be a vector.")
    if data.shape is not None and not data.shape:
        raise InferError("input must be at least rank 1")
    count = None
    if segment_ids.value is not None:
        count = int(segment_ids.value[-1]) + 1 if segment_ids.value.size else 0
    if data.shape is None:
        return Spec(None, data.dtype)
    try:
        merge_shape(data.shape[:1], segment_ids.shape)
    except InferError:
        raise InferError("segment_ids should be the same size as dimension 0 of input.") from None
    return Spec((None if count is None or count < 0 else count, *data.shape[1:]), data.dtype)


def require_sorted(xp: ModuleType, ids: Any) -> int:
    """Return the number of segments of sorted ids; InvalidArgumentError if they are not sorted."""
    if not ids.size:
        return 0
    xp.require((ids[1:] >= ids[:-1]).all(), "segment ids are not increasing")
    count = int(ids[-1]) + 1
    xp.require(
        ids[0] >= 0,
        lambda: (
            f"Segment id {ids[0]} out of range [0, {count}), possibly because 'segment_ids' input "
            f"is not sorted."
        ),
    )
    return count


def _fold_sorted(xp: ModuleType, kind: str, data: Any, ids: Any, initial: Any, empty: Any) -> Any:
    """Reduce `data` by `kind` into one row per segment, `empty` for segments without rows."""
    count = require_sorted(xp, ids)
    result = fold_segments(xp, kind, data, ids, count, initial)
    if initial != empty:
        result[np.bincount(ids, minlength=count) == 0] = empty
    return result


@op("SegmentSum", infer=infer_sorted, dtypes=NUMERIC, host=_HOST, checked=True, batch=in_rows)
def segment_sum(xp, data, segment_ids: Index):
    """Compute the sums of the rows of each segment, ids sorted."""
    return _fold_sorted(xp, "add", data, segment_ids, 0, 0)


@segment_sum.kernel("numpy")
def _(xp, data, segment_ids):
    # Sorted ids are valid.
    count = require_sorted(xp, segment_ids)
    wide = as_type(data, accumulator(data.dtype))
    return as_type(xp.groups.reduce_valid("add", wide, segment_ids, count, 0), data.dtype)


@segment_sum.gradient
def _(dz, *, segment_ids):
    return gather_v2(dz, segment_ids, scalar_int(0)), None


@op("SegmentMean", infer=infer_sorted, dtypes=NUMERIC, host=_HOST, checked=True, batch=in_rows)
def segment_mean(xp, data, segment_ids: Index):
    """Compute the means of the rows of each segment, ids sorted; for integers, truncated."""
    total = _fold_sorted(xp, "add", data, segment_ids, 0, 0)
    counts = np.bincount(segment_ids, minlength=len(total))
    # Rows of segments that have none stay as they are: most of a large result, perhaps.
    present = np.flatnonzero(counts)
    divisors = counts[present].reshape(-1, *(1,) * (data.ndim - 1))
    if data.dtype.kind in "iu":
        total[present] = divide_integers(xp, total[present], divisors)
    else:
        total[present] /= divisors.astype(data.dtype)
    return total


@segment_mean.gradient
def _(dz, *, segment_ids):
    counts = segment_sum(cast(ones_like(segment_ids), DstT=dz.dtype), segment_ids)
    share = real_div(dz, as_column(maximum_with_one(counts), dz))
    return gather_v2(share, segment_ids, scalar_int(0)), None


def maximum_with_one(counts: Any) -> Any:
    """Return counts to divide by, at least one."""
    if counts.dtype.is_complex:
        real = counts.dtype.real_dtype
        return cast(maximum_with_one(cast(counts, DstT=real)), DstT=counts.dtype)
    return maximum(counts, scalar(1, counts))


def as_column(vector: Any, like: Any) -> Any:
    """Reshape a vector to broadcast against the rows of `like`."""
    dims = like.static_shape
    if dims is not None:
        return reshape(vector, static_ints((-1, *(1,) * (len(dims) - 1))))
    ones = fill(reshape(rank(like) - 1, static_ints((1,))), scalar_int(1))
    return reshape(vector, concat_v2([static_ints((-1,)), ones], scalar_int(0)))


@op("SegmentProd", infer=infer_sorted, dtypes=NUMERIC, host=_HOST, checked=True, batch=in_rows)
def segment_prod(xp, data, segment_ids: Index):
    """Compute the products of the rows of each segment, ids sorted; 1 for an empty segment."""
    return _fold_sorted(xp, "multiply", data, segment_ids, 1, 1)


@segment_prod.gradient
def _(dz, *, data, segment_ids):
    axis = scalar_int(0)
    zeros = gather_v2(segment_sum(count_zeros(data), segment_ids), segment_ids, axis)
    rest = gather_v2(segment_prod(without_zeros(data), segment_ids), segment_ids, axis)
    others = product_of_others(data, zeros, rest)
    return mul(gather_v2(dz, segment_ids, axis), conj_of(others)), None


@op("SegmentMax", infer=infer_sorted, dtypes=REAL, host=_HOST, checked=True, batch=in_rows)
def segment_max(xp, data, segment_ids: Index):
    """Compute the largest of the rows of each segment, ids sorted; 0 for a segment without rows."""
    return _fold_sorted(xp, "maximum", data, segment_ids, lowest(data.dtype), 0)


@op("SegmentMin", infer=infer_sorted, dtypes=REAL, host=_HOST, checked=True, batch=in_rows)
def segment_min(xp, data, segment_ids: Index):
    """Compute the minimum of the rows of each segment, ids sorted; 0 for an empty segment."""
    return _fold_sorted(xp, "minimum", data, segment_ids, highest(data.dtype), 0)


@segment_max.gradient
@segment_min.gradient
def _(dz, *, data, segment_ids, output):
    axis = scalar_int(0)
    chosen = cast(equal(data, gather_v2(output, segment_ids, axis)), DstT=dz.dtype)
    counts = segment_sum(chosen, segment_ids)
    share = real_div(dz, maximum(counts, scalar(1, dz)))
    return mul(chosen, gather_v2(share, segment_ids, axis)), None


# -- ids in any order --------------------------------------------------------------------------


def _take_rows(rows: Any, segment_ids: Any) -> Any:
    """Return the row of each id, zeros for negative ids."""
    ids = segment_ids.static_value
    if ids is not None and (ids.size == 0 or ids.min() >= 0):
        return gather_v2(rows, segment_ids, scalar_int(0))
    if (
        rows.static_shape is not None
        and rows.static_shape[0] == 0
        and None not in rows.static_shape
    ):
        # All ids are negative, and there is no row to take instead.
        behind = static_ints(rows.static_shape[1:])
        return fill(concat_v2([shape_of(segment_ids), behind], scalar_int(0)), scalar(0, rows))
    zero = scalar(0, segment_ids)
    gathered = gather_v2(rows, maximum(segment_ids, zero), scalar_int(0))
    valid = greater_equal(segment_ids, zero)
    return select_v2(_spread_over(valid, segment_ids, gathered), gathered, scalar(0, gathered))


def _spread_over(mask: Any, segment_ids: Any, rows: Any) -> Any:
    """Reshape a mask of the ids to broadcast against the gathered rows."""
    ids, row_dims = segment_ids.static_shape, rows.static_shape
    if ids is not None and row_dims is not None and None not in ids:
        return reshape(mask, static_ints((*ids, *(1,) * (len(row_dims) - len(ids)))))
    extra = reshape(rank(rows) - rank(segment_ids), static_ints((1,)))
    behind = fill(extra, scalar_int(1))
    whole = concat_v2([shape_of(segment_ids), behind], scalar_int(0))
    return broadcast_to(reshape(mask, whole), shape_of(rows))


@unsorted_segment_sum.gradient
def _(dz, *, segment_ids):
    return _take_rows(dz, segment_ids), None, None


@op(
    "UnsortedSegmentProd",
    infer=infer_unsorted,
    dtypes=NUMERIC,
    checked=True,
    ragged_scope="RaggedSegmentProd",
    batch=batch_unsorted,
)
def unsorted_segment_prod(xp, data, segment_ids: Index, num_segments: Static):
    """Compute the products of the rows of each segment; 1 for a segment without rows."""
    return fold_segments(xp, "multiply", data, segment_ids, num_segments, 1)


@unsorted_segment_prod.gradient
def _(dz, *, data, segment_ids, num_segments):
    zeros = unsorted_segment_sum(count_zeros(data), segment_ids, num_segments)
    rest = unsorted_segment_prod(without_zeros(data), segment_ids, num_segments)
    others = product_of_others(data, _take_rows(zeros, segment_ids), _take_rows(rest, segment_ids))
    return mul(_take_rows(dz, segment_ids), conj_of(others)), None, None


@op(
    "UnsortedSegmentMax",
    infer=infer_unsorted,
    dtypes=REAL,
    checked=True,
    ragged_scope="RaggedSegmentMax",
    batch=batch_unsorted,
)
def unsorted_segment_max(xp, data, segment_ids: Index, num_segments: Static):
    """Compute the largest of the rows of each segment.

    The lowest finite value where there is no row.
    """
    lowest_finite = FROM_NUMPY[data.dtype].min
    return fold_segments(xp, "maximum", data, segment_ids, num_segments, lowest_finite)


@op(
    "UnsortedSegmentMin",
    infer=infer_unsorted,
    dtypes=REAL,
    checked=True,
    ragged_scope="RaggedSegmentMin",
    batch=batch_unsorted,
)
def unsorted_segment_min(xp, data, segment_ids: Index, num_segments: Static):
    """Compute the smallest of the rows of each segment.

    The highest finite value where there is no row.
    """
    highest_finite = FROM_NUMPY[data.dtype].max
    return fold_segments(xp, "minimum", data, segment_ids, num_segments, highest_finite)


@unsorted_segment_max.gradient
@unsorted_segment_min.gradient
def _(dz, *, data, segment_ids, num_segments, output):
    chosen = cast(equal(data, _take_rows(output, segment_ids)), DstT=dz.dtype)
    counts = unsorted_segment_sum(chosen, segment_ids, num_segments)
    share = real_div(dz, maximum(counts, scalar(1, dz)))
    return mul(chosen, _take_rows(share, segment_ids)), None, None
