"""Loops in compiled code, by `lax.while_loop`.

A loop stops when an error is detected: the call is run again by the interpreter, so its further
results do not matter. Lists that grow in a loop have capacity for the number of iterations, if it
is static, else for a number that is raised when it proves too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from tapeflow._src.backends.jax_flags import collect_failures, note, together
from tapeflow._src.backends.jax_lists import DenseList, ListError
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.traits import LOOP
from tapeflow._src.executors.xla_carried import Carried
from tapeflow._src.executors.xla_control import refuse_handles
from tapeflow._src.executors.xla_iterations import Course, CourseOf
from tapeflow._src.executors.xla_products import Stacks, hoist
from tapeflow._src.executors.xla_trace import (
    STRUCTURES,
    CannotCompileError,
    Trace,
    traced,
)
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.lists.tensor_list import tensor_list_push_back, tensor_list_set_item

# Variables and random streams; stacked operands of products.
_State = tuple[tuple[Any, ...], tuple[Any, ...]]
# The most bytes that the rows of one list may take.
_MOST_ROWS_BYTES = 1 << 30


class _ConditionActsError(Exception):
    """The condition of a loop can fail or changes state, which `lax` does not allow."""


class _ListsChangeError(Exception):
    """Lists leave an iteration in another form: `forms` by index."""

    def __init__(self, forms: dict[int, DenseList]) -> None:
        super().__init__("lists change their form in a loop")
        self.forms = forms


def while_(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """Run a loop: its operands are the initial loop variables."""
    (first,) = operands
    values = list(first)
    course = CourseOf(node, values)
    # Each list may discover the shape of its elements, and then that it grows.
    for _ in range(2 * len(values) + 1):
        loop = _Loop(trace, node, values, course)
        try:
            return loop.run()
        except _ListsChangeError as change:
            plain = [i for i in change.forms if values[i].value_dtype is not variant_dtype]
            for index in plain or change.forms:
                values[index] = _prepared(trace, node, values, index, change.forms[index], course())
            if plain:
                # Lists of lists discover the form of their elements again.
                for index, value in enumerate(first):
                    if isinstance(value, DenseList) and value.value_dtype is variant_dtype:
                        values[index] = value
        except (TypeError, ListError) as error:
            raise CannotCompileError(
                node, f"the shape or dtype of a loop variable changes: {error}"
            ) from error
    raise CannotCompileError(node, "its lists take another form in every iteration")


def _prepared(
    trace: Trace,
    node: Operation,
    values: Sequence[Any],
    index: int,
    form: DenseList,
    course: Course | None,
) -> DenseList:
    """Return the initial value of a list, in a form that is stable."""
    first: DenseList = values[index]
    if form.items is not None:
        first = first.shaped(form.item)
    if form.counts and form.length == first.length:
        return first.with_rows(form.rows)
    growth = trace.list_rows if course is None else course.iterations * _growing(node, index)
    rows = first.rows + growth
    if rows * first.row_bytes > _MOST_ROWS_BYTES:
        raise CannotCompileError(node, f"a list of {rows} rows of {first.row_bytes} bytes")
    return first.with_rows(rows).counting()


def _growing(node: Operation, index: int) -> int:
    """Return how many elements an iteration may add to the list at this index."""
    body: Body = node.attrs["body"]
    grows = (tensor_list_push_back, tensor_list_set_item)
    steps, after = 0, body.outputs[index]
    while after is not None and after.op.definition in grows:
        steps, after = steps + 1, after.op.inputs[0]
    if after is not body.inputs[index]:
        # More happens to it than that: any of the operations may concern it.
        steps = sum(each.definition in grows for each in body.nodes())
    return max(1, steps)


class _Loop:
    """One `lax.while_loop`. Loop invariants stay outside of it."""

    def __init__(self, trace: Trace, node: Operation, values: list[Any], course: CourseOf) -> None:
        self._trace = trace
        self._node = node
        self._values = values
        self._course = course
        self._cond: Body = node.attrs["cond"]
        self._body: Body = node.attrs["body"]
        self._carried = Carried(trace, (self._cond, self._body), values)
        self._stacks = Stacks(trace, node, values, course)
        hoist(trace, node, values, course)
        self._body = self._stacks.body(self._body)
        self._varying = varying_indices(self._body)
        refuse_handles(node, [values[i] for i in self._varying])
        self._can_fail = False

    def run(self) -> list[Any]:
        outside = self._now()
        try:
            return self._run(outside)
        except _ConditionActsError:
            self._put(outside)
            return self._run_with_condition_inside()
        except _ListsChangeError:
            self._put(outside)
            raise

    def _now(self) -> _State:
        """Return what the loop changes beside its variables."""
        return self._carried.now(), self._stacks.now()

    def _put(self, state: _State) -> None:
        carried, stacks = state
        self._carried.put(carried)
        self._stacks.put(stacks)

    def _full(self, varying: Sequence[Any]) -> list[Any]:
        values = list(self._values)
        for i, value in zip(self._varying, varying, strict=True):
            values[i] = value
        return values

    def _first(self) -> list[Any]:
        return [traced(self._values[i], self._node) for i in self._varying]

    def _goes_on(self, varying: Sequence[Any]) -> tuple[Any, list[Any]]:
        with collect_failures() as failures:
            (go,) = self._trace.run(self._cond, self._full(varying))
        self._can_fail = self._can_fail or bool(failures)
        return jnp.asarray(go).reshape(()), failures

    def _next(self, varying: Sequence[Any]) -> tuple[list[Any], Any]:
        with collect_failures() as failures:
            outputs = self._trace.run(self._body, self._full(varying))
        self._can_fail = self._can_fail or bool(failures)
        changed = {
            i: outputs[i]
            for i, before in zip(self._varying, varying, strict=True)
            if isinstance(before, DenseList) and outputs[i].kind() != before.kind()
        }
        if changed:
            raise _ListsChangeError(changed)
        collected = outputs[len(self._values) :]
        self._stacks.push([traced(value, self._node) for value in collected])
        return [traced(outputs[i], self._node) for i in self._varying], together(failures)

    def _finish(self, varying: Sequence[Any], state: _State, wrong: Any) -> list[Any]:
        self._put(state)
        if self._can_fail:
            note(wrong)
        values = self._full(varying)
        for index, value in (self._course.final | self._stacks.totals(self._values)).items():
            values[index] = value
        return values

    def _run(self, outside: _State) -> list[Any]:
        """Run with the condition as the `cond_fun` of `lax`."""

        def goes_on(carry: Any) -> Any:
            varying, state, wrong = carry
            self._put(state)
            go, failures = self._goes_on(varying)
            if failures or any(a is not b for a, b in zip(self._carried.now(), state[0])):
                raise _ConditionActsError
            return go & (wrong == 0)

        def step(carry: Any) -> Any:
            varying, state, wrong = carry
            self._put(state)
            following, now_wrong = self._next(varying)
            return following, self._now(), wrong | now_wrong

        first = (self._first(), outside, together(()))
        return self._finish(*lax.while_loop(goes_on, step, first))

    def _run_with_condition_inside(self) -> list[Any]:
        """Run with the condition evaluated before the loop and at the end of each iteration."""
        varying = self._first()
        go, failures = self._goes_on(varying)

        def step(carry: Any) -> Any:
            _, varying, state, wrong = carry
            self._put(state)
            following, now_wrong = self._next(varying)
            go, failures = self._goes_on(following)
            return go, following, self._now(), wrong | now_wrong | together(failures)

        first = (go, varying, self._now(), together(failures))
        _, varying, state, wrong = lax.while_loop(lambda c: c[0] & (c[3] == 0), step, first)
        return self._finish(varying, state, wrong)


def varying_indices(body: Body) -> list[int]:
    """Return the indices of the loop variables that may change."""
    pairs = zip(body.outputs, body.inputs)
    return [i for i, (out, before) in enumerate(pairs) if out is not before]


STRUCTURES[LOOP] = while_
