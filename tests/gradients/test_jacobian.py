"""`GradientTape.jacobian` and `batch_jacobian`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import ZERO, numbers

X = tf.constant([1.0, 2.0, 3.0])


def network(x: Any, w: Any, b: Any) -> Any:
    return tf.math.tanh(x @ w + b)


def arrays(*shapes: tuple[int, ...], dtype: Any = tf.float64) -> list[Any]:
    generator = np.random.default_rng(0)
    return [tf.constant(generator.standard_normal(s), dtype) for s in shapes]


# -- jacobian -----------------------------------------------------------------------------------


def test_the_shape_is_that_of_target_and_source() -> None:
    x, w, b = arrays((7, 5), (5, 10), (10,))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w, b])
        y = network(x, w, b)
    jacobians = tape.jacobian(y, {"x": x, "rest": [w, b]})
    assert jacobians["x"].shape == (7, 10, 7, 5)
    assert jacobians["rest"][0].shape == (7, 10, 5, 10)
    assert jacobians["rest"][1].shape == (7, 10, 10)
    # Summed over the target it is the gradient.
    gradient = tape.gradient(y, w)
    np.testing.assert_allclose(tf.reduce_sum(jacobians["rest"][0], [0, 1]), gradient, rtol=1e-10)


def test_a_diagonal() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    assert numbers(tape.jacobian(y, X)) == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def test_scalar_targets_and_sources() -> None:
    delta = tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.sigmoid(X + delta)
        total = tf.reduce_sum(y)
    assert tape.jacobian(y, delta).shape == (3,)
    assert tape.jacobian(total, delta).shape == ()


def test_all_three_ways_agree() -> None:
    x, w, b = arrays((3, 4), (4, 2), (2,))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w, b])
        y = network(x, w, b)
    at_once = tape.jacobian(y, [x, w, b])
    in_parts = tape.jacobian(y, [x, w, b], parallel_iterations=4)
    in_turn = tape.jacobian(y, [x, w, b], experimental_use_pfor=False)
    for a, p, t in zip(at_once, in_parts, in_turn, strict=True):
        np.testing.assert_allclose(p, a, rtol=1e-12)
        np.testing.assert_allclose(t, a, rtol=1e-12)


def test_the_target_is_its_own_source() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v * 2
    assert numbers(tape.jacobian(v, v)) == [[1.0, 0.0], [0.0, 1.0]]
    assert numbers(tape.jacobian(y, y)) == [[1.0, 0.0], [0.0, 1.0]]


def test_unconnected_jacobians() -> None:
    other, whole = tf.constant([[1.0]]), tf.constant([1, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X
        rounded = tf.cast(X, tf.int32)
    assert tape.jacobian(y, [X, other])[1] is None
    for at_once in (True, False):
        zeros = tape.jacobian(
            y, [other, whole], unconnected_gradients=ZERO, experimental_use_pfor=at_once
        )
        assert [z.shape for z in zeros] == [(3, 1, 1), (3, 2)]
        assert [z.dtype for z in zeros] == [tf.float32, tf.int32]
    assert tape.jacobian(rounded, X) is None
    assert tape.jacobian(rounded, X, unconnected_gradients=ZERO).shape == (3, 3)
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tape.jacobian(y, X, unconnected_gradients="nothing")


def test_dtypes() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        wide, z = tf.cast(X, tf.float64) ** 2, tf.complex(X, X)
    assert tape.jacobian(wide, X).dtype is tf.float32
    assert numbers(tape.jacobian(wide, X)) == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]
    assert numbers(tape.jacobian(z, X)) == np.eye(3).tolist()


def test_sparse_gradients_become_dense() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        rows = tf.gather(table, [2, 0])
    jacobian = tape.jacobian(rows, table)
    assert isinstance(jacobian, tf.Tensor)
    expected = np.zeros((2, 2, 3, 2))
    for row, source in enumerate([2, 0]):
        for column in range(2):
            expected[row, column, source, column] = 1
    np.testing.assert_array_equal(jacobian, expected)


def test_empty_targets_and_sources() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        nothing = tf.reshape(X[:0], [0, 2])
        y = X * 2.0
    for at_once in (True, False):
        assert tape.jacobian(nothing, X, experimental_use_pfor=at_once).shape == (0, 2, 3)
    assert tape.jacobian(y, []) == []


def test_a_tape_takes_one_jacobian() -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    with pytest.raises(RuntimeError, match=r"jacobian with experimental_use_pfor=False"):
        tape.jacobian(y, X, experimental_use_pfor=False)
    assert tape.jacobian(y, X).shape == (3, 3)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.jacobian(y, X)


def test_inside_a_persistent_context_it_warns(logged: list[str]) -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        tape.jacobian(X * X, X)
    assert len(logged) == 1
    assert "GradientTape.jacobian" in logged[0]


@pytest.mark.parametrize("target", [[X], None, 3.0, np.ones(2)])
def test_the_target_is_one_tensor(target: Any) -> None:
    with tf.GradientTape() as tape:
        tape.watch(X)
    with pytest.raises(AttributeError, match="one tensor"):
        tape.jacobian(target, X)


def test_parallel_iterations_are_positive() -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X * X
    assert tape.jacobian(y, X, parallel_iterations=1).shape == (3, 3)
    with pytest.raises(ValueError, match="at least 1"):
        tape.jacobian(y, X, parallel_iterations=0)


def test_a_hessian() -> None:
    w1, w2 = (tf.Variable(a) for a in arrays((5, 4), (4, 3)))
    x = arrays((6, 5))[0]

    def loss() -> Any:
        return tf.reduce_mean(tf.math.tanh(tf.math.tanh(x @ w1) @ w2) ** 2)

    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = loss()
        gradient = inner.gradient(y, w1)
    hessian = outer.jacobian(gradient, w1)
    assert hessian.shape == (5, 4, 5, 4)
    square = tf.reshape(hessian, [20, 20]).numpy()
    np.testing.assert_allclose(square, square.T, atol=1e-12)

    def slope() -> np.ndarray:
        with tf.GradientTape() as tape:
            value = loss()
        return tape.gradient(value, w1).numpy()

    step, base = 1e-6, w1.numpy()
    moved = base.copy()
    moved[2, 1] += step
    w1.assign(moved)
    ahead = slope()
    moved[2, 1] -= 2 * step
    w1.assign(moved)
    np.testing.assert_allclose(hessian[2, 1], (ahead - slope()) / (2 * step), atol=1e-7)


def test_a_jacobian_is_differentiable() -> None:
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        jacobian = inner.jacobian(y, x)
        total = tf.reduce_sum(jacobian)
    np.testing.assert_allclose(outer.gradient(total, x), [6.0, 12.0])


def test_a_jacobian_of_a_jacobian() -> None:
    x = tf.constant([1.0, 2.0, 3.0], tf.float64)
    with (
        tf.GradientTape() as outer,
        tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as forward,
    ):
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * tf.reduce_sum(x**2)
        jacobian = inner.jacobian(y, x)
    second = outer.jacobian(jacobian, x)
    one, unit = x.numpy(), np.eye(3)
    expected = 2 * (
        np.einsum("ab,c->abc", unit, one)
        + np.einsum("ac,b->abc", unit, one)
        + np.einsum("bc,a->abc", unit, one)
    )
    np.testing.assert_allclose(second, expected, rtol=1e-12)
    np.testing.assert_allclose(forward.jvp(jacobian), expected.sum(-1), rtol=1e-12)


def test_through_a_convolution_and_a_pool() -> None:
    images, filters = arrays((2, 6, 6, 2), (3, 3, 2, 3), dtype=tf.float32)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([images, filters])
        y = tf.nn.conv2d(images, filters, strides=2, padding="SAME")
        y = tf.nn.max_pool2d(tf.nn.relu(y), 2, 1, "VALID")
        y = tf.nn.softmax(tf.reshape(y, [2, -1]))
    at_once = tape.jacobian(y, [images, filters])
    in_turn = tape.jacobian(y, [images, filters], experimental_use_pfor=False)
    for a, t in zip(at_once, in_turn, strict=True):
        np.testing.assert_allclose(a, t, rtol=1e-4, atol=1e-6)


# -- batch_jacobian -----------------------------------------------------------------------------


def test_a_batch_of_jacobians() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    expected = [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
    assert numbers(tape.batch_jacobian(y, x)) == expected


def test_a_batch_jacobian_is_the_diagonal_of_the_jacobian() -> None:
    x, w, b = arrays((4, 3), (3, 6), (6,))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reshape(network(x, w, b), [4, 2, 3])
    expected = np.einsum("bijbk->bijk", tape.jacobian(y, x).numpy())
    for options in ({}, {"parallel_iterations": 4}, {"experimental_use_pfor": False}):
        np.testing.assert_allclose(tape.batch_jacobian(y, x, **options), expected, rtol=1e-12)


def test_a_batch_jacobian_of_variables() -> None:
    v = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = v * 2
    assert numbers(tape.batch_jacobian(y, v)) == [[[2.0, 0.0], [0.0, 2.0]]]
    assert numbers(tape.batch_jacobian(v, v)) == [[[1.0, 0.0], [0.0, 1.0]]]


def test_an_unconnected_batch_jacobian_is_zeros() -> None:
    x, other = tf.ones([3, 2]), tf.ones([3, 4], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 2.0
    for wish, dtype in (("none", tf.float32), ("zero", tf.float64)):
        zeros = tape.batch_jacobian(y, other, unconnected_gradients=wish)
        assert zeros.shape == (3, 2, 4)
        assert zeros.dtype is dtype
        assert not np.any(zeros.numpy())


def test_an_empty_batch() -> None:
    x = tf.ones([0, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    assert tape.batch_jacobian(y, x).shape == (0, 2, 2)


def test_rows_of_target_and_source_must_match() -> None:
    x = tf.ones([3, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        fewer, sums = x[:2] * 1.0, tf.reduce_sum(x, 1)
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(fewer, x)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(sums, x)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(fewer, sums)
    with pytest.raises(AttributeError, match="one tensor"):
        tape.batch_jacobian(fewer, [x])


def test_a_tape_takes_one_batch_jacobian() -> None:
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(RuntimeError, match=r"batch_jacobian with experimental_use_pfor=False"):
        tape.batch_jacobian(y, x, experimental_use_pfor=False)
    assert tape.batch_jacobian(y, x).shape == (3, 2, 2)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.batch_jacobian(y, x)
