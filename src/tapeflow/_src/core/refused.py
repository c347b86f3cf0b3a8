"""Names that exist for `isinstance` and for subclasses, and say why they cannot be used."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def refused_class(name: str, module: str, reason: str) -> type:
    """Return a class that cannot be instantiated.

    Args:
        name: The name of the class.
        module: The module that it belongs to.
        reason: Why it cannot be used, and what to do instead.
    """

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{module}.{name}: {reason}")

    body = {"__init__": __init__, "__module__": module, "__doc__": f"Not available: {reason}"}
    return type(name, (), body)


def refused_function(
    name: str, module: str, reason: str, parameters: str = ""
) -> Callable[..., Any]:
    """Return a function that raises, saying why it cannot be used.

    Args:
        name: Its name.
        module: The namespace that has it.
        reason: Why it cannot be used, and what to do instead.
        parameters: The names of its parameters, those that end in "=" with a default; any
            arguments are accepted if there are none.
    """

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{module}.{name}: {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = module
    refuse.__doc__ = f"Not available: {reason}{_sections(parameters)}"
    if parameters:
        refuse.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [_parameter(each) for each in parameters.split()]
        )
    return refuse


def _sections(parameters: str) -> str:
    """Return the sections of a docstring about parameters that nothing reads."""
    lines = [f"    {name.removesuffix('=')}: Unused." for name in parameters.split()]
    arguments = "\n".join(["\n\nArgs:", *lines]) if lines else ""
    return f"{arguments}\n\nReturns:\n    Nothing: it always raises."


def _parameter(name: str) -> inspect.Parameter:
    default = None if name.endswith("=") else inspect.Parameter.empty
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name.removesuffix("="), kind, default=default)
