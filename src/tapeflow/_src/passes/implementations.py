"""Implementation selection: a call becomes one of the implementation for the device."""

from __future__ import annotations

from tapeflow._src.core.registry import Op
from tapeflow._src.graph.implementations import ReplaceableCall
from tapeflow._src.ops.array.shape import identity_n
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    return (select,) if op is identity_n else ()


def select(at: Rewrite, call: Call) -> Results | None:
    """Inline the implementation for the device; what it replaces is then unused."""
    replaceable: ReplaceableCall | None = call.attrs.get("_call")
    if replaceable is None:
        return None
    values = call.operands[0]
    body = replaceable.replacement(values)
    if body is None:
        return None
    arguments = values[replaceable.results :]
    return [*at.inline(body, arguments), *arguments]
