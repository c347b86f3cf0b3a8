"""A graph as plain data: what the text, the Graphviz source and the HTML page are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import resource
from tapeflow._src.core.source import Location
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

_ELEMENTS_SHOWN = 6


@dataclass(frozen=True)
class Measured:
    """Measurements of an operation in a profiled run, summed over its calls."""

    calls: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class Node:
    """An operation.

    Attributes:
        name: Its name, with scopes.
        op: The name of its op.
        inputs: The names of the operations it reads, each with the index of the output.
        control_inputs: The names of the operations it waits for.
        outputs: dtype and shape of each output, as text.
        attributes: The attributes of the op that say something, as text.
        location: The user's line.
        measured: What a profiled run measured; None without one.
        parts: The subgraphs it holds.
    """

    name: str
    op: str
    inputs: tuple[tuple[str, int], ...]
    control_inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: str
    location: Location | None
    measured: Measured | None = None
    parts: tuple[GraphData, ...] = field(default=())


@dataclass(frozen=True)
class GraphData:
    """The operations of a graph that run, in order, and what it returns."""

    name: str
    nodes: tuple[Node, ...]
    outputs: tuple[tuple[str, int], ...]


def graph_data(body: Body, measured: Mapping[str, Measured] | None = None) -> GraphData:
    """Return the data of a body, with what was measured of its operations, by name."""
    nodes = [tensor.op for tensor in body.inputs]
    nodes += [node for node in body.nodes() if not node.definition.is_argument]
    return GraphData(
        body.name,
        tuple(_node(node, measured or {}) for node in nodes),
        tuple(_reference(t) for t in body.outputs if t is not None),
    )


def _node(node: Operation, measured: Mapping[str, Measured]) -> Node:
    return Node(
        node.name,
        node.type,
        tuple(map(_reference, node.inputs)),
        tuple(other.name for other in node.control_inputs),
        tuple(map(_type_text, node.outputs)),
        _attributes(node),
        node.source,
        measured.get(node.name),
        tuple(graph_data(body, measured) for body in bodies_of(node)),
    )


def _reference(tensor: SymbolicTensor) -> tuple[str, int]:
    return tensor.op.name, tensor.value_index


def _type_text(tensor: SymbolicTensor) -> str:
    if tensor.dtype is resource:
        return "variable"
    sizes = tensor.static_shape
    if sizes is None:
        return f"{tensor.dtype.name}[…]"
    return f"{tensor.dtype.name}[{', '.join('?' if n is None else str(n) for n in sizes)}]"


def _attributes(node: Operation) -> str:
    parts = []
    for name, value in node.attrs.items():
        if name.startswith("_") or type(value) is Body:
            continue
        text = _value_text(value)
        if text:
            parts.append(f"{name}={text}")
    return ", ".join(parts)


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > _ELEMENTS_SHOWN:
            return f"array of shape {value.shape}"
        return str(value.tolist())
    if isinstance(value, bool | int | float | str):
        return repr(value)
    if type(value) is tuple and not any(type(item) is Body for item in value):
        return repr(value) if len(value) <= _ELEMENTS_SHOWN else f"{len(value)} values"
    return getattr(value, "name", "") if hasattr(value, "is_floating") else ""
