"""Control dependencies for effects: program order made explicit where order is not preserved.

In the IR the order of the operations is the order of their effects. A GraphDef has no order, so
each access to a variable waits for those it must not overtake, as TensorFlow's automatic control
dependencies do: reads for the last write, writes for all accesses since then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tapeflow._src.core.dtypes import resource
from tapeflow._src.graph.body import Body, bodies_of, has_effect

if TYPE_CHECKING:
    from tapeflow._src.graph.operation import Operation
    from tapeflow._src.graph.tensor import SymbolicTensor


def control_inputs(nodes: Iterable[Operation]) -> dict[int, list[Operation]]:
    """Return, by id, the operations to wait for beyond the inputs, sorted by name."""
    by_node: dict[int, list[Operation]] = {}
    last_write: dict[int, Operation] = {}
    reads: dict[int, list[Operation]] = {}
    last_io: Operation | None = None
    for node in nodes:
        waits = {id(n): n for n in node.control_inputs}
        for handle, writes in accesses(node):
            before = last_write.get(id(handle))
            if before is not None:
                waits[id(before)] = before
            if writes:
                waits.update((id(n), n) for n in reads.pop(id(handle), ()))
                last_write[id(handle)] = node
            else:
                reads.setdefault(id(handle), []).append(node)
        if _does_io(node):
            if last_io is not None:
                waits[id(last_io)] = last_io
            last_io = node
        for tensor in node.inputs:
            waits.pop(id(tensor.op), None)
        waits.pop(id(node), None)
        if waits:
            by_node[id(node)] = sorted(waits.values(), key=lambda n: n.name)
    return by_node


def may_wait(node: Operation) -> bool:
    """Whether an operation may have to wait for more than its inputs."""
    return bool(node.control_inputs or node.definition.effect or bodies_of(node))


def accesses(node: Operation) -> Iterator[tuple[SymbolicTensor, bool]]:
    """Return the variable handles that an operation uses, and whether it writes."""
    bodies = bodies_of(node)
    effect = node.definition.effect
    if not bodies and effect not in ("reads", "writes"):
        return
    handles = {id(t): t for t in node.inputs if t.dtype is resource}.values()
    if node.definition.host:
        # It may pass its inputs on to its bodies in any way: all may be written.
        yield from ((tensor, True) for tensor in handles)
        return
    written = {id(t) for body in bodies for t in _written(node, body)}
    for tensor in handles:
        yield tensor, effect == "writes" or id(tensor) in written


def _written(node: Operation, body: Body) -> Iterator[SymbolicTensor]:
    """Return the inputs of an operation that one of its bodies writes to."""
    inside = {
        id(handle) for inner in body.graph.nodes for handle, writes in accesses(inner) if writes
    }
    # An operation's bodies take its last inputs: predicates and branch indices come before them.
    passed = node.inputs[len(node.inputs) - len(body.inputs) :]
    for outer, inner in zip(passed, body.inputs, strict=True):
        if id(inner) in inside:
            yield outer


def read_only_inputs(node: Operation) -> list[int]:
    """Return the indices of the variable handles that an operation reads and never writes."""
    read = {id(tensor) for tensor, writes in accesses(node) if not writes}
    return [i for i, tensor in enumerate(node.inputs) if id(tensor) in read]


def _does_io(node: Operation) -> bool:
    if node.definition.effect == "io":
        return True
    return any(_does_io(inner) for body in bodies_of(node) for inner in body.graph.nodes)


def must_run(nodes: list[Operation]) -> list[Operation]:
    """Return the operations that a function must run in any case, sorted by name.

    Variable reads whose value is used are among them: a later write in the caller must not come
    before.
    """
    used = {id(t.op) for node in nodes for t in node.inputs}
    required = [
        node
        for node in nodes
        if has_effect(node)
        or (id(node) in used and (node.definition.effect == "reads" or any(accesses(node))))
    ]
    return sorted(required, key=lambda n: n.name)
