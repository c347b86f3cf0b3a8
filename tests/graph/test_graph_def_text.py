"""Graphs are written as TensorFlow writes them: names, attributes, order, to the letter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tests.graph.plain_programs import programs, text

RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "graph_texts.json").read_text())
PROGRAMS = programs(tf)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_is_printed_as_tensorflow_prints_it(name: str) -> None:
    assert text(tf, *PROGRAMS[name]) == RECORDED[name]


def test_all_programs_are_recorded() -> None:
    assert PROGRAMS.keys() == RECORDED.keys()


def test_arguments_of_functions_in_the_library_keep_their_names() -> None:
    def function(x: Any) -> Any:
        return tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x - 1.0)

    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([2]))
    message = concrete.graph.as_graph_def()
    assert message.versions.min_consumer == 12
    for branch in message.library.function:
        assert branch.arg_attr[0].attr["_user_specified_name"].s == b"x"
        assert branch.attr["_construction_context"].s == b"kEagerRuntime"


def test_notes_on_nodes_survive_an_import() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([2]))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(concrete.graph.as_graph_def(), name="")
    argument = graph.get_operation_by_name("x")
    assert argument.get_attr("_user_specified_name") == b"x"


def test_reads_are_named_after_the_first_operation_that_takes_them() -> None:
    v = tf.Variable([1.0, 2.0])

    def function(x: Any) -> Any:
        read = tf.convert_to_tensor(v)
        return tf.add(v, v), tf.exp(v), x * v, v.value() + x, tf.stack([v, v]), read

    graph = tf.function(function).get_concrete_function(tf.TensorSpec([2])).graph
    reads = [n.name for n in graph.get_operations() if n.type == "ReadVariableOp"]
    assert reads[1:] == [
        "Add/ReadVariableOp",
        "Add/ReadVariableOp_1",
        "Exp/ReadVariableOp",
        "mul/ReadVariableOp",
        "ReadVariableOp_1",
        "stack/ReadVariableOp",
        "stack/ReadVariableOp_1",
    ]
    assert len({n.name for n in graph.get_operations()}) == len(graph.get_operations())


@pytest.mark.parametrize("jit", [None, True])
def test_an_assigned_value_of_another_shape_is_refused_when_it_comes(jit: bool | None) -> None:
    v = tf.Variable([1.0, 2.0])
    assign = tf.function(v.assign, input_signature=[tf.TensorSpec([None])], jit_compile=jit)
    assign(tf.constant([3.0, 4.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected \[2\] got \[3\]"):
        assign(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [3.0, 4.0]
