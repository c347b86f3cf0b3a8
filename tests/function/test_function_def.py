"""Functions as messages, and what their graphs know (the expected values are TensorFlow's)."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf


def _concrete(variable: Any) -> Any:
    return tf.function(lambda x: x * variable[0]).get_concrete_function(tf.TensorSpec([2]))


def test_a_function_as_a_message() -> None:
    variable = tf.Variable([[1.0, 2.0]])
    message = _concrete(variable).function_def
    assert [a.name for a in message.signature.input_arg] == ["x", "readvariableop_resource"]
    assert [a.name for a in message.signature.output_arg] == ["identity"]
    assert dict(message.ret) == {"identity": "Identity:output:0"}
    assert len(message.node_def) == 8
    assert message.arg_attr[1].attr["_user_specified_name"].s == b"resource"


def test_the_file_of_a_graph_holds_a_function_that_was_added() -> None:
    variable = tf.Variable([[1.0, 2.0]])
    concrete = _concrete(variable)
    graph = tf.Graph()
    concrete.add_to_graph(graph)
    with graph.as_default():
        concrete.add_to_graph()
    concrete.add_to_graph()  # eagerly there is no graph, and no need
    names = [f.signature.name for f in graph.as_graph_def().library.function]
    assert names == [concrete.name]


def test_the_graph_of_a_function_knows_its_variables(tmp_path: Any) -> None:
    read, fixed = tf.Variable([[1.0, 2.0]]), tf.Variable(3.0, trainable=False)

    def function(x: Any) -> Any:
        return x * read[0] + fixed

    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([2]))
    graph = concrete.graph
    assert [v is w for v, w in zip(graph.variables, (read, fixed), strict=True)] == [True, True]
    assert [v is read for v in graph.trainable_variables] == [True]
    assert len(graph.variable_captures) == 2
    assert graph.output_types == [tf.float32]
    assert graph.output_shapes == [tf.TensorShape([2])]
    assert graph.saveable
    graph.mark_as_unsaveable("for a reason")
    assert (graph.saveable, graph.saving_errors) == (False, {"for a reason"})
    module = tf.Module()
    module.read, module.fixed, module.function = read, fixed, concrete
    with pytest.raises(ValueError, match="for a reason"):
        tf.saved_model.save(module, str(tmp_path))


def test_specs_and_shapes_as_messages() -> None:
    spec = tf.TensorSpec([1, None], tf.int32, "n")
    message = spec.experimental_as_proto()
    assert isinstance(message, tf.TensorSpec.experimental_type_proto())
    assert tf.TensorSpec.experimental_from_proto(message) == spec
    shape = tf.TensorShape([1, None])
    assert isinstance(shape.experimental_as_proto(), tf.TensorShape.experimental_type_proto())
    assert tf.TensorShape.experimental_from_proto(shape.experimental_as_proto()).as_list() == [
        1,
        None,
    ]


def test_attributes_that_name_implementations_are_kept() -> None:
    attributes = {"api_implements": "lstm", "api_preferred_device": "CPU", "time_major": False}
    noted = tf.function(lambda x: x + 1, experimental_attributes=attributes)
    fused = tf.function(lambda x: x * 2, experimental_implements="my.op")
    spec = tf.TensorSpec([])
    message = noted.get_concrete_function(spec).function_def
    assert (message.attr["api_implements"].s, message.attr["time_major"].b) == (b"lstm", False)
    assert fused.get_concrete_function(spec).function_def.attr["_implements"].s == b"my.op"
    with tf.Graph().as_default() as graph:
        fused.get_concrete_function(spec).add_to_graph()
        [added] = graph.as_graph_def().library.function
    assert added.attr["_implements"].s == b"my.op"
