"""Functions that stand for others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

_Function = Callable[..., Any]
_PACKAGE = __name__.partition(".")[0]


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
    decorated: Any = decorator_func
    decorated._tf_decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    if decorator_argspec is not None:
        decorated.__signature__ = signature_from(decorator_argspec)
    else:
        _hide_self(decorated, target)
    return decorator_func


def signature_from(argspec: Any) -> inspect.Signature:
    """Return the signature that a specification of arguments describes."""
    if isinstance(argspec, inspect.Signature):
        return argspec
    defaults = list(argspec.defaults or ())
    required = len(argspec.args) - len(defaults)
    by_name = dict(zip(argspec.args[required:], defaults))
    by_name |= getattr(argspec, "kwonlydefaults", None) or {}
    kind = inspect.Parameter
    names: list[tuple[str, Any]] = [(name, kind.POSITIONAL_OR_KEYWORD) for name in argspec.args]
    if argspec.varargs:
        names.append((argspec.varargs, kind.VAR_POSITIONAL))
    names += [(name, kind.KEYWORD_ONLY) for name in getattr(argspec, "kwonlyargs", ())]
    keywords = argspec.varkw if hasattr(argspec, "varkw") else argspec.keywords
    if keywords:
        names.append((keywords, kind.VAR_KEYWORD))
    return inspect.Signature(
        [kind(name, each, default=by_name.get(name, kind.empty)) for name, each in names]
    )


def _hide_self(decorated: Any, target: Any) -> None:
    """Make a function that stands for a bound method callable without the object."""
    if not inspect.ismethod(unwrap(target)[1]):
        return
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name == "self":
        decorated.__signature__ = signature.replace(parameters=parameters[1:])


def _decorator_of(function: Any) -> TFDecorator | None:
    """Return how a function came to stand for another, if it does."""
    if isinstance(function, TFDecorator):
        return function
    # In the dict of the function itself: a bound method finds that of its function, too.
    decorator = getattr(function, "_tf_decorator", None)
    if isinstance(decorator, TFDecorator):
        return decorator
    target = getattr(function, "__wrapped__", None)
    module = getattr(function, "__module__", None) or ""
    own = _PACKAGE in (module.partition(".")[0], type(function).__module__.partition(".")[0])
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
    """Replace the target of a decorator."""
    decorated: Any = decorator_func
    decorated.__wrapped__ = new_target
    decorator = getattr(decorator_func, "_tf_decorator", None)
    if isinstance(decorator, TFDecorator):
        decorator.decorated_target = new_target
    return decorator_func


def tf_decorator(*args: Any, **kwargs: Any) -> Any:
    """Return what `make_decorator` does."""
    return make_decorator(*args, **kwargs)
