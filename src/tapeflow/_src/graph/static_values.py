"""Static values while tracing: integers that follow from known ones, sizes above all.

Of a shape like `[None, 3]` some elements are known and others are not. Ops that only move elements
preserve that knowledge: they run on arrays of objects, with None for unknown elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow._src.backends import numpy as xp
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import MOVES, SHAPE_ONLY
from tapeflow._src.ops.array.shape import shape
from tapeflow._src.ops.math.cast import cast

if TYPE_CHECKING:
    from tapeflow._src.graph.tensor import SymbolicTensor

# Results of at most this many elements are computed while tracing, if possible.
_MAX_ELEMENTS = 1024


def compute(
    op: Op, operands: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[SymbolicTensor, ...]
) -> None:
    """Compute the values of the outputs of a call, if they are small and integral."""
    for tensor in outputs:
        known_in_advance = tensor.static_value is not None
        if known_in_advance or not (tensor._dtype.is_integer or tensor._dtype.is_bool):
            return
        if not _is_small(tensor.static_shape):
            return
    if op is shape:
        _set(outputs[0], np.array(operands[0].static_shape, object))
        return
    if op is cast and operands[0].static_value is None:
        outputs[0]._partial = operands[0]._partial
        return
    moves = MOVES in op.traits
    arrays: list[Any] = []
    for value in operands:
        array = (
            [_static_array(t, moves) for t in value]
            if type(value) is tuple
            else _static_array(value, moves)
        )
        if array is None and SHAPE_ONLY in op.traits and _is_static(value.static_shape):
            array = _Shaped(value.static_shape)
        if array is None or (type(array) is list and any(a is None for a in array)):
            return
        arrays.append(array)
    try:
        result = op.kernels["numpy"](xp, *arrays, **attrs)
    except Exception:
        # The value is computed early; errors are raised when the graph runs.
        return
    for tensor, value in zip(outputs, (result,) if op.single_output else result):
        _set(tensor, np.asarray(value))


def _set(tensor: SymbolicTensor, value: Any) -> None:
    if value.dtype != object:
        tensor.static_value = value  # type: ignore[misc]
    elif None in value.reshape(-1).tolist():
        tensor._partial = value
    else:
        tensor.static_value = value.astype(tensor._dtype.np)  # type: ignore[misc]


def _static_array(tensor: Any, partly: bool) -> Any:
    """Return the value, or with `partly` an object array of what is known of it, or None."""
    if tensor.static_value is not None:
        return tensor.static_value
    if not partly:
        return None
    if tensor._partial is None and _is_small(tensor.static_shape):
        return np.full(tensor.static_shape, None, object)
    return tensor._partial


def _is_static(dims: Any) -> bool:
    return dims is not None and None not in dims


def _is_small(dims: Any) -> bool:
    if dims is None:
        return False
    count = 1
    for size in dims:
        if size is None:
            return False
        count *= size
    return count <= _MAX_ELEMENTS


class _Shaped:
    """An array of which only the shape exists."""

    def __init__(self, dims: Any) -> None:
        self.shape = dims
        self.ndim = len(dims)
        self.size = 1
        for size in dims:
            self.size *= size
