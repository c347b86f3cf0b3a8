"""Loops: invariants are hoisted, and loops that never run are removed."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.ops.state.variables import read_variable
from tapeflow._src.passes.facts import HANDLES, never_fails
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule
from tapeflow._src.passes.structures import bodies_of_call, used_inputs
from tapeflow._src.passes.writes import cells_of

# Longer conditions are not evaluated.
_LONGEST_CONDITION = 32


def rules(op: Op) -> tuple[Rule, ...]:
    if op.is_loop:
        return (skip,)
    if op.holds_bodies or op.is_constant or op.is_argument:
        return ()
    if op.effect is None:
        return (hoist,)
    return (hoist_read,) if op.effect == "reads" else ()


def hoist(at: Rewrite, call: Call) -> Results | None:
    """Hoist loop invariants; the loop may run zero times.

    So they must not fail. Lists stay inside: each iteration would start from one that has grown.
    """
    if not at.in_loop or at.around is None or not call.specs:
        return None
    inside = at.graph
    for tensor in call.inputs:
        if tensor.op.graph is inside:
            return None
    if any(spec.dtype in HANDLES for spec in call.specs):
        return None
    return at.around.emit(call) if never_fails(call.op, call.operands) else None


def hoist_read(at: Rewrite, call: Call) -> Results | None:
    """Hoist a read of a variable, if the loop does not write it and it has a value."""
    around = at.around
    if not at.in_loop or around is None or call.op is not read_variable:
        return None
    (handle,) = call.operands
    (cell,) = cells_of(call.operands)
    if handle.op.graph is at.graph or cell is None or cell.device_value() is None:
        return None
    if at.writes.last(call.operands) != around.writes.last(call.operands):
        return None
    return around.emit(call)


def skip(at: Rewrite, call: Call) -> Results | None:
    """Return the initial values of the loop variables, if the condition does not hold for them."""
    (initial,) = call.operands
    cond, _ = bodies_of_call(call)
    if len(at.needed(cond)) > _LONGEST_CONDITION or cond.has_effect:
        return None
    for i in used_inputs(at, cond):
        if initial[i] is None or not initial[i].op.definition.is_constant:
            return None
    (holds,) = at.inline(cond, initial)
    if holds.op.definition.is_constant and not holds.static_value.any():
        return list(initial)
    return None
