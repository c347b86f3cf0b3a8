"""Sums and means of segments of gathered rows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.sparse import segment as ops


def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sum the rows of `data` at `indices`, per segment.

    Args:
        data: A real tensor.
        indices: The rows of `data` to gather.
        segment_ids: The segment of each of them, in ascending order.
        num_segments: The number of segments; by default one more than the largest id.
        sparse_gradient: Whether the gradient with respect to `data` is `tf.IndexedSlices`.
        name: Name of the op in a graph.

    Returns:
        A tensor with one row per segment; zeros for empty ones.

    Raises:
        InvalidArgumentError: The ids are not sorted, or an index is out of range.

    Example:

        >>> data = tf.constant([[1.0], [10.0], [100.0]])
        >>> indices, ids = [0, 1, 1, 1, 1], [0, 1, 1, 1, 1]
        >>> tf.sparse.segment_sum(data, indices, ids).numpy().tolist()
        [[1.0], [40.0]]
    """
    kinds = ops.sparse_segment_sum, ops.sparse_segment_sum_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Compute the mean of the rows of `data` at `indices`, per segment.

    Args:
        data: A floating-point tensor.
        indices: The rows of `data` to gather.
        segment_ids: The segment of each of them, in ascending order.
        num_segments: The number of segments; by default one more than the largest id.
        sparse_gradient: Whether the gradient with respect to `data` is `tf.IndexedSlices`.
        name: Name of the op in a graph.

    Returns:
        A tensor with one row per segment; zeros for empty ones.

    Raises:
        InvalidArgumentError: The ids are not sorted, or an index is out of range.

    Example:

        >>> data = tf.constant([[1.0], [10.0], [100.0]])
        >>> indices, ids = [0, 1, 1, 1, 1], [0, 1, 1, 1, 1]
        >>> tf.sparse.segment_mean(data, indices, ids).numpy().tolist()
        [[1.0], [10.0]]
    """
    kinds = ops.sparse_segment_mean, ops.sparse_segment_mean_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sum the rows of `data` at `indices`, per segment, over the root of the segment's size.

    Args:
        data: A floating-point tensor.
        indices: The rows of `data` to gather.
        segment_ids: The segment of each of them, in ascending order.
        num_segments: The number of segments; by default one more than the largest id.
        sparse_gradient: Whether the gradient with respect to `data` is `tf.IndexedSlices`.
        name: Name of the op in a graph.

    Returns:
        A tensor with one row per segment; zeros for empty ones.

    Raises:
        InvalidArgumentError: The ids are not sorted, or an index is out of range.

    Example:

        >>> data = tf.constant([[1.0], [10.0], [100.0]])
        >>> indices, ids = [0, 1, 1, 1, 1], [0, 1, 1, 1, 1]
        >>> tf.sparse.segment_sqrt_n(data, indices, ids).numpy().tolist()
        [[1.0], [20.0]]
    """
    kinds = ops.sparse_segment_sqrt_n, ops.sparse_segment_sqrt_n_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def _reduce(
    kinds: tuple[Any, Any],
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any,
    name: str | None,
    sparse_gradient: bool,
) -> Any:
    plain, counted = kinds
    attrs = {"sparse_gradient": bool(sparse_gradient), "name": name}
    if num_segments is None:
        return plain(data, indices, segment_ids, **attrs)
    return counted(data, indices, segment_ids, num_segments, **attrs)
