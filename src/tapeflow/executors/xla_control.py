"""Branches and loops in compiled code: `lax.cond`, `lax.switch` and `lax.while_loop`.

A body closes over the values around it. What it changes, the variables, the streams it draws from
and whether anything failed, is handed in and out beside its results. A loop stops at a failure: the
call is run again by the interpreter, so that what it would have computed after it does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow.backends import jax as jax_xp
from tapeflow.core.dtypes import resource as resource_dtype
from tapeflow.executors.xla_state import Box, random_nodes, stream_identity, written_inputs
from tapeflow.executors.xla_trace import (
    STRUCTURES,
    CannotCompileError,
    Trace,
    any_failed,
    is_known,
    traced,
)
from tapeflow.graph.body import Body
from tapeflow.graph.operation import Operation


class _Carried:
    """What the bodies of an operation change beside giving results."""

    def __init__(self, trace: Trace, bodies: Sequence[Body], values: Sequence[Any]) -> None:
        self._streams = trace.streams
        places = sorted(set().union(*map(written_inputs, bodies)))
        self._boxes: list[Box] = list({id(values[i]): values[i] for i in places}.values())
        self._identities = list(
            dict.fromkeys(stream_identity(n) for body in bodies for n in random_nodes(body))
        )
        trace.streams.dynamic.update(self._identities)

    def now(self) -> tuple[Any, ...]:
        counters = self._streams.counters
        return (
            *(box.array for box in self._boxes),
            *(counters[identity] for identity in self._identities),
        )

    def put(self, values: Sequence[Any]) -> None:
        for box, array in zip(self._boxes, values):
            box.array = array
        for identity, counter in zip(self._identities, values[len(self._boxes) :]):
            self._streams.counters[identity] = counter


class _Told:
    """What is found out about a body while it is traced."""

    def __init__(self) -> None:
        self.outputs: list[Any] = []
        self.can_fail = False


def _runner(
    trace: Trace, node: Operation, body: Body, values: Sequence[Any], carried: _Carried, told: _Told
) -> Callable[[], Any]:
    """A function without arguments that runs `body`, for a branch."""

    def run() -> Any:
        before = carried.now()
        try:
            with jax_xp.collect_failures() as failures:
                told.outputs = trace.run(body, values)
            told.can_fail = bool(failures)
            outputs = [
                _result(node, i, value) for i, value in enumerate(told.outputs) if _flows(value)
            ]
            return outputs, carried.now(), any_failed(failures)
        finally:
            carried.put(before)

    return run


def _flows(value: Any) -> bool:
    return not isinstance(value, Box)


def _result(node: Operation, place: int, value: Any) -> Any:
    if value is not None:
        return traced(value, node)
    # Not there in this branch: nobody looks at it, but it must have a shape.
    tensor = node.outputs[place]
    if tensor._dims is None or None in tensor._dims:
        raise CannotCompileError(node, "a result of one branch is absent in another")
    return jnp.zeros(tensor._dims, tensor.dtype.np)


def _branch(
    trace: Trace, node: Operation, bodies: Sequence[Body], index: Any, values: list[Any]
) -> Sequence[Any]:
    """One of several bodies, by a traced index."""
    if any(t.dtype is resource_dtype for t in node.outputs):
        raise CannotCompileError(node, "which variable it gives depends on values")
    carried = _Carried(trace, bodies, values)
    told = [_Told() for _ in bodies]
    branches = [
        _runner(trace, node, body, values, carried, found)
        for body, found in zip(bodies, told, strict=True)
    ]
    try:
        outputs, state, failed = lax.switch(index, branches)
    except TypeError as error:
        raise CannotCompileError(
            node, f"the branches give results of different shapes or dtypes: {error}"
        ) from error
    carried.put(state)
    if any(found.can_fail for found in told):
        jax_xp.require(~failed, "")
    return [
        _common([found.outputs[i] for found in told], output) for i, output in enumerate(outputs)
    ]


def _common(values: list[Any], output: Any) -> Any:
    """What all branches give, if that is known and the same; else what the branch taken gave."""
    first = values[0]
    if all(is_known(v) and v.dtype == first.dtype for v in values) and all(
        np.array_equal(first, v) for v in values[1:]
    ):
        return first
    return output


def if_(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """A branch taken if the first operand holds."""
    cond, values = operands
    then, other = node.attrs["then_branch"], node.attrs["else_branch"]
    if is_known(cond):
        return trace.run(then if cond else other, values)
    return _branch(trace, node, (other, then), cond.astype(np.int32), values)


def case(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """The branch that the first operand counts to; the last for an index out of range."""
    index, values = operands
    branches = node.attrs["branches"]
    last = len(branches) - 1
    if is_known(index):
        chosen = int(index)
        return trace.run(branches[chosen if 0 <= chosen <= last else last], values)
    chosen = jnp.where((index < 0) | (index > last), last, index).astype(np.int32)
    return _branch(trace, node, branches, chosen, values)


class _ConditionActsError(Exception):
    """The condition of a loop can fail or changes something, which `lax` has no place for."""


def while_(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """A loop: its operands are the first values of the loop variables."""
    (values,) = operands
    loop = _Loop(trace, node, values)
    try:
        return loop.run()
    except _ConditionActsError:
        return loop.run_with_condition_inside()
    except TypeError as error:
        raise CannotCompileError(
            node, f"the shape or dtype of a loop variable changes: {error}"
        ) from error


class _Loop:
    """One `lax.while_loop`. Loop variables that never change stay outside of it."""

    def __init__(self, trace: Trace, node: Operation, values: list[Any]) -> None:
        self._trace = trace
        self._node = node
        self._values = values
        self._cond: Body = node.attrs["cond"]
        self._body: Body = node.attrs["body"]
        self._carried = _Carried(trace, (self._cond, self._body), values)
        self._varying = [
            i
            for i, (out, given) in enumerate(zip(self._body.outputs, self._body.inputs))
            if out is not given
        ]
        if any(isinstance(values[i], Box) for i in self._varying):
            raise CannotCompileError(node, "which variable it gives depends on values")
        self._can_fail = False

    def _full(self, varying: Sequence[Any]) -> list[Any]:
        values = list(self._values)
        for i, value in zip(self._varying, varying, strict=True):
            values[i] = value
        return values

    def _first(self) -> list[Any]:
        return [traced(self._values[i], self._node) for i in self._varying]

    def _goes_on(self, varying: Sequence[Any]) -> tuple[Any, list[Any]]:
        with jax_xp.collect_failures() as failures:
            (go,) = self._trace.run(self._cond, self._full(varying))
        self._can_fail = self._can_fail or bool(failures)
        return jnp.asarray(go).reshape(()), failures

    def _next(self, varying: Sequence[Any]) -> tuple[list[Any], Any]:
        with jax_xp.collect_failures() as failures:
            outputs = self._trace.run(self._body, self._full(varying))
        self._can_fail = self._can_fail or bool(failures)
        following = [traced(outputs[i], self._node) for i in self._varying]
        return following, any_failed(failures)

    def _finish(self, varying: Sequence[Any], state: Sequence[Any], failed: Any) -> list[Any]:
        self._carried.put(state)
        if self._can_fail:
            jax_xp.require(~failed, "")
        return self._full(varying)

    def run(self) -> list[Any]:
        """With the condition where `lax` has it."""
        outside = self._carried.now()

        def goes_on(carry: Any) -> Any:
            varying, state, failed = carry
            self._carried.put(state)
            go, failures = self._goes_on(varying)
            if failures or any(a is not b for a, b in zip(self._carried.now(), state, strict=True)):
                self._carried.put(outside)
                raise _ConditionActsError
            return go & ~failed

        def step(carry: Any) -> Any:
            varying, state, failed = carry
            self._carried.put(state)
            following, now_failed = self._next(varying)
            return following, self._carried.now(), failed | now_failed

        first = (self._first(), outside, jnp.zeros((), bool))
        return self._finish(*lax.while_loop(goes_on, step, first))

    def run_with_condition_inside(self) -> list[Any]:
        """With the condition evaluated before the loop and at the end of each round."""
        varying = self._first()
        go, failures = self._goes_on(varying)

        def step(carry: Any) -> Any:
            _, varying, state, failed = carry
            self._carried.put(state)
            following, body_failed = self._next(varying)
            go, failures = self._goes_on(following)
            failed = failed | body_failed | any_failed(failures)
            return go, following, self._carried.now(), failed

        first = (go, varying, self._carried.now(), any_failed(failures))
        _, varying, state, failed = lax.while_loop(lambda c: c[0] & ~c[3], step, first)
        return self._finish(varying, state, failed)


STRUCTURES.update(
    {
        "If": if_,
        "StatelessIf": if_,
        "Case": case,
        "StatelessCase": case,
        "While": while_,
        "StatelessWhile": while_,
    }
)
