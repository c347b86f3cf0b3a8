"""Thousands of calls: traces, executables and memory stay bounded, without compile storms."""

from __future__ import annotations

import gc
import resource
import tracemalloc

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import background, tiers


def executables(function: tf.types.experimental.PolymorphicFunction, *arguments: object) -> int:
    """How many executables the function keeps for its only trace."""
    run = function.get_concrete_function(*arguments)._callee.program._run
    slots = [*run._slots.values(), *([run._only] if run._only else [])]
    return sum(slot.executable is not None for slot in slots)


@pytest.fixture
def eager_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is hot from the start: as many executables as there ever could be."""
    monkeypatch.setattr(tiers, "HOT_SECONDS", 1e-5)
    monkeypatch.setattr(tiers, "TRIVIAL_SECONDS", 0.0)
    monkeypatch.setattr(tiers, "HOT_CALLS", 2)


def steps(x: tf.Tensor) -> tf.Tensor:
    for _ in range(4):
        x = tf.sin(x) * 2.0 + tf.reduce_sum(x)
    return x


def test_changing_values(eager_to_compile: None) -> None:
    function = tf.function(steps)
    x = np.arange(8, dtype=np.float32)
    for i in range(2_000):
        function(tf.constant(x + i))
    background.compiler.wait(30)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for i in range(6_000):
        function(tf.constant(x + i))
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert function.experimental_get_tracing_count() == 1
    assert executables(function, tf.constant(x)) <= 1
    assert grown < 70_000


def test_changing_lengths(eager_to_compile: None) -> None:
    function = tf.function(steps, input_signature=[tf.TensorSpec([None])])
    for length in range(1, 501):
        for _ in range(5):
            function(tf.ones([length]))
        if length == 50:
            background.compiler.wait(60)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    background.compiler.wait(60)
    compiled = function.get_concrete_function()._callee.program._run._compiled
    assert function.experimental_get_tracing_count() == 1
    assert executables(function) <= tiers.CACHED_EXECUTABLES
    # Each executable beyond the first few has to be twice as hot as the one before it.
    assert 0 < compiled < 2 * tiers.CACHED_EXECUTABLES
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used
    assert grown < 300_000  # kilobytes
