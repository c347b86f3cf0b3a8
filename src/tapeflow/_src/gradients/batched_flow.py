"""Branches and loops of a vectorised graph, where the condition may differ between members.

All branches run, and the results are selected member by member. A loop runs as long as its
condition holds for any member; the others keep their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.traits import SHAPE_ONLY, SOURCE
from tapeflow._src.gradients.vectorize import BatchedTensor, NotVectorised, Vectorizer
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.control_flow import while_loop
from tapeflow._src.ops.array.common import static_ints
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.reduction import any_

Run = Callable[[Body, Sequence[Any]], list[Any]]

# Constants, and what follows from static shapes, are the same for all members.
_CONSTANT = frozenset({SOURCE, SHAPE_ONLY})


def mode_of(values: Sequence[Any]) -> Vectorizer | None:
    """Return the current vectoriser, or that of a batched tensor among `values`, or None."""
    if isinstance(dispatch.state.mode, Vectorizer):
        return dispatch.state.mode
    return next((v._mode for v in values if type(v) is BatchedTensor), None)


# -- branches -----------------------------------------------------------------------------------


def numbered(index: Any, count: int) -> list[Any]:
    """Return, for each of `count` numbers, whether `index` equals it."""
    return [equal(index, dispatch.convert(number, index.dtype)) for number in range(count)]


def chosen_branch(
    conditions: Sequence[Any], branches: Sequence[Body], run: Callable[[Body], Sequence[Any]]
) -> Sequence[Any]:
    """Return the results of the first branch whose condition holds; the last branch has none."""
    if any(branch.has_effect for branch in branches):
        raise NotVectorised(
            "A branch that writes, prints or asserts cannot be run for members of a batch for "
            "which it is not chosen: the function is being vectorised."
        )
    *others, chosen = [run(branch) for branch in branches]
    for holds, results in reversed(list(zip(conditions, others, strict=True))):
        chosen = choose(holds, results, chosen)
    return chosen


def choose(holds: Any, values: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Select `values` for each member where `holds`, else `others`."""
    return [a if a is b else _choice(holds, a, b) for a, b in zip(values, others, strict=True)]


def _choice(holds: Any, value: Any, other: Any) -> Any:
    if value is None or other is None:
        return None
    if value.dtype in (dtypes.variant, dtypes.resource):
        raise NotVectorised(
            "Lists of tensors cannot be chosen member by member: the function is being vectorised."
        )
    return select_v2(holds, value, other)


# -- loops --------------------------------------------------------------------------------------


def loop(mode: Vectorizer, test: Body, step: Body, values: Sequence[Any], run: Run) -> list[Any]:
    """Apply `step` to the values as long as `test` of them holds, and return the last ones."""
    return (_staged if mode.is_staged else _looped)(mode, test, step, values, run)


def _looped(mode: Vectorizer, test: Body, step: Body, values: Sequence[Any], run: Run) -> list[Any]:
    current = list(values)
    while True:
        (holds,) = run(test, current)
        differs = mode.owns(holds)
        if not (_any_holds(mode, holds) if differs else holds):
            return current
        following = run(step, current)
        current = choose(holds, following, current) if differs else following


def _any_holds(mode: Vectorizer, holds: Any) -> Any:
    with mode.below():
        return any_(mode.unwrap(holds), static_ints((0,)))


def _staged(mode: Vectorizer, test: Body, step: Body, values: Sequence[Any], run: Run) -> list[Any]:
    """Like `_looped`, as one loop operation of the graph below."""
    if mode.is_recorded:
        raise NotVectorised("A tape within a vectorised function cannot look into its loops.")
    which, differs = _batched_variables(test, step, [mode.owns(v) for v in values])

    def wrapped(tensors: Sequence[Any]) -> list[Any]:
        return [mode.wrap(t) if b else t for t, b in zip(tensors, which, strict=True)]

    def unwrapped(tensors: Sequence[Any]) -> list[Any]:
        with mode.below():
            return [mode.unwrap(t) if b else t for t, b in zip(tensors, which, strict=True)]

    def holds(*tensors: Any) -> Any:
        with mode.above():
            (result,) = run(test, wrapped(tensors))
            return _any_holds(mode, result) if differs else result

    def following(*tensors: Any) -> list[Any]:
        with mode.above():
            current = wrapped(tensors)
            after = run(step, current)
            if differs:
                after = choose(run(test, current)[0], after, current)
            return unwrapped(after)

    shapes = [_with_batch(t, mode.size) if b else t.shape for t, b in zip(step.inputs, which)]
    first = unwrapped(values)
    with mode.below():
        return wrapped(while_loop(holds, following, first, shapes))


def _with_batch(tensor: Any, size: int) -> TensorShape:
    if tensor.dtype is dtypes.variant or tensor.static_shape is None:
        raise NotVectorised(
            "A loop over lists of tensors, or tensors of unknown rank, cannot be run for a whole "
            "batch: the function is being vectorised."
        )
    return TensorShape((size, *tensor.static_shape))


def _batched_variables(test: Body, step: Body, which: list[bool]) -> tuple[list[bool], bool]:
    """Return the loop variables that differ between members, and whether the condition does."""
    while True:
        (differs,) = _depends(test, which)
        after = _depends(step, which)
        changed = [o is not i for o, i in zip(step.outputs, step.inputs, strict=True)]
        wider = [b or a or (differs and c) for b, a, c in zip(which, after, changed, strict=True)]
        if wider == which:
            return which, differs
        which = wider


def _depends(body: Body, which: Sequence[bool]) -> list[bool]:
    """Return, for each output, whether it may differ if those inputs do."""
    differ = {id(t) for t, batched in zip(body.inputs, which, strict=True) if batched}
    for node in body.nodes():
        if not _CONSTANT.isdisjoint(node.definition.traits):
            continue
        is_random = node.definition.effect == "random" or bool(bodies_of(node))
        if is_random or any(id(t) in differ for t in node.inputs):
            differ.update(map(id, node.outputs))
    return [id(t) in differ for t in body.outputs]
