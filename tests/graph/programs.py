"""Small functions with branches, loops, variables and lists, to be written as GraphDefs.

Each takes a float32 vector of two and returns tensors; those that use variables take them from
`VARIABLES`. The values they are run with reach both branches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.graph.control_flow import cond, switch_case, while_loop

INPUTS = [np.array([1.0, 2.0], np.float32), np.array([-3.0, 0.5], np.float32)]
VARIABLES = {"v": np.array([10.0, 20.0], np.float32), "count": np.array(3, np.int32)}

PROGRAMS: dict[str, Callable[..., Any]] = {}


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


@program
def branch(x: Any, **variables: Any) -> Any:
    return cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0)


@program
def branch_in_branch(x: Any, **variables: Any) -> Any:
    def inner() -> Any:
        return cond(x[0] > 2.0, lambda: (x, 1), lambda: (-x, 2))

    return cond(tf.reduce_sum(x) > 0.0, inner, lambda: (x - 1.0, 3))


@program
def loop(x: Any, **variables: Any) -> Any:
    return while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * x + 1.0), (tf.constant(0), x))


@program
def loop_with_branch(x: Any, **variables: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        return i + 1, cond(i % 2 == 0, lambda: s + x, lambda: s * 2.0)

    return while_loop(lambda i, s: tf.reduce_sum(s) < 20.0, step, (tf.constant(0), tf.abs(x)))


@program
def choice(x: Any, **variables: Any) -> Any:
    index = tf.cast(x[0], tf.int32)
    return switch_case(index, [lambda: x, lambda: x * 2.0, lambda: x * 3.0])


@program
def several_outputs(x: Any, **variables: Any) -> Any:
    values, indices = tf.math.top_k(x, k=2)
    first, second = tf.split(x, 2)
    return values, indices, second, first, tf.concat([second, first], 0)


@program
def collected(x: Any, **variables: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3, element_shape=[2])
    for i in range(3):
        array = array.write(i, x * float(i))
    return array.stack(), array.read(1)


@program
def collected_in_a_loop(x: Any, **variables: Any) -> Any:
    def step(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x * tf.cast(i, tf.float32))

    array = tf.TensorArray(tf.float32, size=3, element_shape=[2])
    _, array = while_loop(lambda i, array: i < 3, step, (tf.constant(0), array))
    return array.stack()


@program
def gradient_of_a_branch(x: Any, **variables: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cond(tf.reduce_sum(x) > 0.0, lambda: tf.exp(x) * x, lambda: tf.sin(x))
    return y, tape.gradient(y, x)


@program
def gradient_of_a_loop(x: Any, **variables: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, tf.sin(s) * x), (tf.constant(0), x)
        )
    return y, tape.gradient(y, x)


@program
def text(x: Any, **variables: Any) -> Any:
    return tf.strings.to_number(tf.constant(["1.5", "-2"])) + x, tf.constant(["a", "b"])


@program
def reads_and_writes(x: Any, *, v: Any, count: Any) -> Any:
    before = v + 0.0
    v.assign_add(x)
    between = v * 1.0
    v.assign(between * 2.0)
    count.assign_add(1)
    return before, between, v.read_value()


@program
def writes_in_a_branch(x: Any, *, v: Any, count: Any) -> Any:
    def yes() -> Any:
        count.assign_add(10)
        return v + x

    def no() -> Any:
        v.assign(x)
        return v * 2.0

    result = cond(tf.reduce_sum(x) > 0.0, yes, no)
    return result, v.read_value(), count.read_value()


@program
def writes_in_a_loop(x: Any, *, v: Any, count: Any) -> Any:
    def step(i: Any) -> Any:
        v.assign_add(x)
        count.assign_add(i)
        return (i + 1,)

    (i,) = while_loop(lambda i: i < count, step, (tf.constant(0),), maximum_iterations=4)
    return i, v.read_value(), count.read_value()
