"""Copying of operations that hold bodies: branches and loops, with their bodies rewritten.

The new bodies capture just what they use. Unused results are no longer computed, and those that do
not depend on the body are replaced by their source.
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

# Annotated shapes and dtypes of all results are no longer valid: they are inferred.
_ABOUT_RESULTS = ("Tout", "output_shapes")


def bodies_of_call(call: Call) -> tuple[Body, ...]:
    """Return the branches of a call, or the condition and the body of a loop."""
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


def _common_captures(parts: Sequence[Rewrite]) -> list[SymbolicTensor]:
    """Return all captures of the parts, now captured by each of them."""
    captured = {key: outer for part in parts for key, (outer, _) in part.captured.items()}
    for part in parts:
        for outer in captured.values():
            part.capture(outer)
    return list(captured.values())


def _append_with_bodies(
    at: Rewrite, call: Call, operands: tuple[Any, ...], bodies: Sequence[Body], previous: list[Spec]
) -> tuple[SymbolicTensor, ...]:
    """Append the call with other bodies. `previous`: the specs of the remaining results."""
    attrs = _with_bodies(call, bodies)
    plain = {key: value for key, value in attrs.items() if key[0] != "_"}
    now = call.op.infer_outputs(specs_of(operands), plain)
    specs = [*map(_merged, now, previous), *now[len(previous) :]]
    return at.append(Call(call.op, operands, attrs, call.node, specs))


def _merged(now: Spec, before: Spec) -> Spec:
    try:
        return Spec(merge_shape(now.shape, before.shape), now.dtype)
    except InferError:
        return now


# -- branches ----------------------------------------------------------------------------------


def copy_branches(at: Rewrite, call: Call) -> Results:
    """Copy a branching operation and return its results."""
    choice, inputs = call.operands
    bodies = bodies_of_call(call)
    used = [i for i, t in enumerate(call.node.outputs) if at.uses(t)]
    parts, part_results = [], []
    for body in bodies:
        part = Rewrite(at.rules, body.graph, at)
        part.bind(body.inputs, inputs)
        outputs = tuple([body.outputs[i] for i in used])
        part_results.append(part.walk(Body(body.graph, outputs, body.inputs)))
        parts.append(part)
    if call.op.effect is not None:
        at.writes.note_bodies(bodies)
    results: list[Any] = [None] * len(call.node.outputs)
    remaining = []
    for position, i in enumerate(used):
        results[i] = _same_in_all([values[position] for values in part_results], parts)
        if results[i] is None:
            remaining.append(position)
    part_outputs = [
        [None if values[k] is None else part.local(values[k]) for k in remaining]
        for part, values in zip(parts, part_results, strict=True)
    ]
    captured = _common_captures(parts)
    copies = [
        part.finish(outputs, [part.capture(t) for t in captured])
        for part, outputs in zip(parts, part_outputs, strict=True)
    ]
    if len(remaining) < len(results) or len(captured) < len(inputs):
        at.root.changed = True
    if remaining or any(copy.has_effect for copy in copies):
        specs = [call.specs[used[k]] for k in remaining]
        copied = _append_with_bodies(at, call, (choice, tuple(captured)), copies, specs)
        for k, tensor in zip(remaining, copied, strict=True):
            results[used[k]] = tensor
    return results


def _same_in_all(values: list[Any], parts: Sequence[Rewrite]) -> Any:
    """Return the enclosing tensor that every branch returns as this result, or None."""
    first = values[0]
    if first is None or any(value is not first for value in values):
        return None
    return None if any(first.op.graph is part.graph for part in parts) else first


# -- loops -------------------------------------------------------------------------------------


def copy_loop(at: Rewrite, call: Call) -> Results:
    """Copy a loop and return its results. Loop invariants become captures."""
    (initial,) = call.operands
    cond, body = bodies_of_call(call)
    fixed = [source_of(t) is v for t, v in zip(body.outputs, body.inputs, strict=True)]
    moving = [i for i in _live(at, call, cond, body) if not fixed[i]]
    invariants = [value if still else None for value, still in zip(initial, fixed, strict=True)]
    condition, step = (_loop_part(at, call, old, invariants, moving) for old in (cond, body))
    (holds,) = condition.rewrite.walk(cond)
    if _is_false(holds) and not cond.has_effect:
        at.root.changed = True
        return list(initial)
    outputs = tuple([body.outputs[i] for i in moving])
    following = step.rewrite.walk(Body(body.graph, outputs, body.inputs))
    ends = [condition.rewrite.local(holds)], [step.rewrite.local(t) for t in following]
    captured = _common_captures([condition.rewrite, step.rewrite])
    copies = []
    for part, end in zip((condition, step), ends):
        captures = [part.rewrite.capture(t) for t in captured]
        passed_on = captures if part is step else []
        copies.append(part.rewrite.finish([*end, *passed_on], [*part.variables, *captures]))
    if len(moving) + len(captured) < len(initial):
        at.root.changed = True
    if call.op.effect is not None:
        at.writes.note_bodies((cond, body))
    operands = ((*(initial[i] for i in moving), *captured),)
    results = _append_with_bodies(at, call, operands, copies, [call.specs[i] for i in moving])
    for i, tensor in zip(moving, results):
        invariants[i] = tensor
    return invariants


class _LoopPart(NamedTuple):
    rewrite: Rewrite
    variables: list[SymbolicTensor]


def _loop_part(
    at: Rewrite, call: Call, old: Body, invariants: list[Any], moving: list[int]
) -> _LoopPart:
    """Rewrite a loop's condition or body, with inputs for the variables that change."""
    part = Rewrite(at.rules, old.graph, at, in_loop=True)
    if call.op.effect is not None:
        part.writes.note_bodies(bodies_of_call(call))
    part.bind(old.inputs, invariants)
    variables = [part.input(old.inputs[i]) for i in moving]
    part.bind([old.inputs[i] for i in moving], variables)
    return _LoopPart(part, variables)


def source_of(tensor: Any) -> Any:
    """Return the source of a tensor behind identity ops."""
    while (
        FORWARDS in tensor.op.definition.traits
        and tensor.static_shape == tensor.op.operands[0].static_shape
    ):
        tensor = tensor.op.operands[0]
    return tensor


def _is_false(tensor: Any) -> bool:
    return tensor.op.definition.is_constant and not tensor.static_value.any()


def _live(at: Rewrite, call: Call, cond: Body, body: Body) -> list[int]:
    """Return the loop variables that matter: for a result, the condition, an effect, or another."""
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
    """Return which inputs a body needs."""
    used = {id(t) for t in body.outputs}
    for node in at.needed(body):
        used.update(map(id, node.inputs))
    return {i for i, t in enumerate(body.inputs) if id(t) in used}


def copy(at: Rewrite, call: Call) -> Results:
    """Return the results of a copy of an operation that holds bodies."""
    return copy_loop(at, call) if call.op.is_loop else copy_branches(at, call)
