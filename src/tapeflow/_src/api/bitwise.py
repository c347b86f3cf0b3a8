"""`tf.bitwise`: ops on the bits of integers."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.ops.math import bitwise as _ops


def bitwise_and(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """The bits set in both `x` and `y`."""
    return _ops.bitwise_and(x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """The bits set in `x` or `y`."""
    return _ops.bitwise_or(x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """The bits set in exactly one of `x` and `y`."""
    return _ops.bitwise_xor(x, y, name=name)


def invert(x: Any, name: str | None = None) -> _Tensor:
    """Every bit turned over."""
    return _ops.invert(x, name=name)


def left_shift(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """`x` shifted left by `y` bits."""
    return _ops.left_shift(x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """`x` shifted right by `y` bits, keeping the sign."""
    return _ops.right_shift(x, y, name=name)
