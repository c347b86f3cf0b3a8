"""`tf.bitwise`: bitwise ops on integers."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.ops.math import bitwise as _ops


def bitwise_and(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """Compute `x & y` bit by bit."""
    return _ops.bitwise_and(x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """Compute `x | y` bit by bit."""
    return _ops.bitwise_or(x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """Compute `x ^ y` bit by bit."""
    return _ops.bitwise_xor(x, y, name=name)


def invert(x: Any, name: str | None = None) -> _Tensor:
    """Invert every bit of `x`."""
    return _ops.invert(x, name=name)


def left_shift(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """Shift `x` left by `y` bits."""
    return _ops.left_shift(x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """Shift `x` right by `y` bits; arithmetic for signed integers."""
    return _ops.right_shift(x, y, name=name)
