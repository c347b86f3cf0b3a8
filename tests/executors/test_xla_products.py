"""Matrix products that compiled code moves out of loops: the results are the interpreter's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends.jax_flags import collect_failures
from tapeflow._src.executors import xla_products
from tapeflow._src.executors.program import Program
from tapeflow._src.executors.xla_state import Streams
from tapeflow._src.executors.xla_trace import Trace
from tapeflow._src.graph.control_flow import while_loop
from tests.executors.helpers import Traced, same

STEPS, ROWS, FEATURES, UNITS = 5, 3, 2, 4
_RANDOM = np.random.default_rng(0)


def _array(*shape: int, dtype: Any = np.float32) -> Any:
    return _RANDOM.normal(size=shape).astype(dtype)


X, Y = _array(STEPS, ROWS, FEATURES), _array(STEPS, ROWS, UNITS)
W, SQUARE = _array(FEATURES, UNITS), _array(UNITS, UNITS)


def agree(function: Callable[..., Any], *arguments: Any) -> None:
    """Compare the compiled function with the interpreted one."""
    program = Traced(function, *arguments)
    run = Program(program.body, True)
    same(run(program.inputs(*arguments)), program.interpreted(*arguments))
    assert run._run._executables  # type: ignore[union-attr]


def products(function: Callable[..., Any], *arguments: Any) -> tuple[int, int]:
    """Return the number of products inside and outside of loops."""
    program = Traced(function, *arguments)

    def run(*values: Any) -> list[Any]:
        with collect_failures():
            return Trace(Streams({})).run(program.body, values)

    with jax.enable_x64(True):
        return _counted(jax.make_jaxpr(run)(*program.inputs(*arguments)).jaxpr)


def _counted(jaxpr: Any) -> tuple[int, int]:
    inside = outside = 0
    for equation in jaxpr.eqns:
        below = [_counted(part) for part in _parts(equation)]
        if equation.primitive.name == "while":
            inside += sum(map(sum, below))
        else:
            inside += sum(pair[0] for pair in below)
            outside += sum(pair[1] for pair in below) + (equation.primitive.name == "dot_general")
    return inside, outside


def _parts(equation: Any) -> Iterator[Any]:
    for parameter in equation.params.values():
        if hasattr(parameter, "jaxpr"):
            yield parameter.jaxpr
        elif hasattr(parameter, "eqns"):
            yield parameter


def summed(x: Any, y: Any, count: Any = STEPS) -> Any:
    """Compute the sum of `x[i]ᵀ @ y[i]`."""

    def step(i: Any, total: Any) -> Any:
        return i + 1, total + tf.matmul(x[i], y[i], transpose_a=True)

    first = tf.ones([x.shape[2], y.shape[2]], x.dtype)
    return while_loop(lambda i, total: i < count, step, (0, first))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_products_are_one_product(dtype: Any) -> None:
    x, y = X.astype(dtype), Y.astype(dtype)
    agree(summed, x, y)
    assert products(summed, x, y) == (0, 1)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_sums_of_few_products(count: int) -> None:
    agree(lambda x, y: summed(x, y, count), X, Y)


def test_sums_of_unknown_length_stay_in_the_loop() -> None:
    agree(summed, X, Y, np.int32(3))
    assert products(summed, X, Y, np.int32(3)) == (1, 0)


def test_sums_of_large_operands_stay_in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_products, "_MOST_BYTES", STEPS * ROWS * (FEATURES + UNITS) * 4 - 1)
    assert products(summed, X, Y) == (1, 0)


def test_sums_that_the_loop_uses_stay_in_it() -> None:
    def used(x: Any, y: Any) -> Any:
        def step(i: Any, total: Any, last: Any) -> Any:
            return i + 1, total + tf.matmul(x[i], y[i], transpose_a=True), total

        first = tf.ones([FEATURES, UNITS])
        return while_loop(lambda i, *_: i < STEPS, step, (0, first, first))

    def decides(x: Any, y: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            return i + 1, total + tf.matmul(x[i], y[i], transpose_a=True)

        first = tf.ones([FEATURES, UNITS])
        return while_loop(lambda i, t: (i < STEPS) & (t[0, 0] < 2.0), step, (0, first))

    for function in (used, decides):
        agree(function, X, Y)
        assert products(function, X, Y) == (1, 0)


def test_the_sum_may_be_the_second_term() -> None:
    def function(x: Any, y: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            return i + 1, tf.matmul(x[i], y[i], transpose_a=True) + total

        return while_loop(lambda i, t: i < STEPS, step, (0, tf.ones([FEATURES, UNITS])))

    agree(function, X, Y)
    assert products(function, X, Y) == (0, 1)


def summed_elements(x: Any, y: Any, index: Callable[[Any], Any], count: int = STEPS) -> Any:
    """Compute the sum of `x[index(i)]ᵀ @ tanh(y[i])`, of an array that is unstacked."""
    array = tf.TensorArray(tf.float32, STEPS).unstack(x)

    def step(i: Any, total: Any) -> Any:
        element = array.read(index(i))
        return i + 1, total + tf.matmul(element, tf.tanh(y[i]), transpose_a=True)

    return while_loop(lambda i, t: i < count, step, (0, tf.zeros([FEATURES, UNITS])))


@pytest.mark.parametrize(
    "index", [lambda i: i, lambda i: STEPS - 1 - i, lambda i: i // 2, lambda i: (i + 2) % STEPS]
)
@pytest.mark.parametrize("count", [STEPS - 1, STEPS])
def test_sums_of_products_of_elements_of_a_list(index: Any, count: int) -> None:
    def function(x: Any, y: Any) -> Any:
        return summed_elements(x, y, index, count)

    agree(function, X, Y)
    assert products(function, X, Y) == (0, 1)


def test_an_element_out_of_range_of_a_list_that_is_a_stack_is_an_error() -> None:
    @tf.function(jit_compile=True)
    def function(x: Any, y: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[ROWS, FEATURES])
        for i in tf.range(tf.cast(x[0, 0, 0], tf.int32)):
            array = array.write(i, x[i])
        total = tf.zeros([FEATURES, UNITS])
        for i in tf.range(STEPS):
            total += tf.matmul(array.read(i), y[i], transpose_a=True)
        return total

    x = X.copy()
    x[0, 0, 0] = STEPS
    expected = tf.reduce_sum(tf.matmul(x, Y, transpose_a=True), 0)
    np.testing.assert_allclose(function(x, Y), expected, rtol=1e-5)
    x[0, 0, 0] = STEPS - 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(x, Y)


def recurrent(x: Any, w: Any, square: Any) -> Any:
    """Compute the states of a simple recurrent network."""

    def step(i: Any, h: Any) -> Any:
        return i + 1, tf.tanh(x[i] @ w + h @ square)

    return while_loop(lambda i, h: i < STEPS, step, (0, tf.zeros([ROWS, UNITS])))


def test_projections_of_inputs_are_one_product() -> None:
    agree(recurrent, X, W, SQUARE)
    assert products(recurrent, X, W, SQUARE) == (1, 1)


def test_projections_of_transposed_weights() -> None:
    def function(x: Any, w: Any) -> Any:
        def step(i: Any, h: Any) -> Any:
            return i + 1, h + tf.tanh(tf.matmul(x[i], w, transpose_b=True))

        return while_loop(lambda i, h: i < STEPS, step, (0, tf.zeros([ROWS, UNITS])))

    agree(function, X, W.T.copy())
    assert products(function, X, W.T.copy()) == (0, 1)


def test_projections_of_elements_of_a_list() -> None:
    def function(x: Any, w: Any) -> Any:
        array = tf.TensorArray(tf.float32, STEPS).unstack(x)

        def step(i: Any, h: Any) -> Any:
            return i + 1, tf.tanh(array.read(STEPS - 1 - i) @ w + h)

        return while_loop(lambda i, h: i < STEPS, step, (0, tf.zeros([ROWS, UNITS])))

    agree(function, X, W)
    assert products(function, X, W) == (0, 1)


def test_few_of_many_inputs_are_projected_in_the_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        def step(i: Any, h: Any) -> Any:
            return i + 1, tf.tanh(x[i] @ w + h)

        return while_loop(lambda i, h: i < STEPS - 1, step, (0, tf.zeros([ROWS, UNITS])))

    agree(function, X, W)
    assert products(function, X, W) == (1, 0)


def test_an_index_out_of_range_is_an_error_of_the_interpreter() -> None:
    @tf.function(jit_compile=True)
    def function(x: Any, w: Any) -> Any:
        h = tf.zeros([ROWS, UNITS])
        for i in tf.range(STEPS):
            h = tf.tanh(x[i + 1] @ w + h)
        return h

    with pytest.raises(tf.errors.InvalidArgumentError):
        function(X, W)


def test_products_with_a_transposed_invariant() -> None:
    def function(h: Any, square: Any, n: Any) -> Any:
        def step(i: Any, h: Any) -> Any:
            return i + 1, tf.tanh(tf.matmul(h, square, transpose_b=True))

        return while_loop(lambda i, h: i < n, step, (0, h))

    agree(function, Y[0], SQUARE, np.int32(3))


def test_weights_that_change_in_the_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        def step(i: Any, w: Any) -> Any:
            return i + 1, w - 0.1 * tf.matmul(x[i], x[i] @ w, transpose_a=True)

        return while_loop(lambda i, w: i < STEPS, step, (0, w))

    agree(function, X, W)
    assert products(function, X, W) == (2, 0)


def test_nan_and_infinity_arrive() -> None:
    x, y = X.copy(), Y.copy()
    x[1, 0, 0], y[2, 1, 1] = np.nan, np.inf
    program = Traced(summed, x, y)
    compiled = Program(program.body, True)(program.inputs(x, y))
    for a, e in zip(compiled, program.interpreted(x, y), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-5)


def test_loops_without_elements() -> None:
    agree(summed, X[:, :0], Y[:, :0])
    agree(recurrent, X[:, :, :0], W[:0], SQUARE)


@pytest.mark.parametrize("count", [3, STEPS])
def test_gradients_of_a_recurrent_network(count: int) -> None:
    def gradients(x: Any, w: Any, square: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w, square])
            h = tf.zeros([ROWS, UNITS])
            for i in tf.range(count):
                h = tf.tanh(x[i] @ w + h @ square)
            loss = tf.reduce_sum(h * h)
        return (loss, *tape.gradient(loss, [x, w, square]))

    compiled = tf.function(gradients, jit_compile=True)(X, W, SQUARE)
    interpreted = tf.function(gradients, jit_compile=False)(X, W, SQUARE)
    same([t.numpy() for t in compiled], [t.numpy() for t in interpreted])


def test_second_order_gradients_of_a_recurrent_network() -> None:
    def gradients(w: Any, square: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch([w, square])
            with tf.GradientTape() as inner:
                inner.watch(w)
                h = tf.zeros([ROWS, UNITS])
                for _ in tf.range(STEPS):
                    h = tf.tanh(X[0] @ w + h @ square)
                loss = tf.reduce_sum(h * h)
            first = inner.gradient(loss, w)
            total = tf.reduce_sum(first * first)
        return (first, *outer.gradient(total, [w, square]))

    compiled = tf.function(gradients, jit_compile=True)(W, SQUARE)
    interpreted = tf.function(gradients, jit_compile=False)(W, SQUARE)
    same([t.numpy() for t in compiled], [t.numpy() for t in interpreted], 1e-4)


def test_checked_products_stay_in_the_loop() -> None:
    x = X.copy()
    x[2] = np.inf
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(summed, jit_compile=True)(tf.constant(x), tf.constant(Y))
    finally:
        tf.debugging.disable_check_numerics()
