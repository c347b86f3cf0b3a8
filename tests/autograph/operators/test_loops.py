"""`while` and `for` loops that are staged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.autograph.helpers import traced

FIVE = tf.constant(5)


def values(result: Any) -> Any:
    return tf.nest.map_structure(lambda t: np.asarray(t).tolist(), result)


def test_while() -> None:
    def f(n: Any) -> Any:
        a, b = 0, 1
        while b < n:
            a, b = b, a + b
        return a

    assert values(traced(f)(tf.constant(50))) == 34


def test_while_else_break_continue() -> None:
    def f(n: Any) -> Any:
        i = total = 0
        while i < n:
            i += 1
            if i % 2 == 0:
                continue
            if i > 6:
                break
            total += i
        else:
            total = -total
        return i, total

    assert values(traced(f)(FIVE)) == (5, -9)
    assert values(traced(f)(tf.constant(20))) == (7, 9)


def test_a_loop_that_becomes_symbolic_is_staged_from_there_on() -> None:
    rounds = []

    def f(x: Any) -> Any:
        while True:
            rounds.append(1)
            x = x * 2
            if x > 100:
                break
        return x

    assert values(traced(f)(tf.constant(3))) == 192
    assert len(rounds) == 2


def test_the_test_of_a_loop_is_run_as_often_as_it_should() -> None:
    count = tf.Variable(0)

    def f(n: Any) -> Any:
        i = 0
        while count.assign_add(1) <= n:
            i += 1
        return i

    assert values(traced(f)(FIVE)) == 5
    assert count.numpy() == 6


def test_python_loops_are_unrolled() -> None:
    def f(x: Any) -> Any:
        for i in [1, 2, 3]:
            x = x * i
        n = 2
        while n:
            n -= 1
            x = x + 1
        return x

    function = traced(f)
    assert values(function(FIVE)) == 32
    graph = function.get_concrete_function(FIVE).graph
    assert not any("While" in node.type for node in graph.get_operations())


def test_for_over_a_range() -> None:
    def f(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            total += i
        return total, i

    assert values(traced(f)(FIVE)) == (10, 4)
    assert values(traced(f)(tf.constant(0))) == (0, 0)


@pytest.mark.parametrize("delta", [1, 3, -2])
def test_ranges_with_steps(delta: int) -> None:
    def f(start: Any, limit: Any, step: Any) -> Any:
        total = 0
        for i in tf.range(start, limit, step):
            total = total * 10 + i
        return total

    expected = 0
    for i in range(1, 8, delta) if delta > 0 else range(8, 1, delta):
        expected = expected * 10 + i
    ends = (1, 8) if delta > 0 else (8, 1)
    assert values(traced(f)(*map(tf.constant, (*ends, delta)))) == expected
    assert values(traced(lambda a, b: f(a, b, delta))(*map(tf.constant, ends))) == expected


def test_for_over_a_tensor() -> None:
    def f(t: Any) -> Any:
        total = tf.zeros([2])
        for row in t:
            total += row
        return total

    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert values(traced(f)(table)) == [4.0, 6.0]
    unknown = traced(f, input_signature=[tf.TensorSpec([None, 2])])
    assert values(unknown(table)) == [4.0, 6.0]
    assert values(unknown(tf.zeros([0, 2]))) == [0.0, 0.0]


def test_for_over_a_tensor_from_outside() -> None:
    table = tf.constant([1, 2, 3])
    seen = []

    def f(x: Any) -> Any:
        for i in table:
            seen.append(i)
            x += i
        return x

    assert values(traced(f)(FIVE)) == 11
    assert len(seen) == 1


def test_for_over_ragged_rows() -> None:
    def f(t: Any) -> Any:
        total = 0
        for row in t:
            total = total * 10 + tf.reduce_sum(row)
        return total

    ragged = tf.ragged.constant([[1, 2], [], [4]])
    assert values(traced(lambda: f(ragged))()) == 304


def test_a_scalar_has_no_items() -> None:
    def f(x: Any) -> Any:
        for i in x:
            x = i
        return x

    with pytest.raises(ValueError, match="of a scalar tensor"):
        traced(f)(FIVE)


def test_break_and_return_in_for() -> None:
    def f(n: Any) -> Any:
        for i in tf.range(10):
            for j in tf.range(10):
                if i * j == n:
                    return i, j
                if j > i:
                    break
        return -1, -1

    function = traced(f)
    assert [values(function(tf.constant(n))) for n in (12, 7, 83)] == [(3, 4), (7, 1), (-1, -1)]


def test_break_that_depends_on_a_tensor_in_a_python_loop() -> None:
    def f(x: Any) -> Any:
        for _ in range(3):
            x = x * 2
            if x > 10:
                break
        return x

    with pytest.raises(NotImplementedError, match="runs in Python"):
        traced(f)(FIVE)


def test_variables_that_the_loop_defines() -> None:
    def f(n: Any) -> Any:
        for i in tf.range(n):
            y = (i, tf.fill([n], 1.0))
        return y

    function = traced(f)
    assert values(function(tf.constant(2))) == (1, [1.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not run even once"):
        function(tf.constant(0))


def test_none_before_the_loop() -> None:
    def f(n: Any) -> Any:
        last = None
        for i in tf.range(n):
            last = i
        return last

    assert values(traced(f)(FIVE)) == 4


def test_a_variable_that_must_be_defined_before() -> None:
    def f(n: Any) -> Any:
        for i in tf.range(n):
            y = y + i  # noqa: F821
        return y

    with pytest.raises(ValueError, match=r"(?s)'y' must be defined before the loop.*tried to"):
        traced(f)(FIVE)


@pytest.mark.parametrize(
    ("error", "text", "first", "change"),
    [
        (TypeError, "'y' has dtype int32 before the loop and float32", 1, lambda y: 1.0),
        (
            ValueError,
            r"'y' has shape \(1,\) before the loop and \(2,\) .*set_loop_options",
            tf.zeros([1]),
            lambda y: tf.zeros([2]),
        ),
        (TypeError, "'y' must have the same structure", (1, 2), lambda y: [1, 2]),
        (ValueError, "'y' is None after an iteration", 1, lambda y: None),
        (TypeError, "'y' becomes .* in the loop, but was .* before", object(), lambda y: object()),
        (TypeError, "'y' is .* after one iteration, but was a tensor", 1, lambda y: object()),
    ],
)
def test_variables_that_change_their_type(error: Any, text: str, first: Any, change: Any) -> None:
    def f(n: Any) -> Any:
        y = first
        for _ in tf.range(n):
            y = change(y)
        return y

    with pytest.raises(error, match=text):
        traced(f)(FIVE)


def test_values_that_are_no_tensors_stay() -> None:
    def f(n: Any) -> Any:
        name, i = "name", 0
        marker = holder = object()
        while i < n:
            i += 1
            marker, name = holder, name
        assert marker is holder
        return i

    assert values(traced(f)(FIVE)) == 5


def test_shape_invariants() -> None:
    def f(n: Any, invariant: Any) -> Any:
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, invariant)])
            v = tf.concat([v, [i]], 0)
        return v

    shape = tf.TensorShape([None])
    assert values(traced(lambda n: f(n, shape))(tf.constant(3))) == [0, 0, 1, 2]
    with pytest.raises(ValueError, match="not a case of its shape invariant"):
        traced(lambda n: f(n, tf.TensorShape([2])))(FIVE)
    with pytest.raises(ValueError, match="after an iteration, not a case"):
        traced(lambda n: f(n, tf.TensorShape([1])))(FIVE)


def test_maximum_iterations() -> None:
    def f(n: Any) -> Any:
        count = i = 0
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            count += 1
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=2)
            i += 1
        return count, i

    assert values(traced(f)(FIVE)) == (3, 2)


def test_tensor_arrays() -> None:
    def f(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            if i % 2 == 0:
                array = array.write(array.size(), i * i)
        return array.stack(), len(array)

    assert values(traced(f)(FIVE)) == ([0, 4, 16], 3)


def test_side_effects_are_repeated() -> None:
    variable = tf.Variable(0)

    def f(n: Any) -> None:
        for i in tf.range(n):
            if i > 1:
                variable.assign_add(i)

    traced(f)(FIVE)
    assert variable.numpy() == 9


def test_gradients_go_through() -> None:
    def f(x: Any, rows: Any) -> Any:
        for row in rows:
            if row > 0:
                x = x * row
        return x

    x, rows = tf.constant(3.0), tf.constant([2.0, -1.0, 5.0])
    function = traced(f)
    with tf.GradientTape() as tape:
        tape.watch([x, rows])
        y = function(x, rows)
    assert values(tape.gradient(y, [x, rows])) == [10.0, [15.0, 0.0, 6.0]]


def test_local_functions_that_bind_variables() -> None:
    def f(n: Any) -> Any:
        total = 0

        def add(value: Any) -> None:
            nonlocal total
            total += value

        for i in tf.range(n):
            add(i)
        return total

    assert values(traced(f)(FIVE)) == 10


class Countdown:
    """Something that says itself how a loop over it is staged."""

    def __init__(self, start: int) -> None:
        self.start = start

    def __autograph_for__(self, loop: Any) -> None:
        initial = loop.prepare(item=lambda: (tf.constant(0),), sure=True)

        def going(count: Any, *leaves: Any) -> Any:
            on = loop.going(leaves)
            return count > 0 if on is None else tf.logical_and(count > 0, on)

        final = tf.while_loop(
            going,
            lambda count, *leaves: [count - 1, *loop.step(leaves, count)],
            [tf.constant(self.start), *initial],
        )
        loop.finish(final[1:])


def test_things_that_stage_loops_themselves() -> None:
    def f(n: Any) -> Any:
        digits = 0
        for i in Countdown(5):
            if i < n:
                break
            digits = digits * 10 + i
        return digits, i

    assert values(traced(f)(tf.constant(3))) == (543, 2)
