"""Functions of TensorFlow 2 with the parameters in the order, and by the names, of TensorFlow 1."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

_KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD


def reordered(
    new: Callable[..., Any],
    parameters: str,
    renamed: Mapping[str, str] | None = None,
    **fixed: Any,
) -> Callable[..., Any]:
    """Return `new` as TensorFlow 1 has it.

    Args:
        new: The function.
        parameters: The names in TensorFlow 1, in order. One that `new` does not have is ignored.
        renamed: What parameters that have two names are called in `new`. Only one of both names
            may be used in a call.
        fixed: Further arguments for `new`.
    """
    now = inspect.signature(new).parameters
    order = parameters.split()
    aliases = dict(renamed or {})

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(order):
            raise TypeError(
                f"{new.__name__}() takes {len(order)} arguments, received {len(args)}: expected "
                f"{', '.join(order)}."
            )
        arguments = dict(zip(order, args))
        for name, value in kwargs.items():
            if name in arguments or name not in order:
                problem = "two values for" if name in arguments else "an unexpected argument"
                raise TypeError(f"{new.__name__}() received {problem} {name!r}.")
            arguments[name] = value
        for old, name in aliases.items():
            value = arguments.pop(old, None)
            if value is None:
                continue
            if arguments.get(name) is not None:
                raise ValueError(f"Cannot specify both {old!r} and {name!r}: they are the same.")
            arguments[name] = value
        return new(**{k: v for k, v in arguments.items() if k in now}, **fixed)

    call.__name__ = call.__qualname__ = new.__name__
    call.__doc__ = new.__doc__
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, _KIND, default=_default(name, now, aliases)) for name in order]
        if _defaults_last(order, now, aliases)
        else [
            inspect.Parameter(name, _KIND, default=None if position else inspect.Parameter.empty)
            for position, name in enumerate(order)
        ]
    )
    return call


def _default(name: str, now: Mapping[str, inspect.Parameter], aliases: Mapping[str, str]) -> Any:
    if name in aliases or name not in now or name in aliases.values():
        return None
    return now[name].default


def _defaults_last(
    order: list[str], now: Mapping[str, inspect.Parameter], aliases: Mapping[str, str]
) -> bool:
    """Whether all parameters after the first with a default have one, too."""
    needed = [_default(name, now, aliases) is inspect.Parameter.empty for name in order]
    return needed == sorted(needed, reverse=True)
