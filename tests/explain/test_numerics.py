"""The first bad value is named with its line: in eager code, in graphs and in compiled code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

WAYS: dict[str, Callable[[Any], Any]] = {
    "eager": lambda f: f,
    "interpreted": lambda f: tf.function(f, jit_compile=False),
    "compiled": lambda f: tf.function(f, jit_compile=True),
}


def here() -> int:
    """The line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Any:
    return WAYS[request.param]


def test_the_forward_pass(way: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 2.0
        return tf.math.log(y) + 1.0

    why = tf.explain.numerics(way(f), tf.constant([0.0, 1.0]))
    assert (why.is_finite, why.op, why.output) == (False, "Log", 0)
    assert why.location.line == here() - 4
    assert "-Inf" in why.message
    assert "Log made by `return tf.math.log(y) + 1.0`" in str(why)


def test_the_backward_pass_names_the_forward_line(way: Any) -> None:
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.norm(x[:1]) * 2.0
        return tape.gradient(y, x)

    why = tf.explain.numerics(way(slope), tf.constant([0.0, 1.0]))
    assert (why.op, why.note) == ("SqrtGrad", "gradient of Sqrt")
    assert why.location.line == here() - 5
    assert "y = tf.norm(x[:1]) * 2.0" in str(why)


def test_the_gradient_of_a_called_function() -> None:
    root = tf.function(lambda x: tf.sqrt(x))
    x = tf.constant(0.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = root(x)
        return tape.gradient(y, x)

    why = tf.explain.numerics(slope)
    assert (why.op, why.note) == ("SqrtGrad", "gradient of Sqrt")
    assert why.location.code() == "root = tf.function(lambda x: tf.sqrt(x))"


def test_values_that_are_masked_later(way: Any) -> None:
    def f(x: Any) -> Any:
        return tf.nn.relu(tf.math.log(x) * 3.0)

    why = tf.explain.numerics(way(f), tf.constant([0.0, 1.0]))
    assert why.op == "Log"


@pytest.mark.parametrize("bad", ["MatMul", "AddV2", "Mul", "Exp", "RealDiv", "Square"])
def test_each_op_is_found_behind_others(way: Any, bad: str) -> None:
    ops = {
        "MatMul": lambda x: tf.reshape(tf.reshape(x, [1, -1]) @ tf.reshape(x, [-1, 1]), []),
        "AddV2": lambda x: x + 3e38,
        "Mul": lambda x: x * 3e38,
        "Exp": lambda x: tf.exp(x),
        "RealDiv": lambda x: 1.0 / (x - x),
        "Square": lambda x: tf.square(x),
    }

    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.nn.relu(-ops[bad](x)) * 2.0 + 1.0)

    why = tf.explain.numerics(way(f), tf.constant([2e38, 3e38]))
    assert why.op == bad


def test_loops_and_branches(way: Any) -> None:
    def f(x: Any) -> Any:
        for _ in tf.range(5):
            if x > 0.0:
                x = x * 1e20
        return x

    why = tf.explain.numerics(way(f), tf.constant(1.0))
    assert why.op == "Mul"
    assert why.location.code() == "x = x * 1e20"


def test_variables_that_are_not_finite(way: Any) -> None:
    w = tf.Variable([[float("nan")]])
    why = tf.explain.numerics(way(lambda x: x @ w + 1.0), tf.constant([[1.0]]))
    assert (why.op, why.output) == ("ReadVariableOp", 0)


def test_constants_that_are_folded(way: Any) -> None:
    assert tf.explain.numerics(way(lambda: tf.sqrt(tf.constant(-1.0)) * 2.0)).op == "Sqrt"


def test_a_failed_compiled_call_changes_no_variable() -> None:
    w = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def step(x: Any) -> Any:
        y = tf.math.log(x)
        w.assign(y)
        return y

    assert not tf.explain.numerics(step, tf.constant(0.0)).is_finite
    assert float(w) == 1.0
    assert tf.explain.numerics(step, tf.constant(1.0)).is_finite
    assert float(w) == 0.0


def test_finite_calls_return_their_result(way: Any) -> None:
    why = tf.explain.numerics(way(lambda x: x * 2.0), tf.constant([1e30, -2.0]))
    assert why.is_finite
    np.testing.assert_array_equal(why.result, np.float32([2e30, -4.0]))
    assert str(why) == "All results are finite."


def test_sums_of_squares_that_overflow_are_no_errors(way: Any) -> None:
    x = tf.constant([3e38, -3e38])
    assert tf.explain.numerics(way(lambda x: x * 1.0 + 0.0), x).is_finite


def test_other_errors_pass() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible"):
        tf.explain.numerics(lambda: tf.ones([2]) + tf.ones([3]))


def test_checks_end_with_the_call() -> None:
    tf.explain.numerics(tf.math.log, tf.constant(-1.0))
    assert np.isnan(tf.math.log(tf.constant(-1.0)).numpy())


def test_results_whose_check_is_left_to_a_later_op_are_blamed_first() -> None:
    w = tf.Variable(tf.fill([3, 2], 3e38))

    @tf.function(jit_compile=False)
    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.nn.relu(tf.reshape(x @ w, [-1]) + 1.0))

    why = tf.explain.numerics(f, tf.ones([4, 3]))
    assert why.op == "MatMul"
    assert "Input 0: float32[4, 3]" in why.message
    assert "Input 1: float32[3, 2] [[" in why.message


def test_no_check_is_left_to_an_op_behind_a_change() -> None:
    v = tf.Variable(0.0)

    @tf.function(jit_compile=False)
    def f(x: Any) -> Any:
        bad = x * x
        v.assign(1.0)
        return bad + 1.0

    assert tf.explain.numerics(f, tf.constant([2e38])).op == "Mul"
    assert v.numpy() == 0.0
