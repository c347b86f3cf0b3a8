"""Code that AutoGraph has dealt with: what it made, and what it could not convert, and why."""

from __future__ import annotations

from types import CodeType
from weakref import WeakKeyDictionary, WeakSet

_converted: WeakSet[CodeType] = WeakSet()
_blocks: WeakSet[CodeType] = WeakSet()
_refused: WeakKeyDictionary[CodeType, str] = WeakKeyDictionary()
_announced: WeakSet[CodeType] = WeakSet()


def register(code: CodeType, *, block: bool) -> None:
    """Remember code that was made by converting a function, or one of its blocks."""
    _converted.add(code)
    if block:
        _blocks.add(code)


def is_converted(code: CodeType) -> bool:
    """Whether code was made by converting a function."""
    return code in _converted


def is_block(code: CodeType) -> bool:
    """Whether code is that of a block of a converted function."""
    return code in _blocks


def refuse(code: CodeType, reason: str) -> None:
    """Remember why code is not converted."""
    _refused[code] = reason


def announce(code: CodeType) -> bool:
    """Whether the user has yet to be told that code is not converted."""
    news = code not in _announced
    _announced.add(code)
    return news


def reason_against(code: CodeType) -> str | None:
    """Why code was not converted, if it was tried."""
    return _refused.get(code)
