"""`GradientTape`: what it records, and how it is asked."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ZERO = tf.UnconnectedGradients.ZERO


def numbers(structure: Any) -> Any:
    """The structure with tensors as Python values."""
    return tf.nest.map_structure(lambda t: None if t is None else t.numpy().tolist(), structure)


# -- sources ------------------------------------------------------------------------------------


def test_the_gradient_of_one_variable() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    dy_dx = tape.gradient(y, x)
    assert dy_dx.numpy() == 6.0
    assert dy_dx.dtype is tf.float32
    assert dy_dx.shape == ()


def test_a_watched_tensor_to_its_own_power() -> None:
    x = tf.constant([3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**x
    np.testing.assert_allclose(tape.gradient(y, x), 27 * (np.log(3) + 1), rtol=1e-6)


def test_a_quadratic_form() -> None:
    x = tf.reshape(tf.Variable(range(4), dtype=tf.float32), (4, 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 2 * tf.matmul(tf.transpose(x), x)
    assert numbers(tape.gradient(y, x)) == [[0.0], [4.0], [8.0], [12.0]]


def test_the_result_has_the_structure_of_the_sources() -> None:
    Pair = collections.namedtuple("Pair", "first second")
    w, b, c = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(5.0)

    def gradient(sources: Any) -> Any:
        with tf.GradientTape() as tape:
            y = w * b * c
        return numbers(tape.gradient(y, sources))

    assert gradient(w) == 15.0
    assert gradient([w, b]) == [15.0, 10.0]
    assert gradient((w, b)) == (15.0, 10.0)
    assert gradient({"w": w, "b": b}) == {"w": 15.0, "b": 10.0}
    assert gradient({"w": [w, (b,)], "c": {"c": c}}) == {"w": [15.0, (10.0,)], "c": {"c": 6.0}}
    assert gradient(Pair(w, [b])) == Pair(15.0, [10.0])
    assert gradient({"w": w}.values()) == [15.0]
    assert gradient([]) == []
    assert gradient({}) == {}


def test_intermediate_results_are_sources() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert numbers(tape.gradient(z, [x, y, z])) == [32.0, 8.0, 1.0]


def test_an_intermediate_source_alone() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, y).numpy() == 8.0


def test_a_watched_intermediate_keeps_its_history() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.watch(y)
        z = y * y
    assert numbers(tape.gradient(z, [x, y])) == [32.0, 8.0]


def test_a_source_may_be_named_twice_and_watched_twice() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, x])
        tape.watch(x)
        y = x * x
    assert numbers(tape.gradient(y, [x, x])) == [6.0, 6.0]


def test_a_target_is_its_own_source() -> None:
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    for target in (v, x):
        with tf.GradientTape() as tape:
            pass
        assert numbers(tape.gradient(target, target)) == [1.0, 1.0]


def test_equal_numbers_are_different_tensors() -> None:
    x, other = tf.constant(3.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * other
        z = x * 3.0
    assert numbers(tape.gradient(y, [x, other])) == [3.0, None]
    assert tape.gradient(z, x).numpy() == 3.0


def test_what_is_watched_later_counts_from_the_start() -> None:
    x, a = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * x
        tape.watch(x)
        z = y * x
    assert numbers(tape.gradient(z, [a, x])) == [9.0, 12.0]


@pytest.mark.parametrize(
    ("source", "error"),
    [(3.0, AttributeError), (np.ones(2), AttributeError), (None, TypeError), ("x", TypeError)],
)
def test_a_source_that_is_no_tensor(source: Any, error: type[Exception]) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(error, match="source"):
        tape.gradient(y, [x, source])
    # The tape was not used up by a call that could not begin.
    assert tape.gradient(y, x).numpy() == 6.0


# -- targets ------------------------------------------------------------------------------------


def test_several_targets_are_summed() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = {"a": x**2, "b": [1 / x, (3.0 * x,)]}
    assert tape.gradient(y, x).numpy() == 4.0 - 0.25 + 3.0


def test_the_elements_of_a_target_are_summed() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    assert tape.gradient(y, x).numpy() == 7.0


def test_variables_as_targets() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * w
    assert tape.gradient(v, v).numpy() == 1.0
    assert tape.gradient(v, w) is None
    assert numbers(tape.gradient([v, y], [v, w])) == [4.0, 2.0]


def test_targets_of_several_dtypes() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.cast(x, tf.float64) * 3.0
    gradient = tape.gradient([z, x], x)
    assert gradient.numpy() == 4.0
    assert gradient.dtype is tf.float32


def test_no_target() -> None:
    x = tf.Variable([1.0])
    with tf.GradientTape(persistent=True) as tape:
        pass
    assert tape.gradient([], [x]) == [None]
    assert numbers(tape.gradient([], [x], unconnected_gradients=ZERO)) == [[0.0]]


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (None, TypeError),
        ([None], TypeError),
        ("y", TypeError),
        (3.0, AttributeError),
        (np.ones(2), AttributeError),
    ],
)
def test_a_target_that_is_no_tensor(target: Any, error: type[Exception]) -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x * x
    with pytest.raises(error, match="target"):
        tape.gradient(target, x)


# -- output gradients ---------------------------------------------------------------------------


def test_output_gradients_weigh_the_elements() -> None:
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 2.0 * x
    one, ten = tf.constant([1.0, 10.0]), tf.constant([10.0, 100.0])
    assert numbers(tape.gradient(y, x, output_gradients=one)) == [6.0, 20.0]
    assert numbers(tape.gradient([y, z], x, output_gradients=[one, ten])) == [26.0, 220.0]
    given = {"y": one, "z": ten}
    assert numbers(tape.gradient({"y": y, "z": z}, x, output_gradients=given)) == [26.0, 220.0]


def test_an_output_gradient_is_broadcast_to_its_target() -> None:
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x + 1.0
    assert numbers(tape.gradient(y, x, output_gradients=2.0)) == [2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] vs\. \[2\]"):
        tape.gradient(y, x, output_gradients=tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        tape.gradient(y, x, output_gradients=tf.ones([2], tf.float64))
    with pytest.raises(ValueError, match="None"):
        tape.gradient([y, y], x, output_gradients=[tf.ones([2]), None])


def test_too_many_or_few_output_gradients_are_told(logged: list[str]) -> None:
    """A list counts as several gradients, as in TensorFlow; here that does not go unnoticed."""
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert numbers(tape.gradient(y, x, output_gradients=[1.0, 10.0])) == [6.0, 2.0]
    two = [tf.constant([1.0, 10.0])]
    assert numbers(tape.gradient([y, y], x, output_gradients=two)) == [12.0, 22.0]
    assert len(logged) == 2
    assert "2 output_gradients" in logged[0] and "1 target" in logged[0]


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
        pytest.raises(ValueError, match=r"not tf\.Tensor or tf\.Variable"),
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
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
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
    assert "GradientTape.gradient" in logged[0] and "inside its context" in logged[0]


def test_no_warning_where_recording_is_stopped(logged: list[str]) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
    assert first.numpy() == 6.0
    assert tape.gradient(first, x) is None
    assert logged == []


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


def test_a_tape_is_asked_from_another_thread() -> None:
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


def test_higher_orders_through_kept_outputs() -> None:
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


def test_higher_orders_through_kept_outputs_that_nobody_holds() -> None:
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


# -- sparse -------------------------------------------------------------------------------------


def test_gathered_rows_have_sparse_gradients() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        rows = tf.gather(table, [2, 0, 2])
    gradient = tape.gradient(rows, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2]
    assert gradient.dense_shape.numpy().tolist() == [3, 2]
    assert numbers(tf.convert_to_tensor(gradient)) == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]


def test_sparse_gradients_add_up_and_stay_sparse() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.gather(table, [0]), tf.gather(table, [1, 1])
        dense = tf.reduce_sum(table**2)
    gradient = tape.gradient([a, b], table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert numbers(tf.convert_to_tensor(gradient)) == [[1.0, 1.0], [2.0, 2.0]]
    mixed = tape.gradient([a, dense], table)
    assert isinstance(mixed, tf.Tensor)
    assert numbers(mixed) == [[3.0, 5.0], [6.0, 8.0]]


def test_indexed_slices_as_sources_and_targets() -> None:
    values, where = tf.constant([[1.0, 2.0]]), tf.constant([1])
    slices = tf.IndexedSlices(values, where, tf.constant([3, 2]))
    scale = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(slices)
        dense = tf.convert_to_tensor(slices) * scale
        scaled = tf.IndexedSlices(values * scale, where, tf.constant([3, 2]))
    gradient = tape.gradient(dense, slices)
    assert isinstance(gradient, tf.IndexedSlices)
    assert numbers(gradient.values) == [[3.0, 3.0]]
    assert gradient.indices is slices.indices
    assert tape.gradient(scaled, scale).numpy() == 3.0
    zeros = tape.gradient(scale * 1.0, slices, unconnected_gradients=ZERO)
    assert numbers(zeros.values) == [[0.0, 0.0]]


def test_other_composites_as_sources_and_targets() -> None:
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [2.0, 3.0], [3, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sparse)
        doubled = tf.SparseTensor(sparse.indices, sparse.values * 2.0, sparse.dense_shape)
        whole = tf.SparseTensor([[0, 1]], [2], [3, 2])
    gradient = tape.gradient(doubled, sparse)
    assert isinstance(gradient, tf.SparseTensor)
    assert numbers(gradient.values) == [2.0, 2.0]
    assert gradient.indices.numpy().tolist() == [[0, 1], [2, 0]]
    weighted = tape.gradient(doubled, sparse, output_gradients=gradient)
    assert numbers(weighted.values) == [4.0, 4.0]
    assert tape.gradient(doubled, whole) is None
    zeros = tape.gradient(tf.constant(1.0), sparse, unconnected_gradients=ZERO)
    assert numbers(zeros.values) == [0.0, 0.0]


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
