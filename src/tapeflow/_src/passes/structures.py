"""How operations that hold bodies are copied: branches and loops, with their bodies rewritten.

The bodies come to take just what they use. Results that nobody takes are no longer computed, and
those that are the same whatever happens inside are taken from where they come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import FORWARDS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.mode import specs_of
from tapeflow._src.graph.tensor import SymbolicTensor
from tapeflow._src.passes.rewriting import Call, Results, Rewrite

# What it was told about shapes and dtypes of all results holds no longer: it can be inferred.
_ABOUT_RESULTS = ("Tout", "output_shapes")


def bodies_of_call(call: Call) -> tuple[Body, ...]:
    """The branches of a call, or the condition and the body of a loop."""
    attrs = call.attrs
    if call.op.is_conditional:
        return attrs["then_branch"], attrs["else_branch"]
    if call.op.is_switch:
        return tuple(attrs["branches"])
    return attrs["cond"], attrs["body"]


def _with_bodies(call: Call, bodies: Sequence[Body]) -> dict[str, Any]:
    attrs = dict(call.attrs)
    for key in _ABOUT_RESULTS:
        if key in attrs:
            attrs[key] = None
    if call.op.is_conditional:
        attrs["then_branch"], attrs["else_branch"] = bodies
    elif call.op.is_switch:
        attrs["branches"] = tuple(bodies)
    else:
        attrs["cond"], attrs["body"] = bodies
    return attrs


def _taken(parts: Sequence[Rewrite]) -> list[SymbolicTensor]:
    """All that any of the parts has captured, now captured by each of them."""
    taken = {key: outer for part in parts for key, (outer, _) in part.captured.items()}
    for part in parts:
        for outer in taken.values():
            part.capture(outer)
    return list(taken.values())


def _appended(
    at: Rewrite, call: Call, operands: tuple[Any, ...], bodies: Sequence[Body], kept: list[Spec]
) -> tuple[SymbolicTensor, ...]:
    """Make the call with other bodies. `kept`: what was known of the results that are left."""
    attrs = _with_bodies(call, bodies)
    plain = {key: value for key, value in attrs.items() if key[0] != "_"}
    now = call.op.infer_outputs(specs_of(operands), plain)
    specs = [*map(_merged, now, kept), *now[len(kept) :]]
    return at.append(Call(call.op, operands, attrs, call.node, specs))


def _merged(now: Spec, before: Spec) -> Spec:
    try:
        return Spec(merge_shape(now.shape, before.shape), now.dtype)
    except InferError:
        return now


# -- branches ----------------------------------------------------------------------------------


def copy_branches(at: Rewrite, call: Call) -> Results:
    """Copy a branching operation; its results."""
    choice, given = call.operands
    bodies = bodies_of_call(call)
    wanted = [i for i, t in enumerate(call.node.outputs) if at.uses(t)]
    parts, found = [], []
    for body in bodies:
        part = Rewrite(at.rules, body.graph, at)
        part.bind(body.inputs, given)
        outputs = tuple([body.outputs[i] for i in wanted])
        found.append(part.walk(Body(body.graph, outputs, body.inputs)))
        parts.append(part)
    if call.op.effect is not None:
        at.writes.note_bodies(bodies)
    results: list[Any] = [None] * len(call.node.outputs)
    kept = []
    for place, i in enumerate(wanted):
        results[i] = _same_in_all([values[place] for values in found], parts)
        if results[i] is None:
            kept.append(place)
    given_out = [
        [None if values[k] is None else part.local(values[k]) for k in kept]
        for part, values in zip(parts, found, strict=True)
    ]
    taken = _taken(parts)
    copies = [
        part.finish(outputs, [part.capture(t) for t in taken])
        for part, outputs in zip(parts, given_out, strict=True)
    ]
    if len(kept) < len(results) or len(taken) < len(given):
        at.root.changed = True
    if kept or any(copy.has_effect for copy in copies):
        specs = [call.specs[wanted[k]] for k in kept]
        made = _appended(at, call, (choice, tuple(taken)), copies, specs)
        for k, tensor in zip(kept, made, strict=True):
            results[wanted[k]] = tensor
    return results


def _same_in_all(values: list[Any], parts: Sequence[Rewrite]) -> Any:
    """A tensor from around that every branch gives as this result, if so."""
    first = values[0]
    if first is None or any(value is not first for value in values):
        return None
    return None if any(first.op.graph is part.graph for part in parts) else first


# -- loops -------------------------------------------------------------------------------------


def copy_loop(at: Rewrite, call: Call) -> Results:
    """Copy a loop; its results. Variables that it only reads become part of what it takes."""
    (given,) = call.operands
    cond, body = bodies_of_call(call)
    fixed = [source_of(t) is v for t, v in zip(body.outputs, body.inputs, strict=True)]
    moving = [i for i in _live(at, call, cond, body) if not fixed[i]]
    known = [value if still else None for value, still in zip(given, fixed, strict=True)]
    asking, going = (_loop_part(at, call, old, known, moving) for old in (cond, body))
    (holds,) = asking.rewrite.walk(cond)
    if _is_false(holds) and not cond.has_effect:
        at.root.changed = True
        return list(given)
    outputs = tuple([body.outputs[i] for i in moving])
    following = going.rewrite.walk(Body(body.graph, outputs, body.inputs))
    ends = [asking.rewrite.local(holds)], [going.rewrite.local(t) for t in following]
    taken = _taken([asking.rewrite, going.rewrite])
    copies = []
    for part, end in zip((asking, going), ends):
        captures = [part.rewrite.capture(t) for t in taken]
        passed_on = captures if part is going else []
        copies.append(part.rewrite.finish([*end, *passed_on], [*part.variables, *captures]))
    if len(moving) + len(taken) < len(given):
        at.root.changed = True
    if call.op.effect is not None:
        at.writes.note_bodies((cond, body))
    operands = ((*(given[i] for i in moving), *taken),)
    made = _appended(at, call, operands, copies, [call.specs[i] for i in moving])
    for i, tensor in zip(moving, made):
        known[i] = tensor
    return known


class _LoopPart(NamedTuple):
    rewrite: Rewrite
    variables: list[SymbolicTensor]


def _loop_part(
    at: Rewrite, call: Call, old: Body, known: list[Any], moving: list[int]
) -> _LoopPart:
    """The rewrite of a loop's condition or body: inputs for what moves, the rest as it is known."""
    part = Rewrite(at.rules, old.graph, at, in_loop=True)
    if call.op.effect is not None:
        part.writes.note_bodies(bodies_of_call(call))
    part.bind(old.inputs, known)
    variables = [part.input(old.inputs[i]) for i in moving]
    part.bind([old.inputs[i] for i in moving], variables)
    return _LoopPart(part, variables)


def source_of(tensor: Any) -> Any:
    """The tensor that comes out, if ops that only pass on are looked through."""
    while FORWARDS in tensor.op.definition.traits and tensor._dims == tensor.op.operands[0]._dims:
        tensor = tensor.op.operands[0]
    return tensor


def _is_false(tensor: Any) -> bool:
    return tensor.op.definition.name == "Const" and not tensor._static.any()


def _live(at: Rewrite, call: Call, cond: Body, body: Body) -> list[int]:
    """The loop variables that matter: for a result, the condition, an effect, or one of those."""
    count = len(body.inputs)
    if not at.rules.drops_unused:
        return list(range(count))
    used = used_inputs(at, cond)
    live = {i for i, t in enumerate(call.node.outputs) if at.uses(t)} | used
    while True:
        outputs = tuple([t if i in live else None for i, t in enumerate(body.outputs)])
        more = used_inputs(at, Body(body.graph, outputs, body.inputs)) - live
        if not more:
            return sorted(live)
        live |= more


def used_inputs(at: Rewrite, body: Body) -> set[int]:
    """Which inputs a body needs."""
    used = {id(t) for t in body.outputs}
    for node in at.needed(body):
        used.update(map(id, node.inputs))
    return {i for i, t in enumerate(body.inputs) if id(t) in used}


def copy(at: Rewrite, call: Call) -> Results:
    """The results of a copy of an operation that holds bodies."""
    return copy_loop(at, call) if call.op.is_loop else copy_branches(at, call)
