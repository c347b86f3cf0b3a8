"""Tracing: a Python function is called once with placeholders, and its ops form a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.executors.interpreter import Interpreter
from tapeflow._src.executors.packed_values import as_objects
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.tensor import SymbolicTensor

# Creates the arguments of the call, with placeholders of the graph for tensors.
Arguments = Callable[[FuncGraph], tuple[tuple[Any, ...], dict[str, Any]]]


class VariableCollector:
    """A recorder of the variables read, in order."""

    def __init__(self) -> None:
        self.variables: dict[int, Any] = {}

    def record(self, op: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        """Ignore op calls; only variable reads are recorded."""

    def variable_accessed(self, variable: Any) -> None:
        self.variables.setdefault(id(variable), variable)

    def takes(self, tensors: Any) -> bool:
        return False

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(self, pull: Any, inputs: Any, outputs: Any) -> None:
        """Ignore calls with a custom gradient as well."""


def current_graph() -> Graph | None:
    """Return the graph being traced, or None."""
    return dispatch.current_graph()


def trace(
    python_function: Callable[..., Any],
    arguments: Arguments,
    name: str,
    values: Callable[[], list[Any]] | None = None,
) -> tuple[FuncGraph, list[Any]]:
    """Return the graph of `python_function`, and the variables it reads.

    values: the arrays of the tensor arguments in the call that caused the trace; variables that are
    initialised from the arguments need them.
    """
    graph = FuncGraph(name, outer=current_graph())
    collector = VariableCollector()
    with graph.as_default(), dispatch.use_recorders((collector,)):
        graph.evaluate = lambda tensor: _compute_now(graph, tensor, values)
        try:
            args, kwargs = arguments(graph)
            result = python_function(*args, **kwargs)
            graph.structured_outputs = _as_tensors(graph, result, name)
        finally:
            graph.evaluate = None
    flat = nest.flatten(graph.structured_outputs, expand_composites=True)
    graph.outputs = [t for t in flat if t is not None]
    return graph, list(collector.variables.values())


def _as_tensors(graph: FuncGraph, result: Any, name: str) -> Any:
    """Convert a function's result: a tensor of its graph for every leaf but None."""

    def tensor(leaf: Any) -> Any:
        if leaf is None:
            return None
        try:
            converted = leaf if isinstance(leaf, Tensor) else dispatch.convert(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                f"{name} returned {leaf!r} of type {type(leaf).__name__}: a tf.function must "
                "return tensors, extension types, None or structures of them."
            ) from None
        return graph.adopt(converted)

    return nest.map_structure(tensor, result, expand_composites=True)


def _compute_now(
    graph: FuncGraph, tensor: SymbolicTensor, values: Callable[[], list[Any]] | None
) -> EagerTensor:
    """Compute a tensor of the graph being traced now, from the arguments of this call."""
    body = Body(graph, (tensor,), effects=False)
    used = {id(t) for node in body.nodes() for t in node.outputs}
    static_values = [] if values is None else values()
    captured = [outer for outer, _ in graph.captures.values()]
    arrays = [*static_values, *(None,) * (len(graph.arguments) - len(static_values))]
    arrays += [outer.static_value for outer in captured]
    if any(a is None and id(t) in used for t, a in zip(body.inputs, arrays, strict=True)):
        raise ValueError(
            f"The initial value of a variable, {tensor!r}, depends on an argument that has no "
            f"value here. Make the variable before the function is traced, or from a constant."
        )
    (array,) = Interpreter(body)(arrays)
    return EagerTensor(as_objects(array))
