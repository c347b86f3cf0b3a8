"""The batch that rules compute with: see `core.batching`, which says what each method returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow._src.core import batching, dispatch
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    expand_dims,
    reshape,
    scalar_int,
    static_ints,
)
from tapeflow._src.ops.array.transpose import transpose

if TYPE_CHECKING:
    from tapeflow._src.gradients.vectorize import Vectorizer


class Batch(batching.Batch):
    """The members of a vectoriser, as one call of an op sees them."""

    __slots__ = ("_mode", "op", "size")

    def __init__(self, op: Op, mode: Vectorizer) -> None:
        self.op = op
        self.size = mode.size
        self._mode = mode

    def has(self, tensor: Any) -> bool:
        return self._mode.owns(tensor)

    def values(self, tensor: Any) -> Any:
        return self._mode.unwrap(tensor)

    def aligned(self, *tensors: Any) -> list[Any]:
        """Align the batch axis in front of the highest rank."""
        rank = max(len(t.static_shape) for t in tensors)
        operands = []
        for tensor in tensors:
            operand = tensor
            if self._mode.owns(tensor):
                operand = tensor._value
                for _ in range(rank - len(tensor.static_shape)):
                    operand = expand_dims(operand, scalar_int(1))
            operands.append(operand)
        return operands

    def ints(self, *values: int) -> Any:
        return static_ints(values)

    def reshape(self, tensor: Any, *dims: int) -> Any:
        return reshape(tensor, static_ints(dims))

    def broadcast(self, tensor: Any, *dims: int) -> Any:
        return broadcast_to(tensor, static_ints(dims))

    def axis(self, axis: Any, rank: int) -> Any:
        if axis.static_value is None:
            return None
        return scalar_int(int(axis.static_value.reshape(-1)[0]) % rank + 1)

    def axes(self, axes: Any, rank: int, flat: bool = True) -> Any:
        if axes.static_value is None:
            return None
        shifted = tuple(int(a) % rank + 1 for a in axes.static_value.reshape(-1))
        if not flat and axes.static_value.ndim == 0:
            return scalar_int(shifted[0])
        return static_ints(shifted)

    def move_axis(self, tensor: Any, start: int, end: int) -> Any:
        return move_axis(tensor, start, end)

    def merge(self, tensor: Any, axis: int) -> Any:
        moved = move_axis(self.values(tensor), 0, axis)
        dims = moved.static_shape
        return self.reshape(moved, *dims[:axis], dims[axis] * dims[axis + 1], *dims[axis + 2 :])

    def split(self, tensor: Any, axis: int) -> Any:
        dims = tensor.static_shape
        each = dims[axis] // max(self.size, 1)
        return move_axis(
            self.reshape(tensor, *dims[:axis], self.size, each, *dims[axis + 1 :]), axis, 0
        )

    def member_indices(self, indices: Any) -> Any:
        values = self.values(indices)
        lead = values.static_shape[:-1]
        numbers = np.arange(self.size, dtype=values.dtype.np).reshape((-1, *(1,) * len(lead)))
        column = self.broadcast(dispatch.convert(numbers), *lead, 1)
        return concat_v2([column, values], scalar_int(len(lead)))


def move_axis(tensor: Any, start: int, end: int) -> Any:
    """Return `tensor` with one axis moved; the others keep their order."""
    rank = len(tensor.static_shape)
    start, end = start % rank, end % rank
    if start == end:
        return tensor
    order = [i for i in range(rank) if i != start]
    order.insert(end, start)
    return transpose(tensor, static_ints(tuple(order)))
