"""`tf.vectorized_map`, and the vectorisation that jacobians stand on too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.gradients.helpers import numbers


def test_a_function_is_run_once_for_all() -> None:
    calls = []

    def f(x: Any) -> Any:
        calls.append(x.shape)
        return tf.reduce_sum(x * [1.0, 2.0]) + len(x)

    xs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert numbers(tf.vectorized_map(f, xs)) == [7.0, 13.0, 19.0]
    assert calls == [(2,)]


def test_structures_go_in_and_out() -> None:
    xs = {"a": tf.constant([1.0, 2.0]), "b": [tf.constant([[3.0], [4.0]])]}
    result = tf.vectorized_map(lambda d: (d["a"] * d["b"][0], [tf.constant(7.0)]), xs)
    assert numbers(result) == ([[3.0], [8.0]], [[7.0, 7.0]])


@pytest.mark.parametrize("traced", [False, True])
def test_branches_are_chosen_for_each_member(traced: bool) -> None:
    def f(x: Any) -> Any:
        return tf.cond(x > 1.0, lambda: (x, tf.stack([x, x])), lambda: (-x, tf.zeros([2])))

    call = tf.function(lambda xs: tf.vectorized_map(f, xs)) if traced else None
    xs = tf.constant([1.0, 2.0])
    result = call(xs) if call else tf.vectorized_map(f, xs)
    assert numbers(result) == ([-1.0, 2.0], [[0.0, 0.0], [2.0, 2.0]])
    with pytest.raises(TypeError, match="must return the same structure"):
        tf.vectorized_map(lambda x: tf.cond(x > 1.0, lambda: (x, x), lambda: x), xs)


def test_per_example_gradients() -> None:
    """A tape in the function is told of the calls as the function made them."""
    w = tf.Variable([1.0, 2.0])

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x) ** 2
        return tape.gradient(loss, w)

    xs = tf.constant([[1.0, 1.0], [2.0, 0.0]])
    assert numbers(tf.vectorized_map(gradient, xs)) == [[6.0, 6.0], [8.0, 0.0]]


def test_a_tape_outside_sees_the_whole_batch() -> None:
    w, xs = tf.Variable(3.0), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.vectorized_map(lambda x: w * x * x, xs)
    assert numbers(tape.gradient(y, [xs, w])) == [[6.0, 12.0], 5.0]


def test_jacobians_within_vectorised_functions() -> None:
    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    expected = [[[4.0, 1.0], [2.0, 5.0]], [[10.0, 3.0], [4.0, 11.0]]]
    assert numbers(tf.vectorized_map(jacobian, xs)) == expected


def test_hessians_within_vectorised_functions() -> None:
    def hessian(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3)
            gradient = inner.gradient(y, x)
        return outer.jacobian(gradient, x)

    xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    expected = [[[6.0, 0.0], [0.0, 12.0]], [[18.0, 0.0], [0.0, 24.0]]]
    assert numbers(tf.vectorized_map(hessian, xs)) == expected


def test_accumulators_within_vectorised_functions() -> None:
    def slope(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.reduce_sum(x**3)
        return acc.jvp(y)

    xs = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert numbers(tf.vectorized_map(slope, xs)) == [15.0, 75.0]


def test_vectorised_functions_nest() -> None:
    def outer(x: Any) -> Any:
        return tf.vectorized_map(lambda y: x * y, tf.constant([10.0, 100.0]))

    assert numbers(tf.vectorized_map(outer, tf.constant([1.0, 2.0, 3.0]))) == [
        [10.0, 100.0],
        [20.0, 200.0],
        [30.0, 300.0],
    ]


def test_results_that_are_the_same_for_all_are_repeated() -> None:
    result = tf.vectorized_map(lambda x: (3.0, x.shape, None), tf.ones([2, 5]))
    assert numbers(result) == ([3.0, 3.0], [[5], [5]], None)


def test_elements_from_python_and_variables() -> None:
    assert numbers(tf.vectorized_map(lambda x: x * 2, np.array([1, 2]))) == [2, 4]
    assert numbers(tf.vectorized_map(lambda x: x * 2, tf.Variable([1.0, 2.0]))) == [2.0, 4.0]


def test_a_single_element_is_repeated() -> None:
    elems = (tf.constant([1.0, 2.0]), tf.constant([10.0]))
    assert numbers(tf.vectorized_map(lambda e: e[0] * e[1], elems)) == [10.0, 20.0]


def test_no_elements() -> None:
    assert tf.vectorized_map(lambda x: tf.reduce_sum(x) * 2.0, tf.ones([0, 2])).shape == (0,)
    assert tf.vectorized_map(lambda x: tf.unique(x).y, tf.ones([0, 2])).shape[0] == 0


def test_what_cannot_be_mapped_over() -> None:
    with pytest.raises(ValueError, match="at least one tensor"):
        tf.vectorized_map(lambda x: x, [])
    with pytest.raises(ValueError, match="first axis"):
        tf.vectorized_map(lambda x: x, tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 and 3"):
        tf.vectorized_map(lambda e: e[0], (tf.ones([3]), tf.ones([2])))


def test_ops_without_a_rule_run_for_each(logged: list[str]) -> None:
    xs = tf.constant([[3, 1, 3], [2, 2, 5]])
    for _ in range(2):
        assert numbers(tf.vectorized_map(lambda x: tf.unique(x).y, xs)) == [[3, 1], [2, 5]]
    assert len(logged) == 1
    assert "Unique" in logged[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        tf.vectorized_map(lambda x: tf.unique(x).y, tf.constant([[1, 1], [1, 2]]))


def test_running_for_each_can_be_refused(logged: list[str]) -> None:
    xs = tf.constant([[3, 1], [2, 5]])
    with pytest.raises(ValueError, match="No pfor vectorization defined for Unique"):
        tf.vectorized_map(lambda x: tf.unique(x).y, xs, fallback_to_while_loop=False)
    tf.vectorized_map(lambda x: tf.unique(x).y, xs, warn=False)
    assert logged == []


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("op_seed", [None, 7])
@pytest.mark.parametrize("traced", [False, True])
def test_random_numbers_are_drawn_for_each(seed: Any, op_seed: Any, traced: bool) -> None:
    def function() -> Any:
        return tf.vectorized_map(
            lambda x: tf.random.uniform([], seed=op_seed) + 0.0 * x, tf.ones([8])
        )

    tf.random.set_seed(seed)
    try:
        drawn = (tf.function(function) if traced else function)().numpy()
    finally:
        tf.random.set_seed(None)
    assert len(set(drawn.tolist())) == 8


def test_dictionaries_of_rows_and_slices_of_them() -> None:
    table = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    result = tf.vectorized_map(
        lambda e: e["row"][1:] + table[e["which"]][:2],
        {"row": table, "which": tf.constant([1, 0])},
    )
    assert numbers(result) == [[6.0, 8.0], [6.0, 8.0]]


@pytest.mark.parametrize(
    "use",
    [bool, int, float, np.asarray, lambda x: x.numpy()],
    ids=["bool", "int", "float", "array", "numpy"],
)
def test_one_value_is_not_to_be_had(use: Any) -> None:
    with pytest.raises(TypeError, match="batch of 2"):
        tf.vectorized_map(lambda x: use(x), tf.constant([1.0, 2.0]))


def test_errors_are_those_of_one_member() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must stay the same"):
        tf.vectorized_map(lambda x: tf.reshape(x, [3]), tf.ones([4, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float"):
        tf.vectorized_map(lambda x: x + tf.constant(1), tf.ones([4, 2]))


UNKNOWN_NUMBERS: dict[str, tuple[Callable[[Any], Any], list[int | None] | None]] = {
    "element-wise": (lambda e: e * 2.0 + tf.reduce_sum(e), [None, 3]),
    "another shape": (lambda e: tf.reshape(e, [3, 1]) * tf.ones([2]), [None, 3]),
    "another structure": (lambda e: (tf.constant(1), {"z": tf.zeros_like(e)}), [None, 3]),
    "sizes unknown": (lambda e: tf.gather(e, [0, 1]) + tf.range(2.0), [None, None]),
    "rank unknown": (lambda e: tf.concat([e, e], 0), None),
}


@pytest.mark.parametrize("case", UNKNOWN_NUMBERS)
def test_the_number_of_elements_may_be_unknown(case: str) -> None:
    function, dims = UNKNOWN_NUMBERS[case]
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    expected = tf.vectorized_map(function, x)

    @tf.function(input_signature=[tf.TensorSpec(dims)])
    def mapped(x: Any) -> Any:
        return tf.vectorized_map(function, x)

    def same(a: Any, b: Any) -> None:
        np.testing.assert_allclose(a, b)

    tf.nest.map_structure(same, mapped(x), expected)


def test_gradients_of_a_map_over_an_unknown_number() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda e: tf.reduce_sum(e * e), x)
        return tape.gradient(y, x)

    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_allclose(gradient(x), 2.0 * x)


def test_an_unknown_number_needs_a_loop() -> None:
    function = tf.function(
        lambda x: tf.vectorized_map(tf.square, x, fallback_to_while_loop=False),
        input_signature=[tf.TensorSpec([None])],
    )
    with pytest.raises(ValueError, match="fallback_to_while_loop=True"):
        function(tf.ones([2]))


DRAWS = {
    "uniform": lambda x: tf.random.uniform([3]) + x,
    "integers": lambda x: tf.cast(tf.random.uniform([3], 0, 1000000, tf.int32), tf.float32) + x,
    "normal": lambda x: tf.random.normal([3], seed=7) + x,
    "truncated": lambda x: tf.random.truncated_normal([3]) + x,
    "gamma": lambda x: tf.random.gamma([3], 2.0) + x,
    "gamma of its own": lambda x: tf.random.gamma([3], x),
    "poisson of its own": lambda x: tf.random.poisson([3], x * 1e6),
    "categorical": lambda x: tf.cast(
        tf.random.categorical(x + tf.zeros([1, 1000000]), 3)[0], "float32"
    ),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_members_draw_numbers_of_their_own(draw: Any, wrap: Any) -> None:
    def drawn(xs: Any) -> Any:
        return tf.vectorized_map(draw, xs, fallback_to_while_loop=False)

    found = wrap(drawn)(tf.ones([4])).numpy()
    assert found.shape == (4, 3)
    assert len(np.unique(found, axis=0)) == 4


def test_rates_belong_to_their_members() -> None:
    def drawn(rate: Any) -> Any:
        return tf.reduce_mean(tf.random.poisson([2000], rate), axis=0)

    rates = np.array([[1.0, 1000.0], [50.0, 0.1]], np.float32)
    found = tf.vectorized_map(drawn, tf.constant(rates), fallback_to_while_loop=False)
    np.testing.assert_allclose(found, rates, rtol=0.3)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(
    ("elements", "one", "expected"),
    [
        (tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.reduce_sum, [3.0, 3.0]),
        (tf.sparse.from_dense([[1.0, 0.0], [2.0, 3.0]]), tf.sparse.reduce_sum, [1.0, 5.0]),
        (
            (tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.constant([10.0, 20.0])),
            lambda pair: tf.reduce_sum(pair[0]) * pair[1],
            [30.0, 60.0],
        ),
    ],
    ids=["ragged", "sparse", "both"],
)
def test_rows_of_ragged_and_sparse_tensors(
    elements: Any, one: Any, expected: Any, wrap: Any
) -> None:
    found = wrap(lambda e: tf.vectorized_map(lambda row: one(row), e))(elements)
    assert numbers(found) == expected
    with pytest.raises(ValueError, match="ragged or sparse"):
        tf.vectorized_map(one, elements, fallback_to_while_loop=False)
