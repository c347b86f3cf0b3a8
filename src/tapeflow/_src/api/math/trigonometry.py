"""`tf.math`: trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math import elementwise, trigonometry


def acos(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse cosine element-wise."""
    return trigonometry.acos(x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic cosine element-wise."""
    return trigonometry.acosh(x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse sine element-wise."""
    return trigonometry.asin(x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic sine element-wise."""
    return trigonometry.asinh(x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse tangent element-wise."""
    return trigonometry.atan(x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic tangent element-wise."""
    return trigonometry.atanh(x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """Compute the cosine element-wise."""
    return trigonometry.cos(x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """Compute the hyperbolic cosine element-wise."""
    return trigonometry.cosh(x, name=name)


def sin(x: Any, name: str | None = None) -> Tensor:
    """Compute the sine element-wise."""
    return trigonometry.sin(x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """Compute the hyperbolic sine element-wise."""
    return trigonometry.sinh(x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """Compute the tangent element-wise."""
    return trigonometry.tan(x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent element-wise."""
    return elementwise.tanh(x, name=name)
