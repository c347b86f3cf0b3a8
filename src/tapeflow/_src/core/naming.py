"""Scopes of public functions: what a function of several ops makes in a graph is named after it.

Eagerly nothing has a name, and a function is called as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from tapeflow._src.core.dispatch import base_mode, state
from tapeflow._src.core.tracebacks import fold

P = ParamSpec("P")
R = TypeVar("R")

_NOWHERE = sys.maxsize


def scoped(
    default: str, *, names_result: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Have a function's ops named `name/…`, or `default/…` where it is called without a name.

    The function is then called without one. With `names_result` it is given the scope for a name,
    so that the op which gets that name is called exactly as the scope.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        place, by_keyword = _place_of_name(function)

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            mode = state.mode
            graph = None if mode is base_mode() else mode.graph
            if graph is None:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    fold(error)
                    raise
            positional = place < len(args)
            name = (args[place] if positional else kwargs.pop("name", None)) or default
            outer = state.name_scope
            scope = graph.names.scope(outer, name)
            for_result = scope if names_result else None
            if positional:
                args = (*args[:place], for_result, *args[place + 1 :])
            elif by_keyword:
                kwargs["name"] = for_result
            state.name_scope = scope
            try:
                return function(*args, **kwargs)
            finally:
                state.name_scope = outer

        return cast(Callable[P, R], call)

    return decorate


def scope_name() -> str | None:
    """The scope of the function that is called, for an op which is to be called exactly as it."""
    return state.name_scope or None


def _place_of_name(function: Any) -> tuple[int, bool]:
    """Where the parameter `name` stands among the arguments, and whether there is one."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    if "name" in positional:
        return positional.index("name"), True
    keywords = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return _NOWHERE, "name" in keywords
