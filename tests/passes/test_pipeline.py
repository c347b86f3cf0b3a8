"""All passes together: order, names, effects and errors kept; random programs compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import tapeflow as tf
from tapeflow._src.graph.body import Body
from tapeflow._src.passes import options, pipeline
from tapeflow._src.passes.verify import verify
from tests.passes.graphs import BY_NAME, Traced, types
from tests.passes.programs import SPECS, arrays, programs

X = ((2,), "float32")
VALUES = np.array([1.0, 2.0], np.float32)


# -- what a rewritten body keeps ------------------------------------------------------------------


def test_the_input_body_is_not_changed() -> None:
    traced = Traced(lambda x: tf.identity(x) * 1.0 + tf.sin(tf.constant(1.0)), X)
    before = [str(node) for node in traced.body.graph.nodes]
    traced.optimized(VALUES)
    assert [str(node) for node in traced.body.graph.nodes] == before


def test_with_nothing_to_do_it_is_the_same_body() -> None:
    traced = Traced(lambda x: x * 2.0, X)
    assert pipeline.optimize(traced.body) is traced.body
    again = pipeline.optimize(Traced(lambda x: tf.sin(x * 1.0), X).body)
    assert pipeline.optimize(again) is again


def test_names_lines_and_devices_are_preserved() -> None:
    def function(x: Any) -> Any:
        with tf.name_scope("scope"), tf.device("/CPU:0"):
            return tf.exp(tf.identity(x), name="power")

    traced = Traced(function, X)
    (node,) = [n for n in traced.optimized(VALUES).nodes() if n.type == "Exp"]
    (old,) = [n for n in traced.body.nodes() if n.type == "Exp"]
    assert (node.name, node.source, node.device) == ("scope/power", old.source, old.device)


def test_inputs_that_are_not_used_stay() -> None:
    traced = Traced(lambda x, y: x * 1.0, X, X)
    body = traced.optimized(VALUES, VALUES)
    assert [t.op.name for t in body.inputs] == ["x0", "x1"]


def test_absent_outputs_stay_absent() -> None:
    traced = Traced(lambda x: [x * 1.0, tf.exp(x)], X)
    old = traced.body
    body = pipeline.optimize(Body(old.graph, (old.outputs[0], None, old.outputs[1]), old.inputs))
    verify(body)
    assert [t is None for t in body.outputs] == [False, True, False]


def test_effects_alone_can_be_left_out() -> None:
    v = tf.Variable(1.0)

    def function(x: Any) -> Any:
        v.assign_add(1.0)
        return x * 1.0

    old = Traced(function, X).body
    assert types(pipeline.optimize(old)) == ["AssignAddVariableOp"]
    assert types(pipeline.optimize(Body(old.graph, old.outputs, old.inputs, effects=False))) == []


def test_effects_keep_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(0.0)

    def function(x: Any) -> Any:
        for i in range(3):
            v.assign_add(tf.reduce_sum(x * 1.0))
            tf.print(i, v.read_value())
        return v.read_value() * 1.0

    traced = Traced(function, X)
    traced.run(traced.body, VALUES)
    first = capfd.readouterr().err
    traced.run(pipeline.optimize(traced.body), VALUES)
    assert capfd.readouterr().err == first == "0 3\n1 6\n2 9\n"


def test_what_others_wait_for_still_fails() -> None:
    def function(x: Any) -> Any:
        with tf.control_dependencies([tf.gather(x, tf.cast(x[:1], tf.int32))]):
            return tf.identity(x), tf.constant(1.0)

    traced = Traced(function, X)
    body = traced.optimized(VALUES)
    assert "GatherV2" in types(body)
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced.run(body, np.array([7.0, 1.0], np.float32))


def test_a_check_that_nobody_waits_for_fails_too() -> None:
    def function(x: Any) -> Any:
        tf.debugging.check_numerics(x, "bad")
        tf.gather(x, 7)  # this one is not needed, and not run
        return tf.identity(x)

    traced = Traced(function, X)
    body = traced.optimized(VALUES)
    assert types(body) == ["CheckNumerics"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad : Tensor had NaN"):
        traced.run(body, np.array([1.0, np.nan], np.float32))


def test_waiting_for_what_cannot_fail_or_runs_anyway_is_free() -> None:
    v = tf.Variable([0.0, 0.0])

    def function(x: Any) -> Any:
        with tf.control_dependencies([tf.exp(x), v.assign(x)]):
            return tf.identity(x) * 1.0

    assert types(Traced(function, X).optimized(VALUES)) == ["AssignVariableOp"]


def test_errors_name_the_users_line() -> None:
    def function(x: Any) -> Any:
        return tf.gather(tf.identity(x) * 1.0, tf.cast(x[:1], tf.int32))

    traced = Traced(function, X)
    body = pipeline.optimize(traced.body)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather"):
        traced.run(body, np.array([7.0, 1.0], np.float32))


def test_results_with_a_gradient_of_their_own_are_passed_on() -> None:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return tf.exp(x), lambda dy: dy * 0.0

    assert types(Traced(clipped, X).optimized(VALUES)) == ["Exp"]


# -- debugging aids -------------------------------------------------------------------------------


def test_debugging_aids_are_stripped_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        tf.debugging.Assert(x[0] > 5.0, [x])
        tf.print("here", x)
        return tf.debugging.check_numerics(x / 0.0, "bad")

    traced = Traced(function, X)
    given = options.Options().changed({"debug_stripper": True})
    body = verify(pipeline.optimize(traced.body, given))
    assert types(body) == ["RealDiv"]
    (result,), _ = traced.run(body, VALUES)
    assert np.isinf(result).all()
    assert capfd.readouterr().err == ""
    assert "Assert" in types(pipeline.optimize(traced.body))


# -- reports --------------------------------------------------------------------------------------


def test_a_report_counts_operations_before_and_after_each_pass() -> None:
    def function(x: Any) -> Any:
        y = tf.identity(x) + tf.sin(tf.constant(1.0))
        return tf.cond(tf.constant(True), lambda: y * 1.0, lambda: tf.exp(y))

    told = pipeline.report(Traced(function, X).body)
    names = [name for name, _, _ in told.lines]
    assert names == [one.name for one in pipeline.PASSES if one.name != "debug stripping"]
    changes = {name: (before, after) for name, before, after in told.lines if before != after}
    assert changes == {
        "constant folding": (7, 6),
        "identities": (6, 4),
        "arithmetic": (4, 3),
        "dead branches": (3, 1),
    }
    assert "constant folding" in str(told)


def test_steps_come_to_the_same_as_one_walk() -> None:
    def function(x: Any) -> Any:
        return tf.identity(x) * tf.sin(tf.constant(1.0)) * 1.0 + tf.reshape(x, [2])

    traced = Traced(function, X)
    *_, (_, last) = pipeline.steps(traced.body)
    assert types(traced.same(last, VALUES)) == types(traced.optimized(VALUES))


# -- random programs ------------------------------------------------------------------------------


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(program=programs(), values=arrays())
def test_random_programs_compute_the_same(program: Any, values: Any) -> None:
    traced = Traced(program, *SPECS)
    traced.optimized(*values)
    body = traced.body
    for _, body in pipeline.steps(traced.body):
        traced.same(body, *values)
    verify(pipeline.optimize(body))


@settings(max_examples=12, deadline=None)
@given(program=programs(), values=arrays())
@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_random_programs_after_one_pass(name: str, program: Any, values: Any) -> None:
    if name != "debug stripping":
        Traced(program, *SPECS).after(name, *values)
