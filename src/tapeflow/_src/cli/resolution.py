"""Looks names and arguments up in Tapeflow."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import tapeflow as tf
from tapeflow._src.cli.code_names import Use
from tapeflow._src.core.tensorflow_names import hint

_PRIVATE = ("python", "core", "compiler", "lite.python", "keras.src")


@dataclass(frozen=True)
class Problem:
    """A name or argument that is not supported, and what to do."""

    path: str
    line: int
    name: str
    message: str


def problem(use: Use) -> Problem | None:
    """Return the problem of a use of a name, or None."""
    message = _missing(use.name) or _unknown_arguments(use.name, use.keywords)
    if message is None:
        return None
    return Problem(use.path, use.line, f"tf.{use.name}", message)


@functools.cache
def _missing(name: str) -> str | None:
    """Return a sentence if a name does not exist here."""
    if any(name == each or name.startswith(f"{each}.") for each in _PRIVATE):
        return "a private name of TensorFlow; use the public one."
    path, value = "", tf
    for part in name.split("."):
        if not isinstance(value, ModuleType):
            return None  # an attribute of an object, of which types are not known here
        path = f"{path}.{part}".lstrip(".")
        if not hasattr(value, part):
            below = f" ({path} is missing)" if path != name else ""
            # The whole name says more of what has been removed.
            known = hint(path, dir(value)) if path != "contrib" else hint(name)
            return (known or "TensorFlow 2.21 does not have it either.") + below
        value = getattr(value, part)
    return None


@functools.cache
def _parameters(name: str) -> frozenset[str] | None:
    """Return the parameters of a function or class; None if it takes any, or is none."""
    value: Any = tf
    for part in name.split("."):
        value = getattr(value, part, None)
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parameters = signature.parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(signature.parameters)


def _unknown_arguments(name: str, keywords: tuple[str, ...]) -> str | None:
    """Return a sentence if a call has keyword arguments that do not exist here."""
    parameters = _parameters(name) if keywords else None
    unknown = [] if parameters is None else [k for k in keywords if k not in parameters]
    if not unknown:
        return None
    allowed = ", ".join(sorted(parameters or ()))
    return f"no argument {', '.join(map(repr, unknown))}; it takes {allowed or 'none'}."
