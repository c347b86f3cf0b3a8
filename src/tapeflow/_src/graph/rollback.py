"""Rollback: remove what a failed import has added to a graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.graph.graph import FuncGraph, Graph


class _Snapshot:
    """The state of a graph that adding operations changes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._count = len(graph.nodes)
        self._names = dict(graph.names._used)
        self._reads = dict(graph.reads._waiting)
        self._read_names = [(node, node.name) for nodes in self._reads.values() for node in nodes]
        self._constants = dict(graph._constants)
        self._literals = dict(graph._literals)
        self._captures: dict[int, Any] | None = None
        if isinstance(graph, FuncGraph):
            self._captures = dict(graph.captures)

    def restore(self) -> None:
        graph: Any = self._graph
        del graph.nodes[self._count :]
        graph._by_name = {}
        graph.names._used = self._names
        graph.reads._waiting = self._reads
        for node, name in self._read_names:
            node.name = name
        graph._constants = self._constants
        graph._literals = self._literals
        if self._captures is not None:
            graph.captures = self._captures


@contextmanager
def unchanged_on_error(graph: Graph) -> Iterator[None]:
    """Restore the graph, and those around it, if the block raises."""
    snapshots = []
    around: Any = graph
    while around is not None:
        snapshots.append(_Snapshot(around))
        around = getattr(around, "outer", None)
    try:
        yield
    except BaseException:
        for snapshot in snapshots:
            snapshot.restore()
        raise
