"""Errors about arguments of constructors: misspelt names, with what was probably meant."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def unknown_arguments(cls: type, arguments: dict[str, Any]) -> ValueError:
    """The error for keyword arguments that a class does not take, with those that were meant."""
    accepted = {name for base in cls.__mro__ for name in keywords_of(vars(base).get("__init__"))}
    return ValueError(
        f"Unrecognized keyword arguments passed to {cls.__name__}: {arguments}. "
        f"{suggestion(arguments, accepted)}"
    )


def suggestion(names: Iterable[str], accepted: Iterable[str]) -> str:
    """Return which of the names that are accepted were probably meant, or list all of them."""
    accepted = sorted(set(accepted))
    close = [difflib.get_close_matches(name, accepted, 1) for name in names]
    repairs = [f"Did you mean '{match[0]}'?" for match in close if match]
    return " ".join(repairs) or f"Expected some of: {', '.join(accepted)}."


def keywords_of(function: Any) -> Iterable[str]:
    """The names that a method takes by keyword."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return ()
    names: tuple[str, ...] = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    return names


def suggesting(method: Callable[P, R]) -> Callable[P, R]:
    """Decorate a method so that a misspelt keyword argument is answered with what was meant."""
    accepted = keywords_of(method)

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except TypeError as error:
            unknown = [name for name in kwargs if name not in accepted]
            if not unknown or error.__traceback__ is None or error.__traceback__.tb_next:
                raise
            raise TypeError(
                f"{method.__name__}() got unexpected keyword arguments "
                f"{', '.join(map(repr, unknown))}. {suggestion(unknown, accepted)}"
            ) from None

    return cast(Callable[P, R], call)


def config_needed(cls: type, argument: str, value: Any) -> NotImplementedError:
    """Return the error for an argument of a constructor that files cannot hold."""
    return NotImplementedError(
        f"{cls.__name__} must define `get_config()` to be saved: its `__init__()` received "
        f"{argument}={value!r} of type {type(value).__name__}, which has no JSON form of its own. "
        f"Define `def get_config(self): return {{**super().get_config(), {argument!r}: ...}}` with "
        f"plain values, and create the object from them in `__init__()`."
    )


def defined_at(function: Any) -> str:
    """Return ` (FILE:LINE)` of a Python function, or nothing for another callable."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
