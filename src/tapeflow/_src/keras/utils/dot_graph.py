"""Graphs in Graphviz' language, with the methods of `pydot` that programs call; pydot is not used.

Pictures are drawn by Graphviz (`dot`) where it is installed, and as SVG by `svg_layout` otherwise.
"""

from __future__ import annotations

import functools
import html
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tapeflow._src.internal.files import replacing
from tapeflow._src.keras.utils.svg_layout import Box, drawn_as_svg

# What is text: no program is needed for it.
_TEXT = frozenset({"dot", "gv", "raw"})
INSTALL = "install Graphviz (https://graphviz.org/download), which has the program `dot`"


@dataclass(frozen=True)
class Cell:
    """A part of a label: words before what is bold, and the colours."""

    words: str
    bold: str
    color: str = "black"
    background: str = "white"

    @property
    def text(self) -> str:
        return f"{self.words}{self.bold}"


@dataclass(frozen=True)
class Label:
    """A table: the title, and rows of cells."""

    title: Cell
    rows: tuple[tuple[Cell, ...], ...] = ()

    def __str__(self) -> str:
        width = max([1, *map(len, self.rows)])
        rows = "".join(_row(row, width) for row in ((self.title,), *self.rows))
        border = 'border="0" cellborder="1" bgcolor="black" cellpadding="10"'
        return f"<<table {border}>{rows}</table>>"


def _row(cells: tuple[Cell, ...], width: int) -> str:
    written = []
    for number, cell in enumerate(cells):
        span = width - len(cells) + 1 if number == len(cells) - 1 else 1
        text = f"{html.escape(cell.words)}<b>{html.escape(cell.bold)}</b>"
        font = f'<font point-size="14" color="{cell.color}">{text}</font>'
        written.append(f'<td colspan="{span}" bgcolor="{cell.background}">{font}</td>')
    return f"<tr>{''.join(written)}</tr>"


class _Attributes:
    """Base class of nodes, edges and graphs: named attributes."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes

    def set(self, name: str, value: Any) -> None:
        """Set an attribute."""
        self.attributes[name] = value

    def get(self, name: str) -> Any:
        """The value of an attribute, or None."""
        return self.attributes.get(name)

    def _written(self) -> list[str]:
        return [f"{name}={_quoted(value)}" for name, value in self.attributes.items()]


def _quoted(value: Any) -> str:
    if isinstance(value, (bool, int, float)):
        return str(value).lower()
    text = str(value)
    if isinstance(value, Label) or text.isidentifier():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Node(_Attributes):
    """A box."""

    def __init__(self, name: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._name = name

    def get_name(self) -> str:
        return self._name

    def get_label(self) -> Any:
        return self.get("label")

    def to_string(self) -> str:
        return f"{_quoted(self._name)} [{', '.join(self._written())}];"


class Edge(_Attributes):
    """An arrow from one box to another."""

    def __init__(self, source: str, destination: str, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._ends = (source, destination)

    def get_source(self) -> str:
        return self._ends[0]

    def get_destination(self) -> str:
        return self._ends[1]

    def to_string(self) -> str:
        ends = " -> ".join(map(_quoted, self._ends))
        return f"{ends} [{', '.join(self._written())}];"


class Graph(_Attributes):
    """Boxes, arrows and graphs inside."""

    _opening = "digraph"

    def __init__(self, graph_name: str = "G", **attributes: Any) -> None:
        super().__init__(**attributes)
        self._name = graph_name
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []
        self._subgraphs: list[Graph] = []
        self._node_defaults: dict[str, Any] = {}

    def get_name(self) -> str:
        return self._name

    def set_node_defaults(self, **attributes: Any) -> None:
        """Set attributes of all boxes."""
        self._node_defaults |= attributes

    def add_node(self, node: Node) -> None:
        self._nodes.append(node)

    def add_edge(self, edge: Edge) -> None:
        self._edges.append(edge)

    def add_subgraph(self, graph: Graph) -> None:
        self._subgraphs.append(graph)

    def get_nodes(self) -> list[Node]:
        return list(self._nodes)

    def get_node(self, name: str) -> list[Node]:
        return [node for node in self._nodes if node.get_name() == name]

    def get_edges(self) -> list[Edge]:
        return list(self._edges)

    def get_edge(self, source: str, destination: str) -> list[Edge]:
        ends = (source, destination)
        return [e for e in self._edges if (e.get_source(), e.get_destination()) == ends]

    def get_subgraphs(self) -> list[Graph]:
        return list(self._subgraphs)

    def to_string(self) -> str:
        """The graph in Graphviz' language."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f"{self._opening} {_quoted(self._name)} {{"
        yield from (f"{attribute};" for attribute in self._written())
        if self._node_defaults:
            yield f"node [{', '.join(_Attributes(**self._node_defaults)._written())}];"
        yield from (node.to_string() for node in self._nodes)
        yield from (edge.to_string() for edge in self._edges)
        for graph in self._subgraphs:
            yield from graph._lines()
        yield "}"


class Cluster(Graph):
    """A graph inside another, with a frame."""

    _opening = "subgraph"

    def __init__(self, graph_name: str = "G", **attributes: Any) -> None:
        super().__init__(f"cluster_{graph_name}", **attributes)


class Dot(Graph):
    """A graph of its own, which can be drawn.

    `write_svg(path)`, `create_png()` and the like exist for each format of Graphviz. Notebooks
    show the graph as a picture.
    """

    def create(self, prog: Any = None, format: str = "ps", encoding: Any = None) -> bytes:
        """Return the picture.

        Args:
            prog: the program of Graphviz that places the boxes, `dot` by default.
            format: the format. Without Graphviz, `svg` and the text formats are there.
            encoding: the encoding of the text, UTF-8 by default.

        Raises:
            ImportError: the format needs Graphviz, which is not installed.
        """
        text = self.to_string().encode(encoding or "utf-8")
        if format in _TEXT:
            return text
        program = shutil.which(prog or "dot")
        if program is not None:
            return _run(program, format, text)
        if format != "svg" or prog is not None:
            raise ImportError(
                f"A picture of a model as '{format}' needs Graphviz: {INSTALL}. Without it, models "
                f"are drawn as 'svg'."
            )
        return drawn_as_svg(_boxes(self), _arrows(self), self.get("rankdir")).encode("utf-8")

    def write(self, path: Any, prog: Any = None, format: str = "raw", encoding: Any = None) -> bool:
        """Write the picture to a file; returns True."""
        picture = self.create(prog, format, encoding)
        with replacing(os.fspath(path), create_folder=False) as file:
            file.write(picture)
        return True

    def __getattr__(self, name: str) -> Any:
        verb, _, format = name.partition("_")
        if verb not in ("create", "write") or not format:
            raise AttributeError(f"'Dot' object has no attribute '{name}'")
        return functools.partial(getattr(self, verb), format=format)

    def _repr_svg_(self) -> str:
        return self.create(format="svg").decode("utf-8")


def _run(program: str, format: str, text: bytes) -> bytes:
    done = subprocess.run([program, f"-T{format}"], input=text, capture_output=True, check=False)
    if done.returncode:
        raise OSError(
            f"{program} could not draw the model as '{format}' (exit status {done.returncode}): "
            f"{done.stderr.decode(errors='replace')}"
        )
    return done.stdout


def _boxes(graph: Graph, frames: tuple[str, ...] = ()) -> list[Box]:
    """All boxes of a graph, with the titles of the frames around them."""
    boxes = []
    for node in graph.get_nodes():
        label = node.get_label()
        rows = ((label.title,), *label.rows)
        cells = [[(c.text, c.color, c.background) for c in row] for row in rows]
        boxes.append(Box(node.get_name(), cells, frames))
    for inner in graph.get_subgraphs():
        boxes += _boxes(inner, (*frames, str(inner.get("label"))))
    return boxes


def _arrows(graph: Graph) -> list[tuple[str, str]]:
    arrows = [(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()]
    return arrows + [arrow for inner in graph.get_subgraphs() for arrow in _arrows(inner)]
