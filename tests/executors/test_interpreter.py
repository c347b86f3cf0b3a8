"""The interpreter: what runs and what does not, in which order, and what is said of failures."""

from __future__ import annotations

import gc
import linecache
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.graph.helpers import concrete

INVALID = tf.errors.InvalidArgumentError


def _called(function: Any, *arguments: Any) -> Any:
    specs = [tf.TensorSpec([None] * np.ndim(a), np.asarray(a).dtype) for a in arguments]
    return concrete(function, *specs)(*map(tf.constant, arguments))


# -- pruning ------------------------------------------------------------------------------------


def test_what_nobody_needs_does_not_run_nor_fail() -> None:
    def function(x: Any, i: Any) -> Any:
        tf.gather(x, i)
        1 // i
        tf.debugging.check_numerics(x / 0.0, "infinite")
        return x + 1.0

    x, i = np.ones(2, np.float32), np.int32(0)
    text = concrete(function, [2], tf.TensorSpec([], tf.int32)).to_python()
    assert "GatherV2" not in text and "FloorDiv" not in text
    # Checks run for their effect.
    with pytest.raises(INVALID, match="infinite : Tensor had Inf values"):
        _called(function, x, i)


def test_unused_random_numbers_are_not_drawn() -> None:
    def function(x: Any) -> Any:
        tf.random.uniform([])
        return x

    assert "RandomUniform" not in concrete(function, []).to_python()


def test_an_unused_branch_does_not_run() -> None:
    def function(x: Any) -> Any:
        tf.cond(x > 0.0, lambda: 1 // tf.zeros([], tf.int32), lambda: 0)
        return x

    assert _called(function, np.float32(1.0)) == 1.0


def test_effects_run_though_nobody_takes_their_results() -> None:
    variable = tf.Variable(0.0)

    def function(x: Any) -> None:
        variable.assign_add(x)

    assert _called(function, np.float32(2.0)) is None
    assert variable.numpy() == 2.0


def test_effects_in_branches_run() -> None:
    variable = tf.Variable(0.0)

    def function(x: Any) -> Any:
        tf.cond(x > 0.0, lambda: variable.assign_add(x), lambda: variable.assign_sub(1.0))
        return x

    for value in (2.0, -5.0):
        _called(function, np.float32(value))
    assert variable.numpy() == 1.0


# -- order --------------------------------------------------------------------------------------


def test_reads_and_writes_in_the_order_of_the_program() -> None:
    variable = tf.Variable(3.0)

    def function(x: Any) -> Any:
        before = tf.identity(variable)
        variable.assign_add(x)
        after = variable * 1.0
        variable.assign(10.0)
        last = variable.read_value()
        variable.assign(3.0)
        return before, after, last

    assert [t.numpy() for t in _called(function, np.float32(1.0))] == [3.0, 4.0, 10.0]
    assert variable.numpy() == 3.0


def test_a_value_that_was_read_does_not_change_with_the_variable() -> None:
    variable = tf.Variable([1.0, 2.0])

    def function(x: Any) -> Any:
        before = variable.read_value()
        variable.assign_add(x)
        variable[0].assign(9.0)
        return before, variable.read_value()

    before, after = _called(function, np.ones(2, np.float32))
    assert before.numpy().tolist() == [1.0, 2.0]
    assert after.numpy().tolist() == [9.0, 3.0]


def test_prints_in_order_and_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    def function(x: Any) -> Any:
        tf.print("a", output_stream=sys.stdout)
        tf.print("b", x, output_stream=sys.stdout)
        return x

    traced = concrete(function, [])
    traced(tf.constant(1.0))
    traced(tf.constant(2.0))
    assert capsys.readouterr().out == "a\nb 1\na\nb 2\n"


def test_an_assertion_before_a_write_prevents_it() -> None:
    variable = tf.Variable(0.0)

    def function(x: Any) -> None:
        tf.debugging.assert_positive(x)
        variable.assign(x)

    with pytest.raises(INVALID):
        _called(function, np.float32(-1.0))
    assert variable.numpy() == 0.0


# -- failures -----------------------------------------------------------------------------------

FAILURES: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "gather": (lambda x, i: tf.gather(x, i), (np.ones(2, "f"), np.int32(7)), "GatherV2"),
    "add": (lambda x, y: x + y, (np.ones(2, "f"), np.ones(3, "f")), "AddV2"),
    "matmul": (lambda x, y: x @ y, (np.ones((2, 3), "f"), np.ones((2, 3), "f")), "MatMul"),
    "division": (lambda x: 1 // x, (np.int32(0),), "FloorDiv"),
    "reshape": (lambda x: tf.reshape(x, [3]), (np.ones(2, "f"),), "Reshape"),
    "concat": (lambda x: tf.concat([x, [[1.0]]], 0), (np.ones((1, 2), "f"),), "ConcatV2"),
    "axis": (lambda x, a: tf.reduce_sum(x, a), (np.ones(2, "f"), np.int32(4)), "Sum"),
    "positive": (lambda x: (tf.debugging.assert_positive(x), x)[1], (np.float32(-1.0),), "Assert"),
    "Assert": (lambda x: (tf.debugging.Assert(x > 0.0, [x]), x)[1], (np.float32(-1.0),), "Assert"),
    "numerics": (
        lambda x: tf.debugging.check_numerics(x, "m"),
        (np.float32(np.nan),),
        "CheckNumerics",
    ),
    "ensure": (lambda x: tf.ensure_shape(x, [3]), (np.ones(2, "f"),), "EnsureShape"),
    "scatter": (
        lambda x, i: tf.tensor_scatter_nd_update(x, i, [1.0]),
        (np.ones(2, "f"), np.array([[5]], np.int32)),
        "TensorScatterUpdate",
    ),
    "cholesky": (lambda x: tf.linalg.inv(x), (np.zeros((2, 2), "f"),), "MatrixInverse"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_failures_are_those_of_eager_code_with_op_and_line(case: str) -> None:
    function, arguments, op = FAILURES[case]
    with pytest.raises(INVALID) as eager:
        function(*map(tf.constant, arguments))
    with pytest.raises(INVALID) as traced:
        _called(function, *arguments)
    message = str(traced.value)
    first = message.splitlines()[0]
    assert type(eager.value) is type(traced.value)
    assert f"[Op:{op}]" in first
    if op != "Assert":
        assert first == str(eager.value).splitlines()[0]
    assert "Detected at node" in message
    assert f"At {__file__}:" in message
    assert traced.value.op is None and traced.value.error_code == 3


def test_a_failure_in_a_loop_names_the_line_in_its_body() -> None:
    def function(x: Any) -> Any:
        def body(i: Any) -> Any:
            return i + tf.gather(x, i)

        return tf.while_loop(lambda i: i < 10, body, [0])

    with pytest.raises(INVALID, match=r"is not in \[0, 2\)") as raised:
        _called(function, np.ones(2, np.int32))
    assert "in body" in str(raised.value) and "tf.gather(x, i)" in str(raised.value)


def test_a_failure_in_an_inner_function_names_its_line() -> None:
    @tf.function(autograph=False)
    def inner(x: Any, i: Any) -> Any:
        return tf.gather(x, i)

    with pytest.raises(INVALID) as raised:
        _called(lambda x, i: inner(x, i) * 2.0, np.ones(2, np.float32), np.int32(3))
    assert "in inner" in str(raised.value)


def test_a_failure_leaves_the_function_usable() -> None:
    traced = concrete(lambda x, i: tf.gather(x, i), [2], tf.TensorSpec([], tf.int32))
    with pytest.raises(INVALID):
        traced(tf.ones(2), tf.constant(5))
    assert traced(tf.ones(2), tf.constant(1)).numpy() == 1.0


# -- the text -----------------------------------------------------------------------------------


def test_the_text_is_python_with_the_users_lines() -> None:
    def function(x: Any) -> Any:
        y = x * 2.0
        return tf.cond(tf.reduce_sum(y) > 0.0, lambda: y, lambda: -y)

    text = concrete(function, [2]).to_python()
    compile(text, "<text>", "exec")
    assert "test_interpreter.py:" in text
    assert "if Greater" in text and "else:" in text
    assert text.startswith("def function(x):")


def test_values_are_dropped_after_their_last_use() -> None:
    text = concrete(lambda x: tf.exp(tf.exp(tf.exp(x))), [2]).to_python()
    assert "del Exp" in text


# -- the text ------------------------------------------------------------------------------------


def _texts() -> set[str]:
    return {name for name in linecache.cache if name.startswith("<graph of")}


def test_the_text_of_a_function_that_is_gone_leaves_with_the_next() -> None:
    gc.collect()
    before = _texts()
    function = concrete(lambda x: x + 1.0, tf.TensorSpec([], tf.float32))
    function(tf.constant(1.0))
    assert len(_texts() - before) == 1
    (filename,) = _texts() - before
    del function
    gc.collect()
    # Python's `linecache.checkcache` may be reading the entries while objects are collected.
    assert filename in linecache.cache
    concrete(lambda x: x + 2.0, tf.TensorSpec([], tf.float32))(tf.constant(1.0))
    assert filename not in linecache.cache


def test_tracebacks_show_the_text_of_functions_that_are_gone() -> None:
    spec = tf.TensorSpec([], tf.float32)
    function = concrete(lambda x: (tf.debugging.assert_less(x, 0.0), x)[1], spec)
    with pytest.raises(INVALID) as caught:
        function(tf.constant(1.0))
    del function
    gc.collect()
    error: Any = caught.value
    while error.__cause__ is not None:
        error = error.__cause__
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "<graph" in f.filename]
    assert frames and all(frame.line for frame in frames)
