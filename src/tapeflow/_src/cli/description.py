"""Descriptions of files as facts and tables, rendered as text or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_ROWS_SHOWN = 40


@dataclass
class Table:
    """A titled table; `total` is shown below the rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    total: str = ""

    def to_text(self, limit: int | None) -> str:
        """Render aligned columns; rows beyond `limit` are counted, not shown."""
        shown = self.rows if limit is None else self.rows[:limit]
        cells = [tuple(self.columns), *(tuple(map(_cell, row)) for row in shown)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [f"{self.title} ({len(self.rows)})"]
        lines += ["  " + _aligned(row, widths) for row in cells]
        if len(shown) < len(self.rows):
            lines.append(f"  ... {len(self.rows) - len(shown)} more (--all shows them)")
        return "\n".join(lines + ([f"  {self.total}"] if self.total else []))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the rows as objects."""
        return [dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows]


@dataclass
class Description:
    """The description of a file or folder by `tapeflow inspect`."""

    path: str
    kind: str
    facts: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def to_text(self, limit: int | None = _ROWS_SHOWN) -> str:
        """Render facts, tables and warnings."""
        width = max(map(len, self.facts), default=0)
        lines = [f"{self.path}: {self.kind}"]
        lines += [f"  {name:<{width}}  {_cell(value)}" for name, value in self.facts.items()]
        tables = [table.to_text(limit) for table in self.tables if table.rows]
        warnings = ["\n".join(f"Warning: {each}" for each in self.warnings)]
        return "\n\n".join(["\n".join(lines), *tables, *(warnings if self.warnings else [])])

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "path": self.path,
            "kind": self.kind,
            **{name: _plain(value) for name, value in self.facts.items()},
            **{table.title: table.to_json() for table in self.tables},
            "warnings": self.warnings,
        }


@dataclass(frozen=True)
class Size:
    """A number of bytes."""

    bytes: int

    def __str__(self) -> str:
        number, unit = float(self.bytes), 0
        while number >= 1000 and unit < len(_UNITS) - 1:
            number, unit = number / 1000, unit + 1
        return f"{number:.0f} {_UNITS[0]}" if not unit else f"{number:.1f} {_UNITS[unit]}"


def tensor_table(title: str, tensors: Iterable[tuple[str, Any, Sequence[int], int]]) -> Table:
    """Return a table of tensors: name, dtype, shape and bytes of each."""
    rows = [(name, str(dtype), list(shape), Size(size)) for name, dtype, shape, size in tensors]
    elements = sum(prod(row[2]) for row in rows)
    size = Size(sum(row[3].bytes for row in rows))
    return Table(title, ("name", "dtype", "shape", "size"), rows, f"{elements:,} elements, {size}")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return f"[{', '.join('?' if each is None else str(each) for each in value)}]"
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Size):
        return value.bytes
    return value if isinstance(value, int | float | str | list | dict | None) else str(value)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    pairs = zip(row, widths, strict=True)
    return "  ".join(f"{cell:<{width}}" for cell, width in pairs).rstrip()
