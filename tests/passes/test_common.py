"""Common subexpressions: pure calls, reads of variables, and what must be done twice."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.passes import pipeline
from tests.passes.graphs import BY_NAME, Traced, inside, types

NAME = "common subexpressions"
X = ((2,), "float32")
VALUES = np.array([1.0, 2.0], np.float32)


def left(function: Any) -> list[str]:
    return types(Traced(function, X).after(NAME, VALUES))


def test_common_subexpressions_are_computed_once() -> None:
    assert left(lambda x: tf.exp(x) + tf.exp(x)) == ["Exp", "AddV2"]
    assert left(lambda x: (x * 2.0) / tf.sin(x * 2.0)) == ["Mul", "Sin", "RealDiv"]
    assert left(lambda x: tf.concat([x, x], 0) - tf.concat([x, x], 0)) == ["ConcatV2", "Sub"]


def test_calls_that_differ_are_not() -> None:
    assert left(lambda x: x - (x + 1.0) - (x + 2.0)).count("AddV2") == 2
    sums = left(lambda x: [tf.reduce_sum(x, keepdims=True), tf.reduce_sum(x)])
    assert sums == ["Sum", "Sum"]
    leaks = left(lambda x: [tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0)])
    assert leaks == ["LeakyRelu", "LeakyRelu"]


def test_random_numbers_are_drawn_each_time() -> None:
    traced = Traced(lambda x: [tf.random.uniform([2]), tf.random.uniform([2])], X)
    body = pipeline.apply(BY_NAME[NAME], traced.body)
    assert types(body) == ["RandomUniform", "RandomUniform"]
    streams = [n.attrs["_stream"] for n in body.nodes() if n.type == "RandomUniform"]
    assert streams == [n.attrs["_stream"] for n in traced.body.nodes() if "_stream" in n.attrs]


def test_reads_of_a_variable_up_to_the_next_write() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def function(x: Any) -> Any:
        before = v * v
        w.assign_add(1.0)  # another variable
        still = v + w
        v.assign_add(10.0)
        return before, still, v + w, x

    found = left(function)
    assert found == [
        "ReadVariableOp",
        "Mul",
        "AssignAddVariableOp",
        "ReadVariableOp",
        "AddV2",
        "AssignAddVariableOp",
        "ReadVariableOp",
        "AddV2",
    ]


def test_writes_in_branches_and_loops_count() -> None:
    v = tf.Variable(1.0)

    def function(x: Any) -> Any:
        first = v + 0.0
        tf.cond(x[0] > 0.0, lambda: v.assign_add(1.0), lambda: v.assign_add(2.0))
        second = v + 0.0
        tf.while_loop(lambda i: i < 3, lambda i: [i + tf.cast(v.assign_add(i), i.dtype)], [1.0])
        return first, second, v + 0.0, v + 0.0

    traced = Traced(function, X)
    assert types(traced.after(NAME, VALUES)).count("ReadVariableOp") == 3
    traced.optimized(VALUES)


def test_a_function_of_python_may_write_any_variable() -> None:
    v = tf.Variable(1.0)

    def function(x: Any) -> Any:
        first = v + 0.0
        tf.py_function(lambda: v.assign(7.0) and None, [], [])
        return first, v + 0.0

    assert left(function).count("ReadVariableOp") == 2


def test_two_handles_may_be_one_variable() -> None:
    def function(a: Any, b: Any) -> Any:
        first = tf.raw_ops.ReadVariableOp(resource=a, dtype=tf.float32)
        tf.raw_ops.AssignAddVariableOp(resource=b, value=5.0)
        return first, tf.raw_ops.ReadVariableOp(resource=a, dtype=tf.float32)

    body = pipeline.optimize(Traced(function, ((), "resource"), ((), "resource")).body)
    assert types(body).count("ReadVariableOp") == 2


def test_branches_and_loops_use_static_values_of_outer_graphs() -> None:
    def function(x: Any) -> Any:
        e = tf.exp(x)
        return tf.cond(x[0] > 0.0, lambda: tf.exp(x) + 1.0, lambda: e)

    body = Traced(function, X).after(NAME, VALUES)
    assert inside(body) == [["AddV2"], []]
