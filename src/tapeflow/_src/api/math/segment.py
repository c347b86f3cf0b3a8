"""Reductions over segments of rows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.common import fill, ones_like, shape_of
from tapeflow._src.ops.math import segment
from tapeflow._src.ops.math.arithmetic import real_div, true_divide
from tapeflow._src.ops.math.cast import as_index
from tapeflow._src.ops.math.elementwise import scalar, sqrt
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum as _unsorted_sum
from tapeflow._src.ops.sparse import segment as sparse_segment  # noqa: F401  declares SparseSegmentSum and kin


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sum the rows of each segment; `segment_ids` are sorted."""
    return segment.segment_sum(data, segment_ids, name=name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Compute the mean of the rows of each segment; `segment_ids` are sorted."""
    return segment.segment_mean(data, segment_ids, name=name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Multiply the rows of each segment; `segment_ids` are sorted. 1 for empty segments."""
    return segment.segment_prod(data, segment_ids, name=name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Compute the maximum of each segment; `segment_ids` are sorted. 0 for empty segments."""
    return segment.segment_max(data, segment_ids, name=name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Compute the minimum of each segment; `segment_ids` are sorted. 0 for empty segments."""
    return segment.segment_min(data, segment_ids, name=name)


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sum the rows of each segment; negative ids are dropped."""
    return _unsorted_sum(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Multiply the rows of each segment; negative ids are dropped."""
    return segment.unsorted_segment_prod(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the maximum of each segment; the lowest finite value for empty ones."""
    return segment.unsorted_segment_max(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the minimum of each segment; the highest finite value for empty ones."""
    return segment.unsorted_segment_min(data, as_index(segment_ids), num_segments, name=name)


def _summed_and_counted(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any]:
    """Return the sum and the row count (at least 1) of each segment."""
    data, segment_ids = dispatch.operand(data), as_index(dispatch.operand(segment_ids))
    total = _unsorted_sum(data, segment_ids, num_segments)
    if isinstance(data, Composite):
        count = _unsorted_sum(ones_like(data), segment_ids, num_segments)
        return total, maximum(count, dispatch.convert(1, data.dtype))
    ones = fill(shape_of(segment_ids), scalar(1, data))
    count = _unsorted_sum(ones, segment_ids, num_segments)
    return total, segment.as_column(maximum(count, scalar(1, count)), total)


@scoped("UnsortedSegmentMean")
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the mean of each segment; 0 for empty ones."""
    total, count = _summed_and_counted(data, segment_ids, num_segments)
    return true_divide(total, count)


@scoped("UnsortedSegmentSqrtN")
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sum the rows of each segment and divide by the square root of their number."""
    total, count = _summed_and_counted(data, segment_ids, num_segments)
    return real_div(total, sqrt(count))
