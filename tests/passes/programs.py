"""Random programs of a few steps: arithmetic with awkward constants, shapes, variables, branches,
loops. Each step takes tensors that earlier ones have made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tapeflow as tf

# Two vectors, one of a length not known to the trace, and a number.
SPECS = (((3,), "float32"), ((None,), "float32"), ((), "int32"))
NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, float("inf"), float("nan"))

UNARY: tuple[Callable[[Any], Any], ...] = (
    tf.negative,
    tf.abs,
    tf.square,
    tf.nn.relu,
    tf.identity,
    tf.stop_gradient,
    tf.sin,
    tf.floor,
    lambda x: x**2.0,
    lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
    lambda x: tf.cast(tf.cast(x, tf.float16), tf.float32),
    lambda x: tf.reshape(tf.reshape(x, [-1, 1]), [-1]),
    lambda x: tf.reshape(x, [3]),
    lambda x: tf.transpose(tf.transpose(tf.expand_dims(x, 0)))[0],
    lambda x: tf.broadcast_to(tf.reduce_max(x), tf.shape(x)),
    lambda x: tf.zeros_like(x) + tf.cast(tf.size(x), tf.float32),
    lambda x: tf.ones_like(x),
    lambda x: x[:],
    lambda x: x[::-1],
    lambda x: x * tf.cast(tf.shape(x)[0], tf.float32),
)
BINARY: tuple[Callable[[Any, Any], Any], ...] = (
    tf.add,
    tf.subtract,
    tf.multiply,
    tf.divide,
    tf.maximum,
    lambda x, y: tf.where(x < y, x, y),
    lambda x, y: tf.stack([x, y])[1],
    lambda x, y: tf.identity_n([x, y])[0],
)


def arrays() -> Any:
    """Values for the arguments of a program."""
    floats = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e30, float("inf"), float("nan")])
    vector = st.lists(floats, min_size=3, max_size=3).map(lambda v: np.array(v, np.float32))
    return st.tuples(vector, vector, st.integers(0, 3).map(np.int32))


@st.composite
def programs(draw: Any) -> Callable[..., Any]:
    """A function of the arguments, which takes the same steps each time it is called."""
    steps = draw(st.lists(_step(2), min_size=1, max_size=8))
    initial = [draw(st.sampled_from([1.0, -0.0, 2.0])) for _ in range(3)]

    def program(x: Any, y: Any, n: Any) -> Any:
        variable = tf.Variable(initial)
        values = _taken([x, y], steps, n, variable)
        return values[2:] or values, variable.read_value()

    return program


def _taken(values: list[Any], steps: list[Any], n: Any, variable: Any) -> list[Any]:
    values = list(values)
    for step in steps:
        step(values, n, variable)
    return values


def _step(depth: int) -> Any:
    """A step: a function that looks at the values so far and appends one, or has an effect."""
    place = st.integers(0, 100)
    kinds = [
        st.builds(_unary, st.sampled_from(UNARY), place),
        st.builds(_binary, st.sampled_from(BINARY), place, place),
        st.builds(_with_number, st.sampled_from(BINARY), place, st.sampled_from(NUMBERS)),
        st.builds(_number, st.sampled_from(UNARY), st.sampled_from(NUMBERS)),
        st.builds(_write, place),
        st.builds(_read),
    ]
    if depth:
        inner = st.lists(_step(depth - 1), min_size=1, max_size=3)
        kinds.append(st.builds(_branch, st.sampled_from([True, False, None]), inner, inner))
        kinds.append(st.builds(_loop, st.booleans(), inner, place))
    return st.one_of(kinds)


def _pick(values: list[Any], place: int) -> Any:
    return values[place % len(values)]


def _unary(function: Any, place: int) -> Any:
    return lambda values, n, v: values.append(function(_pick(values, place)))


def _binary(function: Any, a: int, b: int) -> Any:
    return lambda values, n, v: values.append(function(_pick(values, a), _pick(values, b)))


def _with_number(function: Any, place: int, number: float) -> Any:
    def step(values: list[Any], n: Any, v: Any) -> None:
        x = _pick(values, place)
        values.append(function(x, tf.fill(tf.shape(x), number)))

    return step


def _number(function: Any, number: float) -> Any:
    return lambda values, n, v: values.append(function(tf.constant([number] * 3)))


def _write(place: int) -> Any:
    def step(values: list[Any], n: Any, v: Any) -> None:
        v.assign_add(tf.reshape(_pick(values, place), [3]))

    return step


def _read() -> Any:
    return lambda values, n, v: values.append(v * 1.0)


def _branch(known: bool | None, yes: list[Any], no: list[Any]) -> Any:
    def step(values: list[Any], n: Any, v: Any) -> None:
        choice = n > 1 if known is None else tf.constant(known)

        def end(steps: list[Any]) -> Any:
            taken = _taken(values, steps, n, v)
            return tf.reshape(taken[-1], [3]), tf.reshape(taken[0], [3])

        values.extend(tf.cond(choice, lambda: end(yes), lambda: end(no)))

    return step


def _loop(counts: bool, steps: list[Any], place: int) -> Any:
    def step(values: list[Any], n: Any, v: Any) -> None:
        limit = n if counts else tf.constant(2)

        def body(i: Any, a: Any, b: Any) -> Any:
            taken = _taken([*values, a], steps, n, v)
            return i + 1, tf.reshape(taken[-1], [3]), tf.reshape(b + a, [3])

        first = [tf.reshape(_pick(values, place), [3])] * 2
        results = tf.while_loop(lambda i, *_: i < limit, body, [tf.constant(0), *first])
        values.append(results[1])

    return step
