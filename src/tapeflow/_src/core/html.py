"""Pieces of HTML that notebooks show: tables, and text that opens on a click."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def collapsed(title: str, text: str) -> str:
    """Return a title that shows a text when it is clicked."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; cells are escaped."""
    cells = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in head)
    lines = "".join(
        "<tr>"
        + "".join(f"<td style='text-align:left'>{escape(str(cell))}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{cells}</tr>{lines}</table>"
