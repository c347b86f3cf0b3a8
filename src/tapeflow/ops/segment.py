"""Reductions over groups of rows named by segment ids."""

from __future__ import annotations

from typing import Any

from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.errors import fmt_shape
from tapeflow.core.infer import merge_shape, require_rank
from tapeflow.core.registry import Index, InferError, Static, op
from tapeflow.core.spec import Spec


def infer_unsorted(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    """`(data, segment_ids, num_segments)`: the ids' axes become one of `num_segments`."""
    data, segment_ids, num_segments = specs
    require_rank(num_segments, 0, "num_segments")
    count = None if num_segments.value is None else int(num_segments.value)
    if count is not None and count < 0:
        raise InferError(f"Input num_segments == {count} must not be negative.")
    if data.shape is None or segment_ids.shape is None:
        return Spec(None, data.dtype)
    rank = len(segment_ids.shape)
    if rank > len(data.shape):
        raise InferError(
            f"data.shape = {fmt_shape(data.shape)} does not start with segment_ids.shape = "
            f"{fmt_shape(segment_ids.shape)}"
        )
    merge_shape(
        data.shape[:rank], segment_ids.shape, "data.shape must start with segment_ids.shape"
    )
    return Spec((count, *data.shape[rank:]), data.dtype)


@op("UnsortedSegmentSum", infer=infer_unsorted, dtypes=NUMERIC, checked=True)
def unsorted_segment_sum(xp, data, segment_ids: Index, num_segments: Static):
    """The sums of the rows of each segment, ids in any order; negative ids are left out."""
    count = int(num_segments)
    rest = data.shape[segment_ids.ndim :]
    ids = segment_ids.reshape(-1)
    rows = data.reshape((ids.shape[0], *rest))
    xp.require(xp.all(ids < count), lambda: f"segment_ids must be < {count}, got {int(ids.max())}")
    # Rows to leave out go to one more segment, which is then dropped.
    target = xp.where(ids < 0, count, ids)
    return xp.index_add(xp.zeros((count + 1, *rest), data.dtype), target, rows)[:count]
