"""The variables that blocks of code share: read, written, and restored while both are traced.

A variable of a function is a cell, taken from the closure of `lambda: (x, y)`. It may be empty:
then the variable is unbound, and reading it in code raises what Python raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CellType
from typing import Any, Protocol


class _Undefined:
    """Stands for the value of an unbound variable."""

    def __repr__(self) -> str:
        return "<undefined>"


UNDEFINED = _Undefined()


class Slot(Protocol):
    """A named holder of a value, possibly none."""

    name: str

    def read(self) -> Any: ...

    def write(self, value: Any) -> None: ...


class Cell:
    """A variable of a function."""

    __slots__ = ("_cell", "name")

    def __init__(self, name: str, cell: CellType) -> None:
        self.name = name
        self._cell = cell

    def read(self) -> Any:
        try:
            return self._cell.cell_contents
        except ValueError:
            return UNDEFINED

    def write(self, value: Any) -> None:
        if value is not UNDEFINED:
            self._cell.cell_contents = value
        elif self.read() is not UNDEFINED:
            del self._cell.cell_contents


class Attribute:
    """`base.key`."""

    __slots__ = ("_base", "_key", "name")

    def __init__(self, name: str, base: Any, key: str) -> None:
        self.name = name
        self._base = base
        self._key = key

    def read(self) -> Any:
        return getattr(self._base, self._key, UNDEFINED)

    def write(self, value: Any) -> None:
        if value is not UNDEFINED:
            if self.read() is not value:
                setattr(self._base, self._key, value)
        elif self.read() is not UNDEFINED:
            delattr(self._base, self._key)


class Item:
    """`base[key]`."""

    __slots__ = ("_base", "_key", "name")

    def __init__(self, name: str, base: Any, key: Any) -> None:
        self.name = name
        self._base = base
        self._key = key

    def read(self) -> Any:
        try:
            return self._base[self._key]
        except LookupError:
            return UNDEFINED

    def write(self, value: Any) -> None:
        if value is not UNDEFINED:
            if self.read() is not value:
                self._base[self._key] = value
        elif self.read() is not UNDEFINED:
            del self._base[self._key]


class State:
    """The state that the blocks of a statement change. `live` slots are used after it."""

    def __init__(
        self,
        variables: Callable[[], Any] | None,
        live: Sequence[str],
        slots: Callable[[], Sequence[Slot]] | None,
    ) -> None:
        cells: list[Slot] = _cells(variables)
        self.live = [cell for cell in cells if cell.name in live]
        self._dead = [cell for cell in cells if cell.name not in live]
        if slots is not None:
            self.live.extend(slots())

    def read(self) -> list[Any]:
        """Return the live values."""
        return [slot.read() for slot in self.live]

    def write(self, values: Sequence[Any]) -> None:
        """Set the live slots to these values."""
        for slot, value in zip(self.live, values, strict=True):
            slot.write(value)

    def save(self) -> list[Any]:
        """Return the values of all slots, for `restore`."""
        return [slot.read() for slot in (*self.live, *self._dead)]

    def restore(self, values: Sequence[Any]) -> None:
        """Restore all slots to the values of `save`."""
        for slot, value in zip((*self.live, *self._dead), values, strict=True):
            slot.write(value)

    def settle(self, values: Sequence[Any]) -> None:
        """Set the live slots to these values after the statement, and clear the others."""
        self.write(values)
        for slot in self._dead:
            slot.write(UNDEFINED)


def _cells(variables: Callable[[], Any] | None) -> list[Slot]:
    if variables is None:
        return []
    names = variables.__code__.co_freevars
    return [Cell(name, cell) for name, cell in zip(names, variables.__closure__ or ())]
