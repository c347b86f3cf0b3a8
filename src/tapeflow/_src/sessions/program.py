"""A graph pruned to the fetches, as a function of the feeds: what a session runs.

It is run as any function is: interpreted at once, compiled when it is hot.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.resource import Cell
from tapeflow._src.executors.program import Program
from tapeflow._src.graph.body import Body, attributes
from tapeflow._src.graph.graph import FuncGraph, Graph
from tapeflow._src.graph.mode import TracingMode
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.passes.partition import partition
from tapeflow._src.passes.pipeline import optimize


class Prepared:
    """A program for certain fetches and feeds, and the resources (variables …) that it uses.

    `resources` are operations: the session has what stands behind them. An eager variable that the
    graph uses is a constant there, its cell.
    """

    def __init__(self, program: Program, resources: list[Operation]) -> None:
        self.program = program
        self.resources = resources


def prepare(
    graph: Graph,
    fetched: Sequence[SymbolicTensor],
    operations: Sequence[Operation],
    fed: Sequence[SymbolicTensor],
) -> Prepared:
    """Return the program that computes `fetched` and runs `operations` for feeds of `fed`."""
    copy = _Copy(graph, fed)
    with dispatch.use_recorders(()):
        for node in _needed(graph, fetched, operations, fed):
            copy.add(node)
    body = Body(copy.graph, tuple(copy.tensor(t) for t in fetched), copy.inputs())
    return Prepared(Program(body, None, optimize, partition), copy.resources)


def _needed(
    graph: Graph,
    fetched: Sequence[SymbolicTensor],
    operations: Sequence[Operation],
    fed: Sequence[SymbolicTensor],
) -> list[Operation]:
    """Return the operations that must run, in program order.

    One need not of which all results are fed.
    """
    fed_ids = {id(t) for t in fed}
    needed = {id(node) for node in operations}
    needed |= {id(t.op) for t in fetched if id(t) not in fed_ids}
    nodes = []
    for node in reversed(graph.nodes):
        is_fed = bool(node.outputs) and all(id(t) in fed_ids for t in node.outputs)
        if id(node) in needed and not is_fed:
            nodes.append(node)
            needed |= {id(t.op) for t in node.inputs if id(t) not in fed_ids}
            needed |= {id(other) for other in node.control_inputs}
    nodes.reverse()
    return nodes


class _Copy:
    """Operations of a graph, copied into one with inputs for what is fed and for resources.

    Shapes and known values are inferred again: they may follow from what is fed now.
    """

    def __init__(self, graph: Graph, fed: Sequence[SymbolicTensor]) -> None:
        self.graph = FuncGraph("session", outer=None)
        self.graph.seeds = graph.seeds
        self.resources: list[Operation] = []
        self._mode = TracingMode(self.graph)
        self._nodes: dict[int, Operation] = {}
        self._fed = [self._argument(t) for t in fed]
        self._handles: list[SymbolicTensor] = []
        self._tensors = {id(t): a for t, a in zip(fed, self._fed, strict=True)}

    def inputs(self) -> tuple[SymbolicTensor, ...]:
        """Return the feeds, then the resources."""
        return (*self._fed, *self._handles)

    def tensor(self, original: SymbolicTensor) -> SymbolicTensor:
        return self._tensors[id(original)]

    def add(self, node: Operation) -> None:
        if _is_resource(node):
            self.resources.append(node)
            self._handles.append(self._argument(node.outputs[0]))
            self._tensors.setdefault(id(node.outputs[0]), self._handles[-1])
            return
        if node.definition.is_argument:
            raise InvalidArgumentError(
                node.node_def,
                node,
                f"You must feed a value for placeholder tensor {node.name!r} with dtype "
                f"{node.outputs[0].dtype.name} and shape {fmt_shape(node.outputs[0].static_shape)}",
            )
        waits = [self._nodes[id(n)] for n in node.control_inputs if id(n) in self._nodes]
        waiting = self.graph.control_dependencies(waits) if waits else nullcontext()
        with dispatch.use_mode(self._mode), waiting:
            results = self._run(node)
        for original, result in zip(node.outputs, results, strict=True):
            self._tensors.setdefault(id(original), result)

    def _argument(self, tensor: SymbolicTensor) -> SymbolicTensor:
        name = f"{tensor.op.name}_{tensor.value_index}"
        return self.graph.argument(tensor.dtype, tensor.static_shape, name)

    def _run(self, node: Operation) -> tuple[SymbolicTensor, ...]:
        if node.definition.is_constant:
            value, dtype = node.attrs["value"], node.attrs["dtype"]
            return (self.graph.constant(value, dtype, f"{node.name}/"),)
        inputs = tuple(
            tuple(self.tensor(t) for t in operand)
            if type(operand) is tuple
            else self.tensor(operand)
            for operand in node.operands
        )
        self._mode.source = node.source
        self._mode.execute(node.definition, inputs, attributes(node), f"{node.name}/")
        copied = self.graph.nodes[-1]
        # Notes on the node stay: which stream a random operation draws from, for instance.
        copied.attrs = node.attrs
        self._nodes[id(node)] = copied
        return copied.outputs


def _is_resource(node: Operation) -> bool:
    if node.definition.owned_by_sessions:
        return True
    return node.definition.is_constant and isinstance(node.attrs["value"], Cell)
