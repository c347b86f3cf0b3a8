"""Rewriting: a body is copied into a new graph, with rules that replace some of it.

A body is traversed in program order. Each operation becomes a call with the new graph's operands;
the rules are applied, one after the other, until one returns tensors with the same results; if none
does, the call is appended. What a rule adds goes through all rules again, so one traversal settles
everything that depends on earlier operations only.

The bodies of branches and loops are traversed in rewrites of their own (see `structures`). There, a
tensor of the enclosing graph stands for itself until an operation that stays inside needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import InferError, Op
from tapeflow._src.core.spec import Spec
from tapeflow._src.graph.body import EFFECTS, Body, attributes, has_effect
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.mode import specs_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.graph.nodes import const, placeholder
from tapeflow._src.passes.facts import HANDLES, may_fail
from tapeflow._src.passes.writes import Writes

# Replacements for the outputs of a call: tensors of the new graph, or of an enclosing one.
Results = Sequence[Any]
# Returns the results of a call, or None if the rule does not apply.
Rule = Callable[["Rewrite", "Call"], Results | None]

# Constants of at most this many elements are compared by value, larger ones by identity.
_COMPARED_SIZE = 128


class Call:
    """A call about to be made: `operands` are in the new graph, or an enclosing one.

    `node` is the old operation, whose name, source and device are used.
    """

    __slots__ = ("attrs", "key", "node", "op", "operands", "specs")

    def __init__(
        self,
        op: Op,
        operands: tuple[Any, ...],
        attrs: dict[str, Any],
        node: Operation,
        specs: Sequence[Spec],
    ) -> None:
        self.op = op
        self.operands = operands
        self.attrs = attrs
        self.node = node
        self.specs = specs
        # Distinguishes this call from those with other results, if a rule has created it.
        self.key: Any = None

    @property
    def inputs(self) -> Sequence[Any]:
        """The operands, lists flattened."""
        return _flat(self.operands) if self.op.has_lists else self.operands


class LocalPass:
    """A pass that looks at one call at a time: it has rules per op.

    drops_unused: unused results of branches and loops are not computed.
    """

    def __init__(
        self, name: str, rules: Callable[[Op], tuple[Rule, ...]], *, drops_unused: bool = False
    ) -> None:
        self.name = name
        self.rules = rules
        self.drops_unused = drops_unused

    def __repr__(self) -> str:
        return f"<pass {self.name}>"


class Rules:
    """The rules of several passes, in order, and how operations that hold bodies are copied."""

    def __init__(
        self, passes: Iterable[LocalPass], copy_structure: Callable[[Rewrite, Call], Results]
    ) -> None:
        self._passes = tuple(passes)
        self._of: dict[Op, tuple[Rule, ...]] = {}
        self.copy_structure = copy_structure
        self.drops_unused = any(one.drops_unused for one in self._passes)

    def of(self, op: Op) -> tuple[Rule, ...]:
        cached = self._of.get(op)
        if cached is None:
            rules = [rule for one in self._passes for rule in one.rules(op)]
            cached = self._of[op] = tuple(rules)
        return cached


def rewrite(body: Body, rules: Rules) -> Body:
    """Return `body` rewritten by the rules, or itself if nothing applies."""
    root = Rewrite(rules, body.graph)
    inputs = [root.input(t) for t in body.inputs]
    for old, new in zip(body.inputs, inputs, strict=True):
        static = old.static_value
        is_static = static is not None and old._dtype not in HANDLES
        root.of[id(old)] = root.constant(static, old._dtype, old.op) if is_static else new
    outputs = root.walk(body)
    return root.finish(outputs, inputs, body.effects) if root.changed else body


class Traversal(NamedTuple):
    """A body that is being traversed."""

    nodes: list[Operation]
    outputs: tuple[SymbolicTensor | None, ...]


class Rewrite:
    """A graph under construction, from the operations of one or more bodies."""

    def __init__(
        self, rules: Rules, old: FuncGraph, around: Rewrite | None = None, in_loop: bool = False
    ) -> None:
        self.rules = rules
        self.around = around
        self.root: Rewrite = self if around is None else around.root
        outer = old.outer if around is None else around.graph
        self.graph: FuncGraph = FuncGraph(old.name, outer, old.part)
        self.graph.seeds = old.seeds
        # Whether what does not depend on this body's own tensors is invariant across its runs.
        self.in_loop = in_loop
        self.writes: Writes = Writes() if around is None else around.writes.copy()
        # The replacement of each tensor of the old bodies.
        self.of: dict[int, Any] = {}
        # Results of calls by their key.
        self.cached: dict[Any, Results] = {}
        # Tensors of enclosing graphs, with the input that stands for each.
        self.captured: dict[int, tuple[SymbolicTensor, SymbolicTensor]] = {}
        # For the outermost rewrite: whether the result differs from the original.
        self.changed = False
        # The bodies being traversed, innermost last.
        self.walked: list[Traversal] = []
        # Tensors of enclosing graphs, by their stand-ins here.
        self._stand_ins: dict[int, SymbolicTensor] = {}
        # Replacements for the outputs of later operations.
        self._settled: dict[int, Results] = {}
        self._used: set[int] = set()
        self._names: set[str] = set()
        self._copies: dict[int, Operation] = {}
        self._constants: dict[Any, SymbolicTensor] = {}
        self._needed: dict[Any, list[Operation]] = {}

    # -- traversal ---------------------------------------------------------------------------

    def walk(self, body: Body) -> list[Any]:
        """Rewrite the operations that `body` needs; return the replacements of its outputs."""
        nodes = self.needed(body)
        self.walked.append(Traversal(nodes, body.outputs))
        if _count(nodes) < _count(body.graph.nodes):
            self.root.changed = True
        if any(node.definition.holds_bodies for node in nodes):
            self._used.update(id(t) for node in nodes for t in node.inputs)
            self._used.update(id(t) for t in body.outputs)
        of = self.of
        for node in nodes:
            if node.definition.is_argument and id(node.outputs[0]) in of:
                continue
            results = self._settled.pop(id(node), None)
            if results is None:
                results = self._rewritten(node)
            for old, new in zip(node.outputs, results, strict=True):
                of[id(old)] = new
        self.walked.pop()
        return [None if t is None else of[id(t)] for t in body.outputs]

    def needed(self, body: Body) -> list[Operation]:
        """Return the operations that a body needs, cached."""
        cache = self.root._needed
        key = (id(body.graph), body.effects, tuple([id(t) for t in body.outputs]))
        nodes = cache.get(key)
        if nodes is None:
            nodes = cache[key] = body.nodes()
        return nodes

    def inline(self, body: Body, values: Sequence[Any]) -> list[Any]:
        """Inline the operations of `body` with `values` for its inputs; return its outputs."""
        self.bind(body.inputs, values)
        return self.walk(body)

    def bind(self, inputs: Sequence[SymbolicTensor], values: Sequence[Any]) -> None:
        """Set the replacements of a body's inputs."""
        for tensor, value in zip(inputs, values, strict=True):
            self.of[id(tensor)] = value

    def uses(self, tensor: SymbolicTensor) -> bool:
        """Whether anything uses this output of a branch or loop of the current bodies."""
        return not self.rules.drops_unused or id(tensor) in self._used

    def takers(self, tensor: SymbolicTensor) -> list[Operation] | None:
        """Return the consumers of this tensor in the current body; None if it is an output."""
        nodes, outputs = self.walked[-1]
        if any(t is tensor for t in outputs):
            return None
        return [node for node in nodes if any(t is tensor for t in node.inputs)]

    def consumed_only_by(self, tensor: SymbolicTensor, op: Op) -> bool:
        """Whether all consumers of this tensor in the current body are calls of `op`."""
        takers = self.takers(tensor)
        return takers is not None and all(node.definition is op for node in takers)

    def settle(self, node: Operation, results: Results) -> None:
        """Set the replacements of the outputs of a later operation of this body."""
        self._settled[id(node)] = results

    def _rewritten(self, node: Operation) -> Results:
        # An error that the user must see may depend on this operation.
        guards = bool(node.control_inputs) and any(map(may_fail, node.control_inputs))
        if node.definition.is_argument:
            return (self.input(node.outputs[0]),)
        if node.definition.is_constant and not guards:
            return (self.constant(node.attrs["value"], node.attrs["dtype"], node),)
        operands = self._operands(node)
        specs = [Spec(t.static_shape, t._dtype, t.static_value) for t in node.outputs]
        call = Call(node.definition, operands, node.attrs, node, specs)
        if guards:
            return self.append(call)
        if not node.definition.holds_bodies and _specs_changed(node, call):
            try:
                call.specs = _improved(call)
            except (InferError, OpError):
                return self._failing(call)
        return self.emit(call)

    def _operands(self, node: Operation) -> tuple[Any, ...]:
        of = self.of
        if not node.definition.has_lists:
            return tuple([of[id(t)] for t in node.operands])
        return tuple(
            [
                tuple([of[id(t)] for t in v]) if type(v) is tuple else of[id(v)]
                for v in node.operands
            ]
        )

    def _failing(self, call: Call) -> Results:
        """Add a call that is known to fail, so that the error is raised when it runs.

        Executors trust that static values were accepted: hide those that were not.
        """
        pairs = dict(zip(map(id, call.inputs), call.node.inputs))

        def hidden(tensor: Any) -> Any:
            old = pairs[id(tensor)]
            spec = Spec(old.static_shape, old._dtype, old.static_value)
            return self.append(Call(identity, (tensor,), {}, call.node, (spec,)))[0]

        call.operands = tuple(
            [tuple(map(hidden, v)) if type(v) is tuple else hidden(v) for v in call.operands]
        )
        return self.append(call)

    # -- calls -------------------------------------------------------------------------------

    def emit(self, call: Call) -> Results:
        """Return the results of the call by the first rule that applies; else append it."""
        for rule in self.rules.of(call.op):
            replacement = rule(self, call)
            if replacement is not None:
                self.root.changed = True
                return replacement
        copied = self.rules.copy_structure if call.op.holds_bodies else Rewrite.append
        results = copied(self, call)
        if call.key is not None:
            self.cached[call.key] = results
        return results

    def make(
        self, op: Op, operands: tuple[Any, ...], attrs: dict[str, Any], instead_of: Call
    ) -> Results:
        """Return the results of another call, which replaces `instead_of`."""
        plain = {key: value for key, value in attrs.items() if key[0] != "_"}
        operands = tuple([self._from_around(t) for t in operands])
        specs = op.infer_outputs(specs_of(operands), plain)
        return self.emit(Call(op, operands, plain, instead_of.node, specs))

    def _from_around(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return the tensor that an input stands for, if a rule meets that input."""
        level: Rewrite | None = self
        while level is not None:
            tensor = level._stand_ins.get(id(tensor), tensor)
            level = level.around
        return tensor

    def append(self, call: Call) -> tuple[SymbolicTensor, ...]:
        """Append the call to this graph."""
        op, node = call.op, call.node
        new = Operation(
            self.graph,
            op,
            self._local_operands(call),
            call.attrs,
            self._name(node.name),
            control_inputs=self._controls(node) if node.control_inputs else (),
            source=node.source,
            device=node.device,
        )
        new.outputs = tuple(
            [SymbolicTensor(new, i, s.shape, s.dtype, s.value) for i, s in enumerate(call.specs)]
        )
        self.graph.nodes.append(new)
        self._copies[id(node)] = new
        if op.effect in EFFECTS:
            self.writes.note(op, call.inputs)
        return new.outputs

    def _local_operands(self, call: Call) -> tuple[Any, ...]:
        if not call.op.has_lists:
            graph = self.graph
            return tuple([t if t.op.graph is graph else self.local(t) for t in call.operands])
        return tuple(
            [
                tuple([self.local(t) for t in v]) if type(v) is tuple else self.local(v)
                for v in call.operands
            ]
        )

    def _name(self, hint: str) -> str:
        name, number = hint, 0
        while name in self._names:
            number += 1
            name = f"{hint}_{number}"
        self._names.add(name)
        return name

    def _controls(self, node: Operation) -> tuple[Operation, ...]:
        """Return the control inputs that matter, in this graph."""
        controls: dict[Operation, None] = {}
        for old in node.control_inputs:
            if not (has_effect(old) or may_fail(old)):
                continue
            copy = self._copies.get(id(old))
            if copy is not None:
                controls[copy] = None
            for tensor in old.outputs:
                new = self.of.get(id(tensor))
                if new is not None and new.op.graph is self.graph:
                    controls[new.op] = None
        return tuple(controls)

    # -- inputs and constants ----------------------------------------------------------------

    def input(self, like: SymbolicTensor) -> SymbolicTensor:
        """Add a placeholder."""
        attrs = {"dtype": like._dtype, "shape": like.static_shape}
        spec = Spec(like.static_shape, like._dtype, like.static_value)
        return self.append(Call(placeholder, (), attrs, like.op, (spec,)))[0]

    def constant(self, value: Any, dtype: DType, node: Operation) -> SymbolicTensor:
        """Return a constant. It belongs to the outermost graph: inner ones copy it when needed."""
        root = self.root
        key: Any = id(value)
        if value.size <= _COMPARED_SIZE:
            data = value.tolist() if value.dtype.hasobject else value.tobytes()
            key = (dtype, value.shape, data if type(data) is bytes else repr(data))
        cached = root._constants.get(key)
        if cached is None:
            attrs = {"value": value, "dtype": dtype}
            call = Call(const, (), attrs, node, (Spec(value.shape, dtype, value),))
            cached = root._constants[key] = root.append(call)[0]
        return cached

    def local(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return a tensor in this graph: itself, the copy of a constant, or an input for it."""
        if tensor.op.graph is self.graph:
            return tensor
        if not tensor.op.definition.is_constant:
            return self.capture(tensor)
        cached = self._constants.get(id(tensor))
        if cached is None:
            spec = Spec(tensor.static_shape, tensor._dtype, tensor.static_value)
            call = Call(const, (), tensor.op.attrs, tensor.op, (spec,))
            cached = self._constants[id(tensor)] = self.append(call)[0]
            self._stand_ins[id(cached)] = tensor
        return cached

    def capture(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Return the input that stands for a tensor of an enclosing graph."""
        cached = self.captured.get(id(tensor))
        if cached is None:
            cached = self.captured[id(tensor)] = (tensor, self.input(tensor))
            self._stand_ins[id(cached[1])] = tensor
        return cached[1]

    # -- the result --------------------------------------------------------------------------

    def finish(
        self, outputs: Sequence[Any], inputs: Sequence[SymbolicTensor], effects: bool = True
    ) -> Body:
        """Return the new body, without what turned out not to be needed."""
        graph = self.graph
        graph.arguments = list(inputs)
        graph.outputs = [t for t in outputs if t is not None]
        body = Body(graph, tuple(outputs), tuple(inputs), effects)
        first = {id(t.op): t.op for t in inputs}
        graph.nodes = [*first.values(), *(n for n in body.nodes() if id(n) not in first)]
        graph.finalize()
        return body


def _flat(operands: Sequence[Any]) -> list[Any]:
    flattened: list[Any] = []
    for operand in operands:
        if type(operand) is tuple:
            flattened.extend(operand)
        else:
            flattened.append(operand)
    return flattened


def _count(nodes: Sequence[Operation]) -> int:
    """Return the number of operations beside the inputs."""
    return sum([node.definition is not placeholder for node in nodes])


def _specs_changed(node: Operation, call: Call) -> bool:
    """Whether the static shapes or values of operands differ from when the operation was traced."""
    for old, new in zip(node.inputs, call.inputs):
        if old.static_shape != new.static_shape or (old.static_value is None) != (
            new.static_value is None
        ):
            return True
    return False


def _improved(call: Call) -> list[Spec]:
    """Return the specs of the results, refined by what follows from the operands now."""
    now = call.op.infer_outputs(specs_of(call.operands), attributes(call.node))
    return [
        Spec(merge_shape(a.shape, b.shape), b.dtype, b.value if a.value is None else a.value)
        for a, b in zip(now, call.specs, strict=True)
    ]
