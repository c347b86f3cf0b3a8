"""Branches and loops in compiled code: values, variables, random numbers and failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import xla
from tapeflow._src.graph.compilability import cannot
from tapeflow._src.graph.control_flow import cond, switch_case, while_loop
from tests.executors.helpers import Traced, same

FLOAT = np.float32


def agree(function: Callable[..., Any], *calls: tuple[Any, ...], **options: Any) -> None:
    """Compiled and interpreted give the same in each of these calls, one after the other."""
    tf.random.set_seed(3)  # ops that are traced without one draw other numbers in each run
    program = Traced(function, *calls[0], **options)
    assert cannot(program.body) == []
    tf.random.set_seed(3)
    by_xla = []
    for call in calls:
        executable = xla.Executable(program.body, program.inputs(*call))
        by_xla += [executable(program.inputs(*call)) for _ in range(2)]
    tf.random.set_seed(3)
    expected = [program.interpreted(*call) for call in calls for _ in range(2)]
    for actual, wanted in zip(by_xla, expected, strict=True):
        same(actual, wanted)


def test_a_branch() -> None:
    def function(p: Any, x: Any) -> Any:
        return cond(p, lambda: (x + 1, tf.constant(2.0)), lambda: (x * x, tf.reduce_sum(x)))

    x = np.array([1.0, 2.0], FLOAT)
    agree(function, (np.True_, x), (np.False_, x))


def test_a_static_condition_leaves_only_its_branch() -> None:
    def function(x: Any) -> Any:
        return cond(tf.shape(x)[0] > 2, lambda: x[:2], lambda: tf.concat([x, x], 0))

    agree(function, (np.ones(2, FLOAT),), (np.ones(3, FLOAT),), dims=[(None,)])


def test_shapes_common_to_both_branches_stay_static() -> None:
    def function(p: Any, x: Any) -> Any:
        n, y = cond(p, lambda: (tf.shape(x)[0], x + 1), lambda: (tf.shape(x)[0], x - 1))
        return tf.reshape(y, [n, 1])

    agree(function, (np.True_, np.ones(3, FLOAT)), dims=[(), (None,)])


def test_branches_of_different_shapes_are_refused() -> None:
    program = Traced(lambda p, x: cond(p, lambda: x[:1], lambda: x), np.True_, np.ones(3, FLOAT))
    with pytest.raises(xla.CannotCompileError, match="different shapes"):
        xla.Executable(program.body, program.inputs(np.True_, np.ones(3, FLOAT)))


def test_a_choice_of_several() -> None:
    def function(i: Any, x: Any) -> Any:
        return switch_case(i, [lambda: x + 1, lambda: x * 10, lambda: -x])

    agree(function, *[(np.int32(i), FLOAT(3)) for i in (-1, 0, 1, 2, 7)])


def test_branches_change_variables() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(5.0)

    def function(p: Any) -> Any:
        def one() -> Any:
            v.assign_add([w, w])
            return v.read_value()

        def other() -> Any:
            w.assign(w * 2)
            return v * 0.0

        return cond(p, one, other), w.read_value()

    def start() -> None:
        v.assign([1.0, 2.0])
        w.assign(5.0)

    calls = [np.True_, np.False_, np.False_, np.True_]
    program = Traced(function, np.True_)
    executable = xla.Executable(program.body, program.inputs(np.True_))
    by_xla = [executable(program.inputs(p)) for p in calls]
    after = v.numpy(), w.numpy()
    start()
    for p, results in zip(calls, by_xla, strict=True):
        same(results, program.interpreted(p))
    same(after, (v.numpy(), w.numpy()))


def test_a_loop() -> None:
    def function(n: Any, x: Any) -> Any:
        return while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x + 1.0), (0, x))

    agree(function, *[(np.int32(n), np.array([0.5, 2.0], FLOAT)) for n in (0, 1, 7)])


def test_a_limit_of_iterations() -> None:
    def function(x: Any) -> Any:
        return while_loop(
            lambda y: tf.reduce_sum(y) < 1e9, lambda y: (y * 2,), (x,), maximum_iterations=5
        )

    agree(function, (np.ones(3, FLOAT),))


def test_a_loop_in_a_loop_and_branches_in_it() -> None:
    def function(n: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            inner = while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), (0, 0))[1]
            return i + 1, total + cond(i % 2 == 0, lambda: inner, lambda: -inner)

        return while_loop(lambda i, t: i < n, step, (0, 0))

    agree(function, (np.int32(6),))


def test_a_loop_over_variables() -> None:
    v, w = tf.Variable(0.0), tf.Variable([1.0, 1.0])

    def function(n: Any) -> Any:
        def step(i: Any) -> Any:
            v.assign_add(tf.cast(i, tf.float32))
            w.assign(w * 2.0)
            return (i + 1,)

        # The condition reads what the body changes.
        i = while_loop(lambda i: (i < n) & (v < 20.0), step, (0,))
        return i, v.read_value(), w.read_value()

    program = Traced(function, np.int32(1))
    executable = xla.Executable(program.body, program.inputs(np.int32(1)))
    by_xla = [executable(program.inputs(np.int32(n))) for n in (3, 0, 100)]
    v.assign(0.0)
    w.assign([1.0, 1.0])
    for n, results in zip((3, 0, 100), by_xla, strict=True):
        same(results, program.interpreted(np.int32(n)))


def test_a_condition_that_changes_a_variable() -> None:
    v = tf.Variable(0)

    def function() -> Any:
        def goes_on(i: Any) -> Any:
            v.assign_add(1)
            return i < 3

        return while_loop(goes_on, lambda i: (i + 1,), (0,)), v.read_value()

    program = Traced(function)
    executable = xla.Executable(program.body, program.inputs())
    same(executable(program.inputs()), (np.int32(3), np.int32(4)))


def test_random_numbers_in_loops_and_branches() -> None:
    def function(n: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            drawn = tf.random.uniform([3], seed=4)
            extra = cond(i > 1, lambda: tf.random.normal([3], seed=5), lambda: tf.zeros(3))
            return i + 1, total + drawn + extra

        return while_loop(lambda i, t: i < n, step, (0, tf.zeros(3)))[1], tf.random.uniform([2])

    agree(function, *[(np.int32(n),) for n in (0, 4, 2, 5)])


def test_a_failure_inside_stops_and_undoes() -> None:
    v = tf.Variable(0.0)
    table = tf.constant([1.0, 2.0, 3.0])

    def function(n: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            v.assign_add(1.0)
            return i + 1, total + tf.gather(table, i)

        return while_loop(lambda i, t: i < n, step, (0, 0.0))[1]

    program = Traced(function, np.int32(2))
    executable = xla.Executable(program.body, program.inputs(np.int32(2)))
    same(executable(program.inputs(np.int32(3))), (FLOAT(6),))
    assert v.numpy() == 3
    with pytest.raises(xla.Failed):
        executable(program.inputs(np.int32(2**31 - 1)))
    assert v.numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="GatherV2"):
        program.interpreted(np.int32(2**31 - 1))
    assert v.numpy() == 7


@pytest.mark.parametrize("taken", [True, False])
def test_only_the_branch_taken_can_fail(taken: bool) -> None:
    def function(p: Any, x: Any) -> Any:
        return cond(p, lambda: 10 // x, lambda: x)

    program = Traced(function, np.True_, np.int32(1))
    executable = xla.Executable(program.body, program.inputs(np.True_, np.int32(1)))
    arrays = program.inputs(np.bool_(taken), np.int32(0))
    if taken:
        with pytest.raises(xla.Failed):
            executable(arrays)
    else:
        same(executable(arrays), (np.int32(0),))


def test_a_condition_that_can_fail() -> None:
    limits = tf.constant([1.0, 2.0])

    def function(x: Any) -> Any:
        return while_loop(lambda i: tf.gather(limits, i) < x, lambda i: (i + 1,), (0,))

    program = Traced(function, FLOAT(1))
    executable = xla.Executable(program.body, program.inputs(FLOAT(1)))
    same(executable(program.inputs(FLOAT(1.5))), (np.int32(1),))
    with pytest.raises(xla.Failed):
        executable(program.inputs(FLOAT(9)))


def test_a_loop_variable_of_changing_shape_is_refused() -> None:
    program = Traced(
        lambda x: while_loop(
            lambda y: tf.size(y) < 10,
            lambda y: (tf.concat([y, y], 0),),
            (x,),
            shape_invariants=(tf.TensorShape([None]),),
        ),
        np.ones(1, FLOAT),
    )
    with pytest.raises(xla.CannotCompileError, match="loop variable"):
        xla.Executable(program.body, program.inputs(np.ones(1, FLOAT)))


def test_host_operations_inside_make_the_whole_loop_one() -> None:
    def function(n: Any) -> Any:
        return while_loop(lambda i: i < n, lambda i: (tf.print(i), i + 1)[1:], (0,))

    (refusal,) = cannot(Traced(function, np.int32(2)).body)
    assert refusal.node.type in ("While", "StatelessWhile") and "StringFormat" in refusal.reason
