"""Code that AutoGraph has dealt with: what it made, and what it could not convert, and why."""

from __future__ import annotations

from types import CodeType
from typing import Any, Generic, TypeVar
from weakref import ref

Value = TypeVar("Value")


class CodeTable(Generic[Value]):
    """Values for code objects, by identity: code with the same text compares equal in all files."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[ref[CodeType], Value]] = {}

    def get(self, code: CodeType) -> Value | None:
        """The value for this code, if there is one."""
        entry = self._entries.get(id(code))
        return None if entry is None or entry[0]() is not code else entry[1]

    def set(self, code: CodeType, value: Value) -> None:
        """Keep a value as long as the code lives."""
        key, entries = id(code), self._entries

        def forget(dead: Any) -> None:
            if key in entries and entries[key][0] is dead:
                del entries[key]

        entries[key] = ref(code, forget), value


# What was made by converting a function: whether it is a block of it.
_converted: CodeTable[bool] = CodeTable()
_refused: CodeTable[str] = CodeTable()
_announced: CodeTable[bool] = CodeTable()


def register(code: CodeType, *, block: bool) -> None:
    """Remember code that was made by converting a function, or one of its blocks."""
    _converted.set(code, block)


def is_converted(code: CodeType) -> bool:
    """Whether code was made by converting a function."""
    return _converted.get(code) is not None


def is_block(code: CodeType) -> bool:
    """Whether code is that of a block of a converted function."""
    return bool(_converted.get(code))


def refuse(code: CodeType, reason: str) -> None:
    """Remember why code is not converted."""
    _refused.set(code, reason)


def reason_against(code: CodeType) -> str | None:
    """Why code was not converted, if it was tried."""
    return _refused.get(code)


def announce(code: CodeType) -> bool:
    """Whether the user has yet to be told that code is not converted."""
    news = _announced.get(code) is None
    _announced.set(code, True)
    return news
