"""Stripping of debugging aids, on request: assertions, NaN checks and prints are removed."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import SPEAKS
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    if SPEAKS not in op.traits:
        return ()
    return (pass_on,) if op.output_names else (leave_out,)


def leave_out(at: Rewrite, call: Call) -> Results | None:
    """Remove the operation."""
    return ()


def pass_on(at: Rewrite, call: Call) -> Results | None:
    """Return the operand that was to be checked."""
    return call.operands[:1]
