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
from tapeflow._src.executors.xla_trace import (
    STRUCTURES,
    CannotCompileError,
    Trace,
    is_static,
    results_if_static,
    traced,
)
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.lists.tensor_list import tensor_list_push_back, tensor_list_set_item

# The most iterations that are simulated to count them.
_MOST_COUNTED = 100_000
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
    # Each list may discover the shape of its elements, and then that it grows.
    for _ in range(2 * len(values) + 1):
        loop = _Loop(trace, node, values)
        try:
            return loop.run()
        except _ListsChangeError as change:
            plain = [i for i in change.forms if values[i].value_dtype is not variant_dtype]
            for index in plain or change.forms:
                values[index] = _prepared(trace, node, values, index, change.forms[index])
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
    trace: Trace, node: Operation, values: Sequence[Any], index: int, form: DenseList
) -> DenseList:
    """Return the initial value of a list, in a form that is stable."""
    first: DenseList = values[index]
    if form.items is not None:
        first = first.shaped(form.item)
    if form.counts and form.length == first.length:
        return first.with_rows(form.rows)
    iterations = static_iterations(node, values)
    growth = trace.list_rows if iterations is None else iterations * _growing(node, index)
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

    def __init__(self, trace: Trace, node: Operation, values: list[Any]) -> None:
        self._trace = trace
        self._node = node
        self._values = values
        self._cond: Body = node.attrs["cond"]
        self._body: Body = node.attrs["body"]
        self._carried = Carried(trace, (self._cond, self._body), values)
        self._varying = varying_indices(node)
        refuse_handles(node, [values[i] for i in self._varying])
        self._can_fail = False

    def run(self) -> list[Any]:
        outside = self._carried.now()
        try:
            return self._run(outside)
        except _ConditionActsError:
            self._carried.put(outside)
            return self._run_with_condition_inside()
        except _ListsChangeError:
            self._carried.put(outside)
            raise

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
        return [traced(outputs[i], self._node) for i in self._varying], together(failures)

    def _finish(self, varying: Sequence[Any], state: Sequence[Any], wrong: Any) -> list[Any]:
        self._carried.put(state)
        if self._can_fail:
            note(wrong)
        return self._full(varying)

    def _run(self, outside: tuple[Any, ...]) -> list[Any]:
        """Run with the condition as the `cond_fun` of `lax`."""

        def goes_on(carry: Any) -> Any:
            varying, state, wrong = carry
            self._carried.put(state)
            go, failures = self._goes_on(varying)
            if failures or any(a is not b for a, b in zip(self._carried.now(), state)):
                raise _ConditionActsError
            return go & (wrong == 0)

        def step(carry: Any) -> Any:
            varying, state, wrong = carry
            self._carried.put(state)
            following, now_wrong = self._next(varying)
            return following, self._carried.now(), wrong | now_wrong

        first = (self._first(), outside, together(()))
        return self._finish(*lax.while_loop(goes_on, step, first))

    def _run_with_condition_inside(self) -> list[Any]:
        """Run with the condition evaluated before the loop and at the end of each iteration."""
        varying = self._first()
        go, failures = self._goes_on(varying)

        def step(carry: Any) -> Any:
            _, varying, state, wrong = carry
            self._carried.put(state)
            following, now_wrong = self._next(varying)
            go, failures = self._goes_on(following)
            return go, following, self._carried.now(), wrong | now_wrong | together(failures)

        first = (go, varying, self._carried.now(), together(failures))
        _, varying, state, wrong = lax.while_loop(lambda c: c[0] & (c[3] == 0), step, first)
        return self._finish(varying, state, wrong)


def varying_indices(node: Operation) -> list[int]:
    """Return the indices of the loop variables that may change."""
    body: Body = node.attrs["body"]
    pairs = zip(body.outputs, body.inputs, strict=True)
    return [i for i, (out, before) in enumerate(pairs) if out is not before]


# -- how many iterations there will be ---------------------------------------------------------


def static_iterations(node: Operation, values: Sequence[Any]) -> int | None:
    """Return the number of iterations, if it is static."""
    cond, body = node.attrs["cond"], node.attrs["body"]
    needed = _inputs_needed(cond, [0])
    grown = True
    while grown:
        more = needed | _inputs_needed(body, sorted(needed))
        grown, needed = more != needed, more
    if not all(is_static(values[i]) for i in needed):
        return None
    indices = sorted(needed)
    goes_on = Body(cond.graph, cond.outputs, cond.inputs, effects=False)
    step = Body(body.graph, tuple(body.outputs[i] for i in indices), body.inputs, effects=False)
    current = list(values)
    for count in range(_MOST_COUNTED):
        go = _computed(goes_on, current)
        if go is None or not go[0]:
            return None if go is None else count
        following = _computed(step, current)
        if following is None:
            return None
        for index, value in zip(indices, following, strict=True):
            current[index] = value
    return None


def _inputs_needed(body: Body, outputs: Sequence[int]) -> set[int]:
    """Return the indices of the inputs on which these outputs depend."""
    pruned = Body(body.graph, tuple(body.outputs[i] for i in outputs), body.inputs, effects=False)
    used = {id(t) for node in pruned.nodes() for t in node.inputs}
    used |= {id(t) for t in pruned.outputs}
    return {i for i, t in enumerate(body.inputs) if id(t) in used}


def _computed(body: Body, values: Sequence[Any]) -> list[Any] | None:
    """Return the outputs of a body for static values, or None if they are not static."""
    of: dict[int, Any] = {id(t): v for t, v in zip(body.inputs, values, strict=True)}
    for node in body.nodes():
        if node.definition.is_argument:
            continue
        operands = [
            [of.get(id(t)) for t in operand] if type(operand) is tuple else of.get(id(operand))
            for operand in node.operands
        ]
        results = (
            [node.attrs["value"]]
            if node.definition.is_constant
            else results_if_static(node, operands)
        )
        if results is None:
            return None
        for tensor, result in zip(node.outputs, results, strict=True):
            of[id(tensor)] = result
    return [of[id(t)] for t in body.outputs]


STRUCTURES[LOOP] = while_
