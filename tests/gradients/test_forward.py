"""`tf.autodiff.ForwardAccumulator`: derivatives along a direction."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.registry import OPS, op
from tests.gradients.helpers import numbers

Forward = tf.autodiff.ForwardAccumulator
X, V = tf.constant([1.0, 2.0]), tf.constant([1.0, 0.5])


def test_a_derivative_along_a_direction() -> None:
    with Forward(X, V) as acc:
        y = tf.reduce_sum(X * X)
    assert acc.jvp(y).numpy() == 4.0
    assert acc.jvp(y).dtype is tf.float32


def test_tangents_have_the_requested_structure() -> None:
    with Forward(X, V) as acc:
        y, other = X * X, tf.constant(1.0) * 2.0
    assert numbers(acc.jvp([y, {"x": X, "other": other}])) == [
        [2.0, 2.0],
        {"x": [1.0, 0.5], "other": None},
    ]
    assert acc.jvp([]) == []


def test_unconnected() -> None:
    with Forward(X, V) as acc:
        y, whole = tf.constant([[1.0]]) * 2.0, tf.cast(X, tf.int32)
    assert acc.jvp(y) is None
    assert numbers(acc.jvp(y, unconnected_gradients="zero")) == [[0.0]]
    assert acc.jvp(whole) is None
    zeros = acc.jvp(whole, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros.dtype is tf.int32
    with pytest.raises(ValueError, match="nothing"):
        acc.jvp(y, unconnected_gradients="nothing")


def test_several_primals() -> None:
    w = tf.Variable([3.0, 4.0])
    for primals, tangents in (
        ([X, w], [V, V]),
        ({"x": X, "w": w}, {"x": V, "w": V}),
        ((X, [w]), (V, [V])),
    ):
        with Forward(primals, tangents) as acc:
            y = X * w
        assert numbers(acc.jvp(y)) == [4.0, 3.0]


def test_variables_are_read_with_their_tangent() -> None:
    w = tf.Variable([1.0, 2.0])
    with Forward(w, V) as acc:
        y = w * w
        w.assign_add([1.0, 1.0])
        z = w * w
    assert numbers(acc.jvp(y)) == [2.0, 2.0]
    assert numbers(acc.jvp(z)) == [4.0, 3.0]
    assert numbers(acc.jvp(w)) == [1.0, 0.5]


def test_a_column_of_a_jacobian() -> None:
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    x = tf.constant([[0.5, -1.0]])
    with Forward(x, tf.constant([[0.0, 1.0]])) as acc:
        y = tf.math.tanh(x @ w)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.tanh(x @ w)
    jacobian = tape.jacobian(y, x)
    with Forward(x, tf.constant([[0.0, 1.0]])) as acc:
        y = tf.math.tanh(x @ w)
    np.testing.assert_allclose(acc.jvp(y), jacobian[:, :, 0, 1], rtol=1e-6)


def test_ops_with_several_outputs() -> None:
    x, v = tf.constant([3.0, 1.0, 2.0]), tf.constant([10.0, 20.0, 30.0])
    with Forward(x, v) as acc:
        parts = tf.split(x, 3)
        best = tf.math.top_k(x, 2)
    assert numbers(acc.jvp(parts)) == [[10.0], [20.0], [30.0]]
    assert numbers(acc.jvp(best.values)) == [10.0, 30.0]
    assert acc.jvp(best.indices) is None


def test_sparse_gradients_are_no_obstacle() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with Forward(table, tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])) as acc:
        rows = tf.gather(table, [2, 0])
    assert numbers(acc.jvp(rows)) == [[3.0, 3.0], [1.0, 1.0]]


def test_broadcasting() -> None:
    x, v = tf.constant([[1.0], [2.0]]), tf.constant([[1.0], [10.0]])
    with Forward(x, v) as acc:
        y = x * tf.constant([2.0, 3.0])
    assert numbers(acc.jvp(y)) == [[2.0, 3.0], [20.0, 30.0]]


def test_complex_numbers() -> None:
    z = tf.constant([1 + 2j])
    with Forward(z, tf.constant([1j])) as acc:
        results = [z * z, tf.math.real(z), tf.abs(z), tf.math.conj(z)]
    square, real, modulus, conjugate = acc.jvp(results)
    np.testing.assert_allclose(square, [-4 + 2j])
    np.testing.assert_allclose(real, [0.0])
    np.testing.assert_allclose(modulus, [2 / np.sqrt(5)])
    np.testing.assert_allclose(conjugate, [-1j])


def test_what_stops_gradients_stops_tangents() -> None:
    with Forward(X, V) as acc:
        y = tf.stop_gradient(X) * X
        floor = tf.floor(X)
    assert numbers(acc.jvp(y)) == [1.0, 1.0]
    assert acc.jvp(floor) is None


def test_a_function_with_a_gradient_of_its_own_is_seen_through() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * x, lambda dy: dy * 100.0

    with Forward(X, V) as acc:
        y = f(X)
    assert numbers(acc.jvp(y)) == [2.0, 2.0]


@tf.custom_gradient
def hidden_sine(x: Any) -> Any:
    """A sine that nobody can see through."""
    return tf.numpy_function(np.sin, [x], x.dtype), lambda dy: dy * tf.cos(x)


HIDDEN = {
    "hidden": hidden_sine,
    "passed through": tf.grad_pass_through(lambda x: 3.0 * tf.round(x)),
    "recomputed": tf.recompute_grad(lambda x: x**3),
}


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_gradient_of_its_own_tells_what_cannot_be_seen(name: str, wrap: Any) -> None:
    f = wrap(HIDDEN[name])
    slope = {"hidden": np.cos, "passed through": np.ones_like, "recomputed": lambda x: 3 * x**2}
    with Forward(X, V) as acc:
        y = f(X)
    np.testing.assert_allclose(acc.jvp(y), slope[name](X.numpy()) * V.numpy(), rtol=1e-6)


def test_tangents_of_hidden_functions_are_differentiated_again() -> None:
    def slope(x: Any) -> Any:
        with Forward(x, tf.ones_like(x)) as acc:
            y = hidden_sine(x)
        return acc.jvp(y)

    with tf.GradientTape() as tape, Forward(X, tf.ones_like(X)) as acc:
        tape.watch(X)
        y = slope(X)
    np.testing.assert_allclose(tape.gradient(y, X), -np.sin(X.numpy()), rtol=1e-6)
    np.testing.assert_allclose(acc.jvp(y), -np.sin(X.numpy()), rtol=1e-6)


def test_errors_of_a_gradient_of_its_own_are_not_hidden() -> None:
    @tf.custom_gradient
    def f(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise ValueError("told")

        return 1.0, grad

    with Forward(X, V), pytest.raises(ValueError, match="told"):
        f(X)


def test_an_op_without_gradient_is_named() -> None:
    @op("TestForwardCube", infer=same_as("x"))
    def cube(xp, x):
        return x**3

    try:
        with pytest.raises(LookupError, match="TestForwardCube"), Forward(X, V):
            cube(X)
    finally:
        del OPS["TestForwardCube"]


# -- nesting ------------------------------------------------------------------------------------


def test_nested_accumulators_give_higher_orders() -> None:
    x, one = tf.constant(2.0), tf.constant(1.0)
    with Forward(x, one) as outer:
        with Forward(x, one) as inner:
            y = x**3
            first = inner.jvp(y)
        assert inner.jvp(outer.jvp(y)) is None
    assert numbers([outer.jvp(y), inner.jvp(y), outer.jvp(first)]) == [12.0, 12.0, 12.0]
    assert inner.jvp(first) is None


def hessian_vector(f: Any, x: Any, v: Any) -> list[Any]:
    """The product in the four ways that tapes and accumulators nest."""
    with Forward(x, v) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        forward_over_reverse = acc.jvp(tape.gradient(y, x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Forward(x, v) as acc:
            y = f(x)
        tangent = acc.jvp(y)
    reverse_over_forward = tape.gradient(tangent, x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        gradient = inner.gradient(y, x)
    reverse_over_reverse = outer.gradient(gradient, x, output_gradients=v)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        gradient = tape.gradient(f(x), x)
    reverse_over_itself = tape.gradient(gradient, x, output_gradients=v)
    return [forward_over_reverse, reverse_over_forward, reverse_over_reverse, reverse_over_itself]


def test_hessian_vector_products_agree() -> None:
    w = tf.constant([[1.0, -2.0], [0.5, 3.0]], tf.float64)
    x, v = tf.constant([[0.3, -0.7]], tf.float64), tf.constant([[1.0, 2.0]], tf.float64)

    def f(x: Any) -> Any:
        return tf.reduce_sum(tf.math.sigmoid(x @ w) ** 2 + tf.exp(x[:, :1]) * x[:, 1:])

    results = hessian_vector(f, x, v)
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 0], logits=x),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones_like(x) / 2.0, logits=x),
        lambda x: tf.linalg.eigh(tf.matmul(x, x, transpose_b=True))[0] ** 2,
        lambda x: tf.linalg.svd(x)[0] ** 3,
    ],
    ids=["sparse cross entropy", "cross entropy", "eigenvalues", "singular values"],
)
def test_hessian_vector_products_where_results_are_dropped(f: Any) -> None:
    """The gradients of these ops name results that nobody holds when they are computed."""
    x = tf.constant([[0.3, -0.7, 1.1], [2.0, 0.2, -0.5]], tf.float64)
    v = tf.constant([[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]], tf.float64)
    results = hessian_vector(lambda x: tf.reduce_sum(f(x)), x, v)
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=1e-9, atol=1e-12)
    assert np.abs(results[0]).max() > 0.01


def test_a_result_among_several_as_primal() -> None:
    first, second = tf.split(tf.constant([2.0, 3.0]), 2)
    with Forward(second, tf.constant([10.0])) as acc:
        y = first * second
    assert numbers(acc.jvp([y, second, first])) == [[20.0], [10.0], None]
    with tf.autodiff.ForwardAccumulator(X, V) as outer:
        _, second = tf.split(X, 2)
        with Forward(second, tf.constant([10.0])) as inner:
            y = second * second
    assert numbers([outer.jvp(y), inner.jvp(y)]) == [[2.0], [40.0]]


def test_a_hessian_vector_product_of_variables() -> None:
    w = tf.Variable([2.0, 3.0])
    with Forward(w, V) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(w**3)
        gradient = tape.gradient(y, w)
    assert numbers(acc.jvp(gradient)) == [12.0, 9.0]


def test_a_tape_outside_differentiates_by_the_tangent_too() -> None:
    with tf.GradientTape() as tape:
        tape.watch(V)
        with Forward(X, V) as acc:
            y = tf.reduce_sum(X**3)
        tangent = acc.jvp(y)
    np.testing.assert_allclose(tape.gradient(tangent, V), [3.0, 12.0])


def test_a_tape_inside_does_not_see_the_tangents() -> None:
    with Forward(X, V) as acc, tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = tf.reduce_sum(X**3)
        tangent = acc.jvp(y)
    assert tape.gradient(tangent, X) is None
    np.testing.assert_allclose(tape.gradient(y, X), [3.0, 12.0])


# -- the life of an accumulator -----------------------------------------------------------------


def test_an_accumulator_goes_on_when_entered_again() -> None:
    acc = Forward(X, V)
    with acc:
        y = X * X
    outside = X * X
    with acc:
        z = y * X
    assert numbers(acc.jvp(y)) == [2.0, 2.0]
    assert numbers(acc.jvp(z)) == [3.0, 6.0]
    assert acc.jvp(outside) is None
    with acc, pytest.raises(ValueError, match="already recording"):
        acc.__enter__()


def test_another_thread_is_not_recorded() -> None:
    results = []
    with Forward(X, V) as acc:
        thread = threading.Thread(target=lambda: results.append(X * X))
        thread.start()
        thread.join()
    assert acc.jvp(results[0]) is None


def test_tangents_go_with_their_tensors() -> None:
    with Forward(X, V) as acc:
        y = X * X
        tangent = weakref.ref(acc.jvp(y))
        z = y * 2.0
        assert tangent() is not None
        del y
        gc.collect()
        assert tangent() is None
    assert numbers(acc.jvp(z)) == [4.0, 4.0]


# -- what is refused ----------------------------------------------------------------------------


def test_primals_and_tangents_must_match() -> None:
    for primals, tangents in ((X, [V]), ([X], [V, V]), (X, [1.0, 2.0])):
        with pytest.raises(ValueError, match="The structures differ"):
            Forward(primals, tangents)
    with pytest.raises(ValueError, match="float64"):
        Forward(X, tf.constant([1.0, 2.0], tf.float64))
    with pytest.raises(ValueError, match="None"):
        Forward(X, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\].*\[2\]"):
        Forward(X, tf.ones([3]))


def test_a_primal_is_named_once() -> None:
    with pytest.raises(ValueError, match="is listed twice among"):
        Forward([X, X], [V, V])


def test_only_tensors_and_variables_have_tangents() -> None:
    with pytest.raises(AttributeError, match=r"3\.0"):
        Forward(3.0, 3.0)
    with Forward(X, V) as acc:
        pass
    with pytest.raises(AttributeError, match=r"3\.0"):
        acc.jvp(3.0)


def test_an_integer_primal_warns(logged: list[str]) -> None:
    Forward(tf.constant([1, 2]), tf.constant([1, 2]))
    assert len(logged) == 1
    assert "primal tensor must be floating" in logged[0]
