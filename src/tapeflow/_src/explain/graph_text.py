"""A graph as text and as Graphviz source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeflow._src.core.units import size_text, time_text
from tapeflow._src.explain.graph_data import GraphData, Node


def as_text(data: GraphData, indent: str = "") -> str:
    """Return one line per operation: name, op, inputs, results, line, and measurements."""
    return "\n".join(_lines(data, indent))


def _lines(data: GraphData, indent: str) -> Iterator[str]:
    yield f"{indent}graph {data.name}: {len(data.nodes)} operations"
    for node in data.nodes:
        yield f"{indent}  {_line(node)}"
        for part in node.parts:
            yield from _lines(part, indent + "    ")
    returned = ", ".join(_tensor(reference) for reference in data.outputs)
    yield f"{indent}  return {returned}"


def _line(node: Node) -> str:
    inputs = ", ".join(map(_tensor, node.inputs))
    attributes = f"; {node.attributes}" if node.attributes else ""
    results = ", ".join(node.outputs)
    parts = [f"{node.name} = {node.op}({inputs}{attributes}) -> {results or 'nothing'}"]
    if node.measured is not None:
        parts.append(f"{time_text(node.measured.seconds)}, {size_text(node.measured.bytes)}")
    if node.location is not None:
        parts.append(node.location.short())
    return "  # ".join([parts[0], ", ".join(parts[1:])]) if len(parts) > 1 else parts[0]


def _tensor(reference: tuple[str, int]) -> str:
    name, index = reference
    return f"{name}:{index}" if index else name


def as_dot(data: GraphData) -> str:
    """Return the source of a picture for Graphviz, with name scopes as clusters."""
    lines = [f"digraph {_quoted(data.name)} {{", "  node [shape=box, fontname=Helvetica];"]
    lines += _clusters(_scopes(data), "  ")
    known_names = {node.name for node in data.nodes}
    for node in data.nodes:
        for source, index in node.inputs:
            if source in known_names:
                label = f" [label={index}]" if index else ""
                lines.append(f"  {_quoted(source)} -> {_quoted(node.name)}{label};")
        lines += [
            f"  {_quoted(source)} -> {_quoted(node.name)} [style=dashed];"
            for source in node.control_inputs
            if source in known_names
        ]
    for position, (source, _) in enumerate(data.outputs):
        lines.append(f"  {_quoted(f'result {position}')} [shape=ellipse];")
        lines.append(f"  {_quoted(source)} -> {_quoted(f'result {position}')};")
    return "\n".join([*lines, "}"]) + "\n"


def _scopes(data: GraphData) -> dict[str, Any]:
    """Return the operations by scope: a tree whose leaves are operations."""
    tree: dict[str, Any] = {}
    for node in data.nodes:
        *scopes, last = node.name.split("/")
        level = tree
        for scope in scopes:
            level = level.setdefault(scope + "/", {})
        level[last] = node
    return tree


def _clusters(tree: dict[str, Any], indent: str, prefix: str = "") -> list[str]:
    lines = []
    for name, value in tree.items():
        if isinstance(value, Node):
            label = "\n".join([value.op, *value.outputs])
            lines.append(f"{indent}{_quoted(value.name)} [label={_quoted(label)}];")
        else:
            lines.append(f"{indent}subgraph {_quoted('cluster ' + prefix + name)} {{")
            lines.append(f"{indent}  label={_quoted(name)};")
            lines += _clusters(value, indent + "  ", prefix + name)
            lines.append(f"{indent}}}")
    return lines


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
