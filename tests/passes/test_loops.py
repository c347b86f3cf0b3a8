"""Loops: invariants before them, variables that nobody needs, and loops that never run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.passes import pipeline
from tests.passes.graphs import Traced, inside, types

NAME = "loop invariants"
X = ((2,), "float32")
N = ((), "int32")
VALUES = np.array([1.0, 2.0], np.float32)


def repeated(step: Any, first: Any, n: Any) -> Any:
    """`first` after `n` steps."""
    return tf.while_loop(lambda i, _: i < n, lambda i, y: [i + 1, step(i, y)], [0, first])[1]


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_invariants_are_computed_before_the_loop(turns: int) -> None:
    def function(x: Any, n: Any) -> Any:
        return repeated(lambda i, y: y + tf.exp(x) * 2.0, x, n)

    body = Traced(function, X, N).after(NAME, VALUES, np.int32(turns))
    assert types(body) == ["Exp", "Mul", "StatelessWhile"]
    assert inside(body) == [["Less"], ["AddV2", "AddV2"]]


def test_through_two_loops() -> None:
    def function(x: Any, n: Any) -> Any:
        return repeated(lambda i, y: repeated(lambda j, z: z + tf.sin(x) + tf.cos(y), y, n), x, n)

    body = Traced(function, X, N).optimized(VALUES, np.int32(3))
    assert types(body) == ["Sin", "StatelessWhile"]
    assert inside(body)[1] == ["AddV2", "Cos", "StatelessWhile"]


def test_what_may_fail_stays_in_a_loop_that_may_not_run() -> None:
    def function(x: Any, n: Any) -> Any:
        return repeated(lambda i, y: y + tf.gather(x, n), x, n)

    traced = Traced(function, X, N)
    body = traced.after(NAME, VALUES, np.int32(0))
    assert types(body) == ["StatelessWhile"]
    body = traced.optimized(VALUES, np.int32(1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced.run(body, VALUES, np.int32(2))


def test_calls_with_unknown_shapes_are_not_hoisted() -> None:
    def function(x: Any, y: Any, n: Any) -> Any:
        return repeated(lambda i, z: z + tf.reduce_sum(x * y), 0.0, n)

    traced = Traced(function, ((None,), "float32"), ((None,), "float32"), N)
    body = traced.optimized(VALUES, VALUES, np.int32(2))
    assert types(body) == ["StatelessWhile"]
    other = np.zeros(3, np.float32)
    traced.same(body, VALUES, other, np.int32(0))


def test_variables_that_the_loop_does_not_write_are_read_before_it() -> None:
    v, w = tf.Variable([1.0, 1.0]), tf.Variable(0.0)

    def function(x: Any, n: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            w.assign_add(1.0)
            return y + v * w

        return repeated(step, x, n)

    body = Traced(function, X, N).optimized(VALUES, np.int32(3))
    assert types(body) == ["ReadVariableOp", "While"]
    assert inside(body)[1].count("ReadVariableOp") == 1


def test_random_numbers_and_prints_stay_inside(capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any, n: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            tf.print("turn")
            return y + tf.random.uniform([2])

        return repeated(step, x, n)

    traced = Traced(function, X, N)
    body = pipeline.optimize(traced.body)
    assert {"PrintV2", "RandomUniform"} <= set(inside(body)[1])
    traced.run(body, VALUES, np.int32(3))
    assert capfd.readouterr().err == "turn\n" * 3


def test_variables_that_nobody_needs_go() -> None:
    def function(x: Any, n: Any) -> Any:
        def step(i: Any, y: Any, a: Any, b: Any) -> Any:
            return [i + 1, y * 2.0, a + tf.exp(b), b + 1.0]

        return tf.while_loop(lambda i, *_: i < n, step, [0, x, x, x])[1]

    body = Traced(function, X, N).after("pruning", VALUES, np.int32(3))
    assert inside(body) == [["Less"], ["AddV2", "Mul"]]
    (loop,) = [node for node in body.nodes() if node.type == "StatelessWhile"]
    assert len(loop.outputs) == 3  # the count, the result, and the limit


def test_variables_that_only_pass_through_are_taken_from_before() -> None:
    def function(x: Any, n: Any) -> Any:
        step = lambda i, y, z: [i + 1, tf.identity(y), z + y]  # noqa: E731
        return tf.while_loop(lambda i, *_: i < n, step, [0, x, x])[1:]

    body = Traced(function, X, N).optimized(VALUES, np.int32(2))
    assert body.outputs[0] is body.inputs[0]


@pytest.mark.parametrize("first", [3, 5])
def test_a_loop_that_never_runs_goes(first: int) -> None:
    def function(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y * 2.0], [first, x])

    assert types(Traced(function, X).after("constant folding", VALUES)) == ["StatelessWhile"]
    assert types(Traced(function, X).optimized(VALUES)) == []


def test_a_loop_whose_condition_is_false_goes() -> None:
    def function(x: Any) -> Any:
        return tf.while_loop(lambda y: tf.constant(False), lambda y: [y * 2.0], [x])

    assert types(Traced(function, X).optimized(VALUES)) == []


def test_values_swap_and_constants_come_out() -> None:
    def function(x: Any, n: Any) -> Any:
        step = lambda i, a, b, c: [i + 1, b, a, tf.constant(7.0)]  # noqa: E731
        return tf.while_loop(lambda i, *_: i < n, step, [0, x, x * 2.0, 1.0])[1:]

    for turns in (0, 1, 4):
        Traced(function, X, N).optimized(VALUES, np.int32(turns))


def test_lists_collected_in_a_loop() -> None:
    def function(x: Any, n: Any) -> Any:
        def row(i: Any, total: Any) -> Any:
            inner = tf.TensorArray(tf.float32, 3)
            for k in range(3):
                inner = inner.write(k, x * float(k))
            return total + tf.reduce_sum(inner.stack(), 0)

        return repeated(row, x, n)

    Traced(function, X, N).optimized(VALUES, np.int32(3))


def test_gradients_of_loops_and_branches() -> None:
    def function(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)

            def step(i: Any, y: Any) -> Any:
                return tf.cond(i % 2 == 0, lambda: y * tf.sin(x), lambda: y + x * x)

            y = repeated(step, x, n)
        return y, tape.gradient(y, x)

    for turns in (0, 1, 4):
        Traced(function, X, N).optimized(VALUES, np.int32(turns))
