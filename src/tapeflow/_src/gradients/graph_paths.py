"""Paths through graphs from a source to a target, and where they end for gradients.

A graph holds all operations, differentiable or not, with the user's lines, so that a path is
exact. Control flow is one operation of a path; where it ends is looked up inside it.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from tapeflow._src.core.traits import LOOP
from tapeflow._src.gradients.dependencies import dependencies
from tapeflow._src.gradients.endings import ASSIGNMENT, INTEGER, NO_GRADIENT
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.graph.body import bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

INSIDE = "inside"


class GraphStep(NamedTuple):
    """An operation on a path: by which input it was entered; `kind` says why the path ends."""

    node: Operation
    position: int
    output: SymbolicTensor
    kind: str | None


def find_path(
    targets: Iterable[SymbolicTensor], is_source: Callable[[SymbolicTensor], bool]
) -> list[GraphStep] | None:
    """Return the operations from a source to a target, on the path with the fewest ends.

    None means that the targets do not depend on the source in any way.
    """
    waiting: deque[tuple[int, SymbolicTensor, Any]] = deque((0, t._origin, None) for t in targets)
    visited: set[int] = set()
    while waiting:
        ends, tensor, path = waiting.popleft()
        if id(tensor) in visited:
            continue
        visited.add(id(tensor))
        if is_source(tensor):
            return list(_unrolled(path))
        for source, step in _predecessors(tensor):
            if id(source) in visited:
                continue
            if step is not None and step.kind is not None:
                waiting.append((ends + 1, source, (step, path)))
            else:
                waiting.appendleft((ends, source, path if step is None else (step, path)))
    return None


def _unrolled(path: Any) -> Iterator[GraphStep]:
    while path is not None:
        step, path = path
        yield step


def _predecessors(tensor: SymbolicTensor) -> Iterator[tuple[SymbolicTensor, GraphStep | None]]:
    node = tensor.op
    if node.definition.is_argument:
        outer = _captured(tensor)
        if outer is not None:
            yield outer._origin, None
        return
    for index, source in enumerate(node.inputs):
        yield source._origin, GraphStep(node, index, tensor, _end(node, index, tensor))
    if node.definition.name == "ReadVariableOp":
        yield from _assigned(node, tensor)


def _captured(tensor: SymbolicTensor) -> SymbolicTensor | None:
    for outer, inner in getattr(tensor.op.graph, "captures", {}).values():
        if inner is tensor and isinstance(outer, SymbolicTensor):
            return outer
    return None


def _assigned(
    read: Operation, tensor: SymbolicTensor
) -> Iterator[tuple[SymbolicTensor, GraphStep | None]]:
    """Yield the values that were assigned to the variable before it is read."""
    handle = read.inputs[0]._origin
    for node in read.graph.nodes:
        if node is read:
            return
        if node.definition.effect == "writes" and node.inputs and node.inputs[0]._origin is handle:
            for index, source in enumerate(node.inputs[1:], 1):
                yield source._origin, GraphStep(node, index, tensor, ASSIGNMENT)


def _end(node: Operation, index: int, output: SymbolicTensor) -> str | None:
    """Return why no gradient flows from an output to an input; None if it does."""
    if "_gradient" in node.attrs:
        return None
    if output.dtype not in DIFFERENTIABLE:
        return INTEGER
    if node.definition.gradient_rule is None:
        return NO_GRADIENT
    if bodies_of(node) and not _depends(node, index, output.value_index):
        return INSIDE
    return None


def _depends(node: Operation, index: int, output: int) -> bool:
    """Whether an output of an operation that holds functions depends on an input."""
    bodies = bodies_of(node)
    if LOOP in node.definition.traits:
        return output == index or _loop_depends(bodies, index, output)
    for body in bodies:
        at = index - (len(node.inputs) - len(body.inputs))
        if at < 0 or output >= len(body.outputs):
            continue
        if dependencies(body)[output] >> at & 1:
            return True
    return False


def _loop_depends(bodies: list[Any], index: int, output: int) -> bool:
    """Whether a result of a loop depends on one of its inputs after any number of steps."""
    step = max(bodies, key=lambda body: len(body.outputs))
    rows = dependencies(step)
    reached, pending = {output}, [output]
    while pending:
        at = pending.pop()
        for source in range(len(step.inputs)):
            if at < len(rows) and rows[at] >> source & 1 and source not in reached:
                reached.add(source)
                pending.append(source)
    return index in reached


def innermost(step: GraphStep) -> GraphStep:
    """Return the operation where a path ends, inside those that hold functions."""
    if step.kind is None:
        return step
    for body in bodies_of(step.node):
        at = step.position - (len(step.node.inputs) - len(body.inputs))
        if not 0 <= at < len(body.inputs):
            continue
        entered = body.inputs[at]
        own = body.outputs[step.output.value_index : step.output.value_index + 1]
        # A loop may carry the value from one of its variables to another.
        for outputs in (own, body.outputs):
            targets = [t for t in outputs if t is not None]
            path = find_path(targets, partial(operator.is_, entered))
            for inner in path or ():
                if inner.kind is not None:
                    return innermost(inner)
    return step
