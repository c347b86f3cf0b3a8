"""Functions that stand for others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_Function = Callable[..., Any]
_OWN = __name__.partition(".")[0]


class TFDecorator:
    """How a function came to stand for another.

    Attributes:
        decorator_name: What decorated it.
        decorated_target: The function that is decorated.
        decorator_doc: What the decorator says of itself.
        decorator_argspec: The arguments that the decorator takes, if they are not the target's.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name = decorator_name
        self.decorated_target = target
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)


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
    name = decorator_name or str(getattr(decorator_func, "__name__", ""))
    told: Any = decorator_func
    told._tf_decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    if decorator_argspec is not None:
        told.__signature__ = decorator_argspec
    return decorator_func


def _decorator_of(function: Any) -> TFDecorator | None:
    """Return how a function came to stand for another, if it does."""
    if isinstance(function, TFDecorator):
        return function
    # In the dict of the function itself: a bound method finds that of its function, too.
    found = getattr(function, "_tf_decorator", None)
    if isinstance(found, TFDecorator):
        return found
    target = getattr(function, "__wrapped__", None)
    module = getattr(function, "__module__", None) or ""
    own = _OWN in (module.partition(".")[0], type(function).__module__.partition(".")[0])
    return TFDecorator("wraps", target) if own and target is not None else None


def unwrap(maybe_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Return how functions came to stand for others, and the one that stands for itself.

    Functions that other libraries wrapped by themselves stand for themselves.
    """
    decorators: list[TFDecorator] = []
    current = maybe_decorator
    while (decorator := _decorator_of(current)) is not None:
        decorators.append(decorator)
        current = decorator.decorated_target
    return decorators, current


def rewrap(decorator_func: _Function, previous_target: Any, new_target: Any) -> _Function:
    """Let a decorator stand for another target."""
    told: Any = decorator_func
    told.__wrapped__ = new_target
    found = getattr(decorator_func, "_tf_decorator", None)
    if isinstance(found, TFDecorator):
        found.decorated_target = new_target
    return decorator_func


def tf_decorator(*args: Any, **kwargs: Any) -> Any:
    """Return what `make_decorator` does."""
    return make_decorator(*args, **kwargs)
