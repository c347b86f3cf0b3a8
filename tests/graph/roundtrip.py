"""A graph written as a GraphDef, read back into another graph, and run there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.core.shape import as_dims
from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.function.tracing import trace
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph


def traced(
    function: Callable[..., Any], *specs: tf.TensorSpec, variables: dict[str, Any] | None = None
) -> FuncGraph:
    """The graph of a function of tensors, which takes variables by keyword."""

    def arguments(graph: FuncGraph) -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = [graph.argument(s.dtype, as_dims(s.shape), s.name or "x") for s in specs]
        return tuple(given), variables or {}

    graph, _ = trace(function, arguments, function.__name__.strip("<>"))
    return graph


def parsed(graph: Any, **options: Any) -> Any:
    """The graph's message, after a trip through bytes."""
    message = graph.as_graph_def(**options)
    return protos.GraphDef.FromString(message.SerializeToString())


def results(message: Any, graph: FuncGraph) -> list[str]:
    """The names of the tensors that the message gives for the graph's outputs."""
    names = [f"{node.name}:0" for node in message.node if node.op == "Identity"]
    return names[len(names) - len(graph.outputs) :]


def imported(graph: FuncGraph) -> Body:
    """The same function, made of the graph's message alone."""
    message = parsed(graph)
    copy = FuncGraph(graph.name)
    with copy.as_default():
        outputs = tf.import_graph_def(
            message, name="", return_elements=results(message, graph), safe_mode=False
        )
    inputs = tuple(copy.get_tensor_by_name(t.name) for t in graph.inputs)
    return Body(copy, tuple(outputs), inputs)


def run(body: Body, arrays: list[Any]) -> list[np.ndarray]:
    """The results of a function for arrays."""
    return list(Interpreter(body)(arrays))
