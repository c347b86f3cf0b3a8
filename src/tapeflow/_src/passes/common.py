"""Common subexpressions: a call with the operands and attributes of an earlier one is reused.

This holds for ops without effects, and for reads of variables not written in between.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import SOURCE, UNSPECIFIED
from tapeflow._src.passes.facts import HANDLES
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule

_UNIQUE = frozenset({SOURCE, UNSPECIFIED})


def rules(op: Op) -> tuple[Rule, ...]:
    if op.holds_bodies or not _UNIQUE.isdisjoint(op.traits):
        return ()
    if op.effect is None:
        return (find,)
    return (find_read,) if op.effect == "reads" else ()


def find(at: Rewrite, call: Call) -> Results | None:
    """Return the results of an equal call in this graph or an enclosing one."""
    if not call.specs:
        return None
    for spec in call.specs:
        if spec.dtype in HANDLES:
            # Two lists with a common start cost a copy of the shared part.
            return None
    return _cached_results(at, call, 0)


def find_read(at: Rewrite, call: Call) -> Results | None:
    """Return the results of an equal read, if nothing was written since."""
    return _cached_results(at, call, at.writes.last(call.inputs))


def _cached_results(at: Rewrite, call: Call, time: int) -> Results | None:
    attrs = call.attrs
    described = tuple([(k, _frozen(v)) for k, v in attrs.items()]) if attrs else ()
    if call.op.has_lists:
        operands: Any = tuple(
            [tuple(map(id, v)) if type(v) is tuple else id(v) for v in call.operands]
        )
    else:
        operands = tuple(map(id, call.operands))
    key = (call.op, operands, described, call.node.device, time)
    try:
        cached = at.cached.get(key)
    except TypeError:  # an attribute without a hash: it cannot be compared
        return None
    around = at.around
    while cached is None and around is not None:
        cached = around.cached.get(key)
        around = around.around
    if cached is None:
        call.key = key
    return cached


def _frozen(value: Any) -> Any:
    """Return an attribute as a key: 0.0 differs from -0.0, and 1 from True."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind, tuple([_frozen(v) for v in value])
    if kind is float:
        return kind, repr(value)
    return (kind, value) if kind is int or kind is bool else value
