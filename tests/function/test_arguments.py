"""What a function may do with its arguments, and what arguments it takes."""

from __future__ import annotations

import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


def _append(values: Any) -> Any:
    values.append(tf.constant(1.0))
    return values


def _pop(values: Any) -> Any:
    return values.pop()


def _replace(values: Any) -> Any:
    values["a"] = values["a"] * 2.0
    return values


def _replace_within(values: Any) -> Any:
    values[0][0] = tf.constant(1.0)
    return values


X = tf.constant(2.0)


@pytest.mark.parametrize(
    ("function", "values"),
    [(_append, [X]), (_append, [1]), (_pop, [X]), (_replace, {"a": X}), (_replace_within, [[X]])],
)
def test_an_argument_must_not_be_changed(function: Any, values: Any) -> None:
    with pytest.raises(ValueError, match=r"must not modify its Python arguments.*values"):
        tf.function(function)(values)


def test_a_copy_may_be_changed() -> None:
    @tf.function
    def function(values: Any, *rest: Any, **named: Any) -> Any:
        named["more"] = 1.0
        copied = list(values)
        copied.append(rest[0])
        return copied

    assert [t.numpy() for t in function([X], tf.constant(3.0), a=X)] == [2.0, 3.0]


def test_references_are_no_arguments() -> None:
    class Thing:
        pass

    thing = Thing()
    function = tf.function(lambda x: 1.0)
    for argument in (weakref.ref(thing), [weakref.ref(thing)]):
        with pytest.raises(TypeError, match=r"cannot be an argument of tf\.function"):
            function(argument)
    assert function(thing).numpy() == 1.0


def test_a_signature_refines_unknown_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([1])])
    def specific(x: Any) -> Any:
        assert x.shape == [1]
        return x

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def general(x: Any) -> Any:
        return specific(x)

    assert general(tf.constant([1.0])).numpy() == [1.0]
    other = tf.function(lambda: specific(tf.constant([1.0, 2.0])))
    with pytest.raises(TypeError, match=r"Cannot convert TensorSpec\(shape=\(2,\)"):
        other()


def test_shapes_are_checked_where_a_trace_is_called_in_a_graph() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.constant([1.0]))
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match=r"Cannot convert TensorSpec\(shape=\(2,\).* to TensorSpec"):
        tf.function(lambda: concrete(tf.constant([1.0, 2.0])))()


def test_a_trace_takes_other_ranks_as_its_operations_do() -> None:
    function = tf.function(lambda a, b: (a + b, a * b, tf.exp(a), {"c": a - 1.0}))
    concrete = function.get_concrete_function(tf.TensorSpec([None]), tf.TensorSpec([]))
    with tf.GradientTape() as tape:
        tape.watch(X)
        added, product, power, rest = concrete(X, tf.constant(3.0))
        total = added + product + power + rest["c"]
    assert [t.numpy() for t in (added, product, rest["c"])] == [5.0, 6.0, 1.0]
    np.testing.assert_allclose(power, np.exp(2.0), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(total, X), 5.0 + np.exp(2.0), rtol=1e-6)


def test_what_gradients_start_from_is_followed_through_a_call() -> None:
    function = tf.function(tf.cos)
    with tf.GradientTape() as first:
        first.watch(X)
        y = function(X)
    with tf.GradientTape() as second:
        start = tf.constant(3.0)
        second.watch(start)
        gradient = first.gradient(y, X, start)
    np.testing.assert_allclose(gradient, -3.0 * np.sin(2.0), rtol=1e-6)
    np.testing.assert_allclose(second.gradient(gradient, start), -np.sin(2.0), rtol=1e-6)


def plain(x: Any) -> Any:
    return x + 1.0


@tf.function
def decorated(x: Any) -> Any:
    return x + 2.0


def test_functions_are_pickled_by_name_or_with_their_python_function() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    signature = (tf.TensorSpec([]),)
    function = tf.function(plain, input_signature=signature, reduce_retracing=True)
    restored = pickle.loads(pickle.dumps(function))
    assert restored is not function
    assert restored.input_signature == signature
    assert restored(X).numpy() == 3.0
