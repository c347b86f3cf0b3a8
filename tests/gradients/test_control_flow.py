"""Derivatives of branches and loops in graphs are those of the Python that runs eagerly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.control_flow_programs import PROGRAMS, count_to

X = np.array([0.7, 1.2])
# What XLA has no shapes for, and jacobians neither.
UNKNOWN_SHAPES = {"branch_of_unknown_shape", "growing", "array_of_dynamic_size"}
every_program = pytest.mark.parametrize("name", PROGRAMS)


def derivative(program: Any, order: int) -> Any:
    """A function of `x`: the gradient of the gradient of … a loss on the program's result."""

    def first(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = program(x)
            loss = tf.reduce_sum(tf.sin(result))
        return tf.convert_to_tensor(tape.gradient(loss, x))

    if order == 0:
        return program
    if order == 1:
        return first
    return derivative_of(derivative(program, order - 1))


def derivative_of(function: Any) -> Any:
    def next_(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            weighted = tf.reduce_sum(tf.cos(function(x)) * np.array([1.0, 2.0]))
        return tf.convert_to_tensor(tape.gradient(weighted, x))

    return next_


def graph(function: Any, **options: Any) -> Any:
    return tf.function(function, autograph=False, **options)


@every_program
@pytest.mark.parametrize("order", [0, 1, 2])
def test_tapes_in_a_function(name: str, order: int) -> None:
    x = tf.constant(X)
    function = derivative(PROGRAMS[name], order)
    np.testing.assert_allclose(graph(function)(x), function(x), rtol=1e-9)


@pytest.mark.parametrize("name", ["power", "branch_in_loop", "loop_in_loop", "array_read"])
def test_third_derivatives(name: str) -> None:
    x = tf.constant(X)
    function = derivative(PROGRAMS[name], 3)
    np.testing.assert_allclose(graph(function)(x), function(x), rtol=1e-8)


@every_program
@pytest.mark.parametrize("order", [1, 2])
def test_tapes_around_a_call(name: str, order: int) -> None:
    x = tf.constant(X)
    function = graph(PROGRAMS[name])
    expected = derivative(PROGRAMS[name], order)(x)
    np.testing.assert_allclose(derivative(function, order)(x), expected, rtol=1e-9)
    # What the gradient made the graph give out is of no account to what comes after.
    np.testing.assert_allclose(function(x), PROGRAMS[name](x), rtol=1e-9)


@every_program
def test_any_size_in_one_trace(name: str) -> None:
    """With nothing known of the shape, zeros and intermediates are made when the graph runs."""
    x = tf.constant(X)
    function = derivative(PROGRAMS[name], 1)
    traced = graph(function, input_signature=[tf.TensorSpec([None], tf.float64)])
    np.testing.assert_allclose(traced(x), function(x), rtol=1e-9)


COMPUTED_SHAPES = {*UNKNOWN_SHAPES, "branch_of_unknown_shape_in_loop"}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", ["branch_in_loop", "loop_in_loop", "array_written"])
def test_compiled(name: str, order: int) -> None:
    x = tf.constant(X)
    function = derivative(PROGRAMS[name], order)
    np.testing.assert_allclose(graph(function, jit_compile=True)(x), function(x), rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in COMPUTED_SHAPES])
def test_all_compiled(name: str) -> None:
    for order in (0, 1, 2):
        test_compiled(name, order)


def test_the_branch_is_chosen_by_each_call() -> None:
    traced = graph(derivative(PROGRAMS["branch_taken"], 1))
    for sign in (1.0, -1.0, 1.0):
        x = tf.constant(X * sign)
        expected = derivative(PROGRAMS["branch_taken"], 1)(x)
        np.testing.assert_allclose(traced(x), expected, rtol=1e-9)


def test_the_number_of_iterations_is_that_of_each_call() -> None:
    def program(x: Any, n: Any) -> Any:
        return count_to(n, lambda i, y: tf.sin(y) * x, x)

    def gradient(x: Any, n: Any) -> Any:
        return derivative(lambda x: program(x, n), 1)(x)

    traced = graph(gradient)
    for n in (3, 0, 7):
        x, count = tf.constant(X), tf.constant(n)
        np.testing.assert_allclose(traced(x, count), gradient(x, count), rtol=1e-9)


def jacobian(program: Any) -> Any:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return tape.jacobian(y, x)

    return function


def directional(program: Any) -> Any:
    def function(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = program(x)
        return accumulator.jvp(y)

    return function


@every_program
@pytest.mark.parametrize("transform", [jacobian, directional])
def test_jacobians_and_directional_derivatives(name: str, transform: Any) -> None:
    x = tf.constant(X)
    program = PROGRAMS[name]
    expected = transform(program)(x)
    np.testing.assert_allclose(transform(graph(program))(x), expected, rtol=1e-9)
    if transform is directional or name not in UNKNOWN_SHAPES:
        np.testing.assert_allclose(graph(transform(program))(x), expected, rtol=1e-9)


# -- variables --------------------------------------------------------------------------------


def test_variables_read_in_branches_and_loops() -> None:
    v = tf.Variable([2.0, 3.0])
    w = tf.Variable(0.5)

    def program(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return tf.cond(tf.equal(i, 1), lambda: y * v, lambda: tf.sin(y) + w)

        return tf.reduce_sum(count_to(3, body, x))

    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = program(x)
        assert {id(q) for q in tape.watched_variables()} == {id(v), id(w)}
        return tape.gradient(loss, [v, w])

    x = tf.constant([0.3, 0.4])
    expected = gradients(x)
    outside = graph(program)
    with tf.GradientTape() as tape:
        loss = outside(x)
    for found in (graph(gradients)(x), tape.gradient(loss, [v, w])):
        for mine, plain in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, plain, rtol=1e-6)


def test_rows_of_a_variable_read_in_branches_and_loops() -> None:
    table = tf.Variable(np.arange(8.0).reshape(4, 2))

    def looked_up(i: Any) -> Any:
        return tf.reduce_sum(tf.gather(table, [i, 1]) ** 2)

    def branching(i: Any) -> Any:
        return tf.cond(i > 0, lambda: looked_up(i), lambda: looked_up(i + 2) * 3.0)

    def looping(n: Any) -> Any:
        zero = tf.constant(0.0, tf.float64)
        return count_to(n, lambda i, y: tf.sin(y) + looked_up(i), zero)

    for program in (branching, looping):
        for i in (0, 3):
            with tf.GradientTape() as tape:
                loss = program(tf.constant(i))
            expected = tf.convert_to_tensor(
                tape.gradient(loss, table, unconnected_gradients="zero")
            )
            with tf.GradientTape() as tape:
                loss = graph(program)(tf.constant(i))
            found = tape.gradient(loss, table, unconnected_gradients="zero")
            np.testing.assert_allclose(tf.convert_to_tensor(found), expected, rtol=1e-9)


def test_branches_that_are_all_sparse_stay_sparse() -> None:
    table = tf.Variable(np.ones((1000, 2)))

    def program(i: Any) -> Any:
        return tf.cond(
            i > 0,
            lambda: tf.reduce_sum(tf.gather(table, [i])),
            lambda: tf.reduce_sum(tf.gather(table, [i, 5])),
        )

    with tf.GradientTape() as tape:
        loss = graph(program)(tf.constant(3))
    gradient = tape.gradient(loss, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [3]


# -- what surrounds them ----------------------------------------------------------------------


def test_inner_functions_with_loops() -> None:
    @tf.function(autograph=False)
    def inner(x: Any) -> Any:
        return count_to(3, lambda i, y: tf.sin(y) * x, x)

    def program(x: Any) -> Any:
        return inner(x) * inner(x * x)

    def plain(x: Any) -> Any:
        inside = inner.python_function
        return inside(x) * inside(x * x)

    x = tf.constant(X)
    for order in (1, 2):
        expected = derivative(plain, order)(x)
        np.testing.assert_allclose(graph(derivative(program, order))(x), expected, rtol=1e-9)
        np.testing.assert_allclose(derivative(graph(program), order)(x), expected, rtol=1e-9)


def test_custom_gradients_in_branches_and_loops() -> None:
    @tf.custom_gradient
    def twice_as_steep(x: Any) -> Any:
        return tf.sin(x), lambda dz: 2.0 * dz * tf.cos(x)

    def program(x: Any) -> Any:
        def body(i: Any, y: Any) -> Any:
            return tf.cond(i > 0, lambda: twice_as_steep(y) * x, lambda: y)

        return count_to(3, body, x)

    x = tf.constant(X)
    for order in (1, 2):
        expected = derivative(program, order)(x)
        np.testing.assert_allclose(graph(derivative(program, order))(x), expected, rtol=1e-9)


def test_a_persistent_tape_computes_gradients_twice() -> None:
    def program(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = count_to(3, lambda i, y: y * x, x)
            z = tf.cond(x[0] > 0, lambda: y * y, lambda: y)
        return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)

    x = tf.constant(X)
    for mine, plain in zip(graph(program)(x), program(x), strict=True):
        np.testing.assert_allclose(mine, plain, rtol=1e-9)


def test_a_gradient_taken_inside_a_loop() -> None:
    """Newton's method: every step differentiates."""

    def program(x: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(y)
                value = tf.cond(y[0] > 100, lambda: y, lambda: y * y - x)
            return y - value / tape.gradient(value, y)

        return count_to(4, step, x + 0.1)

    x = tf.constant(X)
    for order in (0, 1, 2):
        expected = derivative(program, order)(x)
        np.testing.assert_allclose(graph(derivative(program, order))(x), expected, rtol=1e-9)


def test_symbolic_gradients() -> None:
    def program(x: Any) -> Any:
        y = count_to(3, lambda i, y: tf.cond(i > 0, lambda: y * x, lambda: tf.sin(y)), x)
        return tf.gradients(y, x)[0]

    def plain(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x * x
        return tape.gradient(y, x)

    x = tf.constant(X)
    np.testing.assert_allclose(graph(program)(x), plain(x), rtol=1e-9)


@pytest.mark.parametrize("jit_compile", [None, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("known", [True, False], ids=["constant", "argument"])
def test_a_value_that_is_known_is_differentiated_by_again(known: bool, jit_compile: Any) -> None:
    """x**7 by a loop and sin(x) * x by a branch, of which second derivatives are taken."""

    def program(given: Any) -> Any:
        x = tf.constant(1.5) if known else given
        power = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x**3), (0, x))[1]
        branch = tf.cond(given > 0.0, lambda: tf.sin(x) * x, lambda: x)
        first = [tf.gradients(y, [x])[0] for y in (power, branch)]
        return first + [tf.gradients(y, [x])[0] for y in first]

    found = tf.function(program, jit_compile=jit_compile)(tf.constant(1.5))
    sine, cosine = np.sin(1.5), np.cos(1.5)
    expected = [7 * 1.5**6, sine + 1.5 * cosine, 42 * 1.5**5, 2 * cosine - 1.5 * sine]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_goes_into_a_branch_or_a_loop_is_connected_with_what_comes_out() -> None:
    def program(x: Any, unused: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, unused])
            y, z = count_to(3, lambda i, y, z: (y + 1.0, z * x), tf.zeros([2], x.dtype), x)
            stopped = tf.cond(x[0] > 0, lambda: tf.stop_gradient(x), lambda: x * 0.0)
        assert tape.gradient(z, unused) is None
        return [tape.gradient(target, x) for target in (y, stopped, z)]

    by_loop, by_branch, reached = graph(program)(tf.constant(X), tf.constant(X))
    assert by_loop.numpy().tolist() == by_branch.numpy().tolist() == [0, 0]
    assert np.all(reached.numpy() != 0)


# -- tensors from outside that branches and loops use --------------------------------------------

CONSTANT = tf.constant(2.0)


def _branch() -> Any:
    return tf.cond(tf.constant(True), lambda: CONSTANT * CONSTANT, lambda: CONSTANT)


def _loop() -> Any:
    first = [tf.constant(0), tf.constant(1.0)]
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * CONSTANT), first)[1]


def _branch_in_a_loop() -> Any:
    def step(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(a > 0.0, lambda: a * CONSTANT, lambda: a)

    return tf.while_loop(lambda i, a: i < 3, step, [tf.constant(0), tf.constant(1.0)])[1]


@pytest.mark.parametrize(
    ("program", "expected"), [(_branch, 4.0), (_loop, 12.0), (_branch_in_a_loop, 12.0)]
)
def test_small_tensors_from_outside_have_gradients(program: Any, expected: float) -> None:
    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(CONSTANT)
            y = program()
        return tape.gradient(y, CONSTANT)

    assert taped().numpy() == expected
    assert tf.function(taped, autograph=False)().numpy() == expected
    assert tf.function(taped, autograph=False, jit_compile=True)().numpy() == expected
    symbolic = tf.function(lambda: tf.gradients(program(), CONSTANT), autograph=False)
    assert symbolic()[0].numpy() == expected
    around = tf.function(program, autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(CONSTANT)
        y = around()
    assert tape.gradient(y, CONSTANT).numpy() == expected
