"""Functions of private modules that are more than aliases."""

from __future__ import annotations

import functools
import unittest
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.checkpoint.views import list_objects
from tapeflow._src.internal.composite_tensor import CompositeTensor
from tapeflow._src.internal.test import combinations
from tapeflow._src.standin.modules import (
    control_flow,
    control_flow_util,
    convolutions,
    linear_operators,
    random_ops,
    test_util,
    type_spec_registry,
    variable_utils,
)
from tapeflow._src.standin.modules.bounded_spec import BoundedTensorSpec


class Pair(CompositeTensor):
    """A composite as libraries make them: its spec says what it consists of."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first, self.second = first, second

    @property
    def _type_spec(self) -> Any:
        return PairSpec(tf.type_spec_from_value(self.first), tf.type_spec_from_value(self.second))


class PairSpec(tf.TypeSpec):
    """The spec of a pair."""

    value_type = Pair

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def _serialize(self) -> tuple[Any, ...]:
        return self._parts

    @property
    def _component_specs(self) -> Any:
        return self._parts

    def _to_components(self, value: Any) -> Any:
        return value.first, value.second

    def _from_components(self, components: Any) -> Any:
        return Pair(*components)


def test_composites_of_libraries_are_taken_apart() -> None:
    pair = Pair(tf.constant(1.0), tf.constant([2.0]))
    doubled = tf.nest.map_structure(lambda t: t * 2, pair, expand_composites=True)
    assert (doubled.first.numpy(), doubled.second.numpy()[0]) == (2.0, 4.0)
    same = tf.function(lambda p: Pair(p.first + 1, p.second))(pair)
    assert same.first.numpy() == 2.0
    named = PairSpec(tf.TensorSpec([], name="x"), tf.TensorSpec([1]))
    assert named._without_tensor_names() == PairSpec(tf.TensorSpec([]), tf.TensorSpec([1]))


def test_case_calls_the_first_function_whose_predicate_holds() -> None:
    def choose(x: Any) -> Any:
        pairs = [(x < 0, lambda: -1), (x > 5, lambda: 1)]
        return control_flow._case_helper(tf.cond, pairs, lambda: 0, False, "case")

    assert [int(choose(tf.constant(x))) for x in (-3, 2, 9)] == [-1, 0, 1]
    assert int(tf.function(choose)(tf.constant(9))) == 1


def test_exclusive_cases_are_checked_when_the_graph_runs() -> None:
    def choose(x: Any) -> Any:
        pairs = [(x < 5, lambda: -1), (x > 2, lambda: 1)]
        return control_flow._case_helper(tf.cond, pairs, lambda: 0, True, "case")

    for run in (choose, tf.function(choose)):
        assert [int(run(tf.constant(x))) for x in (1, 9)] == [-1, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 predicate"):
            run(tf.constant(3))


def test_parallel_for_stacks_the_results() -> None:
    np.testing.assert_array_equal(control_flow.pfor(lambda i: i * i, 4), [0, 1, 4, 9])


def test_convolutions_are_set_up_once() -> None:
    x, w = tf.random.normal([1, 5, 5, 2]), tf.random.normal([3, 3, 2, 4])
    made = convolutions.Convolution(x.shape, w.shape, "SAME", strides=2)
    np.testing.assert_allclose(made(x, w), tf.nn.conv2d(x, w, 2, "SAME"), rtol=1e-5)


def test_sums_of_operators() -> None:
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    (total,) = linear_operators.add_operators([diagonal, diagonal])
    assert isinstance(total, tf.linalg.LinearOperatorDiag)
    whole = tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    (total,) = linear_operators.add_operators([diagonal, whole])
    np.testing.assert_array_equal(total.to_dense(), [[1, 1], [1, 2]])


def test_bounded_normal_numbers_stay_within_bounds() -> None:
    numbers = random_ops.parameterized_truncated_normal([2, 50], [0.0, 9.0], 1.0, [-1.0, 8.0], 9.5)
    assert numbers.numpy()[0].min() >= -1.0
    assert numbers.numpy()[1].max() <= 9.5


def test_variables_become_tensors_in_structures() -> None:
    converted = variable_utils.convert_variables_to_tensors({"v": tf.Variable(1.0), "t": 2})
    assert not isinstance(converted["v"], tf.Variable)
    assert (float(converted["v"]), converted["t"]) == (1.0, 2)


def test_bounded_specs_of_arrays_take_their_bounds_over() -> None:
    class ArraySpec:
        shape, dtype, name = (), np.dtype(np.int32), "action"

    spec = BoundedTensorSpec.from_spec(ArraySpec())
    assert (spec.dtype, spec.name) == (tf.int32, "action")
    assert (spec.minimum, spec.maximum) == (tf.int32.min, tf.int32.max)
    ArraySpec.minimum, ArraySpec.maximum = 0, 1  # type: ignore[attr-defined]
    spec = BoundedTensorSpec.from_spec(ArraySpec())
    assert (spec.minimum, spec.maximum) == (0, 1)


def test_specs_are_found_by_the_names_that_configurations_have() -> None:
    for name in ("TensorSpec", "SparseTensorSpec", "RaggedTensorSpec", "TensorArraySpec"):
        cls = getattr(tf, name)
        assert type_spec_registry.get_name(cls) == f"tf.{name}"
        assert type_spec_registry.lookup(f"tf.{name}") is cls


def test_list_objects_reaches_all_that_a_checkpoint_holds() -> None:
    inner, root = tf.Module(), tf.Module()
    inner.v = tf.Variable(1.0)
    root.parts, root.again = [inner], inner
    ids = [id(each) for each in list_objects(root)]
    assert ids[0] == id(root) and {id(inner), id(inner.v)} <= set(ids)
    assert len(set(ids)) == len(ids)


def test_gradients_of_loops_need_no_decorator() -> None:
    @test_util.enable_output_all_intermediates
    def slope() -> float:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.constant(3.0)
            y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), [0, x])[1]
            return float(session.run(tf.gradients(y, x)[0]))

    assert slope() == 27.0


@pytest.mark.parametrize("jit_compile", [None, False, True])
def test_graphs_know_whether_they_are_traced_for_xla(jit_compile: bool | None) -> None:
    seen: list[bool] = []

    def look(x: Any) -> Any:
        graph = tf.compat.v1.get_default_graph()
        context = control_flow_util.get_enclosing_xla_context()
        assert (context is not None) == control_flow_util.GraphOrParentsInXlaContext(graph)
        seen.append(context is not None and context.IsXLAContext())
        return x + 1

    inner = tf.function(look)
    inner(tf.constant(1))
    assert seen == [False]
    seen.clear()

    @tf.function(jit_compile=jit_compile)
    def outer(x: Any) -> Any:
        return inner(tf.while_loop(lambda i: i < 3, lambda i: (look(i),), [look(x)])[0])

    outer(tf.constant(1))
    # Traced before, the inner function is traced again for XLA only.
    assert seen == [bool(jit_compile)] * (3 if jit_compile else 2)


def test_whole_classes_of_tests_are_decorated() -> None:
    @test_util.for_all_test_methods(test_util.disable_xla, "reason")
    @test_util.run_v2_only
    class Tests(tf.test.TestCase):
        def test_runs(self) -> None:
            self.ran = True

    @test_util.run_v1_only("Sessions only.")
    class Older(Tests):
        pass

    test = Tests("test_runs")
    test.test_runs()
    assert test.ran
    with pytest.raises(unittest.SkipTest, match="Sessions only"):
        Older("test_runs").test_runs()


def test_objects_that_a_test_leaves_behind_are_counted() -> None:
    left: list[Any] = []

    class Tests(tf.test.TestCase):
        @test_util.assert_no_new_pyobjects_executing_eagerly()
        def test_clean(self) -> None:
            assert tf.executing_eagerly()

        @test_util.assert_no_new_pyobjects_executing_eagerly()
        def test_leaks(self) -> None:
            left.append(Pair(1, [2]))

    Tests("test_clean").test_clean()
    with pytest.raises(AssertionError, match="Pair"):
        Tests("test_leaks").test_leaks()


def test_combinations_name_tests_as_tensorflow_does() -> None:
    ran: list[Any] = []

    def passing_mode(test: Any) -> Any:
        @functools.wraps(test)
        def bound(self: Any) -> None:
            test(self, "sum")

        return bound

    @combinations.generate(combinations.combine(mode=["graph", "eager"], a_b=[1.5]))
    class Tests(tf.test.TestCase):
        def test_plain(self, a_b: float) -> None:
            ran.append((a_b, tf.executing_eagerly()))

    @combinations.generate(combinations.combine(mode=["graph"]))
    class Wrapped(tf.test.TestCase):
        @passing_mode
        def test_own(self, mode: str) -> None:
            ran.append(mode)

    Tests("test_plain_test_ab_15_mode_graph").test_plain_test_ab_15_mode_graph()
    Wrapped("test_own_test_mode_graph").test_own_test_mode_graph()
    assert ran == [(1.5, False), "sum"]


def test_composites_of_libraries_are_no_tensors() -> None:
    assert not tf.is_tensor(Pair(tf.constant(1.0), tf.constant(2.0)))
    assert not tf.is_tensor(tf.linalg.LinearOperatorIdentity(2))
    assert tf.is_tensor(tf.ragged.constant([[1]])) and tf.is_tensor(tf.sparse.eye(2))


@pytest.mark.parametrize("name", ["glorot_normal", "zeros", "constant", "orthogonal"])
def test_older_initializers_take_a_partition(name: str) -> None:
    initializer = getattr(tf.compat.v1.initializers, name)()
    assert initializer([2, 2], tf.float64, None).dtype == tf.float64
