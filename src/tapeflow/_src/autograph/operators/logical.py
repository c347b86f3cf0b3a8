"""`and`, `or`, `not` and `assert`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.autograph.operators import staging
from tapeflow._src.core import dispatch
from tapeflow._src.graph.control_flow import cond
from tapeflow._src.ops.graph.checks import assert_op
from tapeflow._src.ops.math.logical import logical_not


def and_(first: Any, *later: Callable[[], Any]) -> Any:
    """Evaluate `first and later[0]() and …`; operands after a symbolic tensor are staged."""
    value = first
    for position, operand in enumerate(later):
        if staging.is_staged(value):
            rest = later[position + 1 :]
            tensor = staging.condition(value, "`and`")
            return cond(tensor, lambda: and_(operand(), *rest), lambda: tensor)  # noqa: B023
        if not value:
            return value
        value = operand()
    return value


def or_(first: Any, *later: Callable[[], Any]) -> Any:
    """Evaluate `first or later[0]() or …`; operands after a symbolic tensor are staged."""
    value = first
    for position, operand in enumerate(later):
        if staging.is_staged(value):
            rest = later[position + 1 :]
            tensor = staging.condition(value, "`or`")
            return cond(tensor, lambda: tensor, lambda: or_(operand(), *rest))  # noqa: B023
        if value:
            return value
        value = operand()
    return value


def not_(value: Any) -> Any:
    """`not value`."""
    return logical_not(dispatch.convert(value)) if staging.is_staged(value) else not value


def assert_stmt(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message()`; checked when the graph runs if `test` is symbolic."""
    if staging.is_staged(test):
        shown = "assertion failed" if message is None else message()
        assert_op(staging.condition(test, "assert statement"), [shown])
    elif not test:
        raise AssertionError(*([] if message is None else [message()]))
