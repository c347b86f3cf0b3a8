"""`UnsortedSegmentSum`: the base of sparse gradients, so it is declared before them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.scan import accumulator, as_type


def infer_unsorted(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    """Infer `(data, segment_ids, num_segments)`: the ids' axes become one of `num_segments`."""
    data, segment_ids, num_segments = specs
    count = segment_count(num_segments)
    if data.shape is None or segment_ids.shape is None:
        return Spec(None, data.dtype)
    rank = len(segment_ids.shape)
    try:
        merge_shape(data.shape[:rank], segment_ids.shape)
    except InferError:
        raise InferError(
            f"data.shape = {fmt_shape(data.shape)} does not start with segment_ids.shape = "
            f"{fmt_shape(segment_ids.shape)}"
        ) from None
    return Spec((count, *data.shape[rank:]), data.dtype)


def segment_count(num_segments: Spec) -> int | None:
    """Return the static value of a number of segments, or None."""
    if num_segments.shape not in (None, ()):
        raise InferError(
            f"num_segments should be a scalar, not shape {fmt_shape(num_segments.shape)}"
        )
    if num_segments.value is None:
        return None
    count = int(num_segments.value)
    if count < 0:
        raise InferError(f"Input num_segments == {count} must not be negative.")
    return count


def fold_segments(
    xp: ModuleType, kind: str, data: Any, segment_ids: Any, num_segments: Any, initial: Any
) -> Any:
    """Reduce `data` by `kind` into one row per segment; those without rows stay `initial`."""
    count = int(num_segments)
    ids = segment_ids.reshape(-1)
    rows = data.reshape((ids.shape[0], *data.shape[segment_ids.ndim :]))
    wide = as_type(rows, accumulator(data.dtype))
    if xp.name == "numpy" and xp.groups.all_valid(ids, count):
        return as_type(xp.groups.reduce_valid(kind, wide, ids, count, initial), data.dtype)
    xp.require(xp.max(ids, initial=-1) < count, lambda: _out_of_range(segment_ids, count))
    return as_type(xp.groups.segment_reduce(kind, wide, ids, count, initial), data.dtype)


def _out_of_range(segment_ids: Any, count: int) -> str:
    index = np.argwhere(segment_ids >= count)[0]
    where = ",".join(str(i) for i in index.tolist())
    return f"segment_ids[{where}] = {segment_ids[tuple(index)]} is out of range [0, {count})"


def batch_unsorted(batch: Batch, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """Offset the segments of each member; negative ids stay negative, and so ignored."""
    if not batch.has(segment_ids):
        moved = batch.move_axis(batch.values(data), 0, len(segment_ids.static_shape))
        return batch.move_axis(batch.op(moved, segment_ids, num_segments), 1, 0)
    if not is_static(num_segments):
        return NotImplemented
    count = int(num_segments.static_value)
    ids = batch.values(segment_ids)
    first = np.arange(batch.size, dtype=ids.dtype.np) * count
    offsets = dispatch.convert(first.reshape((-1, *(1,) * len(segment_ids.static_shape))))
    own = select_v2(less(ids, dispatch.convert(0, ids.dtype)), ids, add_v2(ids, offsets))
    total = dispatch.convert(batch.size * count, num_segments.dtype)
    result = batch.op(batch.values(data), own, total)
    return batch.reshape(result, batch.size, count, *result.static_shape[1:])


@op(
    "UnsortedSegmentSum",
    infer=infer_unsorted,
    dtypes=NUMERIC,
    checked=True,
    ragged_scope="RaggedSegmentSum",
    batch=batch_unsorted,
)
def unsorted_segment_sum(xp, data, segment_ids: Index, num_segments: Static):
    """Compute the sums of the rows of each segment, ids in any order; negative ids are ignored."""
    return fold_segments(xp, "add", data, segment_ids, num_segments, 0)
