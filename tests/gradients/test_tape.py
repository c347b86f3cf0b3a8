"""`GradientTape`: what it watches, how it lives, and several of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import numbers

# -- watching -----------------------------------------------------------------------------------


def test_constants_are_not_watched_and_variables_are() -> None:
    a = tf.Variable(3.0, name="a")
    b = tf.Variable(3.0, name="b", trainable=False)
    c = tf.Variable(2.0) + 1.0  # a tensor: an op was applied
    d = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = a**2 + b**2 + c**2 + d**2
    assert tape.watched_variables() == (a,)
    assert numbers(tape.gradient(y, [a, b, c, d])) == [6.0, None, None, None]


def test_watching_structures() -> None:
    x, v = tf.constant(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch([x, {"v": v}])
        y = x * v
    assert numbers(tape.gradient(y, [x, v])) == [3.0, 2.0]
    assert tape.watched_variables() == (v,)


@pytest.mark.parametrize("value", [1.0, np.ones(2), "x", None, object(), tf.TensorShape([2])])
def test_only_tensors_and_variables_are_watched(value: Any) -> None:
    with (
        tf.GradientTape() as tape,
        pytest.raises(ValueError, match=r"convert it with tf.constant"),
    ):
        tape.watch(value)


@pytest.mark.parametrize("value", [1, True, "x"])
def test_watching_what_has_no_gradient_warns(value: Any, logged: list[str]) -> None:
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(value))
    assert len(logged) == 1
    assert "watched tensor must be floating" in logged[0]
    assert repr(tf.constant(value).dtype) in logged[0]


def test_watching_is_for_the_context() -> None:
    x = tf.constant(2.0)
    with pytest.raises(RuntimeError, match="inside"):
        tf.GradientTape().watch(x)
    with tf.GradientTape() as tape:
        pass
    tape.watch(x)  # After the context it does no harm, and no good.
    assert tape.gradient(x * x, x) is None


def test_automatic_watching_can_be_turned_off() -> None:
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(a)
        y = a**2
        z = b**3
    assert tape.watched_variables() == (a,)
    assert numbers(tape.gradient([y, z], [a, b])) == [4.0, None]


def test_watched_variables_stand_in_order_of_construction() -> None:
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3)
    assert tf.GradientTape().watched_variables() == ()
    with tf.GradientTape() as tape:
        y = b * a
        assert tape.watched_variables() == (a, b)
        c.read_value()
    assert tape.watched_variables() == (a, b, c)
    tape.gradient(y, a)
    assert tape.watched_variables() == (a, b, c)


def test_a_value_read_before_the_tape_is_a_constant() -> None:
    v = tf.Variable(2.0)
    x = v.value()
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, v) is None
    assert tape.watched_variables() == ()


# -- the life of a tape -------------------------------------------------------------------------


def test_a_tape_is_used_once() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0
    with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
        tape.jacobian(y, x)


def test_a_tape_never_entered_has_nothing_to_say() -> None:
    x = tf.Variable(3.0)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tf.GradientTape().gradient(x, x)


def test_a_persistent_tape_is_used_often() -> None:
    x = tf.constant([1.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert numbers(tape.gradient(z, x)) == [4.0, 108.0]
    assert numbers(tape.gradient(y, x)) == [2.0, 6.0]
    assert numbers(tape.gradient(z, x)) == [4.0, 108.0]


def test_a_gradient_inside_a_persistent_context_warns(logged: list[str]) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
    assert numbers([first, second]) == [6.0, 2.0]
    assert len(logged) == 1
    assert "GradientTape.gradient" in logged[0] and "inside the context" in logged[0]


def test_no_warning_where_recording_is_stopped(logged: list[str]) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
    assert first.numpy() == 6.0
    assert logged == []
    assert tape.gradient(first, x) is None


def test_a_gradient_inside_the_context_ends_a_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert tape.gradient(y, x).numpy() == 6.0
        z = y * x
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(z, x)


def test_a_tape_cannot_be_entered_twice_at_once() -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"):
        tape.__enter__()


def test_a_tape_entered_again_goes_on() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    assert tape.gradient(z, x).numpy() == 27.0
    with tape:
        tape.watch(x)
        z = y * x
    assert tape.gradient(z, x).numpy() == 9.0


def test_an_exception_ends_the_recording() -> None:
    x = tf.constant(3.0)
    with pytest.raises(KeyError), tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        raise KeyError
    z = y * x
    assert numbers(tape.gradient([y, z], x)) == 6.0


def test_stop_recording() -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x_sq = x * x
        with tape.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    assert numbers(tape.gradient(z, {"x": x, "y": y})) == {"x": 4.0, "y": None}


def test_recording_goes_on_after_an_exception_in_stop_recording() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


@pytest.mark.parametrize("error", [ValueError, RuntimeError])
def test_what_a_tape_does_only_while_it_records(error: type[Exception]) -> None:
    with tf.GradientTape() as tape:
        pass
    with pytest.raises(error, match="not recording"), tape.stop_recording():
        pass
    with pytest.raises(error, match="not recording"):
        tape.reset()


def test_reset() -> None:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y_sq = y * y
        tape.reset()
        assert tape.watched_variables() == ()
        z = x * x + y_sq
    assert numbers(tape.gradient(z, {"x": x, "y": y})) == {"x": 4.0, "y": None}


def test_reset_forgets_what_was_watched() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        y = x * x
    assert tape.gradient(y, x) is None


def test_a_tape_records_its_own_thread_only() -> None:
    x = tf.constant(3.0)
    results = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        thread = threading.Thread(target=lambda: results.append(x * x))
        thread.start()
        thread.join()
    assert tape.gradient(results[0], x) is None


def test_a_gradient_is_computed_in_another_thread() -> None:
    x = tf.constant(3.0)
    results = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    thread = threading.Thread(target=lambda: results.append(tape.gradient(y, x)))
    thread.start()
    thread.join()
    assert results[0].numpy() == 6.0


def test_threads_that_share_variables_do_not_disturb_each_other() -> None:
    weights = [tf.Variable(float(i)) for i in range(4)]
    failures = []

    def work(scale: float) -> None:
        for _ in range(50):
            x = tf.constant(scale)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * weights[0] + x * x * weights[1] + weights[2] * weights[3]
            found = numbers(tape.gradient(y, [x, *weights]))
            if found != [2 * scale, scale, scale**2, 3.0, 2.0]:
                failures.append(found)

    threads = [threading.Thread(target=work, args=(float(i),)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# -- several tapes ------------------------------------------------------------------------------


def test_tapes_side_by_side() -> None:
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.sigmoid(x1))
    assert tape0.gradient(ys, [x0, x1])[0].numpy() == 1.0
    assert numbers(tape1.gradient(ys, [x0, x1])) == [None, 0.25]


def test_tapes_need_not_end_in_order() -> None:
    x = tf.constant(2.0)
    a, b = tf.GradientTape(), tf.GradientTape()
    a.__enter__()
    b.__enter__()
    a.watch(x)
    b.watch(x)
    y = x * x
    a.__exit__(None, None, None)
    z = y * x
    b.__exit__(None, None, None)
    assert a.gradient(z, x) is None
    assert b.gradient(z, x).numpy() == 12.0


def test_nested_tapes_give_higher_orders() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = x**4
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    d3 = third.gradient(d2, x)
    np.testing.assert_allclose(numbers([d1, d2, d3]), [108.0, 108.0, 72.0])


def test_higher_orders_through_saved_outputs() -> None:
    """The gradient of exp keeps its result, which is a function of x for the outer tape too."""
    x = tf.constant(0.5)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = tf.exp(tf.exp(x))
        d1 = inner.gradient(y, x)
    e = np.exp(0.5)
    np.testing.assert_allclose(outer.gradient(d1, x), np.exp(e) * (e + e * e), rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(y, x), d1, rtol=1e-6)


def test_higher_orders_through_saved_outputs_without_references() -> None:
    """The gradient of the eigenvalues needs the vectors, which here are dropped at once."""

    def second(eigenvalues: Callable[[Any], Any]) -> Any:
        x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                largest = eigenvalues(x)[1]
            gradient = inner.gradient(largest, x)
        return outer.gradient(gradient, x)

    dropped = second(lambda x: tf.linalg.eigh(x)[0])
    np.testing.assert_allclose(dropped, second(tf.linalg.eigvalsh), rtol=1e-5)
    assert np.abs(dropped).max() > 0.1


def test_gradient_regularisation() -> None:
    x = tf.constant([[1.0, -2.0], [0.5, 3.0]])
    w, b = tf.Variable([[1.0, 2.0], [3.0, -1.0]]), tf.Variable([0.1, 0.2])
    with tf.GradientTape() as outer:
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            out = tf.reduce_sum((x @ w + b) ** 2)
        magnitude = tf.norm(inner.gradient(out, x))
    dw, db = outer.gradient(magnitude, [w, b])
    assert dw.shape == (2, 2) and db.shape == (2,)

    def value(w_: np.ndarray) -> float:
        residual = x.numpy().astype(np.float64) @ w_ + b.numpy()
        return float(np.linalg.norm(2 * residual @ w_.T))

    step, base = np.zeros((2, 2)), w.numpy().astype(np.float64)
    step[0, 1] = 1e-5
    slope = (value(base + step) - value(base - step)) / 2e-5
    np.testing.assert_allclose(dw.numpy()[0, 1], slope, rtol=1e-4)


def test_what_cannot_be_watched_is_named_before_anything_else() -> None:
    for tape in (tf.GradientTape(), tf.GradientTape(persistent=True)):
        with pytest.raises(ValueError, match=r"'ndarray'.*tf\.constant"):
            tape.watch([tf.constant(1.0), np.array(1.0)])
