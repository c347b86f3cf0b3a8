"""`GradientTape.gradient`: what is differentiated, and by what."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import ZERO, Wrapped, numbers

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
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\].*\[2\]"):
        tape.gradient(y, x, output_gradients=tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        tape.gradient(y, x, output_gradients=tf.ones([2], tf.float64))
    with pytest.raises(ValueError, match="None"):
        tape.gradient([y, y], x, output_gradients=[tf.ones([2]), None])


def test_a_wrong_number_of_output_gradients_is_reported(logged: list[str]) -> None:
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


# -- in graphs ----------------------------------------------------------------------------------


def test_objects_that_act_as_variables_are_sources_and_targets() -> None:
    v, unused = Wrapped([1.0, 2.0]), Wrapped([5.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.multiply(v, 3.0)
    assert [numbers(g) for g in tape.gradient(y, [v, v.inner])] == [[3.0, 3.0]] * 2
    assert tape.gradient(y, unused) is None
    assert numbers(tape.gradient(y, unused, unconnected_gradients=ZERO)) == [0.0]
    assert numbers(tape.gradient(v, v)) == [1.0, 1.0]
    assert numbers(tape.jacobian(v, v)) == [[1.0, 0.0], [0.0, 1.0]]
    assert numbers(tf.function(lambda: tf.gradients(tf.multiply(v, 3.0), v))()[0]) == [3.0, 3.0]
    assert tf.is_tensor(v)


def of_graph(grad_ys: Any) -> Any:
    """Gradients of squares and multiples, in a graph, which start from `grad_ys`."""

    @tf.function
    def traced() -> Any:
        x = tf.constant([1.0, 2.0])
        (gradient,) = tf.gradients([x * x, 3.0 * x], x, grad_ys=grad_ys)
        return gradient

    return numbers(traced())


@pytest.mark.parametrize(
    ("grad_ys", "expected"),
    [
        (None, [5.0, 7.0]),
        ([[1.0, 10.0], [2.0, 3.0]], [8.0, 49.0]),
        (([1.0, 10.0], None), [5.0, 43.0]),
        ([np.ones(2, np.float32), tf.constant([0.0, 1.0])], [2.0, 7.0]),
    ],
)
def test_gradients_of_a_graph_start_from_one_value_per_target(grad_ys: Any, expected: Any) -> None:
    assert of_graph(grad_ys) == expected


def test_gradients_of_a_graph_start_from_as_many_as_there_are_targets() -> None:
    with pytest.raises(ValueError, match="Passed 1 grad_ys for 2 ys"):
        of_graph([[1.0, 10.0]])
