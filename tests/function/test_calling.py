"""Calling a traced function: what it takes from outside, gives back, and tells tapes."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.graph.helpers import concrete

Pair = namedtuple("Pair", ["left", "right"])

# -- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda x: None,
        lambda x: x,
        lambda x: (),
        lambda x: (x,),
        lambda x: [x, x + 1.0],
        lambda x: {"b": x, "a": (x, [x * 2.0, None])},
        lambda x: Pair(x, {"k": x}),
        lambda x: (None, x, None),
        lambda x: tf.IndexedSlices(x[None], [0], [1]),
        lambda x: (tf.sparse.from_dense([x, 0.0]), 1.5),
    ],
)
def test_structures(make: Any) -> None:
    expected, result = make(tf.constant(3.0)), concrete(make, [])(tf.constant(3.0))
    tf.nest.assert_same_structure(expected, result, expand_composites=True)
    leaves = (tf.nest.flatten(s, expand_composites=True) for s in (result, expected))
    for a, e in zip(*leaves, strict=True):
        assert (a is None) == (e is None)
        assert a is None or np.array_equal(a, e)


def test_python_values_become_tensors() -> None:
    result = concrete(lambda x: (5, 2.5, "text", True, np.float64(1.0)), [])(tf.constant(1.0))
    assert [t.dtype for t in result] == [tf.int32, tf.float32, tf.string, tf.bool, tf.float64]


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match=r"type object: a .* must return"):
        concrete(lambda x: object(), [])


def test_an_argument_that_is_returned() -> None:
    x = tf.constant([1.0, 2.0])
    first, second = concrete(lambda x: (x, x), [2])(x)
    assert first.numpy().tolist() == second.numpy().tolist() == [1.0, 2.0]


def test_what_a_concrete_function_says_of_itself() -> None:
    def function(x: Any, y: Any) -> Any:
        return {"a": x, "b": (tf.cast(y, tf.float32),)}

    traced = concrete(function, tf.TensorSpec([2], name="q"), tf.TensorSpec([None, 3], tf.int32))
    assert [t.name for t in traced.inputs] == ["q:0", "y:0"]
    assert traced.output_dtypes == {"a": tf.float32, "b": (tf.float32,)}
    assert traced.output_shapes["b"][0].as_list() == [None, 3]
    (first, second), named = traced.structured_input_signature
    assert first == tf.TensorSpec([2], name="q") and named == {}
    assert second.shape.as_list() == [None, 3] and second.dtype is tf.int32
    assert traced.graph.name == "function"
    assert traced.graph.building_function


# -- captures -----------------------------------------------------------------------------------


def test_captures() -> None:
    large, small, variable = tf.ones([300]), tf.constant([1.0, 2.0]), tf.Variable(3.0)
    traced = concrete(lambda x: x + tf.reduce_sum(large) + small + variable, [2])
    assert len(traced.captured_inputs) == len(traced.graph.external_captures) == 2
    assert traced.captured_inputs[0] is large
    assert traced.variables == (variable,)
    assert traced(tf.zeros(2)).numpy().tolist() == [304.0, 305.0]
    variable.assign(0.0)
    assert traced(tf.zeros(2)).numpy().tolist() == [301.0, 302.0]


def test_a_tensor_is_captured_once() -> None:
    large = tf.ones([300])
    traced = concrete(lambda x: x + tf.reduce_sum(large) + tf.reduce_max(large), [])
    assert len(traced.captured_inputs) == 1


def test_captures_of_an_inner_function_are_those_of_the_outer() -> None:
    large, variable = tf.ones([300]), tf.Variable(2.0)
    inner = tf.function(lambda x: x * tf.reduce_sum(large) * variable)
    traced = concrete(lambda x: inner(x) + inner(2.0 * x), [])
    assert len(traced.captured_inputs) == 2
    assert traced.variables == (variable,)
    assert traced(tf.constant(1.0)).numpy() == 1800.0


def test_tensors_of_the_outer_function_are_captured_by_the_inner() -> None:
    def outer(x: Any) -> Any:
        y = x * 2.0

        @tf.function
        def inner(z: Any) -> Any:
            return z + y

        return inner(x)

    assert concrete(outer, [])(tf.constant(3.0)).numpy() == 9.0


def test_branches_capture_through_every_graph_around_them() -> None:
    def function(x: Any) -> Any:
        def twice() -> Any:
            return tf.cond(x > 1.0, lambda: x * 10.0, lambda: x)

        return tf.cond(x > 0.0, twice, lambda: -x)

    traced = concrete(function, [])
    assert [traced(tf.constant(v)).numpy() for v in (2.0, 1.0, -3.0)] == [20.0, 1.0, 3.0]


def test_a_deleted_variable_is_reported() -> None:
    variable = tf.Variable(1.0)
    holder = [variable]
    traced = concrete(lambda x: x + holder[0], [])
    assert traced(tf.constant(1.0)).numpy() == 2.0
    del variable
    holder.clear()
    gc.collect()
    with pytest.raises(AssertionError, match="uses has been deleted"):
        assert traced.variables


# -- tapes --------------------------------------------------------------------------------------


@tf.custom_gradient
def _hundredfold(x: Any) -> Any:
    y = x * x
    return y, lambda dy: dy * 100.0 * y


FUNCTIONS: dict[str, Any] = {
    "power": lambda x: x**3.0,
    "several": lambda x: (x * 2.0, tf.sin(x), tf.cast(x, tf.int32)),
    "unconnected": lambda x: (tf.stop_gradient(x) * 2.0 + 1.0, x),
    "custom": lambda x: _hundredfold(x) * 2.0,
    "gather": lambda x: tf.gather(tf.stack([x, 2.0 * x, x * x]), [2, 2, 0]),
    "branch": lambda x: tf.cond(x > 1.0, lambda: x * x, lambda: -x),
    "loop": lambda x: tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * x), [0, x])[1],
    "inner": lambda x: tf.function(lambda y: y * y)(x) + x,
    "tape": lambda x: _slope(x),
}


def _slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3.0
    return tape.gradient(y, x)


def _derivative(function: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [t for t in tf.nest.flatten(function(x)) if t.dtype.is_floating]
    return tape.gradient(y, x)


def _second(function: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = _derivative(function, x)
    return tape.gradient(first, x)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("derive", [_derivative, _second], ids=["first", "second"])
def test_derivatives_around_a_call(name: str, derive: Any) -> None:
    function, x = FUNCTIONS[name], tf.constant(1.5)
    expected, actual = derive(function, x), derive(concrete(function, []), x)
    assert (expected is None) == (actual is None)
    if expected is not None:
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("derive", [_derivative, _second], ids=["first", "second"])
def test_derivatives_within_a_function(name: str, derive: Any) -> None:
    function, x = FUNCTIONS[name], tf.constant(1.5)
    expected, actual = derive(function, x), concrete(lambda x: derive(function, x), [])(x)
    assert (expected is None) == (actual is None)
    if expected is not None:
        np.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_variables_that_a_function_reads_are_watched() -> None:
    variable, constant = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    traced = concrete(lambda x: x * variable * constant, [])
    with tf.GradientTape() as tape:
        y = traced(tf.constant(5.0))
    assert tape.watched_variables() == (variable,)
    assert tape.gradient(y, variable).numpy() == 15.0


def test_a_persistent_tape_around_two_calls() -> None:
    traced, x = concrete(lambda x: x**2.0, []), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = traced(x)
        z = traced(y)
    assert tape.gradient(y, x).numpy() == 6.0
    assert tape.gradient(z, x).numpy() == 108.0


def test_a_call_under_a_tape_that_watches_nothing_of_it() -> None:
    traced = concrete(lambda x: x**2.0, [])
    with tf.GradientTape() as tape:
        y = traced(tf.constant(3.0))
    assert tape.gradient(y, tf.constant(1.0)) is None


def test_effects_happen_once_under_a_tape() -> None:
    count = tf.Variable(0, trainable=False)

    def function(x: Any) -> Any:
        count.assign_add(1)
        return x * x

    traced, x = concrete(function, []), tf.constant(3.0)
    assert _derivative(traced, x).numpy() == 6.0
    assert count.numpy() == 1


def test_forward_derivatives_through_a_call() -> None:
    traced, x = concrete(lambda x: x**3.0, []), tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = traced(x)
    assert accumulator.jvp(y).numpy() == 12.0


def test_a_concrete_function_has_no_pickle() -> None:
    concrete = tf.function(lambda x: x + 1).get_concrete_function(1)
    for use in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot pickle .* with tf\.saved_model\.save"):
            use(concrete)
    assert int(copy.copy(concrete)()) == 2


def test_sizes_that_are_not_known_are_no_elements() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def flat(x: Any) -> Any:
        return tf.reshape(x, [x.shape[0], 3, 1])

    with pytest.raises(TypeError, match=r"tf\.shape\(x\)\[0\] instead of x\.shape\[0\]"):
        flat(tf.ones([2, 3]))


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("change", ["assign", "assign_add", "assign_sub"])
def test_variables_are_changed_by_what_has_their_shape(change: str, jit: bool) -> None:
    v = tf.Variable([1.0, 2.0])

    def f(x: Any) -> None:
        getattr(v, change)(x)

    with pytest.raises(ValueError, match="shape"):
        tf.function(f, jit_compile=jit)(tf.ones([3]))
    unknown = tf.function(f, input_signature=[tf.TensorSpec(None)], jit_compile=jit)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2\].*\[3\]"):
        unknown(tf.ones([3]))
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("jit", [None, False, True])
@pytest.mark.parametrize("traced_before", [False, True])
def test_tensors_from_outside_are_differentiated(jit: bool | None, traced_before: bool) -> None:
    """Small ones stand in the graph as constants, wherever they are used."""
    c = tf.constant(3.0)

    @tf.function
    def inner(x: Any) -> Any:
        return x * c

    @tf.function(jit_compile=jit)
    def f(x: Any) -> Any:
        for _ in tf.range(2):
            if x > 0.0:
                x = inner(x)
        return x + c

    if traced_before:
        assert float(f(tf.constant(1.0))) == 12.0
    with tf.GradientTape() as outer:
        outer.watch(c)
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = f(tf.constant(2.0))
        slope = tape.gradient(y, c)
    assert (float(y), float(slope), float(outer.gradient(slope, c))) == (21.0, 13.0, 4.0)


def test_results_in_a_graph_bring_the_effects_of_the_call_with_them():
    with tf.Graph().as_default():
        total = tf.compat.v1.get_variable("total", initializer=1.0)

        @tf.function
        def add(x):
            total.assign_add(x)
            return tf.constant(True)

        done = add(2.0)
        with tf.compat.v1.Session() as session:
            session.run(total.initializer)
            assert session.run(done)
            assert session.run(total) == 3.0
