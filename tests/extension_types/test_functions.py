"""Extension types in functions, branches and loops: eagerly, interpreted and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

ExtensionType = tf.experimental.ExtensionType


class Masked(ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def with_values(self, values: Any) -> Masked:
        return Masked(values, self.mask)


class Weighted(ExtensionType):
    v: tf.Tensor
    n: int = 0


MASKED = Masked([1.0, -2.0, 3.0], [True, False, True])
UNKNOWN = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool))


def plain(value: Any) -> Any:
    leaves = tf.nest.flatten(value, expand_composites=True)
    return [leaf.numpy().tolist() for leaf in leaves]


def scaled(m: Masked, n: Any) -> Masked:
    return m.with_values(tf.where(m.mask, m.values * n, 0.0))


def chosen(m: Masked, n: Any) -> Masked:
    return tf.cond(n > 1.0, lambda: m, lambda: m.with_values(-m.values))


def looped(m: Masked, n: Any) -> Any:
    return tf.while_loop(
        lambda i, m: i < 3, lambda i, m: (i + 1, m.with_values(m.values + n)), [0, m]
    )[1]


def branching(m: Masked, n: Any) -> Masked:
    if n > 1.0:
        m = m.with_values(m.values * 2.0)
    else:
        m = Masked(m.values, ~m.mask)
    for _ in tf.range(3):
        m = m.with_values(m.values + n)
    return m


@pytest.mark.parametrize("body", [scaled, chosen, looped, branching])
@pytest.mark.parametrize("n", [0.5, 2.0])
def test_all_ways_of_running_agree(body: Callable[..., Any], n: float) -> None:
    number = tf.constant(n)
    wanted = plain(body(MASKED, number))
    for options in ({"jit_compile": False}, {"jit_compile": True}):
        result = tf.function(body, **options)(MASKED, number)
        assert isinstance(result, Masked)
        assert plain(result) == wanted
        signature = [UNKNOWN, tf.TensorSpec([])]
        assert plain(tf.function(body, input_signature=signature, **options)(MASKED, n)) == wanted


def test_a_trace_serves_all_values_of_a_spec() -> None:
    traces: list[Any] = []

    @tf.function
    def identity(value: Any) -> Any:
        traces.append(value._type_spec)
        return value

    for value in (Masked([1.0], [True]), Masked([2.0], [False])):
        assert bool(identity(value) == value)
    assert len(traces) == 1
    for value in (Masked([1.0, 2.0], [True, True]), Weighted(1.0, 1), Weighted(1.0, 2)):
        assert bool(identity(value) == value)
    assert len(traces) == 4


def test_shapes_are_relaxed() -> None:
    seen: list[Any] = []

    @tf.function(reduce_retracing=True)
    def identity(value: Any) -> Any:
        seen.append(value._type_spec)
        return value

    for n in range(1, 5):
        identity(Masked([1.0] * n, [True] * n))
    assert seen == [tf.type_spec_from_value(Masked([1.0], [True])), UNKNOWN]


def test_signatures() -> None:
    @tf.function(input_signature=[UNKNOWN])
    def identity(m: Any) -> Any:
        return m

    assert bool(identity(MASKED) == MASKED)
    for wrong in (Masked([1], [True]), Weighted([1.0]), tf.constant(1.0)):
        with pytest.raises(TypeError, match="do not fit the function"):
            identity(wrong)
    concrete = identity.get_concrete_function()
    assert concrete.structured_input_signature == ((UNKNOWN,), {})
    assert bool(concrete(MASKED) == MASKED)
    assert isinstance(concrete.structured_outputs, Masked)
    by_spec = tf.function(lambda m: m.values).get_concrete_function(UNKNOWN)
    np.testing.assert_array_equal(by_spec(MASKED), [1.0, -2.0, 3.0])


def test_nested_values_pass_through_functions() -> None:
    class Outer(ExtensionType):
        rows: tf.RaggedTensor
        inner: tuple[Masked, ...]
        label: str

    made = Outer(tf.ragged.constant([[1], [2, 3]]), [MASKED, MASKED], "a")
    assert bool(tf.function(lambda value: value)(made) == made)
    inside = tf.function(lambda value: [value.inner[1], {"x": value}])(made)
    assert bool(inside[0] == MASKED) and inside[1]["x"].label == "a"


def test_values_of_the_enclosing_scope_are_captured() -> None:
    @tf.function
    def add(x: Any) -> Any:
        return MASKED.with_values(MASKED.values + x)

    assert plain(add(1.0)) == [[2.0, -1.0, 4.0], [True, False, True]]


# -- branches and loops -----------------------------------------------------------------------


def test_branches_may_give_other_shapes() -> None:
    one, two = Masked([1.0], [True]), Masked([1.0, 2.0], [True, False])
    for pick, wanted in ((True, one), (False, two)):
        assert bool(tf.cond(tf.constant(pick), lambda: one, lambda: two) == wanted)
        traced = tf.function(lambda p: tf.cond(p, lambda: one, lambda: two))
        assert bool(traced(tf.constant(pick)) == wanted)
    outputs = traced.get_concrete_function(tf.TensorSpec([], tf.bool)).structured_outputs
    assert outputs._type_spec == UNKNOWN


@pytest.mark.parametrize("other", [Weighted([1.0], 2), Weighted([1], 1), tf.constant([1.0])])
def test_branches_must_give_one_type(other: Any) -> None:
    function = tf.function(lambda p: tf.cond(p, lambda: Weighted([1.0], 1), lambda: other))
    with pytest.raises(TypeError, match="the same structure"):
        function(tf.constant(True))


def test_loops_keep_the_type() -> None:
    def loop(body: Callable[[Any], Any], first: Any, invariant: Any = None) -> Any:
        shapes = None if invariant is None else [tf.TensorShape([]), invariant]
        return tf.function(
            lambda m: tf.while_loop(
                lambda i, m: i < 3, lambda i, m: (i + 1, body(m)), [0, m], shapes
            )[1]
        )(first)

    def grown(m: Any) -> Any:
        return Masked(tf.concat([m.values, m.values], 0), m.mask)

    with pytest.raises(ValueError, match="shape_invariants"):
        loop(grown, MASKED)
    assert loop(grown, MASKED, UNKNOWN).values.shape == [24]
    with pytest.raises(ValueError, match="structures differ"):
        loop(lambda m: Weighted(m.v, m.n + 1), Weighted(1.0))


# -- what else takes them ---------------------------------------------------------------------


def test_identity_and_stop_gradient_are_those_of_the_parts() -> None:
    for function in (tf.identity, tf.stop_gradient):
        result = function(MASKED)
        assert result is not MASKED and bool(result == MASKED)
        assert bool(tf.function(function)(MASKED) == MASKED)


def test_they_are_no_tensors() -> None:
    assert not tf.is_tensor(MASKED)
    for function in (tf.convert_to_tensor, tf.abs, tf.shape, tf.zeros_like, tf.Variable):
        with pytest.raises(ValueError, match="Tensor"):
            function(MASKED)
    with pytest.raises(ValueError, match="dispatch_for_api"):
        tf.sin(MASKED)
    with pytest.raises(TypeError, match="unsupported operand"):
        MASKED + MASKED


def test_python_functions_take_and_give_them() -> None:
    doubled = tf.py_function(lambda m: m.values * 2, [MASKED], tf.float32)
    np.testing.assert_array_equal(doubled, [2.0, -4.0, 6.0])
    spec = Weighted.Spec(tf.TensorSpec([]), 0)
    assert tf.py_function(lambda x: Weighted(x * 2), [1.0], spec).v.numpy() == 2.0


def test_variables_are_read_into_fields() -> None:
    variable = tf.Variable(1.0)
    held = Weighted(variable)
    variable.assign(2.0)
    assert held.v.numpy() == 1.0


def test_modules_do_not_mistake_them_for_variables() -> None:
    module = tf.Module()
    module.held = MASKED
    module.variable = tf.Variable(1.0)
    assert module.variables == (module.variable,)
