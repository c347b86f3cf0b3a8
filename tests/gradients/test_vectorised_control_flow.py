"""Branches and loops in functions that are vectorised: each member goes its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import numbers

XS = [1.0, -2.0, 3.0]


def loop_of_its_own(x: Any) -> Any:
    """How often a member goes round depends on it."""
    return tf.while_loop(lambda y, n: y < 10.0, lambda y, n: (tf.abs(y) * 2.0, n + 1), (x, 0))


def loop_for_all(x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]


def branch(x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: x * x, lambda: x - 1.0)


def switch(x: Any) -> Any:
    which = tf.cast(x, tf.int32)
    return tf.switch_case(which, [lambda: x, lambda: x * 10.0, lambda: x * 100.0])


def branch_in_a_loop(x: Any) -> Any:
    def step(y: Any) -> Any:
        return tf.cond(y < 4.0, lambda: y + x * x, lambda: y + 5.0)

    return tf.while_loop(lambda y: y < 10.0, lambda y: (step(y),), (x,))[0]


@tf.function
def converted(x: Any) -> Any:
    total, count = 0.0, 0
    while total < x:
        total += 1.0
        if total > 2.0:
            break
        count += 1
    return total, count


PROGRAMS = [loop_of_its_own, loop_for_all, branch, switch, branch_in_a_loop, converted]
ROADS: dict[str, Callable[[Any], Any]] = {
    "eager": lambda f: f,
    "traced": tf.function,
    "compiled": lambda f: tf.function(f, jit_compile=True),
}


def by_itself(program: Callable[[Any], Any]) -> Any:
    """What the program gives for each member alone."""
    found = [program(tf.constant(x)) for x in XS]
    return tf.nest.map_structure(lambda *leaves: np.stack([t.numpy() for t in leaves]), *found)


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
@pytest.mark.parametrize("as_function", [False, True], ids=["plain", "function"])
def test_members_go_their_own_way(program: Any, as_function: bool, road: str) -> None:
    one = tf.function(program) if as_function else program

    def mapped(xs: Any) -> Any:
        return tf.vectorized_map(one, xs, fallback_to_while_loop=False)

    found = ROADS[road](mapped)(tf.constant(XS))
    tf.nest.map_structure(np.testing.assert_allclose, found, by_itself(program))


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("program", [loop_for_all, branch], ids=lambda p: p.__name__)
@pytest.mark.parametrize("as_function", [False, True], ids=["plain", "function"])
def test_gradients_within(program: Any, as_function: bool, road: str) -> None:
    one = tf.function(program) if as_function else program

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = one(x)
        return tape.gradient(y, x)

    found = ROADS[road](lambda xs: tf.vectorized_map(slope, xs))(tf.constant(XS))
    np.testing.assert_allclose(found, by_itself(slope))


@pytest.mark.parametrize("road", ROADS)
def test_gradients_through_loops_of_their_own(road: str) -> None:
    def slopes(xs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(xs)
            ys = tf.vectorized_map(lambda x: loop_of_its_own(x)[0], xs)
        return tape.gradient(ys, xs)

    assert numbers(ROADS[road](slopes)(tf.constant(XS))) == [16.0, -8.0, 4.0]


def test_a_loop_of_its_own_with_a_gradient_is_run_for_each() -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop_of_its_own(x)[0]
        return tape.gradient(y, x)

    assert numbers(tf.vectorized_map(slope, tf.constant(XS))) == [16.0, -8.0, 4.0]
    with pytest.raises(ValueError, match="No pfor vectorization defined for TensorListPushBack"):
        tf.vectorized_map(slope, tf.constant(XS), fallback_to_while_loop=False)


def test_statements_are_converted_within_a_function() -> None:
    @tf.function
    def mapped(xs: Any) -> Any:
        def one(x: Any) -> Any:
            if x > 0.0:
                return x * 2.0
            while x < 10.0:
                x = x + 3.0
            return x

        return tf.vectorized_map(one, xs)

    assert numbers(mapped(tf.constant(XS))) == [2.0, 10.0, 6.0]


def test_branches_that_assert_are_run_where_they_are_chosen() -> None:
    @tf.function
    def root(x: Any) -> Any:
        if x < 0.0:
            return x
        tf.debugging.assert_greater(x, 0.5)
        return tf.sqrt(x)

    found = tf.vectorized_map(root, tf.constant([4.0, -2.0]))
    assert numbers(found) == [2.0, -2.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(root, tf.constant([4.0, 0.1]))


@pytest.mark.parametrize("road", ROADS)
def test_loops_that_collect(road: str) -> None:
    def products(xs: Any) -> Any:
        return tf.vectorized_map(lambda x: tf.map_fn(lambda y: x * y, tf.range(3.0)), xs)

    found = ROADS[road](products)(tf.constant([1.0, 2.0]))
    assert numbers(found) == [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]


def test_what_was_done_is_not_done_again() -> None:
    count = tf.Variable(0.0)

    def one(x: Any) -> Any:
        count.assign_add(1.0)
        return loop_of_its_own(x)

    with pytest.raises(TypeError, match="needs one value"):
        tf.vectorized_map(one, tf.constant(XS))
    assert count.numpy() == 1.0


def test_none_to_loop_for() -> None:
    values, counts = tf.vectorized_map(loop_of_its_own, tf.zeros([0]))
    assert values.shape == counts.shape == (0,)


@pytest.mark.parametrize("road", ["eager", "traced"])
def test_gradients_of_the_graph_of_a_member(road: str) -> None:
    def slope(n: Any) -> Any:
        x = tf.constant([1.0, 2.0])
        (gradient,) = tf.gradients(tf.reduce_sum(x ** tf.cast(n, tf.float32)), x)
        return gradient

    found = ROADS[road](lambda ns: tf.vectorized_map(slope, ns))(tf.range(3))
    assert numbers(found) == [[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]]


def test_loops_of_a_function_within_a_function_are_converted() -> None:
    def one(x: Any) -> Any:
        for _ in tf.range(3):
            x = x + 1.0 if x < 2.0 else x
        return x

    mapped = tf.function(lambda xs: tf.vectorized_map(one, xs))
    assert numbers(mapped(tf.constant(XS))) == [2.0, 1.0, 3.0]
