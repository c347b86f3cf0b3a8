"""Dead branches: if a condition is constant, the chosen branch is inlined."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.graph.body import Body
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule
from tapeflow._src.passes.structures import bodies_of_call


def rules(op: Op) -> tuple[Rule, ...]:
    return (take,) if op.is_conditional or op.is_switch else ()


def take(at: Rewrite, call: Call) -> Results | None:
    """Inline the branch that a constant selects, and return its results."""
    choice, inputs = call.operands
    if not choice.op.definition.is_constant or choice.static_value.size != 1:
        return None
    branches = bodies_of_call(call)
    if call.op.is_conditional:
        chosen = branches[0 if choice.static_value.item() else 1]
    else:
        index = choice.static_value.item()
        chosen = branches[index if 0 <= index < len(branches) else -1]
    outputs = tuple(
        [t if at.uses(old) else None for t, old in zip(chosen.outputs, call.node.outputs)]
    )
    if not _absence_is_expected(at, call, chosen):
        return None
    return at.inline(Body(chosen.graph, outputs, chosen.inputs), inputs)


def _absence_is_expected(at: Rewrite, call: Call, chosen: Body) -> bool:
    """Whether undefined results of this branch are used only where the same choice ignores them."""
    absent = {id(old) for t, old in zip(chosen.outputs, call.node.outputs) if t is None}
    if not absent:
        return True
    if at.around is not None and any(id(t) in absent for t in at.walked[-1].outputs):
        return False
    choice = call.node.operands[0]
    for node in at.walked[-1].nodes:
        if any(id(t) in absent for t in node.inputs):
            alike = node.definition.is_conditional or node.definition.is_switch
            if not alike or node.operands[0] is not choice:
                return False
    return True
