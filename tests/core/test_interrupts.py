"""Ctrl-C never leaves half of a step, or half of a module, behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import interrupts, lazy


@pytest.fixture(autouse=True)
def _handling() -> Iterator[None]:
    """Ctrl-C as Python handles it; workers of the test runner ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupts.installed, was = False, interrupts.installed
    yield
    signal.signal(signal.SIGINT, before)
    interrupts.installed = was
    assert not interrupts.pending


def _press(x: Any) -> Any:
    signal.raise_signal(signal.SIGINT)
    return x


def _steps(pressing: Any = _press) -> tuple[Any, Any, Any]:
    """A function that changes one variable, is interrupted, and changes another."""
    first, second = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def step() -> Any:
        first.assign_add(1.0)
        y = tf.numpy_function(pressing, [first.value()], tf.float32)
        second.assign_add(1.0)
        return y

    return step, first, second


def test_a_step_is_finished_before_the_interrupt_is_raised() -> None:
    step, first, second = _steps()
    for number in range(1, 4):
        with pytest.raises(KeyboardInterrupt):
            step()
        assert first.numpy() == second.numpy() == number


def test_the_outermost_function_is_finished() -> None:
    step, first, second = _steps()
    third = tf.Variable(0.0)

    @tf.function
    def outer() -> None:
        tf.py_function(lambda: step(), [], tf.float32)
        for _ in tf.range(2):
            third.assign_add(1.0)

    with pytest.raises(KeyboardInterrupt):
        outer()
    assert [v.numpy() for v in (first, second, third)] == [1, 1, 2]


def test_a_second_interrupt_is_raised_at_once() -> None:
    step, first, second = _steps(lambda x: _press(_press(x)))
    with pytest.raises(KeyboardInterrupt):
        step()
    assert (first.numpy(), second.numpy()) == (1, 0)


def test_an_endless_loop_can_be_left() -> None:
    count = tf.Variable(0)

    @tf.function
    def endless() -> None:
        while count >= 0:
            count.assign_add(1)
            if count % 100 == 0:
                tf.numpy_function(_press, [count.value()], tf.int32)

    with pytest.raises(KeyboardInterrupt):
        endless()
    assert count.numpy() == 200


def test_functions_that_change_nothing_are_interrupted_at_once() -> None:
    later = []

    @tf.function
    def compute(x: Any) -> Any:
        y = tf.numpy_function(_press, [x], tf.float32)
        return tf.numpy_function(lambda z: (later.append(1), z)[1], [y], tf.float32)

    with pytest.raises(KeyboardInterrupt):
        compute(tf.constant(1.0))
    assert not later


def test_an_error_in_the_step_does_not_swallow_the_interrupt() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> None:
        v.assign_add(1.0)
        tf.numpy_function(_press, [v.value()], tf.float32)
        tf.debugging.assert_less(x, 0.0)

    with pytest.raises(KeyboardInterrupt):
        step(tf.constant(1.0))
    with pytest.raises(KeyboardInterrupt):
        _press(1)


def test_an_op_that_changes_several_variables_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    var, m, v = (tf.Variable(tf.zeros([4])) for _ in range(3))
    sqrt, times = np.sqrt, iter([_press])
    monkeypatch.setattr(np, "sqrt", lambda x, **out: sqrt(next(times, np.asarray)(x), **out))
    half, grad = tf.constant(0.5), tf.ones([4])
    numbers = dict.fromkeys(("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"), half)
    with pytest.raises(KeyboardInterrupt):
        tf.raw_ops.ResourceApplyAdam(var=var.handle, m=m.handle, v=v.handle, grad=grad, **numbers)
    for variable in (var, m, v):
        assert np.all(variable.numpy() != 0)


def test_a_handler_of_the_user_is_left_alone() -> None:
    pressed = []
    signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    step, first, second = _steps()
    step()
    assert pressed == [1] and first.numpy() == second.numpy() == 1


def test_a_module_is_imported_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pressed_twice.py").write_text(
        "import signal\nsignal.raise_signal(2)\nsignal.raise_signal(2)\nvalue = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = lazy.LazyModule("pressed_twice")
    with pytest.raises(KeyboardInterrupt):
        _ = module.value
    assert isinstance(sys.modules["pressed_twice"], types.ModuleType)
    assert module.value == 1


FIRST_COMPILE = """
import signal, sys, tapeflow as tf
f = tf.function(lambda x: tf.sin(x) * 2.0, jit_compile=True)
class Press:
    def find_spec(self, name, *rest):
        if name == "jax._src.interpreters.mlir" and sys.meta_path.pop(0):
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Press())
try:
    f(tf.ones([3]))
except KeyboardInterrupt:
    print("interrupted", f(tf.zeros([3])).numpy())
"""


def test_an_interrupt_while_jax_is_imported_leaves_a_usable_process() -> None:
    run = subprocess.run([sys.executable, "-c", FIRST_COMPILE], capture_output=True, text=True)
    assert run.stdout == "interrupted [0. 0. 0.]\n", run.stderr
