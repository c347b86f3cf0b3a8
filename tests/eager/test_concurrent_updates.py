"""Each change of a variable is atomic, in whatever mode it runs, and readers see whole values."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import locking
from tapeflow._src.core.resource import Cell

THREADS, CALLS = 4, 100
SHAPES = pytest.mark.parametrize("shape", [(), (200, 200)], ids=str)


@pytest.fixture(autouse=True)
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _together(*calls: Callable[[], Any], times: int = CALLS) -> None:
    """Run each of `calls` many times, each on a thread of its own."""
    failures: list[BaseException] = []

    def repeat(call: Callable[[], Any]) -> None:
        try:
            for _ in range(times):
                call()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@SHAPES
@pytest.mark.parametrize("mode", ["eager", "interpreted", "compiled"])
def test_every_addition_arrives(shape: tuple[int, ...], mode: str) -> None:
    v, one = tf.Variable(tf.zeros(shape)), tf.ones(shape)

    def add() -> None:
        v.assign_add(one)

    call = add if mode == "eager" else tf.function(add, jit_compile=mode == "compiled")
    call()
    _together(*[call] * THREADS)
    np.testing.assert_array_equal(v.numpy(), np.full(shape, THREADS * CALLS + 1, np.float32))


def test_modes_can_be_mixed_and_readers_see_whole_values() -> None:
    v, one = tf.Variable(tf.zeros([200, 200])), tf.ones([200, 200])
    interpreted = tf.function(lambda: v.assign_add(one), jit_compile=False)
    compiled = tf.function(lambda: v.assign_sub(one), jit_compile=True)
    read = tf.function(lambda: v + 0.0, jit_compile=True)
    interpreted(), compiled(), read()
    torn = []

    def look() -> None:
        for value in (v.value().numpy(), read().numpy()):
            if value.min() != value.max():
                torn.append(value)

    _together(lambda: v.assign_add(one), interpreted, compiled, look)
    np.testing.assert_array_equal(v.numpy(), np.full((200, 200), CALLS, np.float32))
    assert not torn


@pytest.mark.parametrize("in_function", [False, True])
def test_every_row_arrives(in_function: bool) -> None:
    v = tf.Variable(tf.zeros([50, 8]))
    rows = tf.IndexedSlices(tf.ones([3, 8]), tf.constant([1, 4, 1]))
    update: Any = lambda: v.scatter_add(rows)  # noqa: E731
    if in_function:
        update = tf.function(update, jit_compile=False)
    nd: Any = lambda: v.scatter_nd_add([[7]], tf.ones([1, 8]))  # noqa: E731
    update()
    _together(update, update, nd, nd)
    np.testing.assert_array_equal(
        v.numpy()[[1, 4, 7], 0], [4 * CALLS + 2, 2 * CALLS + 1, 2 * CALLS]
    )


@pytest.mark.parametrize("jit_compile", [False, True])
def test_optimizer_steps_do_not_get_lost(jit_compile: bool) -> None:
    shape = [100, 20]
    var, accum = tf.Variable(tf.zeros(shape)), tf.Variable(tf.zeros(shape))
    one, grad = tf.constant(1.0), tf.ones(shape)

    def update() -> None:
        tf.raw_ops.ResourceApplyMomentum(
            var=var.handle, accum=accum.handle, lr=one, grad=grad, momentum=one
        )

    call = tf.function(update, jit_compile=jit_compile)
    call()
    _together(update, update, call)
    count = 3 * CALLS + 1
    np.testing.assert_array_equal(accum.numpy(), np.full(shape, count, np.float32))
    np.testing.assert_array_equal(var.numpy(), np.full(shape, -count * (count + 1) / 2, np.float32))


def test_generators_give_nobody_the_same_numbers() -> None:
    generator = tf.random.Generator.from_seed(1)
    drawn: list[float] = []
    _together(*[lambda: drawn.append(float(generator.uniform([])))] * THREADS)
    assert len(set(drawn)) == THREADS * CALLS


def test_programs_that_change_each_others_variables_do_not_block_each_other() -> None:
    first, second = tf.Variable(tf.zeros([100])), tf.Variable(tf.zeros([100]))

    @tf.function(jit_compile=True)
    def forward() -> None:
        first.assign_add(0.0 * second + 1.0)

    @tf.function(jit_compile=True)
    def backward() -> None:
        second.assign_add(0.0 * first + 1.0)

    forward(), backward()
    _together(forward, backward, forward, backward)
    for v in (first, second):
        np.testing.assert_array_equal(v.numpy(), np.full(100, 2 * CALLS + 1, np.float32))


def test_a_signal_handler_sees_a_variable_that_is_being_written() -> None:
    cell = Cell(np.ones(3, np.float32), tf.float32, (3,), "v")
    with cell.lock:
        array = cell.take()
        assert cell.array is None
        array += 1
        np.testing.assert_array_equal(cell.now(), [2, 2, 2])
        assert cell.now() is not array
        cell.put()
    assert cell.array is array


def test_a_write_that_was_cut_short_loses_nothing() -> None:
    v = tf.Variable([1.0, 2.0])
    with v._cell.lock:
        v._cell.take()
    np.testing.assert_array_equal(v.numpy(), [1, 2])
    v.assign_add([1.0, 1.0])
    np.testing.assert_array_equal(v.numpy(), [2, 3])


def test_locks_are_released_whatever_happens() -> None:
    cells = [Cell(None, tf.float32, (), "v") for _ in range(3)]

    def fail() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        locking.holding(locking.in_order(cells), fail)
    taken: list[bool] = []

    def take() -> None:
        for cell in cells:
            taken.append(cell.lock.acquire(timeout=5))
            cell.lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    assert taken == [True] * 3


FORKING = """
import os, threading, tapeflow as tf
v, one = tf.Variable(tf.zeros([300, 300])), tf.ones([300, 300])
stop = threading.Event()

def write():
    while not stop.wait(0.0002):
        v.assign_add(one)

threads = [threading.Thread(target=write) for _ in range(2)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(10):
    child = os.fork()
    if child == 0:
        value = v.assign_add(one).numpy()
        os._exit(0 if value.min() == value.max() else 1)
    statuses.append(os.waitpid(child, 0)[1])
stop.set()
print(statuses)
"""


def test_a_forked_process_can_use_variables_that_others_were_writing() -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == f"{[0] * 10}\n", run.stderr
