"""Axes of a tensor and their permutations, computed when its rank is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    range_,
    reshape,
    scalar_int,
    static_ints,
)
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import rank
from tapeflow._src.ops.math.arithmetic import add_v2, floor_mod, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, not_equal
from tapeflow._src.ops.math.reduction import all_


def every_axis(tensor: Any) -> Any:
    """Return all axes."""
    dims = tensor.static_shape
    if dims is not None:
        return static_ints(tuple(range(len(dims))))
    return range_(scalar_int(0), rank(tensor), scalar_int(1))


def axes_last(tensor: Any, axes: Sequence[int]) -> Any:
    """Return the axes, with the given ones moved to the end."""
    if tensor.static_shape is not None:
        count = len(tensor.static_shape)
        last = [axis % count for axis in axes]
        return static_ints((*(i for i in range(count) if i not in last), *last))
    selected = floor_mod(static_ints(tuple(axes)), rank(tensor)) if axes else static_ints(())
    every = every_axis(tensor)
    unnamed = all_(not_equal(expand_dims(every, scalar_int(1)), selected), static_ints((1,)))
    others = cast(reshape(where(unnamed), static_ints((-1,))), DstT=dtypes.int32)
    return concat_v2([others, selected], scalar_int(0))


def swapped_with_last(tensor: Any, axis: int) -> Any:
    """Return the axes with one and the last exchanged: a permutation that is its own inverse."""
    if tensor.static_shape is not None:
        order = list(range(len(tensor.static_shape)))
        order[axis], order[-1] = order[-1], order[axis]
        return static_ints(tuple(order))
    count, every = rank(tensor), every_axis(tensor)
    at = add_v2(count, scalar_int(axis)) if axis < 0 else scalar_int(axis)
    last = sub(count, scalar_int(1))
    swapped = select_v2(equal(every, last), at, every)
    return select_v2(equal(every, at), last, swapped)


def laid_along(tensor: Any, axis: int) -> Any:
    """Return the shape of a vector that broadcasts along one axis of the tensor."""
    if tensor.static_shape is not None:
        along = [1] * len(tensor.static_shape)
        along[axis] = -1
        return static_ints(tuple(along))
    at = add_v2(rank(tensor), scalar_int(axis)) if axis < 0 else scalar_int(axis)
    return select_v2(equal(every_axis(tensor), at), scalar_int(-1), scalar_int(1))
