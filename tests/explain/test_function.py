"""`tf.explain.function` says why each trace exists, and how it runs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tapeflow as tf


def here() -> int:
    """The line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def test_each_trace_has_its_call_and_its_reason() -> None:
    @tf.function
    def scale(x: Any, factor: Any) -> Any:
        return x * factor

    scale(tf.ones([2]), 2.0)
    first_line = here() - 1
    scale(tf.ones([2]), 2.0)
    scale(tf.ones([3]), 2.0)
    second_line = here() - 1
    scale(tf.ones([3]), 3.0)
    explanation = scale.explain()
    assert explanation.calls == 4
    assert [trace.location.line for trace in explanation.traces[:2]] == [first_line, second_line]
    first, second, third = explanation.traces
    assert first.reason is None
    assert "argument `x`: shape (2,) -> (3,)" in second.reason
    assert "argument `factor`: Python value 2.0 -> 3.0" in third.reason
    expected = "[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)]"
    assert explanation.input_signature == expected
    assert "4 calls, 3 traces" in str(explanation)
    assert "input_signature=" in explanation._repr_html_()


def test_the_signature_avoids_the_traces() -> None:
    def double(x: Any) -> Any:
        return x * 2.0

    traced = tf.function(double)
    for size in (1, 2, 3):
        traced(tf.ones([size, 4]))
    signature = eval(traced.explain().input_signature, {"tf": tf})
    again = tf.function(double, input_signature=signature)
    for size in (1, 2, 3):
        again(tf.ones([size, 4]))
    assert len(again.explain().traces) == 1
    assert again.explain().input_signature is None


def test_no_signature_for_different_dtypes() -> None:
    twice = tf.function(lambda x: x + x)
    twice(tf.ones([2]))
    twice(tf.ones([2], tf.int32))
    assert twice.explain().input_signature is None


def test_operations_on_the_host_have_line_and_reason() -> None:
    @tf.function
    def shout(x: Any) -> Any:
        tf.py_function(lambda: None, [], [])
        return x + 1.0

    line = here() - 3
    shout(tf.ones([2]))
    (trace,) = shout.explain().traces
    assert [operation.op for operation in trace.on_host] == ["EagerPyFunc"]
    assert trace.on_host[0].location.line == line
    assert trace.on_host[0].reason


@pytest.mark.parametrize(
    ("jit_compile", "tier"),
    [(True, "XLA (jit_compile=True)"), (False, "interpreter (jit_compile=False)")],
)
def test_the_tier_that_was_asked_for(jit_compile: bool, tier: str) -> None:
    one_more = tf.function(lambda x: x + 1.0, jit_compile=jit_compile)
    one_more(tf.ones([4]))
    (trace,) = one_more.explain().traces
    assert [execution.tier for execution in trace.executions] == [tier]
    assert (trace.executions[0].memory is not None) == jit_compile


def test_the_default_tier_counts_calls() -> None:
    one_more = tf.function(lambda x: x + 1.0)
    for _ in range(3):
        one_more(tf.ones([4]))
    (execution,) = one_more.explain().traces[0].executions
    assert (execution.tier, execution.calls) == ("interpreter, counting calls", 3)
    assert execution.interpreted_seconds > 0


def test_differentiated_calls() -> None:
    w = tf.Variable(2.0)
    scaled = tf.function(lambda x: x * w)
    with tf.GradientTape() as tape:
        y = scaled(tf.ones([2]))
    tape.gradient(y, w)
    parts = [execution.part for execution in scaled.explain().traces[0].executions]
    assert parts == ["forward", "backward"]


def test_methods_have_traces_of_their_own() -> None:
    class Model(tf.Module):
        @tf.function
        def call(self, x: Any) -> Any:
            return x + 1.0

    one, other = Model(), Model()
    one.call(tf.ones([2]))
    one.call(tf.ones([3]))
    assert len(one.call.explain().traces) == 2
    assert len(other.call.explain().traces) == 0


def test_concrete_functions() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.ones([2]))
    concrete(tf.ones([2]))
    explanation = tf.explain.function(concrete)
    assert explanation.operations == 3
    assert "interpreter" in str(explanation)


def test_other_values() -> None:
    with pytest.raises(TypeError, match=r"expects what tf\.function returns"):
        tf.explain.function(len)


def test_a_series_of_literals_does_not_fill_memory() -> None:
    double = tf.function(lambda x: x * 2)
    for i in range(300):
        double(i)
    explanation = double.explain()
    assert explanation.calls == 300
    assert len(explanation.traces) <= 256
