"""Functions called from several threads: one trace at a time, and never a wrong one."""

from __future__ import annotations

import threading
import time

import pytest

import tapeflow as tf
from tapeflow._src.function import trace_lock as turns


def together(*works):
    """Run the works side by side; what they return, or raise what one raised."""
    barrier = threading.Barrier(len(works))
    results = [None] * len(works)
    errors = []

    def run(index):
        try:
            barrier.wait()
            results[index] = works[index]()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    if errors:
        raise errors[0]
    return results


def test_one_trace_for_all_threads():
    @tf.function
    def function(x):
        time.sleep(0.02)
        return x + 1

    results = together(*[lambda: function(tf.constant(1.0)).numpy()] * 8)
    assert results == [2.0] * 8
    assert function.experimental_get_tracing_count() == 1


def test_variables_are_made_once():
    made = []

    @tf.function
    def function(x):
        if not made:
            time.sleep(0.02)
            made.append(tf.Variable(2.0))
        return x * made[0]

    assert together(*[lambda: function(tf.constant(1.0)).numpy()] * 8) == [2.0] * 8
    assert len(made) == 1


def test_different_arguments_get_their_own_results():
    function = tf.function(lambda x, n: x + n)

    def work(n):
        return lambda: [function(tf.zeros([n % 3 + 1]), n).numpy()[0] for _ in range(50)]

    results = together(*[work(n) for n in range(6)])
    assert results == [[float(n)] * 50 for n in range(6)]
    assert function.experimental_get_tracing_count() == 6


def test_functions_that_call_each_other_do_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.1)
    barrier = threading.Barrier(2)

    @tf.function
    def one(x, deep):
        if deep:
            barrier.wait()
            return two(x, False) + 1
        return x

    @tf.function
    def two(x, deep):
        if deep:
            barrier.wait()
            return one(x, False) + 2
        return x

    x = tf.constant(1.0)
    assert together(lambda: one(x, True).numpy(), lambda: two(x, True).numpy()) == [2.0, 3.0]


@pytest.mark.parametrize("count", [4])
def test_objects_die_while_others_call(count):
    class Thing:
        pass

    function = tf.function(lambda thing, x: x + 1)

    def work():
        return [function(Thing(), tf.constant(1.0)).numpy() for _ in range(20)]

    assert together(*[work] * count) == [[2.0] * 20] * count
    assert len(function._list_all_concrete_functions()) == 0
