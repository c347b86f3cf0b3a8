"""`jit_compile=True` of functions whose arguments decide shapes: compiled once per value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors import program, xla

X = np.arange(6, dtype=np.float32)

CASES: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {
    "range": (tf.range, [(5,), (3,), (5,)]),
    "reshape": (lambda x, s: tf.reshape(x, s) * 2, [(X, [2, 3]), (X, [3, 2])]),
    "split": (
        lambda x, i: tf.split(x, tf.concat([i[:1], i[1:] - i[:-1], 6 - i[-1:]], 0)),
        [(X, [1, 2]), (X, [2, 6])],
    ),
    "size computed from floats": (lambda f: tf.zeros([tf.cast(f * 2, tf.int32)]), [(1.5,), (2.5,)]),
    "slice": (lambda x, n: x[:n] + 1, [(X, 2), (X, 4)]),
    "branch": (
        lambda p, n, x: tf.cond(p, lambda: tf.reduce_sum(tf.ones([n]) * x), lambda: x),
        [(True, 4, 2.0), (False, 4, 2.0), (True, 3, 2.0)],
    ),
    "loop": (
        lambda k, n, x: tf.while_loop(
            lambda i, x: i < k, lambda i, x: (i + 1, x + tf.reduce_sum(tf.ones([n]))), [0, x]
        ),
        [(3, 4, 2.0), (2, 5, 1.0)],
    ),
}


def leaves(result: Any) -> list[np.ndarray]:
    return [each.numpy() for each in tf.nest.flatten(result)]


@pytest.mark.parametrize("name", CASES)
def test_compiled_is_eager(name: str) -> None:
    function, calls = CASES[name]
    compiled = tf.function(function, jit_compile=True)
    for arguments in calls:
        tensors = [tf.constant(value) for value in arguments]
        results, expected = leaves(compiled(*tensors)), leaves(function(*tensors))
        for ours, theirs in zip(results, expected, strict=True):
            np.testing.assert_allclose(ours, theirs)
    assert compiled.experimental_get_tracing_count() == 1


def test_gradient_of_a_compiled_function() -> None:
    function = tf.function(lambda x, n: tf.reduce_sum(tf.tile(x, [n]) ** 2), jit_compile=True)
    x = tf.constant([1.0, 2.0])
    for times in (2, 3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, tf.constant(times))
        np.testing.assert_allclose(tape.gradient(y, x), 2 * times * x.numpy())


def test_only_inputs_that_decide_shapes_are_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    executable = xla.Executable

    def counting(*arguments: Any) -> Any:
        compiled.append(arguments)
        return executable(*arguments)

    monkeypatch.setattr(program.xla, "Executable", counting)
    function = tf.function(lambda x, n: tf.ones([n]) * x, jit_compile=True)
    for x, n in ((1.0, 2), (2.0, 2), (3.0, 4), (4.0, 2)):
        np.testing.assert_array_equal(function(tf.constant(x), tf.constant(n)), [x] * n)
    assert len(compiled) == 2


def test_shapes_that_depend_on_variables_are_refused() -> None:
    variable = tf.Variable(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"jit_compile=True.*Range"):
        tf.function(lambda: tf.range(variable), jit_compile=True)()
