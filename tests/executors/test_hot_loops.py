"""Loops move to compiled code between two iterations, and compute the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tapeflow._src.executors import background, hot_loops
from tapeflow._src.executors.hot_loops import HotLoop
from tapeflow._src.executors.program import Program
from tapeflow._src.executors.tiers import Slot
from tests.executors.helpers import Traced, same

X = np.linspace(-1.0, 1.0, 6, dtype=np.float32)


@pytest.fixture(autouse=True)
def every_loop_is_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are compiled at once, tried for two iterations, and chosen, whatever the clock says."""
    monkeypatch.setattr(hot_loops, "is_faster", lambda compiled, interpreted: True)
    monkeypatch.setattr(hot_loops, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(hot_loops, "HOT_SECONDS_WITHOUT_JAX", 0.0)
    monkeypatch.setattr(hot_loops, "_MEASURABLE_SECONDS", 0.0)
    monkeypatch.setattr(hot_loops, "TRIAL_SECONDS", 1e-12)


class Watched:
    """A function whose loop is ready to move, and the same function interpreted throughout."""

    def __init__(self, function: Callable[..., Any], *examples: Any) -> None:
        self.program = Traced(tf.autograph.to_graph(function), *examples)
        self.run = Program(self.program.body)
        self.reference = Program(self.program.body, False)

    def warm_up(self, *arguments: Any) -> None:
        """Run once, and wait until the loop is compiled."""
        self.run(self.program.inputs(*arguments))
        assert background.compiler.wait(60)

    @property
    def loop(self) -> HotLoop:
        (loop,) = self.run._loops
        return loop

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        return self.run(self.program.inputs(*arguments))

    def interpreted(self, *arguments: Any) -> tuple[Any, ...]:
        return self.reference(self.program.inputs(*arguments))


def _rotations(x: Any, n: Any) -> Any:
    total = tf.zeros_like(x)
    for i in tf.range(n):
        x = tf.sin(x) + tf.cast(i, tf.float32) * 0.125
        total += x
    return x, total


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 40])
def test_results_are_those_of_the_interpreter(count: int) -> None:
    watched = Watched(_rotations, X, np.int32(0))
    watched.warm_up(X, np.int32(40))
    for _ in range(3):
        same(watched(X, np.int32(count)), watched.interpreted(X, np.int32(count)))
    assert watched.loop.compiled > 0 or count < 2


def test_a_later_call_is_compiled_from_the_first_iteration() -> None:
    watched = Watched(_rotations, X, np.int32(0))
    watched.warm_up(X, np.int32(40))
    watched(X, np.int32(40))
    before = watched.loop.interpreted
    watched(X, np.int32(40))
    assert watched.loop.interpreted == before


def test_random_numbers_continue_their_streams() -> None:
    def walk(x: Any, n: Any) -> Any:
        for _ in tf.range(n):
            x += tf.random.normal([6], seed=3) * tf.random.uniform([], seed=4)
        return x

    watched = Watched(walk, X, np.int32(0))
    watched.warm_up(X, np.int32(9))
    for count in (1, 30, 5):
        tf.random.set_seed(count)
        expected = [watched.interpreted(X, np.int32(count)) for _ in range(2)]
        tf.random.set_seed(count)
        for each in expected:
            same(watched(X, np.int32(count)), each)
    assert watched.loop.compiled > 0


def test_variables_are_those_of_the_interpreter() -> None:
    v = tf.Variable(X)

    def train(n: Any) -> Any:
        for i in tf.range(n):
            v.assign(v * 0.5 + tf.cast(i, tf.float32))
        return v.read_value()

    watched = Watched(train, np.int32(0))
    watched.warm_up(np.int32(9))
    for count in (3, 8, 20):
        v.assign(X)
        expected = watched.interpreted(np.int32(count))
        v.assign(X)
        same(watched(np.int32(count)), expected)
        same([v.numpy()], expected)
    assert watched.loop.compiled > 0


def test_an_error_is_that_of_its_iteration() -> None:
    v = tf.Variable(0)

    def read(x: Any, n: Any) -> Any:
        total = tf.constant(0.0)
        for i in tf.range(n):
            v.assign_add(1)
            total += tf.gather(x, i)
        return total

    watched = Watched(read, X, np.int32(0))
    watched.warm_up(X, np.int32(6))
    watched(X, np.int32(6))
    assert watched.loop.compiled > 0
    for run in (watched, watched.interpreted):
        v.assign(0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"GatherV2(.|\n)*test_hot_loops"):
            run(X, np.int32(9))
        assert int(v) == 7


def test_a_loop_that_cannot_be_moved_has_its_function_compiled() -> None:
    def squares(n: Any) -> Any:
        values = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        for i in tf.range(n):
            values = values.write(i, i * i)
        return values.stack()

    watched = Watched(squares, np.int32(0))
    same(watched(np.int32(9)), watched.interpreted(np.int32(9)))
    assert watched.loop.compiled == 0
    (slot,) = watched.run._run.slots()  # type: ignore[union-attr]
    assert slot.state != Slot.COUNTING
    assert background.compiler.wait(60)
    same(watched(np.int32(9)), watched.interpreted(np.int32(9)))


def test_a_condition_that_draws_is_not_evaluated_twice() -> None:
    def wait(x: Any) -> Any:
        count = tf.constant(0)
        while tf.random.uniform([], seed=5) < 0.9:
            count += 1
        return count, x

    watched = Watched(wait, X)
    tf.random.set_seed(1)
    expected = [watched.interpreted(X) for _ in range(5)]
    tf.random.set_seed(1)
    for each in expected:
        same(watched(X), each)
        assert background.compiler.wait(60)
    assert watched.loop.compiled == 0


def test_slower_compiled_code_is_left_after_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_loops, "is_faster", lambda compiled, interpreted: False)
    watched = Watched(_rotations, X, np.int32(0))
    watched.warm_up(X, np.int32(40))
    (program,) = watched.loop._programs.values()
    same(watched(X, np.int32(40)), watched.interpreted(X, np.int32(40)))
    assert not program.ready and not program.refused
    before = watched.loop.compiled
    same(watched(X, np.int32(40)), watched.interpreted(X, np.int32(40)))
    assert before > 0 and watched.loop.compiled == before


def test_with_determinism_no_loop_is_moved() -> None:
    watched = Watched(_rotations, X, np.int32(0))
    random_state.require_determinism(True)
    try:
        watched.warm_up(X, np.int32(40))
        same(watched(X, np.int32(40)), watched.interpreted(X, np.int32(40)))
    finally:
        random_state.require_determinism(False)
    assert watched.loop.compiled == 0 and not watched.loop._programs


def test_loops_in_loops_move_with_the_outer_one() -> None:
    def powers(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            for _ in tf.range(i):
                x = x * 0.75
            x += 1.0
        return x

    watched = Watched(powers, X, np.int32(0))
    watched.warm_up(X, np.int32(9))
    same(watched(X, np.int32(20)), watched.interpreted(X, np.int32(20)))
    assert watched.loop.compiled > 0


def test_shapes_that_keep_changing_are_not_compiled_for_ever() -> None:
    def grow(x: Any, n: Any) -> Any:
        i = tf.constant(0)
        while i < n:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))]
            )
            x = tf.concat([x, x[:1]], 0)
            i += 1
        return x

    watched = Watched(grow, X, np.int32(0))
    same(watched(X, np.int32(30)), watched.interpreted(X, np.int32(30)))
    assert background.compiler.wait(60)
    same(watched(X, np.int32(30)), watched.interpreted(X, np.int32(30)))
    assert len(watched.loop._programs) <= hot_loops.CACHED_PROGRAMS


def test_the_explanation_names_loops_that_are_compiled() -> None:
    function = tf.function(_rotations)
    for _ in range(2):
        function(X, np.int32(40))
        assert background.compiler.wait(60)
    assert "loop while: XLA" in str(tf.explain.function(function))
