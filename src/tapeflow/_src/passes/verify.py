"""The verifier: the invariants of every graph that passes and executors receive."""

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
    """A graph that violates the rules of the IR: a bug of the library, not of its user."""


def verify(body: Body) -> Body:
    """Return `body` if it is valid; else raise InvalidGraph with the operation and the rule."""
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
            if not tensor.op.definition.is_argument or tensor.op.graph is not self._body.graph:
                self._refuse(tensor.op, "an input of a body is a placeholder of its graph")
        for node in self._body.graph.nodes:
            self._check_call(node)
            self._check_order(node)
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

    def _check_order(self, node: Operation) -> None:
        """Check that it is in this graph, uniquely named, and after all that it needs."""
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
        """Check arity, attributes and dtypes against the op's declaration."""
        op = node.definition
        if OPS.get(op.name) is not op:
            self._refuse(node, f"{op.name} is not a declared op")
        if len(node.operands) != len(op.input_names):
            self._refuse(node, f"has {len(node.operands)} operands, not {len(op.input_names)}")
        for operand, kind in zip(node.operands, op.kinds, strict=True):
            if (type(operand) is tuple) != kind.startswith("Many"):
                self._refuse(node, f"has an operand of kind {kind} that is {operand!r}")
        received = {key for key in node.attrs if key[0] != "_"}
        if received != set(op.attr_names):
            self._refuse(
                node, f"has the attributes {sorted(received)}, not {sorted(op.attr_names)}"
            )

    def _check_results(self, node: Operation) -> None:
        """Check the results against those that the op infers for the operands."""
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
            if tensor._dtype is not spec.dtype or not _agree(tensor.static_shape, spec.shape):
                self._refuse(node, f"{tensor!r} should be {spec!r}")
            static = tensor.static_value
            if static is not None and not _agree(tensor.static_shape, getattr(static, "shape", ())):
                self._refuse(node, f"{tensor!r} has a value of shape {static.shape}")

    def _check_structure(self, node: Operation) -> None:
        """Check that the inputs and outputs of bodies match those of the operation."""
        operands = node.operands[-1]
        bodies = bodies_of(node)
        for inner in bodies:
            self._check_fit(node, operands, inner.inputs, "takes")
        attrs = node.attrs
        if node.definition.is_loop:
            if len(attrs["cond"].outputs) != 1:
                self._refuse(node, "a condition returns one value")
            self._check_fit(node, attrs["body"].outputs, operands, "returns")
            if len(node.outputs) != len(operands):
                self._refuse(node, "a loop has as many results as variables")
        elif node.definition.is_conditional or node.definition.is_switch:
            for inner in bodies:
                self._check_fit(node, inner.outputs, node.outputs, "returns")

    def _check_fit(
        self, node: Operation, received: Sequence[Any], expected: Sequence[Any], verb: str
    ) -> None:
        if len(received) != len(expected):
            self._refuse(
                node, f"a body {verb} {len(expected)} tensors, but there are {len(received)}"
            )
        for a, b in zip(received, expected, strict=True):
            if a is not None and b is not None and a._dtype is not b._dtype:
                self._refuse(node, f"a body {verb} {b!r}, but there is {a!r}")


def _agree(a: Any, b: Any) -> bool:
    """Whether two static shapes are compatible."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b))
