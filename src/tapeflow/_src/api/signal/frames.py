"""`tf.signal`: split signals into overlapping frames, and overlap-add."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.common import (
    expand_dims,
    pack,
    range_,
    scalar_int,
    shape_of,
    squeeze,
    static_ints,
    zeros_like,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.pad_slice import pad_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, mul, neg, sub
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


@scoped("frame")
@fused
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Split a signal into frames along `axis`.

    Args:
        signal: A tensor of rank 1 or more.
        frame_length: The length of a frame.
        frame_step: The distance between the starts of frames; smaller than the length, frames
            overlap.
        pad_end: Whether a last frame that is not full is filled up; else it is left out.
        pad_value: The value that fills it.
        axis: The axis of the samples, which becomes two: frames and samples.
        name: Name of the op in a graph.

    Returns:
        A tensor of one rank more.

    Example:

        >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
        [[1, 2, 3], [3, 4, 5]]
        >>> tf.signal.frame([1, 2, 3, 4], 3, 2, pad_end=True).numpy().tolist()
        [[1, 2, 3], [3, 4, 0]]
    """
    signal = dispatch.convert(signal)
    signal.shape.with_rank_at_least(1)
    rank = signal.shape.rank
    if rank is None:
        raise ValueError("tf.signal.frame needs a signal of known rank.")
    length = dispatch.convert(frame_length, dtypes.int32)
    step = dispatch.convert(frame_step, dtypes.int32)
    for number in (length, step, dispatch.convert(axis, dtypes.int32)):
        number.shape.assert_has_rank(0)
    at = int(axis) + rank if int(axis) < 0 else int(axis)
    if not 0 <= at < rank:
        raise IndexError(f"axis must be in [{-rank}, {rank}), got {axis}")
    samples = _size(signal, at)
    zero, one = scalar_int(0), scalar_int(1)
    if pad_end:
        count = maximum(neg(floor_div(neg(samples), step)), zero)
        needed = add_v2(length, mul(sub(count, one), step))
        missing = maximum(sub(needed, samples), zero)
        signal = _filled_up(signal, at, missing, pad_value)
    else:
        count = maximum(add_v2(floor_div(sub(samples, length), step), one), zero)
    starts = mul(range_(zero, count, one), step)
    positions = add_v2(expand_dims(starts, one), range_(zero, length, one))
    if at:
        return gather_v2(signal, positions, scalar_int(at))
    # Along an axis that is not the first the gradient is dense, as most samples get one.
    frames = gather_v2(expand_dims(signal, zero), positions, one)
    return squeeze(frames, axis=(0,))


def _size(tensor: Any, axis: int) -> Any:
    static_size = tensor.shape[axis]
    return get_item(shape_of(tensor), axis) if static_size is None else scalar_int(static_size)


def _filled_up(signal: Any, axis: int, missing: Any, value: Any) -> Any:
    rank = signal.shape.rank
    after = [missing if i == axis else scalar_int(0) for i in range(rank)]
    if missing.static_value is not None:
        count = int(missing.static_value)
        paddings = dispatch.convert([[0, count if i == axis else 0] for i in range(rank)])
    else:
        ends = pack(after)
        paddings = pack([zeros_like(ends), ends], axis=1)
    fill = dispatch.convert(value, None if hasattr(value, "dtype") else signal.dtype)
    return pad_v2(signal, paddings, fill)


@scoped("overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Reconstruct signals from frames by overlap-add.

    Args:
        signal: Frames `[..., frames, frame_length]`.
        frame_step: The distance between the starts of frames.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., (frames - 1) * frame_step + frame_length]`.

    Example:

        >>> tf.signal.overlap_and_add([[1, 1, 1], [10, 10, 10]], 2).numpy().tolist()
        [1, 1, 11, 10, 10]
    """
    signal = dispatch.convert(signal)
    signal.shape.with_rank_at_least(2)
    rank = signal.shape.rank
    if rank is None:
        raise ValueError("tf.signal.overlap_and_add needs frames of known rank.")
    step = dispatch.convert(frame_step, dtypes.int32)
    step.shape.assert_has_rank(0)
    frames, length = _size(signal, rank - 2), _size(signal, rank - 1)
    zero, one = scalar_int(0), scalar_int(1)
    positions = add_v2(
        expand_dims(mul(range_(zero, frames, one), step), one), range_(zero, length, one)
    )
    total = maximum(add_v2(mul(sub(frames, one), step), length), zero)
    first = transpose(signal, static_ints((rank - 2, rank - 1, *range(rank - 2))))
    summed = unsorted_segment_sum(first, positions, total)
    return transpose(summed, static_ints((*range(1, rank - 1), 0)))
