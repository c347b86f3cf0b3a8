"""Ops that only pass on what they are given: their operands stand for their results.

What they mean to a tape is of no interest any more: a body that was rewritten is there to be run.
"""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import FORWARDS
from tapeflow._src.passes.facts import is_told
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    if FORWARDS in op.traits:
        return (pass_on,)
    return (pass_all_on,) if op.name == "IdentityN" else ()


def pass_on(at: Rewrite, call: Call) -> Results | None:
    """The operand, unless the user has said more about the shape of the result."""
    return call.operands if is_told(call.operands[0]._dims, call.specs[0].shape) else None


def pass_all_on(at: Rewrite, call: Call) -> Results | None:
    """The operands, likewise."""
    values: Results = call.operands[0]
    told = all(is_told(t._dims, s.shape) for t, s in zip(values, call.specs, strict=True))
    return values if told else None
