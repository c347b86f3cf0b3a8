"""Functions that stand for others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_Function = Callable[..., Any]


def make_decorator(
    target: _Function,
    decorator_func: _Function,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> _Function:
    """Return `decorator_func` as a function that stands for `target`."""
    if getattr(decorator_func, "__wrapped__", None) is not target:
        functools.update_wrapper(decorator_func, target)
    return decorator_func


def unwrap(maybe_decorator: Any) -> tuple[list[Any], Any]:
    """Return the functions that stand for others, and the one that stands for itself."""
    decorators = []
    current = maybe_decorator
    while hasattr(current, "__wrapped__"):
        decorators.append(current)
        current = current.__wrapped__
    return decorators, current


def rewrap(decorator_func: _Function, previous_target: Any, new_target: Any) -> _Function:
    """Let a decorator stand for another target."""
    decorator_func.__wrapped__ = new_target  # type: ignore[attr-defined]
    return decorator_func


def tf_decorator(*args: Any, **kwargs: Any) -> Any:
    """Return what `make_decorator` does."""
    return make_decorator(*args, **kwargs)
