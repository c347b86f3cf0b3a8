"""Axes of ragged tensors, counted from either end."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor


def positive_axis(axis: Any, rank: int | None, name: str = "axis") -> int:
    """Return `axis` counted from the front; ValueError if there is none such."""
    if isinstance(axis, Tensor) and axis.static_value is not None:
        axis = int(axis.static_value)
    if isinstance(axis, Tensor) or not hasattr(axis, "__index__"):
        raise TypeError(f"{name} must be an int; got {type(axis).__name__}")
    at = axis.__index__()
    if rank is None:
        if at < 0:
            raise ValueError(f"{name}={at} may only be negative if ndims is statically known.")
        return at
    if not -rank <= at < rank:
        raise ValueError(f"{name}={at} out of bounds: expected {-rank}<={name}<{rank}")
    return at % rank
