"""Graphs as GraphDef messages: names, attributes, order of effects, functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core import protos
from tapeflow._src.core.registry import OPS
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.control_flow import cond
from tapeflow._src.graph.op_defs import op_def, signature_of
from tapeflow._src.graph.serialize import GRAPH_DEF_VERSION
from tests.graph.programs import INPUTS, PROGRAMS, VARIABLES
from tests.graph.roundtrip import imported, parsed, run, traced

VECTOR = tf.TensorSpec([2], tf.float32)


def nodes(message: Any) -> dict[str, Any]:
    return {node.name: node for node in message.node}


# -- programs come back ------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_comes_back(name: str) -> None:
    variables = {key: tf.Variable(value) for key, value in VARIABLES.items()}
    graph = traced(PROGRAMS[name], VECTOR, variables=variables)
    copy = imported(graph)
    handles = [outer.static_value for outer in graph.external_captures]
    for x in INPUTS:
        outcomes = []
        for body in (Body(graph), copy):
            for key, value in VARIABLES.items():
                variables[key].assign(value)
            found = run(body, [x, *handles])
            outcomes.append([*found, *(v.numpy() for v in variables.values())])
        for ours, theirs in zip(*outcomes, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_is_written_again(name: str) -> None:
    variables = {key: tf.Variable(value) for key, value in VARIABLES.items()}
    graph = traced(PROGRAMS[name], VECTOR, variables=variables)
    first, again = parsed(graph), parsed(imported(graph).graph)
    written = nodes(again)
    for node in first.node:
        same = written[node.name]
        assert (same.op, list(same.input)) == (node.op, list(node.input))
    assert len(first.library.function) == len(again.library.function)


# -- what a message says -----------------------------------------------------------------------


def test_the_message_of_a_function() -> None:
    graph = traced(lambda x: x * 2.0 + 1.0, VECTOR)
    message = graph.as_graph_def()
    assert [(n.name, n.op, list(n.input)) for n in message.node] == [
        ("x", "Placeholder", []),
        ("mul/y", "Const", []),
        ("mul", "Mul", ["x", "mul/y"]),
        ("add/y", "Const", []),
        ("add", "AddV2", ["mul", "add/y"]),
        ("Identity", "Identity", ["add"]),
    ]
    mul = nodes(message)["mul"]
    assert {key: value.type for key, value in mul.attr.items()} == {"T": 1}
    assert tf.make_ndarray(nodes(message)["mul/y"].attr["value"].tensor) == 2.0
    assert message.versions.producer == GRAPH_DEF_VERSION == tf.version.GRAPH_DEF_VERSION
    assert tf.TensorShape(nodes(message)["x"].attr["shape"].shape) == [2]


def test_a_plain_graph_has_no_results_and_only_its_own_control_inputs() -> None:
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0, name="a")
        with graph.control_dependencies([a]):
            tf.constant(2.0, name="b")
    message = graph.as_graph_def()
    assert [(n.name, list(n.input)) for n in message.node] == [("a", []), ("b", ["^a"])]
    assert [n.name for n in graph.as_graph_def(from_version=1).node] == ["b"]


def test_output_shapes_are_written_only_on_request() -> None:
    graph = traced(lambda x: tf.split(x, 2), tf.TensorSpec([None, 4]))
    assert not any("_output_shapes" in n.attr for n in graph.as_graph_def().node)
    message = graph.as_graph_def(add_shapes=True)
    shapes = nodes(message)["split"].attr["_output_shapes"].list.shape
    assert [tf.TensorShape(s).as_list() for s in shapes] == [[None, 4], [None, 4]]
    assert all("_output_shapes" in n.attr for n in message.node)


def test_attributes_by_tensorflows_names() -> None:
    graph = traced(lambda x: tf.squeeze(tf.concat([x, x], 0)[tf.newaxis], axis=[0]), VECTOR)
    found = {n.op: n for n in graph.as_graph_def().node}
    assert list(found["Squeeze"].attr["squeeze_dims"].list.i) == [0]
    assert found["ConcatV2"].attr["N"].i == 2
    assert found["ConcatV2"].attr["Tidx"].type == 3


def test_other_integers_than_the_op_takes_are_cast() -> None:
    """TensorFlow's Slice wants `begin` and `size` of one dtype, ours does not."""
    call = OPS["Slice"]
    graph = traced(lambda x: call(x, np.array([0], np.int64), np.array([1], np.int32)), VECTOR)
    message = graph.as_graph_def()
    cast = next(n for n in message.node if n.op == "Cast")
    assert (cast.attr["SrcT"].type, cast.attr["DstT"].type) == (3, 9)
    assert next(n for n in message.node if n.op == "Slice").input[2] == cast.name
    np.testing.assert_array_equal(run(imported(graph), [INPUTS[0]])[0], [1.0])


def test_effects_wait_for_each_other() -> None:
    variable = tf.Variable([1.0, 2.0])

    def function(x: Any) -> Any:
        first = variable + 0.0
        variable.assign_add(x)
        second = variable + 0.0
        third = variable * 2.0
        variable.assign(x)
        return first, second, third

    message = traced(function, VECTOR).as_graph_def()
    waits = {n.name: [i[1:] for i in n.input if i[0] == "^"] for n in message.node}
    assert waits["AssignAddVariableOp"] == ["ReadVariableOp"]
    assert waits["ReadVariableOp"] == []
    assert waits["ReadVariableOp_1"] == waits["ReadVariableOp_2"] == ["AssignAddVariableOp"]
    assert waits["AssignVariableOp"] == [
        "AssignAddVariableOp",
        "ReadVariableOp_1",
        "ReadVariableOp_2",
    ]
    assert waits["Identity"] == ["NoOp"]
    assert "AssignVariableOp" in waits["NoOp"]


def test_prints_wait_for_each_other() -> None:
    def function(x: Any) -> Any:
        tf.print("a", x)
        tf.print("b", x)
        return x

    message = traced(function, VECTOR).as_graph_def()
    prints = [n for n in message.node if n.op == "PrintV2"]
    assert f"^{prints[0].name}" in prints[1].input


def test_handles_of_variables_are_scalars_that_say_what_is_behind() -> None:
    variable = tf.Variable(np.zeros((2, 3), np.float32))
    message = traced(lambda: variable + 1.0).as_graph_def(add_shapes=True)
    handle = next(n for n in message.node if n.op == "Placeholder")
    assert handle.attr["dtype"].type == tf.resource.as_datatype_enum
    assert tf.TensorShape(handle.attr["shape"].shape) == []
    assert tf.TensorShape(handle.attr["_handle_shapes"].list.shape[0]) == [2, 3]
    assert tf.TensorShape(handle.attr["_output_shapes"].list.shape[0]) == []


def test_branches_are_functions_of_the_library() -> None:
    variable = tf.Variable(1.0)

    def yes() -> Any:
        variable.assign_add(1.0)
        return tf.constant(1.0)

    message = traced(lambda x: cond(x[0] > 0.0, yes, lambda: 2.0), VECTOR).as_graph_def()
    node = next(n for n in message.node if n.op == "If")
    functions = {f.signature.name: f for f in message.library.function}
    then = functions[node.attr["then_branch"].func.name]
    otherwise = functions[node.attr["else_branch"].func.name]
    assert then.signature.is_stateful and not otherwise.signature.is_stateful
    assert [n.op for n in then.node_def if n.name in then.control_ret] == ["AssignAddVariableOp"]
    assert len(then.signature.input_arg) == len(otherwise.signature.input_arg) == 1
    assert [a.type for a in then.signature.output_arg] == [1]
    assert list(node.attr["Tout"].list.type) == [1]


def test_names_of_functions_follow_from_what_they_do() -> None:
    def function(x: Any) -> Any:
        return cond(x[0] > 0.0, lambda: x + 1.0, lambda: x - 1.0)

    first, second = (traced(function, VECTOR).as_graph_def() for _ in range(2))
    assert first == second
    other = traced(lambda x: cond(x[0] > 0.0, lambda: x, lambda: -x), VECTOR).as_graph_def()
    names = [{f.signature.name for f in m.library.function} for m in (first, other)]
    assert names[0].isdisjoint(names[1])


# -- operations --------------------------------------------------------------------------------


def test_what_an_operation_says_of_itself() -> None:
    graph = traced(lambda x: tf.reduce_sum(x, keepdims=True), VECTOR)
    total = graph.get_operation_by_name("Sum")
    assert total.node_def == nodes(graph.as_graph_def())["Sum"]
    assert total.get_attr("T") is tf.float32
    assert total.get_attr("keep_dims") is True
    assert total.op_def.input_arg[1].name == "reduction_indices"
    with pytest.raises(ValueError, match="Operation 'Sum' has no attr named 'axis'"):
        total.get_attr("axis")
    axis = graph.get_operation_by_name(total.inputs[1].op.name)
    assert tf.make_ndarray(axis.get_attr("value")).tolist() == [0]
    x = graph.get_operation_by_name("x")
    assert tf.TensorShape(x.get_attr("shape")) == [2]


def test_a_variable_inside_a_plain_graph_is_no_value() -> None:
    variable = tf.Variable(1.0, name="v")
    with tf.Graph().as_default() as graph:
        variable + 1.0
    with pytest.raises(ValueError, match=r"holds values, not <ResourceHandle.*'v'"):
        graph.as_graph_def()


def test_lists_as_attributes() -> None:
    kernel = np.ones((1, 1, 1, 1), np.float32)
    spec = tf.TensorSpec([1, 2, 2, 1])
    graph = traced(lambda x: tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME"), spec)
    conv = next(o for o in graph.get_operations() if o.type == "Conv2D")
    assert conv.get_attr("strides") == [1, 2, 2, 1]
    assert conv.get_attr("padding") == b"SAME"
    assert conv.get_attr("explicit_paddings") == []


# -- signatures --------------------------------------------------------------------------------


def test_a_signature() -> None:
    split = signature_of("Split")
    assert split is not None
    assert [(a.name, a.dtype, a.type_attr) for a in split.inputs] == [
        ("split_dim", tf.int32, ""),
        ("value", None, "T"),
    ]
    assert split.outputs[0].number_attr == "num_split" and split.outputs[0].is_list
    assert split.attributes[0].minimum == 1
    assert signature_of("Splitt") is None


def test_a_signature_as_a_message() -> None:
    conv = op_def("Conv2D")
    assert isinstance(conv, protos.OpDef)
    by_name = {a.name: a for a in conv.attr}
    assert by_name["padding"].allowed_values.list.s[:] == [b"SAME", b"VALID", b"EXPLICIT"]
    assert list(by_name["dilations"].default_value.list.i) == [1, 1, 1, 1]
    assert not by_name["strides"].HasField("default_value")
    assert op_def("PrintV2").is_stateful and op_def("AddV2").is_commutative
    assert op_def("Placeholder").attr[1].default_value.shape.unknown_rank
    assert op_def("NoSuchOp") is None
