"""Rows of a ragged tensor by number, as one op: TensorFlow's graphs hold it."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import MANY_OUTPUTS, Index, InferError, ManyIndex, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import shape
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


@op("RaggedGather", outputs=MANY_OUTPUTS, host="data-dependent shape", checked=True)
def ragged_gather(
    xp, params_nested_splits: ManyIndex, params_dense_values, indices: Index, *, OUTPUT_RAGGED_RANK
):
    """Return the splits of the rows with these numbers, from the outermost in, and then their
    values.
    """
    count = len(params_nested_splits[0]) - 1
    flat = indices.reshape(-1)
    outside = flat[(flat < 0) | (flat >= count)]
    xp.require(not outside.size, f"indices {outside[:1]} is not in [0, {count})")
    dtype = params_nested_splits[0].dtype
    splits_out = []
    for axis in range(1, indices.ndim):
        rows = int(np.prod(indices.shape[:axis]))
        splits_out.append(np.arange(rows + 1, dtype=dtype) * np.array(indices.shape[axis], dtype))
    chosen = flat
    for splits in params_nested_splits:
        starts = splits[chosen]
        lengths = splits[chosen + 1] - starts
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(dtype)
        splits_out.append(ends)
        chosen = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths)
    if not indices.ndim:
        splits_out = splits_out[1:]
    return [*splits_out, params_dense_values[chosen]]


@ragged_gather.infer
def _(params_nested_splits, params_dense_values, indices, *, OUTPUT_RAGGED_RANK):
    if not params_nested_splits:
        raise InferError("RaggedGather needs at least one level of rows")
    for splits in params_nested_splits:
        require_rank(splits, 1, "params_nested_splits")
    if indices.shape is not None:
        rank = len(indices.shape) + len(params_nested_splits) - 1
        if rank != OUTPUT_RAGGED_RANK:
            raise InferError(f"OUTPUT_RAGGED_RANK must be {rank}, got {OUTPUT_RAGGED_RANK}")
    values = params_dense_values
    inner = None if values.shape is None else (None, *values.shape[1:])
    dtype = params_nested_splits[0].dtype
    return (*[Spec((None,), dtype)] * OUTPUT_RAGGED_RANK, Spec(inner, values.dtype))


@ragged_gather.gradient
def _(dzs, *, params_nested_splits, params_dense_values, indices, OUTPUT_RAGGED_RANK):
    count = get_item(shape(params_dense_values, out_type=dtypes.int64), 0)
    positions = range_(np.int64(0), count, np.int64(1))
    *_, sources = ragged_gather(
        params_nested_splits, positions, indices, OUTPUT_RAGGED_RANK=OUTPUT_RAGGED_RANK
    )
    dvalues = unsorted_segment_sum(dzs[-1], sources, count)
    return [None] * len(params_nested_splits), dvalues, None
