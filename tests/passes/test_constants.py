"""Constant folding: how far it goes, where it stops, and errors kept for when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.passes import pipeline
from tests.passes.graphs import Traced, types

NAME = "constant folding"
X = ((2,), "float32")
VALUES = np.array([1.0, 2.0], np.float32)


def test_chains_of_constants_are_computed() -> None:
    traced = Traced(lambda x: x + tf.exp(tf.sin(tf.constant(2.0)) * 3.0), X)
    body = traced.after(NAME, VALUES)
    assert types(body) == ["AddV2"]
    assert pipeline.count_nodes(traced.body) == 4


def test_several_outputs_and_lists() -> None:
    def function(x: Any) -> Any:
        values, places = tf.math.top_k(tf.constant([3.0, 9.0, 5.0]), 2)
        return x * values, places, tf.concat([values, tf.constant([1.0])], 0)

    assert types(Traced(function, X).after(NAME, VALUES)) == ["Mul"]


def test_strings_and_data_dependent_shapes() -> None:
    def function(x: Any) -> Any:
        return tf.constant("a") + "b", tf.where(tf.constant([True, False, True])), x

    body = Traced(function, X).after(NAME, VALUES)
    assert [n.attrs["value"].tolist() for n in body.nodes() if n.type == "Const"][-1] == [[0], [2]]


def test_a_small_captured_tensor_is_a_constant() -> None:
    captured = tf.constant([3.0, 4.0])
    body = Traced(lambda x: x * tf.sqrt(captured), X).after(NAME, VALUES)
    assert types(body) == ["Mul"]


def test_what_would_be_large_is_not_computed() -> None:
    traced = Traced(lambda x: tf.fill([1000, 1000], 2.0)[0, 0] * x, X)
    assert types(traced.after(NAME, VALUES)) == ["Fill", "StridedSlice", "Mul"]


def test_random_numbers_variables_and_effects_stay() -> None:
    variable = tf.Variable([1.0, 1.0])

    def function(x: Any) -> Any:
        variable.assign([5.0, 6.0])
        return tf.random.stateless_uniform([2], [1, 2]) * x, variable + 0.0

    body = Traced(function, X).after(NAME, VALUES)
    assert types(body) == ["AssignVariableOp", "Mul", "ReadVariableOp", "AddV2"]
    uniform = Traced(lambda x: tf.random.uniform([2]) * x, X).body
    assert types(pipeline.optimize(uniform)) == ["RandomUniform", "Mul"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + tf.cast(tf.constant(1) // tf.constant(0), tf.float32),
        lambda x: x + tf.gather(tf.constant([1.0]), tf.constant(3)),
        lambda x: x + tf.debugging.check_numerics(tf.constant(np.nan), "oh"),
    ],
)
def test_what_fails_fails_when_it_runs(function: Any) -> None:
    traced = Traced(function, X)
    body = pipeline.optimize(traced.body)
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced.run(body, VALUES)


def test_floating_point_warnings_are_not_shown() -> None:
    body = Traced(lambda x: x + tf.constant(1.0) / tf.constant(0.0), X).after(NAME, VALUES)
    assert types(body) == ["AddV2"]
