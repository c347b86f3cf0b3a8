"""The gradient of a branch: another branch on the same condition, of the branches' gradients.

Intermediate values that the gradients need become additional outputs of the branch that was taken;
the other branches leave them undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, nest
from tapeflow._src.core.shape import as_dims
from tapeflow._src.gradients.part import PartGradient, zeros_for
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.subgraphs import depends_on_state
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.ops.graph import control_flow as ops
from tapeflow._src.ops.indexed_slices import IndexedSlices, densify


class BranchGradient(PartGradient):
    """The gradient of one branch: what it fetches are inputs, in the order of `fetched`."""

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        self.fetched: list[tuple[SymbolicTensor, SymbolicTensor]] = []

    def _is_available(self, tensor: SymbolicTensor) -> bool:
        """Whether a tensor exists outside: arguments of the branch do, as they are passed again."""
        return super()._is_available(tensor) or tensor.op.definition.is_argument

    def fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Add an input that receives `tensor`."""
        inner = self.placeholder(tensor.dtype, tensor.static_shape, "intermediate")
        if tensor.static_value is not None:
            inner.static_value = tensor.static_value  # type: ignore[misc]
        self.fetched.append((tensor, inner))
        return inner


def pull_branches(
    node: Operation,
    inputs: Sequence[Any],
    seeds: dict[int, Any],
    needed: Sequence[bool],
    extended: Callable[[Operation, tuple[Any, ...], tuple[SymbolicTensor, ...]], None],
) -> list[Any]:
    """Compute the input gradients of a branching operation from those of its outputs.

    `inputs` are the condition followed by the inputs of the branches. `extended` is called with
    outputs that are added to the operation.
    """
    condition, *values = inputs
    bodies = bodies_of(node)
    requested = [i for i, t in enumerate(values) if needed[i + 1] and t.dtype in DIFFERENTIABLE]
    graphs = [BranchGradient(body) for body in bodies]
    branch_gradients = [_gradients(graph, seeds, requested) for graph in graphs]
    connected = [
        i for i in range(len(requested)) if any(g[i] is not None for g in branch_gradients)
    ]
    results: list[Any] = [None] * len(inputs)
    if not connected:
        return results
    structure = _unify(graphs, branch_gradients, [requested[i] for i in connected], connected)
    operands = [densify(g) for g in seeds.values()]
    for graph in graphs:
        operands += [
            _external_tensor(node, inputs, graph, tensor, extended) for tensor, _ in graph.fetched
        ]
    captured = _captured(graphs)
    flat = _operation(node, graphs, condition, (*operands, *captured), len(seeds), captured)
    packed = nest.pack_sequence_as(structure, list(flat), expand_composites=True)
    for i, gradient in zip(connected, packed, strict=True):
        results[requested[i] + 1] = gradient
    return results


def _gradients(graph: BranchGradient, seeds: dict[int, Any], requested: list[int]) -> list[Any]:
    """Compute the gradients w.r.t. the requested inputs in one branch, None for unused ones."""
    body = graph.body
    start = []
    for index, gradient in seeds.items():
        inner = graph.argument(gradient.dtype, densify_dims(gradient), f"gradient_{index}")
        target = body.outputs[index]
        if target is not None:
            start.append((target, inner))
    return graph.pulled(start, [body.inputs[i] for i in requested])


def densify_dims(gradient: Any) -> Any:
    """Return the static shape of a gradient, which may be sparse."""
    return as_dims(gradient.shape) if isinstance(gradient, IndexedSlices) else gradient.static_shape


def _unify(
    graphs: Sequence[BranchGradient],
    branch_gradients: Sequence[list[Any]],
    requested: Sequence[int],
    connected: Sequence[int],
) -> list[Any]:
    """Unify the outputs of the branches: dense gradients, unless all of them are sparse."""
    structure: list[Any] = []
    columns: list[list[Any]] = [[] for _ in graphs]
    for index, i in zip(requested, connected, strict=True):
        gradients = [g[i] for g in branch_gradients]
        dtype = next(g.dtype for g in gradients if g is not None)
        sparse = all(isinstance(g, IndexedSlices) and g.dense_shape is not None for g in gradients)
        for graph, column, gradient in zip(graphs, columns, gradients, strict=True):
            with graph.as_default(), dispatch.use_recorders(()):
                if gradient is None:
                    gradient = zeros_for(graph.adopt(graph.body.inputs[index]), dtype)
                column.append(gradient if sparse else densify(gradient))
        structure.append(gradients[0] if sparse else 0)
    for graph, column in zip(graphs, columns, strict=True):
        with graph.as_default(), dispatch.use_recorders(()):
            flat = nest.flatten(column, expand_composites=True)
            graph.outputs = [graph.adopt(t) for t in flat]
    return structure


def _external_tensor(
    node: Operation,
    inputs: Sequence[Any],
    graph: BranchGradient,
    tensor: SymbolicTensor,
    extended: Callable[..., None],
) -> Any:
    """Return the input or output of the operation that stands for a tensor of a branch."""
    for outer, inner in zip(inputs[1:], graph.body.inputs, strict=False):
        if inner is tensor:
            return outer
    captured = graph.external_source(tensor)
    if captured is not None:
        return captured
    return expose_output(node, inputs, graph.body, tensor, extended)


def expose_output(
    node: Operation,
    inputs: Sequence[Any],
    branch: Body,
    tensor: SymbolicTensor,
    extended: Callable[..., None],
) -> SymbolicTensor:
    """Return the output of the operation that is `tensor` of a branch, added if missing."""
    bodies = bodies_of(node)
    which = next(i for i, body in enumerate(bodies) if body.graph is branch.graph)
    for index, output in enumerate(bodies[which].outputs):
        if output is tensor:
            # If another branch was taken the value is undefined, but then nothing reads it.
            return node.outputs[index]
    bodies = [
        Body(body.graph, (*body.outputs, tensor if i == which else None), body.inputs)
        for i, body in enumerate(bodies)
    ]
    output = SymbolicTensor(node, len(node.outputs), tensor.static_shape, tensor.dtype)
    node.outputs = (*node.outputs, output)
    node.attrs = {**node.attrs, **_attributes(node, bodies)}
    extended(node, tuple(inputs), (output,))
    return output


def _attributes(node: Operation, bodies: Sequence[Body]) -> dict[str, Any]:
    if "branches" in node.attrs:
        return {"branches": tuple(bodies)}
    return {"then_branch": bodies[0], "else_branch": bodies[1]}


def _captured(graphs: Sequence[BranchGradient]) -> list[Any]:
    """Return the external values that the gradients use, each of them an input of all."""
    captured: dict[int, Any] = {}
    for graph in graphs:
        for outer, _ in graph.captures.values():
            captured.setdefault(id(outer), outer)
    return list(captured.values())


def _operation(
    node: Operation,
    graphs: Sequence[BranchGradient],
    condition: Any,
    operands: tuple[Any, ...],
    seeds: int,
    captured: list[Any],
) -> Any:
    """Build the branching operation that computes the gradients."""
    bodies = []
    for graph in graphs:
        inputs = list(graph.arguments[:seeds])
        for other in graphs:
            inputs += [
                inner
                if other is graph
                else graph.placeholder(inner.dtype, inner.static_shape, "unused")
                for _, inner in other.fetched
            ]
        with graph.as_default():
            inputs += [graph.capture(t) for t in captured]
        bodies.append(Body(graph, tuple(graph.outputs), tuple(inputs)))
    stateful = any(depends_on_state(graph) for graph in graphs)
    if "branches" in node.attrs:
        op = ops.case if stateful else ops.stateless_case
        return op(condition, operands, branches=tuple(bodies))
    op = ops.if_ if stateful else ops.stateless_if
    return op(condition, operands, then_branch=bodies[0], else_branch=bodies[1])
