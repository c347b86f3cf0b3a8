"""The HTML page of a graph: the viewer with the data of all stages in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tapeflow._src.explain.graph_data import GraphData, Node

_VIEWER = Path(__file__).with_name("viewer.html")


def page(name: str, stages: Sequence[tuple[str, GraphData]]) -> str:
    """Return the page for these stages of a graph."""
    graphs: list[dict[str, Any]] = []
    listed = [{"name": label, "graph": _add(graphs, data)} for label, data in stages]
    content = json.dumps({"name": name, "stages": listed, "graphs": graphs}, ensure_ascii=True)
    # Nothing in the data can end the element that holds it.
    content = content.replace("<", "\\u003c")
    text = _VIEWER.read_text(encoding="utf-8")
    return text.replace("@TITLE@", escape(name)).replace("@DATA@", content)


def _add(graphs: list[dict[str, Any]], data: GraphData) -> int:
    """Add a graph, and those that its operations hold; return its index."""
    entry: dict[str, Any] = {"name": data.name}
    graphs.append(entry)
    index = len(graphs) - 1
    entry["nodes"] = [_node(graphs, node) for node in data.nodes]
    entry["outputs"] = [list(reference) for reference in data.outputs]
    return index


def _node(graphs: list[dict[str, Any]], node: Node) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": node.name,
        "op": node.op,
        "inputs": [list(reference) for reference in node.inputs],
        "controls": list(node.control_inputs),
        "outputs": list(node.outputs),
        "attributes": node.attributes,
    }
    if node.location is not None:
        entry["line"] = node.location.short()
        entry["code"] = node.location.code()
    if node.measured is not None:
        entry["seconds"] = node.measured.seconds
        entry["bytes"] = node.measured.bytes
        entry["calls"] = node.measured.calls
    if node.parts:
        entry["parts"] = [_add(graphs, part) for part in node.parts]
    return entry
