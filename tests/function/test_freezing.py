"""Freezing: a function without variables computes what the one with variables did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.function.freezing import frozen
from tapeflow._src.graph.body import bodies_of
from tapeflow._src.standin.modules import convert_to_constants
from tests.graph.frozen_programs import CALLS, program

FUNCTIONAL = {"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"}
RESOURCES = {"ReadVariableOp", "ResourceGather", "VariableShape", "VarHandleOp"}


def graph_ops(graph_def: Any) -> set[str]:
    inner = [node for function in graph_def.library.function for node in function.node_def]
    return {node.op for node in (*graph_def.node, *inner)}


@pytest.mark.parametrize("lower", [True, False])
def test_same_results_without_variables(lower: bool) -> None:
    concrete = program()
    found = frozen(concrete, lower)
    assert found.captured_inputs == [] and found.variables == ()
    assert [t.name for t in found.inputs] == ["ids:0", "flag:0", "count:0"]
    for call in CALLS:
        arguments = [tf.constant(value) for value in call]
        expected = concrete(*arguments)
        for mine, other in zip(found(*arguments), expected, strict=True):
            np.testing.assert_array_equal(mine, other)
    ops = graph_ops(found.graph.as_graph_def())
    assert not ops & RESOURCES
    assert bool(ops & FUNCTIONAL) is not lower
    assert ({"Switch", "Merge", "Enter", "LoopCond"} <= ops) is lower


def test_later_assignments_change_nothing() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def f(x: Any) -> Any:
        return {"product": x * v}

    found = frozen(f.get_concrete_function())
    v.assign_add([1.0, 1.0])
    assert found(x=tf.ones(2))[0].numpy().tolist() == [1.0, 2.0]
    assert f(tf.ones(2))["product"].numpy().tolist() == [2.0, 3.0]


def test_large_captured_tensors_become_constants() -> None:
    big = tf.range(1000.0)
    table = tf.Variable(tf.reshape(tf.range(1000.0), [500, 2]))

    @tf.function
    def f(i: Any) -> Any:
        return tf.gather_nd(table, i) + tf.reduce_sum(big), tf.shape(table)

    concrete = f.get_concrete_function(tf.TensorSpec([None, 1], tf.int32))
    found = frozen(concrete)
    assert len(concrete.captured_inputs) == 2 and not found.captured_inputs
    rows, sizes = found(tf.constant([[3], [0]]))
    assert rows.numpy().tolist() == [[499506.0, 499507.0], [499500.0, 499501.0]]
    assert sizes.numpy().tolist() == [500, 2]


def test_gradients_pass_through_frozen_loops() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.matmul(x, w)
        return x

    found = frozen(f.get_concrete_function())
    x = tf.constant([[1.0, 1.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        mine, other = found(x)[0], f(x)
    np.testing.assert_array_equal(tape.gradient(mine, x), tape.gradient(other, x))


def test_tables_stay_captured() -> None:
    keys = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2]), tf.constant([10.0, 20.0]))
    table = tf.lookup.StaticHashTable(keys, -1.0)
    v = tf.Variable(0.5)
    f = tf.function(lambda x: table.lookup(x) + v)
    found = frozen(f.get_concrete_function(tf.TensorSpec([None], tf.int32)))
    assert [t.dtype for t in found.captured_inputs] == [tf.resource]
    assert found(tf.constant([2, 3]))[0].numpy().tolist() == [20.5, -0.5]


def test_assigned_variables_are_refused() -> None:
    v = tf.Variable(1.0, name="counter")

    @tf.function
    def f(x: Any) -> Any:
        if x > 0.0:
            v.assign_add(x)
        return v + x

    with pytest.raises(ValueError, match=r"'counter'.*AssignAddVariableOp"):
        frozen(f.get_concrete_function(tf.TensorSpec([])))


def test_names_of_tensorflow() -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v, input_signature=[tf.TensorSpec([], name="x")])
    concrete = f.get_concrete_function()
    found, graph_def = convert_to_constants.convert_variables_to_constants_v2_as_graph(concrete)
    assert found(tf.constant(3.0))[0].numpy() == 6.0
    assert [node.op for node in graph_def.node] == ["Placeholder", "Const", "Mul", "Identity"]
    assert not any(bodies_of(node) for node in found.graph.nodes)
    with pytest.raises(TypeError, match="get_concrete_function"):
        convert_to_constants.convert_variables_to_constants_v2(f)
