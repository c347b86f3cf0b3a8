"""Partitioning: what XLA can run is gathered into few operations, each compiled as a whole.

Operations are assigned to stages that run one after the other, alternately compiled and on the
host: an operation is in the stage of those it depends on, or in the next if it is of the other
sort. What follows from shapes and constants is recomputed in every stage that uses it, because it
must be static there. The bodies of branches and loops that stay on the host are partitioned as
well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import FORWARDS, SHAPE_ONLY, SOURCE
from tapeflow._src.graph.body import EFFECTS, Body, bodies_of, has_effect
from tapeflow._src.graph.compilability import NOTHING, Analysis
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.graph.launch import xla_launch
from tapeflow._src.ops.graph.nodes import no_op

# A compiled operation takes some microseconds to call; fewer operations than this take no longer.
LEAST_OPERATIONS = 4
_FREE = frozenset({SOURCE, SHAPE_ONLY, FORWARDS})


def partition(body: Body, refused: Mapping[int, str] = NOTHING) -> Body | None:
    """Return `body` with compiled parts; None if nothing in it is worth compiling.

    refused: operations, by identity, that failed to compile.
    """
    nodes = [node for node in body.nodes() if not node.definition.is_argument]
    analysis = Analysis(body, (), refused)
    stages = _Stages(nodes, analysis)
    copy = _Copy(body, analysis, stages, refused)
    return copy.run() if copy.worth_it() else None


class _Stages:
    """The stage of each operation: even ones are compiled, odd ones run on the host."""

    def __init__(self, nodes: list[Operation], analysis: Analysis) -> None:
        self.nodes = nodes
        refused = {id(refusal.node) for refusal in analysis.refusals}
        order = _Order(nodes)
        self.of: dict[int, int] = {}
        for node in nodes:
            host = id(node) in refused
            before = [t.op for t in node.inputs] + list(node.control_inputs) + order.before(node)
            stage = 1 if host else 0
            for other in before:
                reached = self.of.get(id(other), 0)
                stage = max(stage, reached if reached % 2 == host else reached + 1)
            self.of[id(node)] = stage

    def compiled(self, stage: int) -> list[Operation]:
        return [node for node in self.nodes if self.of[id(node)] == stage]

    @property
    def count(self) -> int:
        return max(self.of.values(), default=0) + 1


class _Order:
    """The order of effects: which earlier operations must have run before another."""

    def __init__(self, nodes: list[Operation]) -> None:
        handles = [t for node in nodes for t in node.inputs if t.dtype is dtypes.resource]
        # Handles passed in may alias one variable: then the order of all is preserved.
        self._are_distinct = all(t.static_value is not None for t in handles)
        self._outside: Operation | None = None  # the last that does something beyond variables
        self._writes: dict[int, Operation] = {}
        self._touches: dict[int, list[Operation]] = {}
        self._since: list[Operation] = []  # all with effects since `_outside`

    def before(self, node: Operation) -> list[Operation]:
        """Return what must precede `node`, and record `node`."""
        handles = {
            id(t.static_value) if self._are_distinct else 0
            for t in node.inputs
            if t.dtype is dtypes.resource
        }
        acts = has_effect(node)
        outside = acts and _acts_outside(node)
        earlier = [] if self._outside is None or not (acts or handles) else [self._outside]
        if outside:
            earlier += self._since
            self._outside, self._since = node, []
        elif acts or handles:
            self._since.append(node)
        for handle in handles:
            if acts:
                earlier += self._touches.pop(handle, [])
                self._writes[handle] = node
            elif handle in self._writes:
                earlier.append(self._writes[handle])
            self._touches.setdefault(handle, []).append(node)
        return earlier


def _acts_outside(node: Operation) -> bool:
    """Whether an operation does more than change the variables it receives."""
    if node.definition.effect in EFFECTS - {"writes"}:
        return True
    return any(_acts_outside(inner) for body in bodies_of(node) for inner in body.graph.nodes)


class _Copy:
    """The new graph, stage by stage."""

    def __init__(
        self, body: Body, analysis: Analysis, stages: _Stages, refused: Mapping[int, str]
    ) -> None:
        self._body = body
        self._analysis = analysis
        self._stages = stages
        self._graph = FuncGraph(body.name, body.graph.outer, body.graph.part)
        self._copies: dict[int, SymbolicTensor] = {}
        self._inner: dict[int, dict[str, Any]] = {}
        for node in stages.nodes:
            if stages.of[id(node)] % 2:
                attrs = _partitioned_attributes(node, refused)
                if attrs is not None:
                    self._inner[id(node)] = attrs

    def worth_it(self) -> bool:
        """Whether any stage, or body on the host, has enough to be compiled."""
        compiled = (self._stages.compiled(i) for i in range(0, self._stages.count, 2))
        return bool(self._inner) or any(map(_is_worth_compiling, compiled))

    def run(self) -> Body:
        inputs = []
        for tensor in self._body.inputs:
            self._copy_node(self._graph, tensor.op, self._copies)
            inputs.append(self._copies[id(tensor)])
        for stage in range(self._stages.count):
            nodes = self._stages.compiled(stage)
            if stage % 2 == 0 and _is_worth_compiling(nodes):
                self._launch(nodes)
            else:
                for node in nodes:
                    self._copy_node(self._graph, node, self._copies)
        outputs = tuple(None if t is None else self._copies[id(t)] for t in self._body.outputs)
        return Body(self._graph, outputs, tuple(inputs), self._body.effects)

    def _copy_node(
        self, graph: FuncGraph, node: Operation, of: dict[int, SymbolicTensor]
    ) -> Operation:
        operands = tuple(
            tuple(of[id(t)] for t in operand) if type(operand) is tuple else of[id(operand)]
            for operand in node.operands
        )
        attrs = self._inner.get(id(node), node.attrs)
        specs = [Spec(t.static_shape, t._dtype, t.static_value) for t in node.outputs]
        # A name with a trailing slash is absolute.
        new = graph.add(node.definition, operands, attrs, specs, f"{node.name}/", node.source)
        of.update((id(old), tensor) for old, tensor in zip(node.outputs, new.outputs, strict=True))
        return new

    def _launch(self, nodes: list[Operation]) -> None:
        """Add one operation that runs `nodes` compiled."""
        cluster = _Cluster(self, f"{self._body.name}_cluster", nodes)
        used = self._used_outside(nodes)
        tensors = [t for t in cluster.inputs if t.dtype is not dtypes.resource]
        handles = [t for t in cluster.inputs if t.dtype is dtypes.resource]
        inner = Body(
            cluster.graph,
            tuple(cluster.of[id(t)] for t in used),
            tuple(cluster.of[id(t)] for t in (*tensors, *handles)),
        )
        specs = [Spec(t.static_shape, t._dtype) for t in used]
        args, resources = ([self._copies[id(t)] for t in group] for group in (tensors, handles))
        operands = ((), tuple(args), tuple(resources))
        new = self._graph.add(xla_launch, operands, {"function": inner}, specs, None, None)
        for old, tensor in zip(used, new.outputs, strict=True):
            self._copies[id(old)] = tensor

    def _used_outside(self, nodes: list[Operation]) -> list[SymbolicTensor]:
        """Return the results of `nodes` that other operations use, or the body returns."""
        own = {id(node) for node in nodes}
        outputs = {id(t) for t in self._body.outputs if t is not None}
        seen: set[int] = set()
        for node in self._stages.nodes:
            if id(node) not in own:
                outputs |= {id(t) for t in node.inputs}
                for tensor in node.inputs:
                    outputs |= self._read_again(tensor, seen)
        return [t for node in nodes for t in node.outputs if id(t) in outputs]

    def _read_again(self, tensor: SymbolicTensor, seen: set[int]) -> set[int]:
        """Return what another stage reads to recompute a tensor that is static there."""
        if id(tensor) in seen or not self.knows(tensor) or tensor.op.definition.is_argument:
            return set()
        seen.add(id(tensor))
        inputs = {id(t) for t in tensor.op.inputs}
        return inputs.union(*(self._read_again(t, seen) for t in tensor.op.inputs))

    def copy_into(self, cluster: _Cluster, node: Operation) -> None:
        self._copy_node(cluster.graph, node, cluster.of)

    def knows(self, tensor: SymbolicTensor) -> bool:
        return self._analysis.knows(tensor)


class _Cluster:
    """The graph of one compiled operation: `inputs` are its external tensors."""

    def __init__(self, copy: _Copy, name: str, nodes: list[Operation]) -> None:
        self.graph = FuncGraph(name, None)
        self.of: dict[int, SymbolicTensor] = {}
        self.inputs: list[SymbolicTensor] = []
        self._copy = copy
        self._node_ids = {id(node) for node in nodes}
        for node in nodes:
            self._add(node)

    def _add(self, node: Operation) -> None:
        for tensor in node.inputs:
            if id(tensor) not in self.of:
                self._bring(tensor)
        self._copy.copy_into(self, node)

    def _bring(self, tensor: SymbolicTensor) -> None:
        """Bring in an external tensor: as an input, or recomputed if it is static for XLA."""
        if self._copy.knows(tensor) and not tensor.op.definition.is_argument:
            self._add(tensor.op)
            return
        self.inputs.append(tensor)
        inner = self.graph.argument(tensor.dtype, tensor.static_shape, tensor.op.name)
        inner.static_value = tensor.static_value  # type: ignore[misc]
        self.of[id(tensor)] = inner


def _is_worth_compiling(nodes: list[Operation]) -> bool:
    work = 0
    for node in nodes:
        if bodies_of(node):
            return True
        work += not _is_free(node)
    return work >= LEAST_OPERATIONS


def _is_free(node: Operation) -> bool:
    """Whether running the operation takes negligible time."""
    return not _FREE.isdisjoint(node.definition.traits) or node.definition is no_op


def _partitioned_attributes(node: Operation, refused: Mapping[int, str]) -> dict[str, Any] | None:
    """Return the attributes of a host operation with partitioned bodies; None if none is."""
    if node.definition.host:  # it runs them as programs, which see to that themselves
        return None
    changed = False
    attrs: dict[str, Any] = {}
    for key, value in node.attrs.items():
        if type(value) is Body:
            partitioned = partition(value, refused) or value
            changed = changed or partitioned is not value
            attrs[key] = partitioned
        elif type(value) is tuple and value and type(value[0]) is Body:
            attrs[key] = tuple(partition(body, refused) or body for body in value)
            changed = changed or any(a is not b for a, b in zip(attrs[key], value, strict=True))
        else:
            attrs[key] = value
    return attrs if changed else None
