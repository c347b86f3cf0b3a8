"""Pruning: what nobody takes is not computed.

Operations that are not needed never get into a copy. This pass also lets go of the results of
branches, and of the variables of loops, that nobody takes, with all they need inside.
"""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.passes.rewriting import Rule


def rules(op: Op) -> tuple[Rule, ...]:
    """None: it is a matter of what is asked for, not of single calls."""
    return ()


def has_untaken_results(body: Body) -> bool:
    """Whether, in a body without needless operations, branches or loops give what nobody takes."""
    structures = [node for node in body.graph.nodes if node.definition.holds_bodies]
    if not structures:
        return False
    taken = _taken(body)
    return any(
        any(id(t) not in taken and _varies(node, i) for i, t in enumerate(node.outputs))
        or any(map(has_untaken_results, bodies_of(node)))
        for node in structures
    )


def _varies(node: Operation, index: int) -> bool:
    """Whether a result is one of a branch, or a variable of a loop that is not just read in it."""
    if not node.definition.is_loop:
        return True
    cond, body = node.attrs["cond"], node.attrs["body"]
    if body.outputs[index] is body.inputs[index]:
        return False
    return id(cond.inputs[index]) not in _taken(cond)


def _taken(body: Body) -> set[int]:
    taken = {id(t) for t in body.outputs}
    for node in body.graph.nodes:
        taken.update(map(id, node.inputs))
    return taken
