"""`tf.math.is_non_decreasing` and `is_strictly_increasing`."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch
from tapeflow.ops.arithmetic import sub
from tapeflow.ops.comparison import less, less_equal
from tapeflow.ops.reduction import all_
from tapeflow.ops.shape import reshape, static_ints


def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Whether no element, in row-major order, is smaller than the one before it."""
    zero, steps = _steps(x)
    return all_(less_equal(zero, steps), static_ints((0,)), name=name)


def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Whether every element, in row-major order, is larger than the one before it."""
    zero, steps = _steps(x)
    return all_(less(zero, steps), static_ints((0,)), name=name)


def _steps(x: Any) -> tuple[Any, Any]:
    flat = reshape(dispatch.convert(x), static_ints((-1,)))
    return dispatch.convert(0, flat.dtype), sub(flat[1:], flat[:-1])
