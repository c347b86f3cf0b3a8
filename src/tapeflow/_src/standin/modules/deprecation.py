"""`tensorflow.python.util.deprecation`: decorators that warn about uses that will end."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core.log import logger
from tapeflow._src.internal.decorator import make_decorator

_Function = Callable[..., Any]
_told: set[Any] = set()
_quiet = 0


@contextmanager
def silence() -> Iterator[None]:
    """Warn of nothing in the block."""
    global _quiet
    _quiet += 1
    try:
        yield
    finally:
        _quiet -= 1


def _warn(key: Any, message: str) -> None:
    if not _quiet and key not in _told:
        _told.add(key)
        logger.warning(message)


def _text(name: str, date: str | None, instructions: str) -> str:
    when = f"after {date}" if date else "in a future version"
    return f"{name} is deprecated and ends {when}: {instructions}"


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Any:
    """Decorate a function or class whose use is warned about."""

    def decorate(target: Any) -> Any:
        name = getattr(target, "__qualname__", str(target))
        if isinstance(target, type):
            first: Any = target.__init__  # type: ignore[misc]

            @functools.wraps(first)
            def init(self: Any, *args: Any, **kwargs: Any) -> None:
                _warn(target, _text(name, date, instructions))
                first(self, *args, **kwargs)

            target.__init__ = init  # type: ignore[misc]
            return target

        @functools.wraps(target)
        def call(*args: Any, **kwargs: Any) -> Any:
            _warn(target, _text(name, date, instructions))
            return target(*args, **kwargs)

        return make_decorator(target, call)

    return decorate


def deprecated_args(date: str | None, instructions: str, *names: Any, **kwargs: Any) -> Any:
    """Decorate a function of which some arguments are warned about."""
    deprecated_names = [name if isinstance(name, str) else name[0] for name in names]

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            for name in deprecated_names:
                if name in named:
                    label = f"{function.__qualname__}({name}=...)"
                    _warn((function, name), _text(label, date, instructions))
            return function(*args, **named)

        return make_decorator(function, call)

    return decorate


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **values: Any
) -> Any:
    """Decorate a function of which some values of arguments are warned about."""

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            for name, value in values.items():
                if name in named and named[name] == value:
                    label = f"{function.__qualname__}({name}={value!r})"
                    _warn((function, name), _text(label, date, instructions))
            return function(*args, **named)

        return make_decorator(function, call)

    return decorate


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Return a function or class under its former name, whose use is warned about."""
    if isinstance(func_or_class, type):
        return deprecated(None, f"use {name}.")(type(func_or_class.__name__, (func_or_class,), {}))
    return deprecated(None, f"use {name}.")(func_or_class)


def deprecated_endpoints(*names: str) -> Any:
    """Decorate a function that has former names."""
    return lambda target: target


def deprecated_argument_lookup(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """Return the value of an argument that may be passed under its former name."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Expected {new_name} or its former name {old_name}, received both.")
    return old
