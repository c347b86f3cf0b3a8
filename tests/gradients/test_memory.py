"""What a tape keeps, and when it lets go: nothing is left to the garbage collector."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    """Only reference counts free memory here, as a training loop wants it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def array_of(tensor: Any) -> weakref.ref[np.ndarray]:
    """A reference that tells when the memory behind a tensor is freed."""
    return weakref.ref(tensor._array)


def large() -> Any:
    return tf.constant(np.ones(1000, np.float32))


# -- what is kept -------------------------------------------------------------------------------


def test_what_no_gradient_names_is_freed_while_the_tape_lives() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        summed = x + 1.0
        memory = array_of(summed)
        y = summed + 2.0  # The gradient of a sum needs neither operand.
        del summed
        assert memory() is None
    np.testing.assert_array_equal(tape.gradient(y, x), np.ones(1000))


def test_inputs_of_a_gradient_live_until_it_uses_them() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        square = x * x
        memory = array_of(square)
        y = square * 3.0 * square
        del square
    assert memory() is not None
    gradient = tape.gradient(y, x)
    assert memory() is None
    np.testing.assert_array_equal(gradient, np.full(1000, 12.0))


def test_unwatched_values_are_not_recorded() -> None:
    x, other = large(), large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        unrelated = other * other
        memory = array_of(unrelated)
        result = unrelated * other
        del unrelated
        assert memory() is None
    assert tape.gradient(result, x) is None


def test_a_branch_is_forgotten_with_its_results() -> None:
    x = large()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        step = tf.exp(x * x)
        memory = array_of(step)
        logged = tf.reduce_sum(tf.math.log(step))
        kept = x * 2.0
        del step
        assert memory() is not None
        del logged
        assert memory() is None
    np.testing.assert_array_equal(tape.gradient(kept, x), np.full(1000, 2.0))


def test_an_op_that_keeps_its_result_does_not_keep_itself() -> None:
    x = large()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x)
        memory = array_of(y)
        del y
        assert memory() is None
        parts = tf.split(tf.nn.softmax(x), 2)
        memory = array_of(parts[0])
        del parts
        assert memory() is None


def test_a_long_chain_is_forgotten_at_once() -> None:
    """Without recursion: the chain is longer than any stack."""
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(50_000):
            y = y + x
        assert tape._ledger is not None
        assert len(tape._ledger.entries) == 50_000
        del y
        assert len(tape._ledger.entries) == 0


# -- when it is freed ---------------------------------------------------------------------------


def test_the_backward_pass_frees_as_it_goes() -> None:
    x = large()
    alive = []

    @tf.custom_gradient
    def probe(y: Any) -> Any:
        """Tells, when the pass comes by, whether what was computed after it is still there."""

        def grad(dy: Any) -> Any:
            alive.append([memory() is not None for memory in memories])
            return dy

        return y * 1.0, grad

    memories = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = x * x
        second = probe(first * first)
        third = second * second
        memories += [array_of(t) for t in (first, second, third)]
        y = third * third
        del first, second, third
    tape.gradient(y, x)
    assert alive == [[True, False, False]]
    assert [memory() for memory in memories] == [None, None, None]


def test_an_unused_tape_frees_its_records_when_deleted() -> None:
    x = large()
    for persistent in (False, True):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            y = x * x
            memory = array_of(y)
            z = y * y
            del y
        assert memory() is not None
        del tape
        assert memory() is None
        assert z.shape == (1000,)


def test_a_persistent_tape_keeps_until_it_goes() -> None:
    x = large()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        memory = array_of(y)
        z = tf.reduce_sum(y * y)
        del y
    for _ in range(2):
        np.testing.assert_array_equal(tape.gradient(z, x), np.full(1000, 4.0))
        assert memory() is not None
    del tape
    assert memory() is None


def test_reset_frees() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        memory = array_of(y)
        z = y * y
        del y
        tape.reset()
        assert memory() is None
    assert z.shape == (1000,)


def test_a_failed_gradient_frees() -> None:
    x = large()

    @tf.custom_gradient
    def failing(y: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise ArithmeticError

        return y * 1.0, grad

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        memory = array_of(y)
        z = failing(y * y)
        del y
    with pytest.raises(ArithmeticError):
        tape.gradient(z, x)
    assert memory() is None


def test_recompute_grad_keeps_nothing() -> None:
    x, memories = large(), []

    def f(x: Any) -> Any:
        inner = x * x
        memories.append(array_of(inner))
        return inner * inner

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(f)(x)
        assert memories[0]() is None
    np.testing.assert_array_equal(tape.gradient(y, x), np.full(1000, 4.0))


def test_a_result_does_not_keep_the_tape_alive() -> None:
    x, losses = large(), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            memory = array_of(y)
            loss = tf.reduce_sum(y * y)
            del y
        tape.gradient(loss, x)
        losses.append(loss)
        assert memory() is None


# -- over many steps ----------------------------------------------------------------------------


def growth(run: Any, warm: int, count: int) -> float:
    """How many bytes more are in use after each of `count` steps; the least of three rounds.

    Threads of other tests allocate at times; what leaks does so in every round.
    """
    tracemalloc.start()
    try:
        run(warm)
        grown = []
        for _ in range(3):
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            run(count)
            # Also empties the lists in which Python keeps freed objects for use again.
            assert gc.collect() == 0, "something was left to the garbage collector"
            grown.append((tracemalloc.get_traced_memory()[0] - before) / count)
            if grown[-1] < 1:
                break
        return min(grown)
    finally:
        tracemalloc.stop()


def test_thousands_of_steps_take_no_more_memory_than_one() -> None:
    w, x = tf.Variable([1.0, 2.0]), tf.constant([0.5, -0.5])

    def train(count: int) -> None:
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = (w * x - 1.0) ** 2
            w.assign_sub(0.01 * tape.gradient(loss, w))

    assert growth(train, 100, 2_000) < 1


def test_steps_inside_one_tape_take_no_more_memory_either() -> None:
    x = tf.constant([0.5, -0.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)

        def look(count: int) -> None:
            for _ in range(count):
                tf.reduce_sum(tf.exp(x * x) + x)

        assert growth(look, 100, 1_000) < 10


def test_higher_orders_leave_nothing_behind() -> None:
    x, v = tf.constant([0.5, -0.5]), tf.constant([1.0, 1.0])

    def run(count: int) -> None:
        for _ in range(count):
            with tf.autodiff.ForwardAccumulator(x, v) as acc:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.reduce_sum(tf.exp(x) * x)
                gradient = tape.gradient(y, x)
            acc.jvp(gradient)

    assert growth(run, 50, 200) < 10


def test_jacobians_and_custom_gradients_leave_nothing_behind() -> None:
    x = tf.constant([0.5, -0.5])

    @tf.custom_gradient
    def f(x: Any) -> Any:
        e = tf.exp(x)
        return e * x, lambda dy: dy * e

    def run(count: int) -> None:
        for _ in range(count):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            tape.jacobian(y, x)

    assert growth(run, 50, 200) < 10
