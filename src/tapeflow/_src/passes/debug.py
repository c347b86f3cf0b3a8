"""Stripping of debugging aids: assertions, checks for NaN and prints are left out, if asked for."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    if op.name in ("Assert", "PrintV2"):
        return (leave_out,)
    return (pass_on,) if op.name in ("CheckNumerics", "CheckNumericsV2", "Print") else ()


def leave_out(at: Rewrite, call: Call) -> Results | None:
    """Nothing."""
    return ()


def pass_on(at: Rewrite, call: Call) -> Results | None:
    """What was to be checked."""
    return call.operands[:1]
