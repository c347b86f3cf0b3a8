"""Reductions over segments: the rows of data that have the same id."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_segments = functools.partial(declare, family="math", call=("data", "segment_ids"))


def _reduced(
    whole: Callable[..., Any],
    unsorted: Callable[..., Any],
    data: Any,
    segment_ids: Any,
    num_segments: Any,
    is_sorted: bool,
) -> Any:
    data, segment_ids = to_tensor(data), to_tensor(segment_ids)
    if segment_ids.shape.rank != 1:
        raise ValueError(
            f"`segment_ids` must be a vector with one id for each row of `data`. Received shape "
            f"{segment_ids.shape}"
        )
    rows, ids = data.shape[0], segment_ids.shape[0]
    if None not in (rows, ids) and rows != ids:
        raise ValueError(
            f"There must be one segment id for each row. Received {ids} ids for data of shape "
            f"{data.shape}"
        )
    if is_sorted:
        if num_segments is not None:
            raise ValueError(
                f"Sorted ids end with the last segment: leave `num_segments` out, or pass "
                f"sorted=False. Received: num_segments={num_segments}"
            )
        return whole(data, segment_ids)
    if num_segments is None:
        num_segments = tf.cast(tf.reduce_max(segment_ids) + 1, tf.int32)
    return unsorted(data, segment_ids, num_segments)


@_segments()
def segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Sums the rows of each segment.

    Args:
        data: Tensor of shape (rows, ...).
        segment_ids: A vector of integers, one for each row; negative ones are left out.
        num_segments: Number of segments; None is the largest id plus 1.
        sorted: Whether the ids are in ascending order, which is faster. Then `num_segments` must be
            None.

    Returns:
        A tensor of shape (segments, ...); 0 for segments without rows.

    Raises:
        ValueError: `segment_ids` is not such a vector, or `num_segments` comes with `sorted`.

    Example:
        >>> tf.keras.ops.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
        array([3, 3], dtype=int32)
    """
    functions = (tf.math.segment_sum, tf.math.unsorted_segment_sum)
    return _reduced(*functions, data, segment_ids, num_segments, sorted)


@_segments()
def segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Computes the maximum of each segment.

    Args:
        data: Tensor of shape (rows, ...).
        segment_ids: A vector of integers, one for each row; negative ones are left out.
        num_segments: Number of segments; None is the largest id plus 1.
        sorted: Whether the ids are in ascending order, which is faster. Then `num_segments` must be
            None.

    Returns:
        A tensor of shape (segments, ...); the lowest number of the dtype for segments without rows,
        0 if `sorted`.

    Raises:
        ValueError: `segment_ids` is not such a vector, or `num_segments` comes with `sorted`.

    Example:
        >>> tf.keras.ops.segment_max([5, 2, 3], [0, 1, 1]).numpy()
        array([5, 3], dtype=int32)
    """
    functions = (tf.math.segment_max, tf.math.unsorted_segment_max)
    return _reduced(*functions, data, segment_ids, num_segments, sorted)


@_segments()
def segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Computes the minimum of each segment.

    Args:
        data: Tensor of shape (rows, ...).
        segment_ids: A vector of integers, one for each row; negative ones are left out.
        num_segments: Number of segments; None is the largest id plus 1.
        sorted: Whether the ids are in ascending order, which is faster. Then `num_segments` must be
            None.

    Returns:
        A tensor of shape (segments, ...); the largest number of the dtype for segments without
        rows, 0 if `sorted`.

    Raises:
        ValueError: `segment_ids` is not such a vector, or `num_segments` comes with `sorted`.

    Example:
        >>> tf.keras.ops.segment_min([5, 2, 3], [0, 1, 1]).numpy()
        array([5, 2], dtype=int32)
    """
    functions = (tf.math.segment_min, tf.math.unsorted_segment_min)
    return _reduced(*functions, data, segment_ids, num_segments, sorted)


@_segments()
def segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
) -> Any:
    """Multiplies the rows of each segment.

    Args:
        data: Tensor of shape (rows, ...).
        segment_ids: A vector of integers, one for each row; negative ones are left out.
        num_segments: Number of segments; None is the largest id plus 1.
        sorted: Whether the ids are in ascending order, which is faster. Then `num_segments` must be
            None.

    Returns:
        A tensor of shape (segments, ...); 1 for segments without rows.

    Raises:
        ValueError: `segment_ids` is not such a vector, or `num_segments` comes with `sorted`.

    Example:
        >>> tf.keras.ops.segment_prod([5, 2, 3], [0, 1, 1]).numpy()
        array([5, 6], dtype=int32)
    """
    functions = (tf.math.segment_prod, tf.math.unsorted_segment_prod)
    return _reduced(*functions, data, segment_ids, num_segments, sorted)
