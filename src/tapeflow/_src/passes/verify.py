"""The verifier: what holds for every graph that passes and executors may be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from tapeflow._src.core.errors import OpError
from tapeflow._src.core.registry import OPS, InferError
from tapeflow._src.graph.body import Body, attributes, bodies_of
from tapeflow._src.graph.mode import specs_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor


class InvalidGraph(Exception):
    """A graph that breaks the rules of the IR: an error of the library, not of its user."""


def verify(body: Body) -> Body:
    """`body`, if it keeps the rules; else InvalidGraph says which operation breaks which."""
    _Verifier(body).run()
    return body


class _Verifier:
    def __init__(self, body: Body) -> None:
        self._body = body
        self._defined: set[int] = set()
        self._operations: set[int] = set()
        self._names: set[str] = set()

    def _refuse(self, node: Operation | None, what: str) -> NoReturn:
        where = "" if node is None else f", operation {node.name!r} of type {node.type}"
        raise InvalidGraph(f"Graph {self._body.name!r}{where}: {what}.")

    def run(self) -> None:
        for tensor in self._body.inputs:
            if tensor.op.type != "Placeholder" or tensor.op.graph is not self._body.graph:
                self._refuse(tensor.op, "an input of a body is a placeholder of its graph")
        for node in self._body.graph.nodes:
            self._check_call(node)
            self._check_place(node)
            for inner in bodies_of(node):
                verify(inner)
            if node.definition.holds_bodies:
                self._check_structure(node)
            self._check_results(node)
            self._defined.update(id(t) for t in node.outputs)
            self._operations.add(id(node))
        for output in self._body.outputs:
            if output is not None and id(output) not in self._defined:
                self._refuse(output.op, f"the output {output.name} is not computed in the graph")

    def _check_place(self, node: Operation) -> None:
        """It is in this graph, under a name of its own, after all that it needs."""
        if node.graph is not self._body.graph:
            self._refuse(node, "belongs to another graph")
        if node.name in self._names:
            self._refuse(node, "has the name of another operation")
        self._names.add(node.name)
        for tensor in node.inputs:
            if not isinstance(tensor, SymbolicTensor):
                self._refuse(node, f"takes {tensor!r}, which is no tensor of a graph")
            if id(tensor) not in self._defined:
                self._refuse(node, f"takes {tensor.name}, which is not computed before it")
        for other in node.control_inputs:
            if id(other) not in self._operations:
                self._refuse(node, f"waits for {other.name}, which does not come before it")

    def _check_call(self, node: Operation) -> None:
        """It calls an op as that is declared."""
        op = node.definition
        if OPS.get(op.name) is not op:
            self._refuse(node, f"{op.name} is not a declared op")
        if len(node.operands) != len(op.input_names):
            self._refuse(node, f"has {len(node.operands)} operands, not {len(op.input_names)}")
        for operand, kind in zip(node.operands, op.kinds, strict=True):
            if (type(operand) is tuple) != kind.startswith("Many"):
                self._refuse(node, f"has an operand of kind {kind} that is {operand!r}")
        given = {key for key in node.attrs if key[0] != "_"}
        if given != set(op.attr_names):
            self._refuse(node, f"has the attributes {sorted(given)}, not {sorted(op.attr_names)}")

    def _check_results(self, node: Operation) -> None:
        """What it gives is what its op gives for such operands."""
        for i, tensor in enumerate(node.outputs):
            if tensor.op is not node or tensor.value_index != i or tensor._origin is not tensor:
                self._refuse(node, f"output {i} does not know its place")
        try:
            specs = node.definition.infer_outputs(specs_of(node.operands), attributes(node))
        except (InferError, OpError) as error:
            self._refuse(node, f"its op refuses the operands: {error}")
        if len(specs) != len(node.outputs):
            self._refuse(node, f"has {len(node.outputs)} outputs, not {len(specs)}")
        for tensor, spec in zip(node.outputs, specs, strict=True):
            if tensor._dtype is not spec.dtype or not _agree(tensor._dims, spec.shape):
                self._refuse(node, f"{tensor!r} should be {spec!r}")
            static = tensor._static
            if static is not None and not _agree(tensor._dims, getattr(static, "shape", ())):
                self._refuse(node, f"{tensor!r} has a value of shape {static.shape}")

    def _check_structure(self, node: Operation) -> None:
        """Bodies take what the operation gives them, and give what it gives."""
        given = node.operands[-1]
        bodies = bodies_of(node)
        for inner in bodies:
            self._check_fit(node, given, inner.inputs, "takes")
        attrs = node.attrs
        if node.definition.is_loop:
            if len(attrs["cond"].outputs) != 1:
                self._refuse(node, "a condition gives one value")
            self._check_fit(node, attrs["body"].outputs, given, "gives")
            if len(node.outputs) != len(given):
                self._refuse(node, "a loop has as many results as variables")
        elif node.definition.is_conditional or node.definition.is_switch:
            for inner in bodies:
                self._check_fit(node, inner.outputs, node.outputs, "gives")

    def _check_fit(
        self, node: Operation, have: Sequence[Any], want: Sequence[Any], verb: str
    ) -> None:
        if len(have) != len(want):
            self._refuse(node, f"a body {verb} {len(want)} tensors, but there are {len(have)}")
        for a, b in zip(have, want, strict=True):
            if a is not None and b is not None and a._dtype is not b._dtype:
                self._refuse(node, f"a body {verb} {b!r}, but there is {a!r}")


def _agree(a: Any, b: Any) -> bool:
    """Whether two shapes, as far as they are known, may be one."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b))
