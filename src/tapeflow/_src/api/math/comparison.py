"""`tf.math`: comparisons and logic, element-wise."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math import comparison, logical


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x == y` element-wise."""
    return comparison.equal(x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x != y` element-wise."""
    return comparison.not_equal(x, y, name=name)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x < y` element-wise."""
    return comparison.less(x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x <= y` element-wise."""
    return comparison.less_equal(x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x > y` element-wise."""
    return comparison.greater(x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x >= y` element-wise."""
    return comparison.greater_equal(x, y, name=name)


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x and y` element-wise."""
    return logical.logical_and(x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x or y` element-wise."""
    return logical.logical_or(x, y, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Return `not x` element-wise."""
    return logical.logical_not(x, name=name)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Compute the exclusive or of `x` and `y` element-wise."""
    return logical.logical_xor(x, y, name=name)
