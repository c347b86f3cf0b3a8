"""Compare protocol buffers exactly, or with a tolerance for floats."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import TensorLike

text_format = LazyModule("google.protobuf.text_format", "messages as text", "protobuf")


def assert_messages_equal(
    expected: Any, actual: Any, msg: Any = None, relative_tolerance: float | None = None
) -> None:
    """Raise AssertionError unless `actual` is the expected message, which may be text."""
    if isinstance(expected, (str, bytes)):
        expected = text_format.Merge(expected, type(actual)())
    if type(expected) is not type(actual):
        raise AssertionError(
            f"Expected a message of type {type(expected).__name__}, got {type(actual).__name__}."
        )
    same = (
        expected == actual
        if relative_tolerance is None
        else _close(expected, actual, relative_tolerance)
    )
    if not same:
        prefix = "" if msg is None else f"{msg}: "
        raise AssertionError(
            f"{prefix}the messages differ.\nExpected:\n{text_format.MessageToString(expected)}\n"
            f"Got:\n{text_format.MessageToString(actual)}"
        )


def _close(a: TensorLike, b: TensorLike, tolerance: float) -> bool:
    """Whether two messages have the same fields, floating-point numbers within the tolerance."""
    first, second = dict(_fields(a)), dict(_fields(b))
    return first.keys() == second.keys() and all(
        _values_close(first[name], second[name], tolerance) for name in first
    )


def _fields(message: Any) -> list[tuple[str, Any]]:
    return [(field.name, value) for field, value in message.ListFields()]


def _values_close(a: Any, b: Any, tolerance: float) -> bool:
    if hasattr(a, "ListFields"):
        return _close(a, b, tolerance)
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=tolerance) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, (str, bytes, int)):
        return bool(a == b)
    if hasattr(a, "items"):
        return a.keys() == b.keys() and all(_values_close(a[k], b[k], tolerance) for k in a)
    return len(a) == len(b) and all(_values_close(x, y, tolerance) for x, y in zip(a, b))
