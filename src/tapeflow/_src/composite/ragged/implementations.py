"""Ragged implementations of ops: a table by op.

An implementation receives the op, the inputs as the caller passed them and the attributes; and a
name for its result in a graph if it takes one. Element-wise ops share one implementation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.lazy import load_module
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import Op

Implementation = Callable[..., Any]

_IMPLEMENTATIONS: dict[Op, Implementation] = {}
_element_wise: list[Implementation] = []
# The modules that register them, loaded when the first op is called with a ragged tensor.
_REGISTERING = (
    "along_rows",
    "elementwise",
    "gathering",
    "joining",
    "products",
    "reductions",
    "reshaping",
    "splitting",
    "with_shape",
)


def implements(*ops: Op) -> Callable[[Implementation], Implementation]:
    """Register `fn(op, *inputs, **attributes)` for calls of these ops with ragged tensors."""

    def declare(fn: Implementation) -> Implementation:
        for op in ops:
            _IMPLEMENTATIONS[op] = fn
        return fn

    return declare


def implements_element_wise(fn: Implementation) -> Implementation:
    """Register the implementation that all element-wise ops share."""
    _element_wise.append(fn)
    return fn


@functools.cache
def _load_all() -> None:
    for name in _REGISTERING:
        load_module(f"tapeflow._src.composite.ragged.{name}")


def call_implementation(
    op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
) -> Any:
    """Call the ragged implementation of an op; return NotImplemented if there is none."""
    _load_all()
    implementation = _IMPLEMENTATIONS.get(op)
    if implementation is None:
        if not op.is_elementwise:
            return NotImplemented
        implementation = _element_wise[0]
        if name is not None and (name.endswith("/") or _is_usual(op, name)):
            return implementation(op, *inputs, **attrs, name=name)
    if dispatch.state.mode is dispatch.base_mode():
        return implementation(op, *inputs, **attrs)
    scope = op.ragged_scope if name is None or _is_usual(op, name) else name
    if scope is not None:
        implementation = scoped(scope, names_result=True)(implementation)
    return implementation(op, *inputs, **attrs)


def _is_usual(op: Op, name: str) -> bool:
    """Whether it is the default name of the op in public functions."""
    return name in (op.name, op.public_name)
