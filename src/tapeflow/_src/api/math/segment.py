"""Reductions over segments of rows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import fill, ones_like, shape_of
from tapeflow._src.ops.math import segment
from tapeflow._src.ops.math.arithmetic import real_div, true_divide
from tapeflow._src.ops.math.cast import as_index
from tapeflow._src.ops.math.elementwise import scalar, sqrt
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum as _unsorted_sum
from tapeflow._src.ops.sparse import segment as sparse_segment  # noqa: F401  declares SparseSegmentSum and kin


def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Sum the rows of each segment; `segment_ids` are sorted. 0 for empty segments.

    Row `i` of the result is computed from all rows of `data` whose id is `i`.
    `tf.math.unsorted_segment_sum` takes ids in any order.

    Args:
        data: A numeric tensor of rank 1 or more.
        segment_ids: int32 or int64 numbers, one per row, non-negative and in ascending order.
        name: Name of the op in a graph.

    Returns:
        A tensor of one row per id from 0 to the largest.

    Raises:
        InvalidArgumentError: The ids are not sorted, or negative.

    Example:

        >>> tf.math.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 2]).numpy().tolist()
        [[4, 6], [0, 0], [5, 6]]
    """
    return segment.segment_sum(data, segment_ids, name=name)


def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the mean of the rows of each segment; `segment_ids` are sorted.

    Row `i` of the result is computed from all rows of `data` whose id is `i`. 0 for
    empty segments.

    Args:
        data: A numeric tensor of rank 1 or more.
        segment_ids: int32 or int64 numbers, one per row, non-negative and in ascending order.
        name: Name of the op in a graph.

    Returns:
        A tensor of one row per id from 0 to the largest.

    Raises:
        InvalidArgumentError: The ids are not sorted, or negative.

    Example:

        >>> tf.math.segment_mean([1.0, 2.0, 5.0], [0, 0, 2]).numpy().tolist()
        [1.5, 0.0, 5.0]
    """
    return segment.segment_mean(data, segment_ids, name=name)


def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Multiply the rows of each segment; `segment_ids` are sorted. 1 for empty segments.

    Row `i` of the result is computed from all rows of `data` whose id is `i`.

    Args:
        data: A numeric tensor of rank 1 or more.
        segment_ids: int32 or int64 numbers, one per row, non-negative and in ascending order.
        name: Name of the op in a graph.

    Returns:
        A tensor of one row per id from 0 to the largest.

    Raises:
        InvalidArgumentError: The ids are not sorted, or negative.

    Example:

        >>> tf.math.segment_prod([2, 3, 5], [0, 0, 2]).numpy().tolist()
        [6, 1, 5]
    """
    return segment.segment_prod(data, segment_ids, name=name)


def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the maximum of each segment; `segment_ids` are sorted. 0 for empty segments.

    Row `i` of the result is computed from all rows of `data` whose id is `i`.

    Args:
        data: A real tensor of rank 1 or more.
        segment_ids: int32 or int64 numbers, one per row, non-negative and in ascending order.
        name: Name of the op in a graph.

    Returns:
        A tensor of one row per id from 0 to the largest.

    Raises:
        InvalidArgumentError: The ids are not sorted, or negative.

    Example:

        >>> tf.math.segment_max([2, 3, 5], [0, 0, 2]).numpy().tolist()
        [3, 0, 5]
    """
    return segment.segment_max(data, segment_ids, name=name)


def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Compute the minimum of each segment; `segment_ids` are sorted. 0 for empty segments.

    Row `i` of the result is computed from all rows of `data` whose id is `i`.

    Args:
        data: A real tensor of rank 1 or more.
        segment_ids: int32 or int64 numbers, one per row, non-negative and in ascending order.
        name: Name of the op in a graph.

    Returns:
        A tensor of one row per id from 0 to the largest.

    Raises:
        InvalidArgumentError: The ids are not sorted, or negative.

    Example:

        >>> tf.math.segment_min([2, 3, 5], [0, 0, 2]).numpy().tolist()
        [2, 0, 5]
    """
    return segment.segment_min(data, segment_ids, name=name)


def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sum the rows of each segment; 0 for empty ones.

    Args:
        data: A numeric tensor.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> data = [[1, 2], [3, 4], [5, 6]]
        >>> tf.math.unsorted_segment_sum(data, [1, 0, 1], num_segments=3).numpy().tolist()
        [[3, 4], [6, 8], [0, 0]]
    """
    return _unsorted_sum(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Multiply the rows of each segment; 1 for empty ones.

    Args:
        data: A numeric tensor.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> tf.math.unsorted_segment_prod([2, 3, 5], [1, 0, 1], num_segments=3).numpy().tolist()
        [3, 10, 1]
    """
    return segment.unsorted_segment_prod(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the maximum of each segment; the lowest finite value for empty ones.

    Args:
        data: A real tensor.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> tf.math.unsorted_segment_max([2, 3, 5], [1, 0, 1], num_segments=2).numpy().tolist()
        [3, 5]
    """
    return segment.unsorted_segment_max(data, as_index(segment_ids), num_segments, name=name)


def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the minimum of each segment; the highest finite value for empty ones.

    Args:
        data: A real tensor.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> tf.math.unsorted_segment_min([2, 3, 5], [1, 0, 1], num_segments=2).numpy().tolist()
        [3, 2]
    """
    return segment.unsorted_segment_min(data, as_index(segment_ids), num_segments, name=name)


def _summed_and_counted(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any
) -> tuple[Any, Any]:
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
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Compute the mean of each segment; 0 for empty ones.

    Args:
        data: A real tensor; the means of integers are floats.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> tf.math.unsorted_segment_mean([2, 3, 5], [1, 0, 1], num_segments=3).numpy().tolist()
        [3.0, 3.5, 0.0]
    """
    total, count = _summed_and_counted(data, segment_ids, num_segments)
    return true_divide(total, count)


@scoped("UnsortedSegmentSqrtN")
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sum the rows of each segment and divide by the square root of their number.

    Args:
        data: A floating-point tensor.
        segment_ids: Integers, in any order, whose shape is that of the first axes of `data`. Rows
            with a negative id are dropped.
        num_segments: The number of segments: the size of the first axis of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_segments, ...]`, with the axes of `data` that the ids do not cover.

    Raises:
        InvalidArgumentError: An id is `num_segments` or larger.

    Example:

        >>> data = [2.0, 3.0, 6.0, 1.0, 3.0]
        >>> tf.math.unsorted_segment_sqrt_n(data, [1, 0, 1, 1, 1], num_segments=2).numpy().tolist()
        [3.0, 6.0]
    """
    total, count = _summed_and_counted(data, segment_ids, num_segments)
    return real_div(total, sqrt(count))
