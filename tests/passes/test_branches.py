"""Dead branches, results that nobody takes, and those that every branch has in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.passes import pipeline
from tests.passes.graphs import Traced, inside, types

X = ((2,), "float32")
VALUES = np.array([1.0, 2.0], np.float32)


@pytest.mark.parametrize(("choice", "op"), [(True, "Exp"), (False, "Sin")])
def test_a_static_condition_selects_its_branch(choice: bool, op: str) -> None:
    def function(x: Any) -> Any:
        return tf.cond(tf.constant(choice), lambda: tf.exp(x), lambda: tf.sin(x))

    assert types(Traced(function, X).after("dead branches", VALUES)) == [op, "Identity"]


@pytest.mark.parametrize(
    ("index", "op"), [(0, "Exp"), (1, "Sin"), (2, "Cos"), (-1, "Cos"), (9, "Cos")]
)
def test_a_static_index_selects_its_branch(index: int, op: str) -> None:
    def function(x: Any) -> Any:
        functions = [lambda: tf.exp(x), lambda: tf.sin(x), lambda: tf.cos(x)]
        return tf.switch_case(tf.constant(index), functions)

    assert types(Traced(function, X).after("dead branches", VALUES)) == [op, "Identity"]


def test_choices_within_choices() -> None:
    def function(x: Any) -> Any:
        yes, no = tf.constant(True), tf.constant(False)
        return tf.cond(yes, lambda: tf.cond(no, lambda: tf.exp(x), lambda: tf.sin(x)), lambda: x)

    assert types(Traced(function, X).optimized(VALUES)) == ["Sin"]


def test_effects_of_the_chosen_branch_stay_in_order() -> None:
    v = tf.Variable([1.0, 1.0])

    def function(x: Any) -> Any:
        v.assign_add(x)
        tf.cond(tf.constant(True), lambda: v.assign(v * 2.0), lambda: v.assign(v * 3.0))
        v.assign_add(x)
        return v.read_value()

    body = Traced(function, X).after("dead branches", VALUES)
    writes = [t for t in types(body) if t.startswith("Assign")]
    assert writes == ["AssignAddVariableOp", "AssignVariableOp", "AssignAddVariableOp"]


def test_what_only_the_other_branch_takes_is_not_computed() -> None:
    """With it goes the error that it would have raised."""

    def function(x: Any) -> Any:
        bad = tf.constant([0]) // tf.constant([0])
        return tf.cond(tf.constant(False), lambda: x + tf.cast(bad, tf.float32), lambda: x)

    assert types(pipeline.optimize(Traced(function, X).body)) == []


def test_results_that_nobody_takes_are_not_computed() -> None:
    def function(x: Any) -> Any:
        taken, _ = tf.cond(
            x[0] > 0.0, lambda: (tf.exp(x), tf.cos(x)), lambda: (tf.sin(x), tf.tan(x))
        )
        return taken

    body = Traced(function, X).after("pruning", VALUES)
    assert inside(body) == [["Exp"], ["Sin"]]


def test_effects_stay_if_no_result_is_taken() -> None:
    v = tf.Variable([0.0, 0.0])

    def function(x: Any) -> Any:
        tf.cond(x[0] > 0.0, lambda: v.assign_add(x), lambda: v.assign_sub(x))
        return x

    body = Traced(function, X).optimized(VALUES)
    assert inside(body) == [["AssignAddVariableOp"], ["AssignSubVariableOp"]]


def test_a_choice_without_results_or_effects_goes() -> None:
    def function(x: Any) -> Any:
        tf.cond(x[0] > 0.0, lambda: tf.exp(x), lambda: tf.sin(x))
        return x * 2.0

    assert types(Traced(function, X).optimized(VALUES)) == ["Mul"]


def test_a_result_that_all_branches_share_is_taken_from_around() -> None:
    def function(x: Any) -> Any:
        y = tf.exp(x)
        return tf.cond(x[0] > 0.0, lambda: (y, x * 2.0), lambda: (y, x * 3.0))

    body = Traced(function, X).optimized(VALUES)
    (holder,) = [node for node in body.nodes() if node.type == "StatelessIf"]
    assert len(holder.outputs) == 1
    assert body.outputs[0].op.type == "Exp"


def test_constants_go_into_branches() -> None:
    def function(x: Any) -> Any:
        two = tf.sqrt(tf.constant(4.0))
        return tf.cond(x[0] > 0.0, lambda: x + two * two, lambda: x)

    body = Traced(function, X).optimized(VALUES)
    assert inside(body) == [["AddV2"], []]
    (holder,) = [node for node in body.nodes() if node.type == "StatelessIf"]
    assert len(holder.operands[1]) == 1


@pytest.mark.parametrize("choice", [True, False, None])
def test_gradients_take_only_what_the_chosen_branch_has(choice: bool | None) -> None:
    """What one branch keeps for its gradient is absent in the other."""

    def function(x: Any) -> Any:
        pred = x[0] > 0.0 if choice is None else tf.constant(choice)
        with tf.GradientTape() as tape:
            tape.watch(x)
            inner = lambda: tf.cond(x[1] > 5.0, lambda: tf.tanh(x), lambda: x * tf.exp(x))  # noqa: E731
            y = tf.cond(pred, lambda: tf.sin(x) * inner(), lambda: tf.exp(tf.cos(x)))
        return y, tape.gradient(y, x)

    traced = Traced(function, X)
    body = traced.optimized(VALUES)
    assert types(body).count("StatelessIf") == {True: 2, False: 0, None: 2}[choice]
    traced.same(body, -VALUES)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_gradients_of_cases(index: int) -> None:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            functions = [lambda: tf.exp(x), lambda: tf.sin(x) * x, lambda: tf.cos(tf.exp(x))]
            y = tf.switch_case(tf.constant(index), functions)
        return tape.gradient(y, x)

    assert "StatelessCase" not in types(Traced(function, X).optimized(VALUES))
