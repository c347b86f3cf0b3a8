"""Operations are named as TensorFlow names them (the expected names are its own)."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tests.graph.helpers import concrete, names

CASES = {
    "arithmetic": (
        lambda x: x + 1.0 - x * 2.0 / x,
        ["add/y", "add", "mul/y", "mul", "truediv", "sub"],
    ),
    "again": (lambda x: x + 1.5 + 2.5, ["add/y", "add", "add_1/y", "add_1"]),
    "powers": (
        lambda x: x**2.0 // 3.0 % 2.5,
        ["pow/y", "pow", "floordiv/y", "floordiv", "mod/y", "mod"],
    ),
    "signs": (lambda x: (-x, abs(x)), ["Neg", "Abs"]),
    "comparisons": (
        lambda x: (x < 1.0, x == x, x != 2.0),
        ["Less/y", "Less", "Equal", "NotEqual/y", "NotEqual"],
    ),
    "logic": (
        lambda x: (x > 1.0) & ~(x > 2.0) | (x > 3.0),
        ["Greater/y", "Greater", "Greater_1/y", "Greater_1", "LogicalNot", "and"]
        + ["Greater_2/y", "Greater_2", "or"],
    ),
    "given": (
        lambda x: (tf.add(x, x, name="my"), tf.add(x, x, name="my"), tf.identity(x, name="my_1")),
        ["my", "my_1", "my_1_1"],
    ),
    "constants": (
        lambda x: (tf.constant(1.0), tf.constant(2.0), tf.constant(3, name="three")),
        ["Const", "Const_1", "three"],
    ),
    "axes": (
        lambda x: (tf.reduce_mean(x, 0), tf.expand_dims(x, 0), tf.argmax(x, 1)),
        ["Mean/reduction_indices", "Mean", "ExpandDims/dim", "ExpandDims"]
        + ["ArgMax/dimension", "ArgMax"],
    ),
    "joining": (
        lambda x: (tf.concat([x, x], 0), tf.stack([x, x]), tf.unstack(x), tf.split(x, 2)),
        ["concat/axis", "concat", "stack", "unstack", "split/split_dim", "split"],
    ),
    "shapes": (
        lambda x: (tf.reshape(x, [-1]), tf.transpose(x), tf.squeeze(x), tf.cast(x, tf.int32)),
        ["Reshape/shape", "Reshape", "transpose/perm", "transpose", "Squeeze", "Cast"],
    ),
    "functions": (
        lambda x: (tf.nn.relu(x), tf.nn.softmax(x), tf.math.log(x), tf.exp(x)),
        ["Relu", "Softmax", "Log", "Exp"],
    ),
    "choices": (
        lambda x: (tf.where(x > 0.0, x, 1.0), tf.gather(x, [0])),
        ["Greater/y", "Greater", "SelectV2/e", "SelectV2"]
        + ["GatherV2/indices", "GatherV2/axis", "GatherV2"],
    ),
    "slices": (
        lambda x: x[1:, 0],
        ["strided_slice/stack", "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_names(case: str) -> None:
    function, expected = CASES[case]
    assert names(function, [2, 2]) == expected


def test_scopes() -> None:
    def function(x: Any) -> Any:
        with tf.name_scope("a"):
            y = x + 1.0
            with tf.name_scope("b"):
                z = y + 2.0
        with tf.name_scope("a") as again:
            w = x + 3.0
        with tf.name_scope(again):
            v = x + 4.0
        return y, z, w, v

    assert [n for n in names(function, []) if not n.endswith("/y")] == [
        "a/add",
        "a/b/add",
        "a_1/add",
        "a_1/add_1",
    ]


def test_the_scope_around_a_function_is_not_the_scope_within() -> None:
    with tf.name_scope("outside"):
        assert names(lambda x: tf.exp(x), []) == ["Exp"]


def test_names_differ_in_more_than_case() -> None:
    def function(x: Any) -> Any:
        return tf.identity(x, name="thing"), tf.identity(x, name="Thing")

    assert names(function, []) == ["thing", "Thing_1"]


def test_captures_are_named_after_the_input_they_feed() -> None:
    large, variable = tf.ones([300]), tf.Variable(1.0)
    traced = concrete(lambda x: tf.reduce_sum(large) + variable + x, [])
    assert [t.name for t in traced.inputs] == [
        "x:0",
        "Sum/input:0",
        "add/ReadVariableOp/resource:0",
    ]


def test_a_value_from_numpy_is_a_constant_however_large() -> None:
    values = tf.ones([300]).numpy()
    traced = concrete(lambda x: x + values, [300])
    assert traced.captured_inputs == []
    assert [op.type for op in traced.graph.get_operations()] == ["Placeholder", "Const", "AddV2"]


def test_unique_name() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="b")
        assert graph.unique_name("b") == "b_1"
        assert graph.unique_name("q", mark_as_used=False) == "q"
        assert graph.unique_name("q") == "q"
        assert graph.unique_name("q") == "q_1"
        with graph.name_scope("s"):
            assert graph.unique_name("q") == "s/q"


def test_a_name_in_the_message_of_a_refused_call() -> None:
    def function(x: Any, y: Any) -> Any:
        with tf.name_scope("part"):
            return x + y

    told = r"for '\{\{node part/add\}\} = AddV2\[T=DT_FLOAT\]\(x, y\)' with input"
    with pytest.raises(ValueError, match=told):
        concrete(function, [2], [3])
