"""Pruning: unused results are not computed.

Unneeded operations are never copied. This pass also drops the unused results of branches, and
unused variables of loops, with all they need inside.
"""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.operation import Operation
from tapeflow._src.passes.rewriting import Rule


def rules(op: Op) -> tuple[Rule, ...]:
    """Return no rules: pruning depends on what is used, not on single calls."""
    return ()


def has_unused_results(body: Body) -> bool:
    """Whether branches or loops of a pruned body have results that nothing uses."""
    structures = [node for node in body.graph.nodes if node.definition.holds_bodies]
    if not structures:
        return False
    used = _used(body)
    return any(
        any(id(t) not in used and _varies(node, i) for i, t in enumerate(node.outputs))
        or any(map(has_unused_results, bodies_of(node)))
        for node in structures
    )


def _varies(node: Operation, index: int) -> bool:
    """Whether a result is one of a branch, or a loop variable that may change."""
    if not node.definition.is_loop:
        return True
    cond, body = node.attrs["cond"], node.attrs["body"]
    if body.outputs[index] is body.inputs[index]:
        return False
    return id(cond.inputs[index]) not in _used(cond)


def _used(body: Body) -> set[int]:
    used = {id(t) for t in body.outputs}
    for node in body.graph.nodes:
        used.update(map(id, node.inputs))
    return used
