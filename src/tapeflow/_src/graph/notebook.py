"""Show a graph in a notebook: its operations with shapes, dtypes and lines."""

from __future__ import annotations

from html import escape
from typing import Any

from tapeflow._src.core.html import table

_SHOWN = 200


def graph_html(graph: Any) -> str:
    """Return a table of the operations, closed at first; long graphs are cut."""
    nodes = list(graph.nodes)
    rows = [
        (
            node.name,
            node.type,
            ", ".join(tensor.name for tensor in node.inputs),
            ", ".join(f"{tensor.dtype.name}{tensor.shape}" for tensor in node.outputs),
            "" if node.source is None else node.source.short(),
        )
        for node in nodes[:_SHOWN]
    ]
    title = f"graph {getattr(graph, 'name', '')}: {len(nodes)} operations".replace(" :", ":")
    cut = f"<p>… and {len(nodes) - _SHOWN} more</p>" if len(nodes) > _SHOWN else ""
    head = ("name", "op", "inputs", "results", "line")
    return f"<details><summary>{escape(title)}</summary>{table(head, rows)}{cut}</details>"
