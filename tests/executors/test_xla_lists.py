"""Lists of tensors in compiled code: TensorArray, list ops, and gradients of loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.tensor_list import TensorList
from tapeflow._src.executors import xla
from tapeflow._src.executors.program import Program
from tapeflow._src.graph.control_flow import cond, while_loop
from tapeflow._src.ops.lists import bulk as tensor_list_bulk
from tapeflow._src.ops.lists import tensor_list
from tests.executors.helpers import Traced, same

FLOAT = np.float32
X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], FLOAT)


def agree(function: Any, *calls: tuple[Any, ...], **options: Any) -> None:
    """Compiled from the first call on, and interpreted, a function gives the same."""
    program = Traced(function, *calls[0], **options)
    run = Program(program.body, True)
    for call in calls:
        same(run(program.inputs(*call)), program.interpreted(*call))
    assert run._run._executables  # type: ignore[union-attr]


def test_an_array_written_in_a_loop() -> None:
    def function(x: Any) -> Any:
        def step(i: Any, array: Any) -> Any:
            return i + 1, array.write(i, x[i] * 2.0)

        array = tf.TensorArray(tf.float32, size=3)
        return while_loop(lambda i, a: i < 3, step, (0, array))[1].stack()

    agree(function, (X,))


def test_an_array_of_a_size_that_follows_from_a_shape() -> None:
    def function(x: Any) -> Any:
        count = tf.shape(x)[0]
        array = tf.TensorArray(tf.float32, size=count)

        def step(i: Any, total: Any, array: Any) -> Any:
            total = total + x[i]
            return i + 1, total, array.write(i, total)

        return while_loop(lambda i, t, a: i < count, step, (0, tf.zeros(2), array))[2].stack()

    agree(function, (X,), (X[:2],), dims=[(None, 2)])


def test_an_array_that_grows_by_constant_indices() -> None:
    def function(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in range(4):
            array = array.write(i, x + float(i))
        return array.stack(), array.read(2), array.gather([3, 0]), array.size()

    agree(function, (X,))


def test_unstacked_and_joined() -> None:
    def function(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=3).unstack(x)
        return array.read(1), array.concat(), array.write(0, [9.0, 9.0]).stack()

    agree(function, (X,))


def test_a_list_with_branches() -> None:
    def function(x: Any, p: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=2, element_shape=[2])
        flow = cond(p, lambda: array.write(0, x[0]).flow, lambda: array.write(1, x[1]).flow)
        return tensor_list_bulk.tensor_list_stack(
            flow, [2], element_dtype=tf.float32, num_elements=2
        )

    agree(function, (X, np.True_), (X, np.False_))


def test_pushing_in_some_iterations_only() -> None:
    def function(x: Any, n: Any) -> Any:
        empty = tensor_list.empty_tensor_list([], -1, element_dtype=tf.float32)

        def step(i: Any, kept: Any) -> Any:
            value = x[i % 3, 0]
            push = tensor_list.tensor_list_push_back
            return i + 1, cond(value > 2.0, lambda: push(kept, value), lambda: kept)

        kept = while_loop(lambda i, k: i < n, step, (0, empty))[1]
        count = tensor_list.tensor_list_length(kept)
        kept, last = tensor_list.tensor_list_pop_back(kept, [], element_dtype=tf.float32)
        return count, last, tensor_list.tensor_list_length(kept)

    # More iterations than lists are first made for.
    agree(function, (X, np.int32(3)), (X, np.int32(20)), (X, np.int32(1000)))


@pytest.mark.parametrize("index", [-1, 3])
def test_indices_out_of_range_fail(index: int) -> None:
    def function(x: Any, i: Any) -> Any:
        return tf.TensorArray(tf.float32, size=3).unstack(x).read(i)

    program = Traced(function, X, np.int32(0))
    executable = xla.Executable(program.body, program.inputs(X, np.int32(0)))
    same(executable(program.inputs(X, np.int32(2))), [X[2]])
    with pytest.raises(xla.Failed):
        executable(program.inputs(X, np.int32(index)))
    with pytest.raises(tf.errors.InvalidArgumentError):
        program.interpreted(X, np.int32(index))


def test_lists_enter_and_leave_programs() -> None:
    program = Traced(
        lambda x: tensor_list_bulk.tensor_list_from_tensor(x * 2.0, [2]),
        X,
    )
    (made,) = xla.Executable(program.body, program.inputs(X))(program.inputs(X))
    assert isinstance(made, TensorList) and made.length == 3
    np.testing.assert_array_equal(made.get(1), [6.0, 8.0])


def test_gradient_of_a_loop_with_a_static_number_of_iterations() -> None:
    def function(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w])

            def step(i: Any, h: Any) -> Any:
                return i + 1, tf.tanh(tf.linalg.matvec(w, h) + x[i])

            h = while_loop(lambda i, h: i < tf.shape(x)[0], step, (0, tf.zeros(2)))[1]
            loss = tf.reduce_sum(h * h)
        return (loss, *tape.gradient(loss, [x, w]))

    agree(function, (X, np.eye(2, dtype=FLOAT) * 0.5))


def test_gradient_of_a_loop_that_ends_when_it_will() -> None:
    def function(x: Any, limit: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = while_loop(lambda y: tf.reduce_sum(y) < limit, lambda y: (y * x,), (x,))
            loss = tf.reduce_sum(y)
        return loss, tape.gradient(loss, x)

    x = np.array([1.1, 1.01], FLOAT)
    agree(function, (x, FLOAT(3)), (x, FLOAT(10)), (x, FLOAT(5000)))


def test_gradient_of_an_array_written_in_a_loop() -> None:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=3)

            def step(i: Any, array: Any) -> Any:
                return i + 1, array.write(i, x[i] ** 3)

            rows = while_loop(lambda i, a: i < 3, step, (0, array))[1].stack()
            loss = tf.reduce_sum(rows * tf.range(3.0)[:, None])
        return tape.gradient(loss, x)

    agree(function, (X,))


def _recurrent(v: Any, x: Any) -> Any:
    """The gradient of a loop that reads a variable in every iteration."""
    with tf.GradientTape() as tape:
        y = while_loop(
            lambda i, y: i < 6, lambda i, y: (i + 1, tf.tanh(y @ v + tf.sin(y))), (0, x)
        )[1]
        loss = tf.reduce_sum(y * y)
    return loss, tape.gradient(loss, v)


def test_a_loop_collects_a_row_for_each_iteration_and_list() -> None:
    v = tf.Variable(np.full((32, 32), 0.01, FLOAT))
    x = np.ones((12, 32), FLOAT)
    agree(lambda x: _recurrent(v, x), (x,))
    program = Traced(lambda x: _recurrent(v, x), x)
    memory = xla.Executable(program.body, program.inputs(x)).memory
    residuals = 4 * 6 * x.nbytes
    assert memory < 2 * residuals


def test_a_variable_that_a_loop_only_reads_is_not_collected() -> None:
    v = tf.Variable(np.full((2, 2), 0.25, FLOAT))
    graph = Traced(lambda x: _recurrent(v, x), X).graph
    (loop,) = (node for node in graph.nodes if node.type == "While")
    pushed = [
        node.inputs[1].op.type
        for node in loop.attrs["body"].nodes()
        if node.definition is tensor_list.tensor_list_push_back
    ]
    assert pushed and "ReadVariableOp" not in pushed


def test_a_variable_that_a_loop_changes_is_collected() -> None:
    v = tf.Variable(np.full((2, 2), 0.25, FLOAT))

    def step(i: Any, y: Any) -> Any:
        y = tf.tanh(y @ v)
        v.assign(v * 0.5)
        return i + 1, y

    def function(x: Any) -> Any:
        v.assign(np.full((2, 2), 0.25, FLOAT))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = while_loop(lambda i, y: i < 4, step, (0, x))[1]
        return tape.gradient(y, x)

    agree(function, (X,))
    expected, y, factors = np.ones_like(X), X, []
    for i in range(4):
        weights = np.full((2, 2), 0.25, FLOAT) * 0.5**i
        y = np.tanh(y @ weights)
        factors.append((1 - y * y, weights))
    for slope, weights in reversed(factors):
        expected = (expected * slope) @ weights.T
    np.testing.assert_allclose(tf.function(function)(tf.constant(X)), expected, rtol=1e-5)
