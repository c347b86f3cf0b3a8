"""Stripping of debugging aids, on request: assertions, NaN checks and prints are removed."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    if op.name in ("Assert", "PrintV2"):
        return (leave_out,)
    return (pass_on,) if op.name in ("CheckNumerics", "CheckNumericsV2", "Print") else ()


def leave_out(at: Rewrite, call: Call) -> Results | None:
    """Remove the operation."""
    return ()


def pass_on(at: Rewrite, call: Call) -> Results | None:
    """Return the operand that was to be checked."""
    return call.operands[:1]
