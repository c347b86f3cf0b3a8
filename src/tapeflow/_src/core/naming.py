"""Name scopes of public functions: the ops of a composite function are named after it.

Eagerly nothing has a name, and a function is called directly.
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

_NO_OFFSET = sys.maxsize


def scoped(
    default: str, *, names_result: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name a function's ops `name/…`, or `default/…` if it is called without a name.

    The function is then called without one. With `names_result` it receives the scope as name, so
    that the op which gets that name is named exactly as the scope.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        index, by_keyword = _index_of_name(function)

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
            positional = index < len(args)
            name = (args[index] if positional else kwargs.pop("name", None)) or default
            outer = state.name_scope
            scope = graph.names.scope(outer, name)
            for_result = scope if names_result else None
            if positional:
                args = (*args[:index], for_result, *args[index + 1 :])
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
    """Return the scope of the current function, for an op that is named exactly as it."""
    return state.name_scope or None


def _index_of_name(function: Any) -> tuple[int, bool]:
    """Return the index of the parameter `name`, and whether it can be passed by keyword."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    if "name" in positional:
        return positional.index("name"), True
    keywords = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return _NO_OFFSET, "name" in keywords
