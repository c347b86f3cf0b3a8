"""Common subexpressions: a call with the operands and attributes of an earlier one is not repeated.

That holds for ops without effects, and for reads of variables not written in between.
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
    """The results of a call like this one, made here or around here."""
    if not call.specs:
        return None
    for spec in call.specs:
        if spec.dtype in HANDLES:
            # Two lists that start as one cost a copy of what they share.
            return None
    return _found(at, call, 0)


def find_read(at: Rewrite, call: Call) -> Results | None:
    """The results of a read like this one, if nothing was written since."""
    return _found(at, call, at.writes.last(call.inputs))


def _found(at: Rewrite, call: Call, time: int) -> Results | None:
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
        found = at.known.get(key)
    except TypeError:  # an attribute without a hash: it cannot be compared
        return None
    around = at.around
    while found is None and around is not None:
        found = around.known.get(key)
        around = around.around
    if found is None:
        call.key = key
    return found


def _frozen(value: Any) -> Any:
    """An attribute in a form that tells it from all others: 0.0 is not -0.0, and 1 is not True."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind, tuple([_frozen(v) for v in value])
    if kind is float:
        return kind, repr(value)
    return (kind, value) if kind is int or kind is bool else value
