"""Graphs in compiled and host parts: same results and effects, with few parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import background, tiers
from tapeflow._src.executors.program import Program
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.control_flow import while_loop
from tapeflow._src.passes.partition import partition
from tests.executors.helpers import Traced, same

X = np.array([1.0, -2.0, 3.0, -4.0], np.float32)


def parts(body: Body) -> list[Any]:
    """The compiled operations of a body, those in loops and branches too."""
    found = []
    for node in body.nodes():
        if node.type == "XlaLaunch":
            found.append(node)
        else:
            for inner in bodies_of(node):
                found += parts(inner)
    return found


def split(program: Traced) -> Body:
    found = partition(program.body)
    assert found is not None
    return found


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(tiers, "HOT_CALLS", 1)
    monkeypatch.setattr(tiers, "TRIVIAL_SECONDS", 0.0)


def agree(program: Traced, *calls: tuple[Any, ...]) -> Program:
    """Split and compiled, a program gives in all its calls what it gives interpreted."""
    run = Program(program.body, None, split=partition)
    for _ in range(4):
        for call in calls:
            same(run(program.inputs(*call)), program.interpreted(*call))
            assert background.compiler.wait(60)
    return run


def _much(x: Any) -> Any:
    return tf.reduce_sum(tf.tanh(tf.exp(-x * x) + 1.0))


@pytest.mark.usefixtures("compiling")
def test_before_and_after_a_host_operation() -> None:
    def function(x: Any) -> Any:
        before = _much(x)
        kept = tf.boolean_mask(x, tf.sin(x) * 3.0 + before > 0.0)
        return _much(kept) + before

    program = Traced(function, X)
    assert len(parts(split(program))) == 2
    agree(program, (X,), (-X,))


def test_what_has_nothing_to_compile_is_left_alone() -> None:
    assert partition(Traced(lambda x: tf.where(x + 1.0 > 0.0), X).body) is None


@pytest.mark.usefixtures("compiling")
def test_shapes_are_static_in_every_part() -> None:
    def function(x: Any) -> Any:
        kept = tf.boolean_mask(x, x > 0.0)
        count = tf.shape(kept)[0]
        order = tf.unique(kept)[0]
        # A part after both host operations needs the shape that the first one gave.
        return tf.reshape(_much(order) + kept * 2.0 - 1.0, [count, 1]) * tf.ones([count, 3])

    agree(Traced(function, X), (X,), (np.abs(X),))


@pytest.mark.usefixtures("compiling")
def test_shapes_of_what_another_part_computed_are_recomputed() -> None:
    def function(x: Any) -> Any:
        hidden = tf.tanh(tf.exp(-x * x) + 1.0)
        size = tf.shape(hidden)
        kept = tf.unique(tf.sin(x))[0]
        # The second part needs the shape of what only the first one computes.
        return tf.reshape(_much(kept) * tf.ones(size), size) + 1.0

    agree(Traced(function, X, dims=[(None,)]), (X,), (np.abs(X)[:2],))


@pytest.mark.usefixtures("compiling")
def test_effects_stay_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable([0.0, 0.0, 0.0, 0.0])

    def function(x: Any) -> Any:
        v.assign_add(tf.sin(x) * 0.0 + 1.0)
        tf.print("first", v[0])
        v.assign(v * 2.0 + tf.cos(x) * 0.0)
        tf.print("second", v[0])
        v.assign_sub(tf.ones(4) * tf.exp(x * 0.0))
        return v.read_value()

    program = Traced(function, X)
    run = Program(program.body, None, split=partition)
    value = 0.0
    for _ in range(5):
        (result,) = run(program.inputs(X))
        background.compiler.wait(60)
        told = capfd.readouterr()
        lines = (told.out + told.err).split("\n")[:2]
        assert lines == [f"first {value + 1:g}", f"second {2 * value + 2:g}"]
        value = 2 * value + 1
        np.testing.assert_array_equal(result, np.full(4, value, np.float32))


@pytest.mark.usefixtures("compiling")
def test_loops_on_the_host_have_compiled_bodies(capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any, n: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            tf.print(i)
            return i + 1, tf.tanh(y * y + x) * 0.5 + tf.sin(y)

        return while_loop(lambda i, y: i < n, step, (0, x))

    program = Traced(function, X, np.int32(3))
    assert [node.type for node in split(program).nodes() if node.type == "XlaLaunch"] == []
    assert len(parts(split(program))) == 1
    agree(program, (X, np.int32(3)))
    told = capfd.readouterr()
    assert (told.out + told.err).split() == ["0", "1", "2"] * 8


@pytest.mark.usefixtures("compiling")
def test_operations_that_fail_to_compile_run_on_the_host() -> None:
    def function(x: Any, i: Any) -> Any:
        # Only the compiler finds that the size of the slice is not known.
        return _much(tf.sin(x)[i:] * 2.0) + _much(x)

    program = Traced(function, X, np.int32(1))
    assert partition(program.body) is not None
    run = agree(program, (X, np.int32(1)), (X, np.int32(2)))
    assert isinstance(run._run, tiers.Tiers)
    parted = run._run._interpret
    assert [node.type for node in parted.body.nodes()].count("XlaLaunch") == 2  # type: ignore[attr-defined]


@pytest.mark.usefixtures("compiling")
def test_errors_name_the_operation_and_the_line() -> None:
    def function(x: Any, i: Any) -> Any:
        kept = tf.boolean_mask(x, x > 0.0)
        return tf.gather(tf.sin(kept) * 2.0 + tf.cos(kept) - 1.0, i)

    program = Traced(function, X, np.int32(0))
    run = agree(program, (X, np.int32(1)))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(program.inputs(X, np.int32(5)))
    assert "[Op:GatherV2]" in str(caught.value) and "test_partition.py" in str(caught.value)
    assert "XlaLaunch" not in str(caught.value)


def test_aliased_variables_preserve_program_order() -> None:
    """Two handles may be of one variable: what is done with one waits for the other."""
    body = Traced(lambda x: _much(x) + tf.cast(tf.size(tf.where(x > 0)), tf.float32), X).body
    found = partition(body)
    assert found is not None and [t.dtype for t in found.inputs] == [t.dtype for t in body.inputs]
