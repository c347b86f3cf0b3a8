"""Errors about arguments of constructors: misspelt names, with what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


def unknown_arguments(cls: type, arguments: dict[str, Any]) -> ValueError:
    """The error for keyword arguments that a class does not take, with those that were meant."""
    accepted = {name for base in cls.__mro__ for name in _keywords_of(base)}
    meant = {name: difflib.get_close_matches(name, accepted, 1) for name in arguments}
    repairs = [f"Did you mean '{close[0]}'?" for close in meant.values() if close]
    repair = " ".join(repairs) or f"Expected some of: {', '.join(sorted(accepted))}."
    return ValueError(
        f"Unrecognized keyword arguments passed to {cls.__name__}: {arguments}. {repair}"
    )


def _keywords_of(cls: type) -> Iterable[str]:
    """The names that the constructor of a class takes by keyword."""
    code = getattr(vars(cls).get("__init__"), "__code__", None)
    if code is None:
        return ()
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def defined_at(function: Any) -> str:
    """Return ` (FILE:LINE)` of a Python function, or nothing for another callable."""
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
