"""`tf.math`: rounding, and tests for infinity and NaN."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math import rounding


def ceil(x: Any, name: str | None = None) -> Tensor:
    """Round up to integers."""
    return rounding.ceil(x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """Round down to integers."""
    return rounding.floor(x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are neither infinite nor NaN."""
    return rounding.is_finite(x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are infinite."""
    return rounding.is_inf(x, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether elements are NaN."""
    return rounding.is_nan(x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """Round to the nearest integers, halves to even."""
    return rounding.rint(x, name=name)


def round(x: Any, name: str | None = None) -> Tensor:
    """Round to the nearest integers, halves to even; integers are unchanged."""
    x = dispatch.operand(x)
    return x if x.dtype.is_integer else rounding.round_(x, name=name)
