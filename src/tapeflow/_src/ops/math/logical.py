"""Logical and bitwise ops, and the dispatch of operators between them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import INTEGER
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import broadcast_bool, same_as
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import Bool, op
from tapeflow._src.core.traits import TOTAL, TOTAL_ON_SHAPES
from tapeflow._src.ops.math import bitwise
from tapeflow._src.ops.math.arithmetic import mul


@op("LogicalAnd", infer=broadcast_bool, grad=None, traits=(TOTAL_ON_SHAPES,))
def logical_and(xp, x: Bool, y: Bool):
    """Compute `x and y`, element-wise."""
    return xp.logical_and(x, y)


@op("LogicalOr", infer=broadcast_bool, grad=None, traits=(TOTAL_ON_SHAPES,))
def logical_or(xp, x: Bool, y: Bool):
    """Compute `x or y`, element-wise."""
    return xp.logical_or(x, y)


@op("LogicalNot", infer=same_as("x"), grad=None, traits=(TOTAL,))
def logical_not(xp, x: Bool):
    """Compute `not x`, element-wise."""
    return xp.logical_not(x)


def logical_xor(x: Any, y: Any, **name: str | None) -> Any:
    """Compute the exclusive OR of `x` and `y`."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), **name)


def _by_dtype(logical: Any, integer: Any, name: str) -> Any:
    @scoped(name)
    def bit_by_bit(x: Any, y: Any) -> Any:
        return integer(x, y)

    def choose(x: Any, y: Any) -> Any:
        operand = x if hasattr(x, "dtype") else dispatch.convert(x)
        if operand.dtype in INTEGER:
            return bit_by_bit(x, y)
        return logical(x, y, name=name)

    return choose


@scoped("xor", names_result=True)
def _logical_xor(x: Any, y: Any, name: str | None = None) -> Any:
    return logical_xor(x, y, name=name)


and_ = _by_dtype(logical_and, bitwise.bitwise_and, "and")
or_ = _by_dtype(logical_or, bitwise.bitwise_or, "or")
xor = _by_dtype(_logical_xor, bitwise.bitwise_xor, "xor")


def times(x: Any, y: Any) -> Any:
    """Compute `x * y`: the product of numbers; logical and for booleans."""
    try:
        return dispatch.state.mode.execute(mul, (x, y), {}, None)
    except (InvalidArgumentError, TypeError, ValueError):
        # Checked only now: numbers are the common case, and must be fast.
        if not (_holds_or_not(x) and _holds_or_not(y)):
            raise
    return logical_and(x, y)


def _holds_or_not(value: Any) -> bool:
    return isinstance(value, bool) or getattr(value, "dtype", None) is dtypes.bool


def invert(x: Any) -> Any:
    """Compute `~x`: logical for booleans, bitwise for integers."""
    return logical_not(x) if x.dtype is dtypes.bool else bitwise.invert(x)
