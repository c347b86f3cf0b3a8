"""The gradient of a branch: another branch on the same condition, of the branches' gradients.

What these need of the values computed in the branch that was taken, that gives out beside its
results; the other branches leave it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, nest
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

    def _at_hand(self, tensor: SymbolicTensor) -> bool:
        """What the branch was given, it is given again."""
        return super()._at_hand(tensor) or tensor.op.type == "Placeholder"

    def fetch(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """A further input."""
        inner = self.placeholder(tensor.dtype, tensor._dims, "intermediate")
        if tensor._static is not None:
            inner._static = tensor._static  # type: ignore[misc]
        self.fetched.append((tensor, inner))
        return inner


def pull_branches(
    node: Operation,
    inputs: Sequence[Any],
    seeds: dict[int, Any],
    needed: Sequence[bool],
    extended: Callable[[Operation, tuple[Any, ...], tuple[SymbolicTensor, ...]], None],
) -> list[Any]:
    """The gradients of the inputs of a branching operation, from those of some outputs.

    `inputs` are the condition and then what the branches were given. `extended` is told of results
    that the operation has been made to give out.
    """
    condition, *values = inputs
    bodies = bodies_of(node)
    wanted = [i for i, t in enumerate(values) if needed[i + 1] and t.dtype in DIFFERENTIABLE]
    graphs = [BranchGradient(body) for body in bodies]
    found = [_gradients(graph, seeds, wanted) for graph in graphs]
    kept = [i for i in range(len(wanted)) if any(g[i] is not None for g in found)]
    results: list[Any] = [None] * len(inputs)
    if not kept:
        return results
    structure = _unify(graphs, found, [wanted[i] for i in kept], kept)
    given = [densify(g) for g in seeds.values()]
    for graph in graphs:
        given += [_outside(node, inputs, graph, tensor, extended) for tensor, _ in graph.fetched]
    captured = _captured(graphs)
    flat = _operation(node, graphs, condition, (*given, *captured), len(seeds), captured)
    packed = nest.pack_sequence_as(structure, list(flat), expand_composites=True)
    for i, gradient in zip(kept, packed, strict=True):
        results[wanted[i] + 1] = gradient
    return results


def _gradients(graph: BranchGradient, seeds: dict[int, Any], wanted: list[int]) -> list[Any]:
    """The gradients of the wanted inputs in one branch, None where it does not use them."""
    body = graph.body
    start = []
    for place, gradient in seeds.items():
        inner = graph.argument(gradient.dtype, densify_dims(gradient), f"gradient_{place}")
        target = body.outputs[place]
        if target is not None:
            start.append((target, inner))
    return graph.pulled(start, [body.inputs[i] for i in wanted])


def densify_dims(gradient: Any) -> Any:
    """What is known of the shape of a gradient, which may be sparse."""
    return gradient.shape._dims if isinstance(gradient, IndexedSlices) else gradient._dims


def _unify(
    graphs: Sequence[BranchGradient],
    found: Sequence[list[Any]],
    wanted: Sequence[int],
    kept: Sequence[int],
) -> list[Any]:
    """Make the branches give the same: dense gradients, unless all of them are sparse."""
    structure: list[Any] = []
    columns: list[list[Any]] = [[] for _ in graphs]
    for place, i in zip(wanted, kept, strict=True):
        gradients = [g[i] for g in found]
        dtype = next(g.dtype for g in gradients if g is not None)
        sparse = all(isinstance(g, IndexedSlices) and g.dense_shape is not None for g in gradients)
        for graph, column, gradient in zip(graphs, columns, gradients, strict=True):
            with graph.as_default(), dispatch.use_recorders(()):
                if gradient is None:
                    gradient = zeros_for(graph.own(graph.body.inputs[place]), dtype)
                column.append(gradient if sparse else densify(gradient))
        structure.append(gradients[0] if sparse else 0)
    for graph, column in zip(graphs, columns, strict=True):
        with graph.as_default(), dispatch.use_recorders(()):
            flat = nest.flatten(column, expand_composites=True)
            graph.outputs = [graph.own(t) for t in flat]
    return structure


def _outside(
    node: Operation,
    inputs: Sequence[Any],
    graph: BranchGradient,
    tensor: SymbolicTensor,
    extended: Callable[..., None],
) -> Any:
    """What a tensor of a branch is outside of it: an input or an output of the operation."""
    for given, inner in zip(inputs[1:], graph.body.inputs, strict=False):
        if inner is tensor:
            return given
    found = graph.taken_from_outside(tensor)
    if found is not None:
        return found
    return give_out(node, inputs, graph.body, tensor, extended)


def give_out(
    node: Operation,
    inputs: Sequence[Any],
    branch: Body,
    tensor: SymbolicTensor,
    extended: Callable[..., None],
) -> SymbolicTensor:
    """The output of the operation that is `tensor` of one of its branches; made if need be."""
    bodies = bodies_of(node)
    which = next(i for i, body in enumerate(bodies) if body.graph is branch.graph)
    for place, output in enumerate(bodies[which].outputs):
        if output is tensor:
            # Where another branch was taken it is something else, but then nobody looks at it.
            return node.outputs[place]
    bodies = [
        Body(body.graph, (*body.outputs, tensor if i == which else None), body.inputs)
        for i, body in enumerate(bodies)
    ]
    output = SymbolicTensor(node, len(node.outputs), tensor._dims, tensor.dtype)
    node.outputs = (*node.outputs, output)
    node.attrs = {**node.attrs, **_attributes(node, bodies)}
    extended(node, tuple(inputs), (output,))
    return output


def _attributes(node: Operation, bodies: Sequence[Body]) -> dict[str, Any]:
    if "branches" in node.attrs:
        return {"branches": tuple(bodies)}
    return {"then_branch": bodies[0], "else_branch": bodies[1]}


def _captured(graphs: Sequence[BranchGradient]) -> list[Any]:
    """The values from elsewhere that the gradients use, each of them an input of all."""
    taken: dict[int, Any] = {}
    for graph in graphs:
        for outer, _ in graph.captures.values():
            taken.setdefault(id(outer), outer)
    return list(taken.values())


def _operation(
    node: Operation,
    graphs: Sequence[BranchGradient],
    condition: Any,
    given: tuple[Any, ...],
    seeds: int,
    captured: list[Any],
) -> Any:
    """The branch in which the gradients are computed."""
    bodies = []
    for graph in graphs:
        inputs = list(graph.arguments[:seeds])
        for other in graphs:
            inputs += [
                inner if other is graph else graph.placeholder(inner.dtype, inner._dims, "unused")
                for _, inner in other.fetched
            ]
        with graph.as_default():
            inputs += [graph.capture(t) for t in captured]
        bodies.append(Body(graph, tuple(graph.outputs), tuple(inputs)))
    stateful = any(depends_on_state(graph) for graph in graphs)
    if "branches" in node.attrs:
        op = ops.case if stateful else ops.stateless_case
        return op(condition, given, branches=tuple(bodies))
    op = ops.if_ if stateful else ops.stateless_if
    return op(condition, given, then_branch=bodies[0], else_branch=bodies[1])
