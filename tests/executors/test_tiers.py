"""Functions become compiled when that pays, and give the same before and after."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import random_state
from tapeflow._src.executors import background, tiers
from tapeflow._src.executors.program import Program
from tapeflow._src.executors.tiers import Slot
from tests.executors.helpers import Traced, same


@pytest.fixture
def eager_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is hot at the third call, and nothing trivial."""
    monkeypatch.setattr(tiers, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(tiers, "HOT_CALLS", 3)
    monkeypatch.setattr(tiers, "TRIVIAL_SECONDS", 0.0)


def _layer(x: Any) -> Any:
    return tf.nn.relu(tf.matmul(x, tf.transpose(x)) + 1.0)


X = np.ones((4, 3), np.float32)


@pytest.mark.usefixtures("eager_to_compile")
def test_interpreted_then_tried_then_settled() -> None:
    program = Traced(_layer, X)
    run = Program(program.body)
    expected = program.interpreted(X)
    for _ in range(3):
        same(run(program.inputs(X)), expected)
    assert isinstance(run._run, tiers.Tiers)
    slot = run._run._only
    assert slot is not None and slot.state in (Slot.COMPILING, Slot.TRYING)
    assert background.compiler.wait(60)
    assert slot.state == Slot.TRYING
    while slot.state == Slot.TRYING:
        same(run(program.inputs(X)), expected)
    assert slot.state in (Slot.COMPILED, Slot.INTERPRETED)
    assert len(slot.timed) == len(slot.interpreted) == tiers.TRIALS + 2
    assert (slot.executable is not None) == (slot.state == Slot.COMPILED)
    same(run(program.inputs(X)), expected)


@pytest.mark.usefixtures("eager_to_compile")
def test_variables_keep_their_values_through_all_changes() -> None:
    v = tf.Variable(np.zeros(3, np.float32))

    def function() -> Any:
        v.assign_add([1.0, 2.0, 3.0])
        return v.read_value()

    program = Traced(function)
    run = Program(program.body)
    for call in range(1, 40):
        (result,) = run(program.inputs())
        np.testing.assert_array_equal(result, np.array([1.0, 2.0, 3.0]) * call)
        if call == 10:
            assert background.compiler.wait(60)
        if call % 7 == 0:
            np.testing.assert_array_equal(v.numpy(), result)


def test_trivial_graphs_stay_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(tiers, "TRIVIAL_SECONDS", 1e9)
    program = Traced(lambda x: x + 1, X)
    run = Program(program.body)
    for _ in range(tiers.HOT_CALLS + 1):
        run(program.inputs(X))
    assert run._run._only.state == Slot.INTERPRETED  # type: ignore[union-attr]


@pytest.mark.usefixtures("eager_to_compile")
def test_what_cannot_be_compiled_stays_interpreted() -> None:
    program = Traced(lambda x: tf.where(x > 0), X)
    run = Program(program.body)
    for _ in range(5):
        run(program.inputs(X))
    background.compiler.wait(60)
    assert run._run._only.state == Slot.INTERPRETED  # type: ignore[union-attr]


@pytest.mark.usefixtures("eager_to_compile")
def test_recurring_shapes_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "CACHED_EXECUTABLES", 2)
    program = Traced(_layer, X, dims=[(None, 3)])
    run = Program(program.body)
    for length in range(1, 40):
        x = np.ones((length, 3), np.float32)
        same(run(program.inputs(x)), program.interpreted(x))
    chosen = run._run
    assert isinstance(chosen, tiers.Tiers) and chosen._compiled == 0
    for length in (2, 3, 4):
        x = np.ones((length, 3), np.float32)
        for _ in range(30):
            same(run(program.inputs(x)), program.interpreted(x))
            assert background.compiler.wait(60)
    held = [slot for slot in chosen._slots.values() if slot.executable is not None]
    assert chosen._compiled == 3 and len(held) <= 2


@pytest.mark.usefixtures("eager_to_compile")
def test_shapes_seen_once_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "CACHED_SHAPES", 10)
    program = Traced(_layer, X, dims=[(None, 3)])
    run = Program(program.body)
    for length in range(1, 50):
        run(program.inputs(np.ones((length, 3), np.float32)))
    assert len(run._run._slots) == 10  # type: ignore[union-attr]


def test_with_determinism_the_switch_is_at_a_fixed_call() -> None:
    def function(x: Any) -> Any:
        for _ in range(10):
            x = tf.sin(x) + 1.0
        return x

    program = Traced(function, X)
    run = Program(program.body)
    random_state.require_determinism(True)
    try:
        for call in range(1, tiers.DETERMINISTIC_CALL + 3):
            same(run(program.inputs(X)), program.interpreted(X))
            compiled = run._run._only.state == Slot.COMPILED  # type: ignore[union-attr]
            assert compiled == (call >= tiers.DETERMINISTIC_CALL - 1)
    finally:
        random_state.require_determinism(False)


@pytest.mark.usefixtures("eager_to_compile")
def test_errors_are_those_of_the_interpreter() -> None:
    program = Traced(lambda x, i: tf.gather(x, i), X, np.int32(0))
    run = Program(program.body)
    for _ in range(4):
        run(program.inputs(X, np.int32(1)))
    background.compiler.wait(60)
    for _ in range(20):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"GatherV2(.|\n)*test_tiers.py"):
            run(program.inputs(X, np.int32(9)))


def test_jit_compile_true_compiles_at_once_or_says_why_not() -> None:
    program = Traced(_layer, X)
    run = Program(program.body, True)
    same(run(program.inputs(X)), program.interpreted(X))
    assert len(run._run._executables) == 1  # type: ignore[union-attr]
    host = Traced(lambda x: tf.where(x > 0), X)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"jit_compile=True.*'Where'.*data-dep(.|\n)*test_tie"
    ):
        Program(host.body, True)(host.inputs(X))


def test_jit_compile_false_never_compiles() -> None:
    program = Traced(_layer, X)
    run = Program(program.body, False)
    same(run(program.inputs(X)), program.interpreted(X))
    assert run._run is run.interpreter


def test_an_uninitialized_variable_is_reported() -> None:
    v = tf.Variable([1.0, 2.0])
    program = Traced(lambda: v + 1.0)
    run = Program(program.body, True)
    run(program.inputs())
    v._cell.array = None
    with pytest.raises(tf.errors.FailedPreconditionError):
        run(program.inputs())


@pytest.mark.usefixtures("eager_to_compile")
def test_from_several_threads() -> None:
    v = tf.Variable(np.zeros(16, np.float32))

    def function(x: Any) -> Any:
        v.assign_add(x)
        return tf.reduce_sum(x) * 2.0

    x = np.ones(16, np.float32)
    program = Traced(function, x)
    run = Program(program.body)
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(40):
            (result,) = run(program.inputs(x))
            if result != 32.0:
                wrong.append(result)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )


EXITING = """
import numpy as np, sys
import tapeflow as tf
from tapeflow._src.executors import tiers
from tapeflow._src.executors.program import Program
from tests.executors.helpers import Traced
x = np.ones((4, 4), np.float32)
program = Traced(lambda x: tf.nn.relu(tf.matmul(x, x)), x)
run = Program(program.body)
run(program.inputs(x))
assert "jax" not in sys.modules
tiers.HOT_SECONDS, tiers.HOT_CALLS, tiers.TRIVIAL_SECONDS = 0, 1, 0
run(program.inputs(x))
"""


def test_leaving_while_it_compiles_is_safe_and_jax_is_loaded_only_then() -> None:
    done = _python(EXITING + "print(tiers.background.compiler._thread is not None)")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")


def test_forked_processes_interpret(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Traced(_layer, X)
    run = Program(program.body, True)
    expected = run(program.inputs(X))
    monkeypatch.setattr(background, "forked", True)
    same(run(program.inputs(X)), expected)


LISTS = """
import tapeflow as tf
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.compilability import cannot
def squares(n):
    values = tf.TensorArray(tf.float32, n)
    write = lambda i, values: (i + 1, values.write(i, tf.cast(i * i, tf.float32)))
    return tf.while_loop(lambda i, _: i < n, write, (0, values))[1].stack()
concrete = tf.function(squares).get_concrete_function(tf.constant(5))
print(cannot(Body(concrete.graph)))
"""


def test_lists_can_be_compiled_in_a_process_that_loads_nothing_else() -> None:
    done = _python(LISTS)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
