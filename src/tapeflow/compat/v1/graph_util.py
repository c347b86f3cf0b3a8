"""`tf.compat.v1.graph_util`: GraphDef messages cut down to what is wanted of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow.graph_util import import_graph_def as import_graph_def


def _node_name(text: str) -> str:
    """The node that an input names: `^node`, `node` or `node:2`."""
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """A GraphDef with the nodes that `dest_nodes` need, in the same order."""
    if isinstance(dest_nodes, str):
        raise TypeError(f"Argument `dest_nodes` must be an iterable of strings, got {dest_nodes!r}")
    by_name = {node.name: node for node in graph_def.node}
    waiting = list(dest_nodes)
    for name in waiting:
        if name not in by_name:
            raise ValueError(f"{name} is not in graph")
    wanted: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += [_node_name(text) for text in by_name[name].input]
    result = type(graph_def)()
    for node in graph_def.node:
        if node.name in wanted:
            result.node.add().CopyFrom(node)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result
