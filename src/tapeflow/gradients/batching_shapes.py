"""Where axes go when a batch axis is put before them: what batch rules have in common."""

from __future__ import annotations

from typing import Any

from tapeflow.ops.array import reshape, scalar_int, static_ints
from tapeflow.ops.movement import transpose


def axis_after_batch(axis: Any, rank: int) -> Any:
    """A scalar tensor that names an axis, for the tensor with the batch; None if not known."""
    if axis._static is None:
        return None
    return scalar_int(int(axis._static.reshape(-1)[0]) % rank + 1)


def axes_after_batch(axes: Any, rank: int, flat: bool = True) -> Any:
    """As `axis_after_batch` for any number of axes; a scalar stays one if not `flat`."""
    if axes._static is None:
        return None
    shifted = tuple(int(a) % rank + 1 for a in axes._static.reshape(-1))
    if not flat and axes._static.ndim == 0:
        return scalar_int(shifted[0])
    return static_ints(shifted)


def move_axis(tensor: Any, start: int, end: int) -> Any:
    """`tensor` with one axis moved; the others keep their order."""
    rank = len(tensor._dims)
    start, end = start % rank, end % rank
    if start == end:
        return tensor
    order = [i for i in range(rank) if i != start]
    order.insert(end, start)
    return transpose(tensor, static_ints(tuple(order)))


def batch_into(tensor: Any, axis: int) -> Any:
    """The first axis merged into `axis` (counted without it), as the slower of the two."""
    moved = move_axis(tensor, 0, axis)
    dims = moved._dims
    return reshape(
        moved, static_ints((*dims[:axis], dims[axis] * dims[axis + 1], *dims[axis + 2 :]))
    )


def batch_out_of(tensor: Any, axis: int, size: int) -> Any:
    """Undo `batch_into` for a batch of `size`."""
    dims = tensor._dims
    each = dims[axis] // max(size, 1)
    apart = reshape(tensor, static_ints((*dims[:axis], size, each, *dims[axis + 1 :])))
    return move_axis(apart, axis, 0)
