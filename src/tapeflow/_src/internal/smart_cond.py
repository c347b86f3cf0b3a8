"""`smart_cond`: a condition that is known is decided at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.arrays import known_value
from tapeflow._src.api.control_flow import cond
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.variable import Variable


def smart_constant_value(pred: Any) -> bool | None:
    """Return the value of a condition, or None if only the graph will know it."""
    if isinstance(pred, Tensor):
        value = known_value(pred)
        return None if value is None else bool(value)
    if isinstance(pred, Variable):
        return None
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(f"Expected a bool, 0, 1 or a tensor as condition, received {pred!r}.")


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Return the result of the function that the condition chooses."""
    if true_fn is None or false_fn is None:
        raise TypeError(
            f"Expected functions for both branches, received true_fn={true_fn!r}, "
            f"false_fn={false_fn!r}."
        )
    value = smart_constant_value(pred)
    if value is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if value else false_fn()
