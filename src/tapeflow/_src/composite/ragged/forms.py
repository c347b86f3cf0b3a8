"""Ragged implementations of ops: a table by op name.

A form is given the op, the inputs as the caller gave them and the attributes; and a name for its
result in a graph if it takes one. Ops that work element-wise need no form of their own: they
share one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import Op

Form = Callable[..., Any]

_FORMS: dict[str, Form] = {}
_ELEMENT_WISE = "every op that works element-wise"


def form(*names: str) -> Callable[[Form], Form]:
    """Declare what these ops make of ragged tensors: `fn(op, *inputs, **attributes)`."""

    def declare(fn: Form) -> Form:
        for name in names:
            _FORMS[name] = fn
        return fn

    return declare


def element_wise_form(fn: Form) -> Form:
    """Declare what ops that work element-wise make of ragged tensors."""
    return form(_ELEMENT_WISE)(fn)


def call_form(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
    """Call the ragged implementation of an op; return NotImplemented if there is none."""
    form_of_op = _FORMS.get(op.name)
    if form_of_op is None:
        if not op.is_elementwise:
            return NotImplemented
        form_of_op = _FORMS[_ELEMENT_WISE]
        if name is not None and (name.endswith("/") or _is_usual(op, name)):
            return form_of_op(op, *inputs, **attrs, name=name)
    if dispatch.state.mode is dispatch.base_mode():
        return form_of_op(op, *inputs, **attrs)
    scope = op.ragged_scope if name is None or _is_usual(op, name) else name
    if scope is not None:
        form_of_op = scoped(scope, names_result=True)(form_of_op)
    return form_of_op(op, *inputs, **attrs)


def _is_usual(op: Op, name: str) -> bool:
    """Whether it is the default name of the op in public functions."""
    return name in (op.name, op.public_name)
