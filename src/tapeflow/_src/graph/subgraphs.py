"""Subgraphs: the branches and loop bodies that operations hold.

A subgraph is traced as a function that captures from the enclosing graph. Tapes outside must not
see its contents, because they record the operation that holds it; they are only notified of the
variables read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.containers import WITH_COMPOSITES
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.graph.body import bodies_of, embedded
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor


class Part:
    """A traced subgraph: its graph, and the results of the Python function, as tensors of it."""

    def __init__(self, graph: FuncGraph, result: Any, tensors: list[SymbolicTensor]) -> None:
        self.graph = graph
        # In the structure that was returned, None where there was no tensor.
        self.result = result
        self.tensors = tensors


class _Listener:
    """The recorder in a subgraph: it passes on the variables read, and nothing else."""

    def __init__(self, outside: Sequence[Any]) -> None:
        self._outside = outside

    def record(self, op: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        """Ignore op calls: outside, only the operation that holds the subgraph is recorded."""

    def variable_accessed(self, variable: Any) -> None:
        for recorder in self._outside:
            recorder.variable_accessed(variable)

    def takes(self, tensors: Any) -> bool:
        return False

    def left(self, tensor: Any, how: str) -> None:
        """Ignore values that go to NumPy or Python."""

    def record_custom(self, pull: Any, inputs: Any, outputs: Any) -> None:
        """Like `record`."""


def current_graph() -> Graph:
    """Return the graph being traced."""
    graph: Graph | None = dispatch.current_graph()
    if graph is None:
        raise RuntimeError("There is no graph to put branches or loops into: nothing is traced.")
    return graph


def trace_part(label: str, scope: str, function: Callable[[FuncGraph], Any]) -> Part:
    """Trace the subgraph of `function`, which is called with the subgraph's graph.

    The operation that will hold it has the name of the scope. Unless a plain graph encloses
    everything, operations of the subgraph are named as if they were created in that scope.
    """
    outer = current_graph()
    name = f"{scope[:-1].replace('/', '_')}_{label}"
    graph = FuncGraph(name, outer=outer, part=True)
    listener = _Listener(dispatch.state.recorders)
    inner = graph.name_scope(None if _in_plain_graph(outer) else scope)
    with graph.as_default(), inner, dispatch.use_recorders((listener,)):
        result = nest.map_structure(lambda leaf: _as_tensor(graph, leaf), function(graph))
        flat = nest.flatten(result, expand_composites=True)
        tensors = [graph.adopt(t) for t in flat if t is not None]
    return Part(graph, result, tensors)


def _in_plain_graph(graph: Graph) -> bool:
    around: Graph | None = graph
    while isinstance(around, FuncGraph):
        around = around.outer
    return around is not None


def _as_tensor(graph: FuncGraph, leaf: Any) -> Any:
    """Convert a returned value to a tensor of the graph; composites stay, operations are None."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    if isinstance(leaf, Tensor):
        return graph.adopt(leaf)
    return leaf if is_composite(leaf) else dispatch.convert(leaf)


def is_composite(value: Any) -> bool:
    """Whether a value that is no container consists of tensors, as a TensorArray does."""
    return WITH_COMPOSITES[type(value)] is not None


def common_inputs(
    graphs: Sequence[FuncGraph],
) -> tuple[list[Any], list[tuple[SymbolicTensor, ...]]]:
    """Return all captures of the subgraphs, and for each subgraph the inputs that stand for them.

    The inputs of a subgraph are its arguments, then the captures. Captures of the other subgraphs
    become inputs as well: the operation passes the same values to all of them.
    """
    captured: dict[int, Any] = {}
    for graph in graphs:
        for outer, _ in graph.captures.values():
            captured.setdefault(id(outer), outer)
    inputs = []
    for graph in graphs:
        with graph.as_default():
            inner = [graph.capture(outer) for outer in captured.values()]
        inputs.append((*graph.arguments, *inner))
    return [original(tensor) for tensor in captured.values()], inputs


def original(tensor: Any) -> Any:
    """Return the outermost tensor that a capture stands for, under which tapes know it.

    A constant that embeds an external tensor stands for that.
    """
    while isinstance(tensor, SymbolicTensor) and isinstance(tensor.graph, FuncGraph):
        outside = (*tensor.graph.captures.values(), *embedded(tensor.graph))
        outer = next((o for o, inner in outside if inner is tensor), None)
        if outer is None:
            break
        tensor = outer
    return tensor


def depends_on_state(graph: Graph) -> bool:
    """Whether running the graph reads or changes anything but its inputs and outputs."""
    return any(
        node.definition.effect is not None
        or any(depends_on_state(body.graph) for body in bodies_of(node))
        for node in graph.nodes
    )
