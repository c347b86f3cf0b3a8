"""Signatures as short strings: `x, axis=, *, name=`. A trailing `=` says there is a default.

Used on Tapeflow by the tests and on TensorFlow by the recorder, so it imports neither.
"""

from __future__ import annotations

import inspect
from typing import Any

_MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def describe(function: Any, *, skip_first: bool = False) -> str | None:
    """The parameters of a callable, or None where Python cannot tell."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    words = []
    keyword_only = False
    for parameter in parameters[1 if skip_first else 0 :]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            keyword_only = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            words.append("*")
            keyword_only = True
        default = "" if parameter.default is parameter.empty else "="
        words.append(_MARKS.get(parameter.kind, "") + parameter.name + default)
    return ", ".join(words)


def describe_init(cls: type) -> str | None:
    """How a class is called, read past a metaclass that takes anything."""
    if cls.__init__ is object.__init__:
        return describe(cls)
    return describe(cls.__init__, skip_first=True)


def methods(cls: type) -> dict[str, str]:
    """The public methods of a class with their signatures, `self` and `cls` left out."""
    found = {}
    for name in sorted(vars(cls)):
        member = inspect.getattr_static(cls, name)
        if name.startswith("_") or not (
            inspect.isfunction(member) or isinstance(member, staticmethod | classmethod)
        ):
            continue
        bound = isinstance(member, staticmethod | classmethod)
        text = describe(getattr(cls, name), skip_first=not bound)
        if text is not None:
            found[name] = text
    return found


def mismatch(ours: str, theirs: str) -> str | None:
    """Why a call written for `theirs` could fail with `ours`; None if it cannot.

    Ours may take more, as long as what it adds has a default and comes after theirs.
    """
    mine, peer = _split(ours), _split(theirs)
    if any(word.startswith("*") and word != "*" for word in peer):
        return None  # *args or **kwargs promise no names
    names = [word.rstrip("=") for word in mine]
    for position, word in enumerate(_positional(peer)):
        name = word.rstrip("=")
        if name not in names:
            return f"lacks {name!r}"
        if position >= len(_positional(mine)) or names[position] != name:
            return f"{name!r} is not parameter {position + 1}"
    missing = [word for word in peer if word != "*" and word.rstrip("=") not in names]
    if missing:
        return f"lacks {missing[0].rstrip('=')!r}"
    required = {word for word in mine if not word.endswith("=") and not word.startswith("*")}
    extra = sorted(required - {word for word in peer if not word.endswith("=")})
    return f"requires {extra[0]!r}" if extra else None


def _split(signature: str) -> list[str]:
    return signature.split(", ") if signature else []


def _positional(words: list[str]) -> list[str]:
    stops = [index for index, word in enumerate(words) if word.startswith("*")]
    return words[: stops[0]] if stops else words
