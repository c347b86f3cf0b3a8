"""`while` and `for` loops: run, or added to the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.autograph.operators import staging
from tapeflow._src.autograph.operators.iteration import staged_iterable
from tapeflow._src.autograph.operators.loop import Loop
from tapeflow._src.autograph.operators.unrolling import Unrolling
from tapeflow._src.autograph.operators.variables import Slot, State
from tapeflow._src.core.errors import OperatorNotAllowedInGraphError
from tapeflow._src.graph.control_flow import while_loop
from tapeflow._src.graph.tensor import tracing

Options = Callable[[], dict[str, Any]]


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    *,
    variables: Callable[[], Any] | None = None,
    live: Sequence[str] = (),
    slots: Callable[[], Sequence[Slot]] | None = None,
    result: str | None = None,
    lists: Sequence[str] = (),
    options: Options | None = None,
) -> None:
    """Run `body` as long as `test()` holds; stage the rest of the loop once it is symbolic.

    lists: variables to which the body appends. For `variables`, `live`, `slots` and `result` see
    `if_stmt`.
    """
    if not tracing():
        while test():
            body()
        return
    unrolling = Unrolling()
    verdict = _probe(test)
    while not staging.is_staged(verdict):
        if not verdict:
            return
        body()
        unrolling.count()
        verdict = test()
    state = State(variables, live, slots)
    _stage_while(test, Loop(state, body, result, lists, options() if options else {}))


def _probe(test: Callable[[], Any]) -> Any:
    """Evaluate the test, without leaving anything in the graph if it is symbolic."""
    with staging.scratch() as graph:
        verdict = test()
    if staging.is_staged(verdict) or not graph.nodes:
        return verdict
    return test()


def _stage_while(test: Callable[[], Any], loop: Loop) -> None:
    initial = loop.prepare(item=tuple)

    def going(*leaves: Any) -> Any:
        loop.enter(leaves)
        return staging.condition(test(), "while loop")

    final = while_loop(
        going,
        lambda *leaves: loop.step(leaves),
        initial,
        shape_invariants=loop.shape_invariants(),
        maximum_iterations=loop.maximum_iterations,
    )
    loop.finish(final)


def for_stmt(
    iterable: Any,
    body: Callable[[Any], None],
    *,
    variables: Callable[[], Any] | None = None,
    live: Sequence[str] = (),
    slots: Callable[[], Sequence[Slot]] | None = None,
    result: str | None = None,
    lists: Sequence[str] = (),
    until: Callable[[], Any] | None = None,
    target: str | None = None,
    options: Options | None = None,
) -> None:
    """Run `body` for each item; a loop over a tensor or the like is staged.

    until: whether the loop has been left by `break`. target: the loop target, if it is used after
    the loop. For the others see `while_stmt`.
    """
    staged = staged_iterable(iterable) if tracing() else None
    if staged is None:
        _run_for(iterable, body, until)
        return
    state = State(variables, live, slots)
    loop_options = options() if options else {}
    staged.__autograph_for__(
        Loop(state, body, result, lists, loop_options, until=until, target=target)
    )


def _run_for(iterable: Any, body: Callable[[Any], None], until: Callable[[], Any] | None) -> None:
    unrolling = Unrolling()
    for item in iterable:
        body(item)
        unrolling.count()
        if until is not None and _has_exited(until()):
            return


def _has_exited(flag: Any) -> bool:
    try:
        return bool(flag)
    except OperatorNotAllowedInGraphError:
        raise NotImplementedError(
            "break and return depend on a tensor, but this `for` loop runs in Python. Loop over a "
            "tensor, such as tf.range(n), or a dataset instead of a Python iterable."
        ) from None
