"""Where gradients flow and where they do not: `None`, zeros, Python control flow, ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import ZERO, numbers

# -- None and zeros -----------------------------------------------------------------------------


def test_unconnected_gradients() -> None:
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        z = y**2
    assert tape.gradient(z, x) is None
    for wish in (ZERO, "zero"):
        assert numbers(tape.gradient(z, x, unconnected_gradients=wish)) == [0.0, 0.0]
    for wish in (tf.UnconnectedGradients.NONE, "none"):
        assert tape.gradient(z, x, unconnected_gradients=wish) is None


@pytest.mark.parametrize("wish", ["nothing", None, 0])
def test_unconnected_gradients_of_an_unknown_kind(wish: Any) -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tape.gradient(y, x, unconnected_gradients=wish)


def test_unconnected_zeros_are_like_their_source() -> None:
    sources = [
        tf.constant([1.0, 2.0]),
        tf.Variable(2.0, dtype=tf.float64),
        tf.constant(1, tf.bfloat16),
        tf.constant(1 + 2j),
        tf.Variable([1, 2]),
        tf.constant("a"),
    ]
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2.0
    zeros = tape.gradient(y, sources, unconnected_gradients=ZERO)
    assert [z.dtype for z in zeros] == [s.dtype for s in sources]
    assert [z.shape for z in zeros] == [s.shape for s in sources]
    assert not np.any(zeros[0].numpy())
    assert zeros[-1].numpy() == b""


def test_none_when_a_variable_was_replaced_by_a_tensor() -> None:
    x: Any = tf.Variable(2.0)
    found = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        found.append(tape.gradient(y, x))
        x = x + 1  # This should have been x.assign_add(1).
    assert numbers(found) == [1.0, None]


def test_none_through_numpy() -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(np.mean(x**2, axis=0), axis=0)
    assert tape.gradient(y, x) is None


def test_none_through_integers_and_strings(logged: list[str]) -> None:
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x) is None
    assert len(logged) == 3
    assert "target tensor must be floating" in logged[1]

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = tf.cast(tf.cast(v, tf.int32), tf.float32)
    assert tape.gradient(z, v) is None
    with tf.GradientTape() as tape:
        v * v
    assert tape.gradient(tf.constant("text"), v) is None


def test_an_integer_among_targets_and_sources_is_left_out() -> None:
    x, i = tf.constant(3.0), tf.constant(2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, j = x * x, i * i
    assert numbers(tape.gradient([y, j], [x, i])) == [6.0, None]


def test_none_through_state() -> None:
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)  # Only the read that follows is on the tape.
        y = x1**2
    assert numbers(tape.gradient(y, [x0, x1])) == [None, 6.0]


def test_none_through_stop_gradient() -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x**2 + tf.stop_gradient(y**2)
    assert numbers(tape.gradient(z, [x, y])) == [4.0, None]


def test_only_real_and_complex_tensors_are_differentiable() -> None:
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128):
        x = tf.Variable(tf.cast(3, dtype))
        with tf.GradientTape() as tape:
            y = x * x
        gradient = tape.gradient(y, x)
        assert gradient.dtype is dtype
        assert gradient.numpy() == 6


# -- control flow -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_python_control_flow(seed: int) -> None:
    """The function is piecewise linear, so its slope is exactly the quotient."""

    def f(a: Any) -> Any:
        b = a * 2
        while tf.norm(b) < 1000:
            b = b * 2
        return b if tf.reduce_sum(b) > 0 else 100 * b

    a = tf.random.stateless_normal((1, 1), seed=(seed, 0), dtype=tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(a)
        c = f(a)
    assert bool(tape.gradient(c, a) == c / a)


def test_the_branch_taken_is_the_one_differentiated() -> None:
    x, v0, v1 = tf.constant(1.0), tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    assert numbers(tape.gradient(result, [v0, v1, x])) == [1.0, None, None]


# -- ops ----------------------------------------------------------------------------------------


def test_broadcasting_is_undone() -> None:
    x, y = tf.Variable([[1.0], [2.0]]), tf.Variable([3.0, 4.0, 5.0])
    with tf.GradientTape() as tape:
        z = x * y + 1.0
    assert numbers(tape.gradient(z, [x, y])) == [[[12.0], [12.0]], [3.0, 3.0, 3.0]]


def test_outputs_that_nothing_depends_on_count_as_zeros() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        first, _, last = tf.unstack(x)
        y = first * last
    assert numbers(tape.gradient(y, x)) == [3.0, 0.0, 1.0]


def test_an_op_with_no_outputs_at_all() -> None:
    x = tf.zeros([0, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert tf.unstack(x) == []
        y = x * 2.0
    assert tape.gradient(y, x).shape == (0, 2)


def test_several_outputs_one_of_which_is_gone() -> None:
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.top_k(x, 2).values
    assert numbers(tape.gradient(y, x)) == [1.0, 0.0, 1.0]


def test_complex_gradients() -> None:
    z = tf.Variable(1 + 2j)
    with tf.GradientTape(persistent=True) as tape:
        square = z * z
        real = tf.math.real(z * z)
    assert tape.gradient(square, z).numpy() == 2 - 4j
    assert tape.gradient(real, z).numpy() == 2 - 4j
