"""Parts of a graph: the branches and loop bodies that its operations hold.

A part is traced as a function of its own that takes from the graph around it what it uses. Tapes
outside must not see what happens in it, for they see the operation that holds it; they are only
told of the variables read.
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
    """A traced part: its graph, and what the Python function returned, as tensors of it."""

    def __init__(self, graph: FuncGraph, result: Any, tensors: list[SymbolicTensor]) -> None:
        self.graph = graph
        # In the structure that was returned, None where there was no tensor.
        self.result = result
        self.tensors = tensors


class _Listener:
    """The recorder in a part: tells those outside of the variables read, and of nothing else."""

    def __init__(self, outside: Sequence[Any]) -> None:
        self._outside = outside

    def record(self, op: Any, inputs: Any, attrs: Any, outputs: Any) -> None:
        """What happens in a part is seen from outside as the operation that holds it."""

    def variable_accessed(self, variable: Any) -> None:
        for recorder in self._outside:
            recorder.variable_accessed(variable)

    def takes(self, tensors: Any) -> bool:
        return False

    def record_custom(self, pull: Any, inputs: Any, outputs: Any) -> None:
        """As `record`."""


def current_graph() -> Graph:
    """The graph being traced."""
    graph: Graph | None = dispatch.current_graph()
    if graph is None:
        raise RuntimeError("There is no graph to put branches or loops into: nothing is traced.")
    return graph


def trace_part(label: str, scope: str, function: Callable[[FuncGraph], Any]) -> Part:
    """The part that `function` traces when it is called with the part's graph.

    The operation that is to hold it has the name of the scope. Unless a plain graph is around all,
    what is made in the part is named as if it were made in that scope.
    """
    outer = current_graph()
    name = f"{scope[:-1].replace('/', '_')}_{label}"
    graph = FuncGraph(name, outer=outer, part=True)
    listener = _Listener(dispatch.state.recorders)
    inner = graph.name_scope(None if _in_plain_graph(outer) else scope)
    with graph.as_default(), inner, dispatch.use_recorders((listener,)):
        result = nest.map_structure(lambda leaf: _as_tensor(graph, leaf), function(graph))
        flat = nest.flatten(result, expand_composites=True)
        tensors = [graph.own(t) for t in flat if t is not None]
    return Part(graph, result, tensors)


def _in_plain_graph(graph: Graph) -> bool:
    around: Graph | None = graph
    while isinstance(around, FuncGraph):
        around = around.outer
    return around is not None


def _as_tensor(graph: FuncGraph, leaf: Any) -> Any:
    """A returned value as a tensor of the graph; composites stay, an operation is no value."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    if isinstance(leaf, Tensor):
        return graph.own(leaf)
    return leaf if is_composite(leaf) else dispatch.convert(leaf)


def is_composite(value: Any) -> bool:
    """Whether a value that is no container consists of tensors, as a TensorArray does."""
    return WITH_COMPOSITES[type(value)] is not None


def common_inputs(
    graphs: Sequence[FuncGraph],
) -> tuple[list[Any], list[tuple[SymbolicTensor, ...]]]:
    """All that any of the parts takes from outside, and for each part the inputs that stand for it.

    The inputs of a part are its arguments, then what is taken. What it does not use itself becomes
    an input all the same: the operation that holds the parts gives them all the same values.
    """
    taken: dict[int, Any] = {}
    for graph in graphs:
        for outer, _ in graph.captures.values():
            taken.setdefault(id(outer), outer)
    inputs = []
    for graph in graphs:
        with graph.as_default():
            inner = [graph.capture(outer) for outer in taken.values()]
        inputs.append((*graph.arguments, *inner))
    return [original(tensor) for tensor in taken.values()], inputs


def original(tensor: Any) -> Any:
    """The tensor that a capture stands for, as far out as it comes from: tapes know it by that.

    A constant that is a tensor from outside stands for that.
    """
    while isinstance(tensor, SymbolicTensor) and isinstance(tensor.graph, FuncGraph):
        outside = (*tensor.graph.captures.values(), *embedded(tensor.graph))
        found = next((o for o, inner in outside if inner is tensor), None)
        if found is None:
            break
        tensor = found
    return tensor


def depends_on_state(graph: Graph) -> bool:
    """Whether running the graph reads or changes anything but its inputs and outputs."""
    return any(
        node.definition.effect is not None
        or any(depends_on_state(body.graph) for body in bodies_of(node))
        for node in graph.nodes
    )
