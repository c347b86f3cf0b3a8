"""Identity ops: their operands replace their results.

Their meaning for tapes no longer matters: a rewritten body is only run.
"""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import FORWARDS
from tapeflow._src.ops.array.shape import identity_n
from tapeflow._src.passes.facts import is_implied_by
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    if FORWARDS in op.traits:
        return (pass_on,)
    return (pass_all_on,) if op is identity_n else ()


def pass_on(at: Rewrite, call: Call) -> Results | None:
    """Return the operand, unless the user has refined the static shape of the result."""
    return (
        call.operands if is_implied_by(call.operands[0].static_shape, call.specs[0].shape) else None
    )


def pass_all_on(at: Rewrite, call: Call) -> Results | None:
    """Return the operands, likewise."""
    values: Results = call.operands[0]
    implied = all(
        is_implied_by(t.static_shape, s.shape) for t, s in zip(values, call.specs, strict=True)
    )
    return values if implied else None
