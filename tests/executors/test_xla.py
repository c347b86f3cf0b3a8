"""Compiled programs give what the interpreter gives, and leave variables and streams as it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import xla
from tapeflow._src.executors.signatures import signature
from tapeflow._src.graph.compilability import cannot
from tests.executors.helpers import Traced, same


def compiled(function: Callable[..., Any], *examples: Any, dims: Any = None) -> Any:
    """`function` traced, and the executable for arguments like these."""
    program = Traced(function, *examples, dims=dims)
    assert cannot(program.body) == []
    return program, xla.Executable(program.body, program.inputs(*examples))


def agrees(function: Callable[..., Any], *examples: Any, dims: Any = None) -> Any:
    """Compiled and interpreted give the same, which is returned."""
    program, executable = compiled(function, *examples, dims=dims)
    actual = executable(program.inputs(*examples))
    same(actual, program.interpreted(*examples))
    return actual


def adding(variable: Any, value: Any) -> None:
    variable.assign_add(value)


def test_arithmetic() -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    agrees(lambda x, y: (tf.matmul(x, y), tf.reduce_sum(tf.exp(x) - 1)), x, x.T.copy())


def test_64_bits_are_exact_and_the_configuration_is_left_alone() -> None:
    before = jax.config.jax_enable_x64
    a = np.array([2**60 + 1, -7], np.int64)
    b = np.array([1 / 3, 1e300])
    c = np.array([2**63 + 3, 5], np.uint64)
    results = agrees(lambda a, b, c: (a * 2, b / 7, c + 1, tf.cast(b, tf.complex128)), a, b, c)
    assert [r.dtype.name for r in results] == ["int64", "float64", "uint64", "complex128"]
    assert jax.config.jax_enable_x64 == before


def test_outputs_that_need_no_computing() -> None:
    x = np.ones((2, 3), np.float32)
    program, executable = compiled(lambda x: (x, tf.shape(x), tf.constant(7), x + 1), x)
    arrays = program.inputs(x)
    results = executable(arrays)
    assert results[0] is arrays[0]
    same(results, program.interpreted(x))


def test_no_outputs_at_all() -> None:
    v = tf.Variable([1.0, 2.0])
    program, executable = compiled(lambda: adding(v, [1.0, 1.0]))
    assert executable(program.inputs()) == ()
    np.testing.assert_array_equal(v.numpy(), [2.0, 3.0])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint32", "uint64"])
def test_casts_of_half_precision_to_integers_compile_without_warnings(dtype: str) -> None:
    """The ends of the range of integers are infinite in float16."""
    x = np.array([65504.0, -3.5, np.inf, -np.inf, np.nan], np.float16)
    agrees(lambda x: tf.cast(x, dtype), x)


def test_shapes_follow_from_the_arguments() -> None:
    """One graph for all lengths; what decides shapes is computed while compiling."""

    def function(x: Any) -> Any:
        flat = tf.reshape(x, [tf.shape(x)[0] * 3])
        return flat, tf.zeros([tf.size(x), 2]), tf.range(tf.shape(x)[0]), tf.tile(x, [2, 1])

    for length in (2, 5):
        x = np.ones((length, 3), np.float32)
        agrees(function, x, dims=[(None, 3)])


def test_a_shape_computed_from_values_is_refused() -> None:
    program = Traced(lambda x, n: tf.reshape(x, [n, -1]), np.ones(6, np.float32), np.int32(2))
    (refusal,) = cannot(program.body)
    assert refusal.node.type == "Reshape" and "must be known" in refusal.reason
    with pytest.raises(xla.CannotCompileError, match="Reshape"):
        xla.Executable(program.body, program.inputs(np.ones(6, np.float32), np.int32(2)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: x[i],
        lambda x, i: x[i, 1:3],
        lambda x, i: x[1:, i],
        lambda x, i: x[i : i + 2],
        lambda x, i: x[i * 2 : (i + 1) * 2, ::2],
        lambda x, i: x[..., i : i + 3],
        lambda x, i: x[2 * i - 1 + 2 - i : i + 2, tf.newaxis, 1 - i + 1],
        lambda x, i: tf.tensor_scatter_nd_update(x, [[0]], x[i : i + 1]),
    ],
)
def test_slices_with_a_computed_begin(function: Any) -> None:
    x = np.arange(24.0, dtype=np.float32).reshape(4, 6)

    def with_gradient(x: Any, i: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, i) ** 2
        return y, tape.gradient(y, x)

    program, executable = compiled(with_gradient, x, np.int32(1))
    for i in (0, 1):
        same(executable(program.inputs(x, np.int32(i))), program.interpreted(x, np.int32(i)))
    with pytest.raises(xla.Failed):
        executable(program.inputs(x, np.int32(7)))


def test_a_slice_of_a_computed_size_is_refused() -> None:
    x = np.arange(6.0, dtype=np.float32)
    for function in (lambda x, i: x[: i + 1], lambda x, i: x[i:], lambda x, i: x[i : 2 * i]):
        program = Traced(function, x, np.int32(1))
        with pytest.raises(xla.CannotCompileError, match="StridedSlice"):
            xla.Executable(program.body, program.inputs(x, np.int32(1)))


def test_slices_of_variables_with_a_computed_begin() -> None:
    v = tf.Variable(np.zeros((4, 3), np.float32))

    def function(i: Any) -> Any:
        v[i : i + 2, 1:].assign(tf.ones([2, 2]) * tf.cast(i, tf.float32))
        return v.read_value()

    program, executable = compiled(function, np.int32(1))
    first = executable(program.inputs(np.int32(2)))
    v.assign(tf.zeros([4, 3]))
    same(first, program.interpreted(np.int32(2)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.where(x > 0),
        lambda x: tf.unique(x)[0],
        lambda x: (tf.print(x), x)[1],
    ],
)
def test_what_only_the_host_can_do_is_refused(function: Any) -> None:
    program = Traced(function, np.ones(3, np.float32))
    assert cannot(program.body)


# -- variables ---------------------------------------------------------------------------------


def test_variables_are_read_and_written() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(10.0)

    def function(x: Any) -> Any:
        before = v + 0.0
        v.assign_add(x)
        w.assign(w * 2 + v[0])
        v.assign_sub([w, w])
        return before, v.read_value(), w.read_value()

    x = np.array([3.0, 4.0], np.float32)
    program, executable = compiled(function, x)
    start = v.numpy(), w.numpy()
    for _ in range(3):
        by_xla = executable(program.inputs(x)), v.numpy(), w.numpy()
        v.assign(start[0])
        w.assign(start[1])
        by_interpreter = program.interpreted(x), v.numpy(), w.numpy()
        same(by_xla[0], by_interpreter[0])
        same(by_xla[1:], by_interpreter[1:])
        start = v.numpy(), w.numpy()


def test_values_stay_with_compiled_code_between_calls_and_are_read_without_a_copy() -> None:
    v = tf.Variable(np.zeros(1000, np.float32))
    program, executable = compiled(lambda: v.assign_add(tf.ones(1000)).read_value()[:1])
    for expected in (1.0, 2.0, 3.0):
        executable(program.inputs())
        cell = v._cell
        assert cell.device is not None
        seen = v.numpy()
        assert seen[0] == expected
        # What was read keeps its value when the variable moves on.
        tensor = v.read_value()
        executable(program.inputs())
        assert tensor.numpy()[0] == expected and v.numpy()[0] == expected + 1
        v.assign_sub(tf.ones(1000))
        assert v.numpy()[0] == expected


def test_memory_of_variables_is_handed_over() -> None:
    v = tf.Variable(np.zeros((256, 256), np.float32))
    program, executable = compiled(lambda: adding(v, tf.ones([256, 256])))
    executable(program.inputs())
    first = v._cell.device
    place = first.unsafe_buffer_pointer()
    executable(program.inputs())
    assert first.is_deleted()
    assert v._cell.device.unsafe_buffer_pointer() == place
    assert v.numpy()[0, 0] == 2


def test_a_variable_passed_twice_is_one() -> None:
    v = tf.Variable(1.0)
    handle = v.handle._array

    def function() -> Any:
        v.assign_add(1.0)
        return v * 10.0

    program = Traced(function)
    # The same graph, its capture given by two inputs.
    executable = xla.Executable(program.body, [handle])
    same(executable([handle]), (np.float32(20),))
    assert signature([handle, handle]) != signature([handle, tf.Variable(1.0).handle._array])


def test_rows_of_variables() -> None:
    v = tf.Variable(np.arange(12.0, dtype=np.float32).reshape(4, 3))
    rows = np.array([2, 0, 2], np.int32)

    def function(rows: Any) -> Any:
        v.scatter_add(tf.IndexedSlices(tf.ones([3, 3]), rows))
        v.scatter_update(tf.IndexedSlices(tf.zeros([1, 3]), tf.constant([3])))
        v.scatter_max(tf.IndexedSlices(tf.fill([1, 3], 2.5), tf.constant([1])))
        v.scatter_nd_add([[0, 1], [0, 1]], [5.0, 6.0])
        v[1:3, 0].assign([100.0, 200.0])
        return tf.gather(v, rows), v.sparse_read(rows)

    start = v.numpy()
    program, executable = compiled(function, rows)
    by_xla = (*executable(program.inputs(rows)), v.numpy())
    v.assign(start)
    same(by_xla, (*program.interpreted(rows), v.numpy()))


def test_from_several_threads_no_update_is_lost() -> None:
    v = tf.Variable(np.zeros(64, np.float32))
    program, executable = compiled(lambda: adding(v, tf.ones(64)))
    seen: list[float] = []

    def run() -> None:
        for _ in range(50):
            executable(program.inputs())
            seen.append(v.numpy()[0])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy().tolist() == [200.0] * 64 and len(seen) == 200


# -- failures ----------------------------------------------------------------------------------


def test_a_failure_changes_nothing() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    def function(i: Any) -> Any:
        v.assign_add([1.0, 1.0, 1.0])
        return tf.gather(v, i) * tf.random.uniform([], seed=5)

    tf.random.set_seed(1)
    program, executable = compiled(function, np.int32(1))
    good = executable(program.inputs(np.int32(1)))
    with pytest.raises(xla.Failed):
        executable(program.inputs(np.int32(7)))
    np.testing.assert_array_equal(v.numpy(), [2.0, 3.0, 4.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ResourceGather(.|\n)*test_xla.py"):
        program.interpreted(np.int32(7))
    # The interpreter had added before it failed, and drew no number.
    np.testing.assert_array_equal(v.numpy(), [3.0, 4.0, 5.0])
    second = executable(program.inputs(np.int32(0)))
    tf.random.set_seed(1)
    v.assign([1.0, 2.0, 3.0])
    same(program.interpreted(np.int32(1)), good)
    v.assign([3.0, 4.0, 5.0])
    same(program.interpreted(np.int32(0)), second)


@pytest.mark.parametrize(
    ("function", "fine", "wrong"),
    [
        (lambda x: tf.debugging.check_numerics(x, "found"), [1.0], [np.inf]),
        (lambda x: (tf.debugging.assert_positive(x), x + 1)[1], [1.0], [-1.0]),
        (lambda x: 5 // tf.cast(x, tf.int32), [2.0], [0.0]),
        (lambda x: tf.gather_nd([[1, 2]], tf.cast(x, tf.int32)), [0.0], [1.0]),
    ],
)
def test_what_fails_eagerly_fails_compiled(function: Any, fine: Any, wrong: Any) -> None:
    good, bad = np.array(fine, np.float32), np.array(wrong, np.float32)
    program, executable = compiled(function, good)
    same(executable(program.inputs(good)), program.interpreted(good))
    with pytest.raises(xla.Failed):
        executable(program.inputs(bad))
    with pytest.raises(tf.errors.InvalidArgumentError):
        program.interpreted(bad)


# -- randomness --------------------------------------------------------------------------------


def test_random_numbers_are_those_of_the_interpreter() -> None:
    def function() -> Any:
        return (
            tf.random.uniform([3], seed=3),
            tf.random.normal([2, 5], seed=3),
            tf.random.uniform([4], 0, 100, tf.int64, seed=1),
            tf.random.shuffle(tf.range(10), seed=2),
        )

    tf.random.set_seed(7)
    program, executable = compiled(function)
    calls = [executable(program.inputs()) for _ in range(2)]
    calls.append(program.interpreted())
    calls.append(executable(program.inputs()))
    tf.random.set_seed(7)
    for call in calls:
        same(call, program.interpreted(), tolerance=1e-6)
    assert not np.array_equal(calls[0][0], calls[1][0])


def test_generators_move_on() -> None:
    generator = tf.random.Generator.from_seed(3)
    program, executable = compiled(lambda: generator.normal([4]))
    first = [executable(program.inputs())[0] for _ in range(3)]
    generator.reset_from_seed(3)
    for value in first:
        same([value], program.interpreted(), tolerance=1e-6)
