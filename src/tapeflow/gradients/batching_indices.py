"""Batch rules of the ops that slice, pad, gather, scatter and sum by segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.gradients.batching_shapes import axis_after_batch, batch_into, batch_out_of, move_axis
from tapeflow.gradients.vectorize import Batch, rule_for
from tapeflow.ops.arithmetic import add_v2
from tapeflow.ops.array import broadcast_to, concat_v2, reshape, scalar_int, static_ints
from tapeflow.ops.comparison import less
from tapeflow.ops.select import select_v2

# -- slices and pads ----------------------------------------------------------------------------


def _put_first(tensor: Any, value: int) -> Any:
    """A tensor of sizes or places with one more at the front."""
    return static_ints((value, *(int(v) for v in tensor._static)))


def _all_known(*tensors: Any) -> bool:
    return all(t._static is not None for t in tensors)


def _slice_arguments(
    begin: Any, end: Any, strides: Any, masks: dict[str, int]
) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """The arguments of a strided slice that takes the whole batch, and of each member the same."""
    shifted = {name: mask << 1 for name, mask in masks.items()}
    shifted["begin_mask"] |= 1
    shifted["end_mask"] |= 1
    return (_put_first(begin, 0), _put_first(end, 0), _put_first(strides, 1)), shifted


@rule_for("StridedSlice")
def _(batch: Batch, input: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    if not _all_known(begin, end, strides):
        return NotImplemented
    where, shifted = _slice_arguments(begin, end, strides, masks)
    return batch.op(batch.values(input), *where, **shifted)


@rule_for("StridedSliceGrad")
def _(batch: Batch, shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **masks: int) -> Any:
    if not _all_known(shape, begin, end, strides):
        return NotImplemented
    where, shifted = _slice_arguments(begin, end, strides, masks)
    return batch.op(_put_first(shape, batch.size), *where, batch.values(dy), **shifted)


@rule_for("TensorStridedSliceUpdate")
def _(
    batch: Batch, input: Any, begin: Any, end: Any, strides: Any, value: Any, **masks: int
) -> Any:
    if not _all_known(begin, end, strides):
        return NotImplemented
    where, shifted = _slice_arguments(begin, end, strides, masks)
    # A value of lower rank than the slice is broadcast, within its member.
    added = masks["new_axis_mask"].bit_count() - masks["shrink_axis_mask"].bit_count()
    gap = (1,) * (len(input._dims) + added - len(value._dims))
    values = reshape(batch.values(value), static_ints((batch.size, *gap, *value._dims)))
    return batch.op(batch.values(input), *where, values, **shifted)


@rule_for("Slice")
def _(batch: Batch, input: Any, begin: Any, size: Any) -> Any:
    if not _all_known(begin, size):
        return NotImplemented
    return batch.op(batch.values(input), _put_first(begin, 0), _put_first(size, batch.size))


@rule_for("MirrorPad", "MirrorPadGrad", "Pad", "PadV2")
def _(batch: Batch, input: Any, paddings: Any, *constant: Any, **attrs: Any) -> Any:
    if paddings._static is None or any(batch.has(c) for c in constant):
        return NotImplemented
    wider = np.concatenate([np.zeros((1, 2), paddings._static.dtype), paddings._static])
    return batch.op(batch.values(input), dispatch.convert(wider), *constant, **attrs)


@rule_for("OneHot")
def _(batch: Batch, indices: Any, depth: Any, on: Any, off: Any, *, axis: int) -> Any:
    if batch.has(on) or batch.has(off):
        return NotImplemented
    return batch.op(batch.values(indices), depth, on, off, axis=axis if axis < 0 else axis + 1)


# -- gathering ----------------------------------------------------------------------------------


@rule_for("GatherV2")
def _(batch: Batch, params: Any, indices: Any, axis: Any, *, batch_dims: int) -> Any:
    after = axis_after_batch(axis, len(params._dims))
    if after is None:
        return NotImplemented
    within = batch_dims % max(len(indices._dims), 1) if batch_dims < 0 else batch_dims
    if not within and not batch.has(indices):
        return batch.op(batch.values(params), indices, after, batch_dims=0)
    if not within and not batch.has(params):
        # The axes of the indices, the batch among them, stand where `axis` was.
        return move_axis(batch.op(params, batch.values(indices), axis), int(after._static) - 1, 0)
    values = batch.values(params), batch.values(indices)
    return batch.op(*values, after, batch_dims=within + 1)


@rule_for("ResourceGather")
def _(batch: Batch, resource: Any, indices: Any, *, batch_dims: int, **attrs: Any) -> Any:
    if batch_dims:
        return NotImplemented
    return batch.op(resource, batch.values(indices), batch_dims=0, **attrs)


@rule_for("GatherNd")
def _(batch: Batch, params: Any, indices: Any, **attrs: Any) -> Any:
    if not batch.has(params):
        return batch.op(params, batch.values(indices), **attrs)
    if batch.has(indices):
        return batch.op(batch.values(params), _with_member(batch, indices), **attrs)
    last = len(params._dims)
    gathered = batch.op(move_axis(batch.values(params), 0, last), indices, **attrs)
    return move_axis(gathered, len(gathered._dims) - 1, 0)


def _with_member(batch: Batch, indices: Any) -> Any:
    """Indices into the whole batch: the number of the member stands before each."""
    values = batch.values(indices)
    lead = values._dims[:-1]
    numbers = np.arange(batch.size, dtype=values.dtype.np).reshape((-1, *(1,) * len(lead)))
    column = broadcast_to(dispatch.convert(numbers), static_ints((*lead, 1)))
    return concat_v2([column, values], scalar_int(len(lead)))


@rule_for("LowerBound", "UpperBound")
def _(batch: Batch, sorted_inputs: Any, values: Any, **attrs: Any) -> Any:
    """Each row is searched by itself, so the batch goes into the rows."""
    rows = [batch_into(batch.values(x), 0) for x in (sorted_inputs, values)]
    return batch_out_of(batch.op(*rows, **attrs), 0, batch.size)


# -- scattering ---------------------------------------------------------------------------------


@rule_for("ScatterNd")
def _(batch: Batch, indices: Any, updates: Any, shape: Any, **attrs: Any) -> Any:
    if shape._static is None:
        return NotImplemented
    dims = tuple(int(n) for n in shape._static)
    if batch.has(indices):
        whole = static_ints((batch.size, *dims))
        return batch.op(_with_member(batch, indices), batch.values(updates), whole, **attrs)
    moved = move_axis(batch.values(updates), 0, len(updates._dims))
    return move_axis(batch.op(indices, moved, static_ints((*dims, batch.size)), **attrs), -1, 0)


@rule_for(
    "ScatterNdNonAliasingAdd",
    "TensorScatterAdd",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterSub",
    "TensorScatterUpdate",
)
def _(batch: Batch, tensor: Any, indices: Any, updates: Any, **attrs: Any) -> Any:
    if batch.has(indices):
        values = batch.values(tensor), _with_member(batch, indices), batch.values(updates)
        return batch.op(*values, **attrs)
    target = move_axis(batch.values(tensor), 0, len(tensor._dims))
    moved = move_axis(batch.values(updates), 0, len(updates._dims))
    return move_axis(batch.op(target, indices, moved, **attrs), -1, 0)


# -- segments -----------------------------------------------------------------------------------


@rule_for("UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum")
def _(batch: Batch, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    if not batch.has(segment_ids):
        moved = move_axis(batch.values(data), 0, len(segment_ids._dims))
        return move_axis(batch.op(moved, segment_ids, num_segments), 1, 0)
    if num_segments._static is None:
        return NotImplemented
    # Each member has segments of its own; negative ids stay negative, and so left out.
    count = int(num_segments._static)
    ids = batch.values(segment_ids)
    first = np.arange(batch.size, dtype=ids.dtype.np) * count
    offsets = dispatch.convert(first.reshape((-1, *(1,) * len(segment_ids._dims))))
    own = select_v2(less(ids, dispatch.convert(0, ids.dtype)), ids, add_v2(ids, offsets))
    result = batch.op(batch.values(data), own, scalar_int(batch.size * count))
    return reshape(result, static_ints((batch.size, count, *result._dims[1:])))


@rule_for("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum")
def _(batch: Batch, data: Any, *ids: Any, **attrs: Any) -> Any:
    return _along_rows(batch, data, ids, attrs)


@rule_for(
    "SparseSegmentMean",
    "SparseSegmentMeanGrad",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNGrad",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumGrad",
    "SparseSegmentSumWithNumSegments",
)
def _(batch: Batch, data: Any, *ids: Any, **attrs: Any) -> Any:
    return _along_rows(batch, data, ids, attrs)


def _along_rows(batch: Batch, data: Any, ids: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Sums of rows: the batch goes into the rows."""
    if any(batch.has(i) for i in ids):
        return NotImplemented
    return move_axis(batch.op(move_axis(batch.values(data), 0, 1), *ids, **attrs), 1, 0)
