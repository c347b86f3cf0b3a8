"""A gradient that is None is explained: once a line, with the reason and what to do."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return lambda: capsys.readouterr().err


def test_a_variable_that_was_not_read(told: Any) -> None:
    w = tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        y = tf.constant(2.0) * 3.0
    assert tape.gradient(y, w) is None
    text = told()
    assert "test_unconnected.py" in text
    assert "in test_a_variable_that_was_not_read: no gradient for variable 'w:0'" in text
    assert "not read while the tape recorded" in text


def test_a_tensor_that_is_not_watched(told: Any) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None
    assert (
        "source 0 (x, shape (2,), float32): the tape does not watch it. Call tape.watch" in told()
    )


def test_what_went_through_numpy(told: Any) -> None:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(w.numpy() ** 2)
    assert tape.gradient(y, w) is None
    text = told()
    assert "its value goes to Python through .numpy(), " in text
    assert "test_unconnected.py:41, and is a constant then" in text


def test_a_part_that_does_not_lead_to_the_target(told: Any) -> None:
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b")
    with tf.GradientTape() as tape:
        y = a * tf.stop_gradient(b * b)
    gradients = tape.gradient(y, {"a": a, "b": b})
    assert gradients["b"] is None
    text = told()
    assert "variable 'b:0': its path to the target ends at tf.stop_gradient, " in text
    assert "'a:0'" not in text


def test_variables_that_are_not_watched(told: Any) -> None:
    frozen = tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y = frozen * 2.0
    assert tape.gradient(y, frozen) is None
    assert "not trainable" in told()
    w = tf.Variable(1.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = w * 2.0
    assert tape.gradient(y, w) is None
    assert "watch_accessed_variables=False" in told()


def test_integers(told: Any) -> None:
    count = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = tf.cast(count, tf.float32) * 2.0
    assert tape.gradient(y, count) is None
    assert "it is int32; only floating-point numbers have gradients" in told()


def test_sources_with_one_reason_share_it(told: Any) -> None:
    names = [tf.Variable(1.0, name=name) for name in "pq"]
    with tf.GradientTape(persistent=True) as tape:
        y = tf.constant(1.0) * 2.0
    assert tape.gradient(y, names) == [None, None]
    assert "variable 'p:0', variable 'q:0': it was not read" in told()


def test_each_line_warns_once(told: Any) -> None:
    x = tf.constant(1.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
    assert told().count("no gradient") == 1


def test_no_warning_for_existing_gradients_and_requested_zeros(told: Any) -> None:
    w, x = tf.Variable(1.0), tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = w * w * x
    assert float(tape.gradient(y, w)) == 2.0
    tape.gradient(y, [w, x], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert told() == ""


def test_functions_tell_the_line_inside_them(told: Any) -> None:
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, x) is None

    assert bool(slope(tf.constant(1.0)))
    assert "in slope: no gradient" in told()
