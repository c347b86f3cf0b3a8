"""What `tf.debugging` watches: numerics, devices; and how much of tracebacks it shows."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.core.tracebacks import fold

INVALID = tf.errors.InvalidArgumentError


@pytest.fixture
def checked() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


X = np.array([1.0, 0.0, -1.0], np.float32)


def test_the_first_op_that_goes_wrong_is_told(checked: None) -> None:
    with pytest.raises(INVALID) as raised:
        tf.math.log(X)
    message = str(raised.value)
    for part in (
        '!!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1)',
        "dtype: <dtype: 'float32'>\n  shape: (3,)\n",
        "  # of -Inf elements: 1\n  # of +NaN elements: 1\n",
        "Input tensor: tf.Tensor([ 1.  0. -1.], shape=(3,), dtype=float32)",
        "test_the_first_op_that_goes_wrong_is_told\n    |   tf.math.log(X)",
        ": Tensor had -Inf and NaN values [Op:Log]",
    ):
        assert part in message


def test_several_inputs_are_listed(checked: None) -> None:
    with pytest.raises(INVALID) as raised:
        tf.constant([1.0, -1.0, 0.0]) / tf.constant([0.0, 0.0, 0.0])
    message = str(raised.value)
    assert "Input tensors (2):\n         0: tf.Tensor(" in message
    assert "Tensor had -Inf, +Inf, and NaN values [Op:RealDiv]" in message


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_floats_of_all_widths(checked: None, dtype: str) -> None:
    with pytest.raises(INVALID, match="Tensor had -Inf values"):
        tf.math.log(tf.zeros([1], dtype))


def test_what_is_not_looked_at(checked: None) -> None:
    nan = tf.constant([float("nan"), 1.0])
    assert np.isnan(tf.reshape(nan, [2, 1]).numpy()[0, 0])
    assert np.isnan(tf.identity(tf.concat([nan, nan], 0)[0]).numpy())
    assert (tf.constant(6) // 4).numpy() == 1
    tf.math.log(tf.constant([0j]))
    with pytest.raises(INVALID):
        tf.nn.relu(nan)
    with pytest.raises(INVALID):
        tf.cast(nan, tf.float64)


@tf.function
def _log(x: Any) -> Any:
    y = tf.math.log(x)
    return y + 1.0


def test_functions_run_op_by_op_and_tell_the_line(checked: None) -> None:
    assert _log(tf.constant([1.0])).numpy().tolist() == [1.0]
    with pytest.raises(INVALID) as raised:
        _log(X)
    message = str(raised.value)
    assert 'op "Log"' in message
    assert "Detected at node 'Log'" in message and "y = tf.math.log(x)" in message


def test_loops_and_branches(checked: None) -> None:
    @tf.function
    def function(x: Any) -> Any:
        for _ in tf.range(5):
            if x > 0.0:
                x = x * 1e20
        return x

    with pytest.raises(INVALID, match=r'op "Mul"(.|\n)*x = x \* 1e20'):
        function(tf.constant(1.0))


def test_gradients(checked: None) -> None:
    def slope() -> Any:
        x = tf.constant(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x)
        return tape.gradient(y, x)

    for function in (slope, tf.function(slope)):
        with pytest.raises(INVALID, match='op "SqrtGrad"'):
            function()


def test_a_gradient_asked_for_after_the_call(checked: None) -> None:
    tf.debugging.disable_check_numerics()
    x = tf.constant(0.0)
    root = tf.function(tf.sqrt)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = root(x)
    assert tape.gradient(y, x).numpy() == np.inf


def test_off_again_and_twice_on() -> None:
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert np.isnan(tf.math.log(-1.0).numpy())
    assert np.isnan(_log(tf.constant([-1.0])).numpy()[0])
    tf.debugging.disable_check_numerics()


def test_limits() -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=1, path_length_limit=12)
    try:
        with pytest.raises(INVALID) as raised:
            tf.math.log(X)
    finally:
        tf.debugging.disable_check_numerics()
    message = str(raised.value)
    assert "frames left out)" in message
    assert "    + ...ervers.py (L" in message
    assert message.count("    + ") == 2


def test_each_thread_is_watched_by_itself(checked: None) -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(tf.math.log(-1.0).numpy()))
    thread.start()
    thread.join()
    assert np.isnan(results[0])


# -- devices ------------------------------------------------------------------------------------


def test_the_devices_of_ops(capsys: pytest.CaptureFixture[str]) -> None:
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert not tf.debugging.get_log_device_placement()
    tf.debugging.set_log_device_placement(True)
    try:
        assert tf.debugging.get_log_device_placement()
        with tf.device("CPU:0"):
            tf.constant(1.0) * 2.0
        _log(tf.constant([1.0]))
    finally:
        tf.debugging.set_log_device_placement(False)
    tf.constant(1.0) + 2.0
    lines = [f"Executing op {op} in device {device}" for op in ("Mul", "Log", "AddV2")]
    assert capsys.readouterr().err.splitlines() == lines


# -- tracebacks ---------------------------------------------------------------------------------


def _frames(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


@tf.function
def _gather(x: Any, i: Any) -> Any:
    return tf.gather(x, i)


def test_tracebacks_show_the_users_frames() -> None:
    assert tf.debugging.is_traceback_filtering_enabled()
    with pytest.raises(INVALID) as raised:
        _gather([1.0], 3)
    assert raised.value.__cause__ is None
    short = _frames(raised.value)
    assert short[0] == "test_tracebacks_show_the_users_frames" and len(short) <= 3
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(INVALID) as raised:
            _gather([1.0], 3)
        assert not tf.debugging.is_traceback_filtering_enabled()
    finally:
        tf.debugging.enable_traceback_filtering()
    assert len(_frames(raised.value)) > len(short)


def _reshaped(x: Any) -> Any:
    return tf.reshape(x, [-1, 3])


@pytest.mark.parametrize(
    "call",
    [_reshaped, tf.function(_reshaped, input_signature=[tf.TensorSpec([None])])],
    ids=["eager", "function"],
)
def test_what_arrays_say_is_not_told_beside_what_the_op_says(call: Any) -> None:
    with pytest.raises(INVALID, match="does not divide 4") as raised:
        call(tf.ones([4]))
    assert raised.value.__cause__ is None and raised.value.__suppress_context__
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(INVALID) as raised:
            call(tf.ones([4]))
    finally:
        tf.debugging.enable_traceback_filtering()
    assert isinstance(raised.value.__cause__, ValueError)


def _divided(x: Any) -> Any:
    return 1 / int(x - x)


def _asked(x: Any) -> Any:
    return tf.py_function(_divided, [x], tf.float32)


@pytest.mark.parametrize("call", [_asked, tf.function(_asked)], ids=["eager", "function"])
def test_what_the_users_code_raised_is_told(call: Any) -> None:
    with pytest.raises(tf.errors.UnknownError, match="ZeroDivisionError") as raised:
        call(tf.constant(1.0))
    text = "".join(traceback.format_exception(raised.value))
    assert "return 1 / int(x - x)" in text


# -- assertions in functions --------------------------------------------------------------------

ASSERTIONS: dict[str, tuple[Any, Any, Any]] = {
    "equal": (lambda x: tf.debugging.assert_equal(x, [1, 2]), [1, 2], [1, 3]),
    "none_equal": (lambda x: tf.debugging.assert_none_equal(x, [1, 2]), [2, 1], [0, 2]),
    "greater": (lambda x: tf.debugging.assert_greater(x, 0), [1, 2], [1, 0]),
    "greater_equal": (lambda x: tf.debugging.assert_greater_equal(x, 0), [0], [-1]),
    "less": (lambda x: tf.debugging.assert_less(x, 3), [1, 2], [3]),
    "less_equal": (lambda x: tf.debugging.assert_less_equal(x, 3), [3], [4]),
    "positive": (lambda x: tf.debugging.assert_positive(x), [1], [0]),
    "negative": (lambda x: tf.debugging.assert_negative(x), [-1], [0]),
    "non_positive": (lambda x: tf.debugging.assert_non_positive(x), [0], [1]),
    "non_negative": (lambda x: tf.debugging.assert_non_negative(x), [0], [-1]),
    "near": (lambda x: tf.debugging.assert_near(x, [1.0]), [1.0], [1.1]),
    "rank": (lambda x: tf.debugging.assert_rank(x, 1), [1], [[1]]),
    "rank_at_least": (lambda x: tf.debugging.assert_rank_at_least(x, 2), [[1]], [1]),
    "rank_in": (lambda x: tf.debugging.assert_rank_in(x, [1, 2]), [1], 1),
    "shapes": (lambda x: tf.debugging.assert_shapes([(x, ("N", "N"))]), [[1]], [[1, 2]]),
    "finite": (lambda x: tf.debugging.assert_all_finite(x, "m"), [1.0], [np.inf]),
    "Assert": (lambda x: tf.debugging.Assert(tf.reduce_all(x > 0), [x]), [1], [0]),
}


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_with_shapes_unknown(name: str) -> None:
    check, good, bad = ASSERTIONS[name]
    dtype = tf.constant(good).dtype

    @tf.function(input_signature=[tf.TensorSpec(None, dtype)])
    def function(x: Any) -> Any:
        check(x)
        return x

    assert function(tf.constant(good)).numpy().tolist() == good
    with pytest.raises(INVALID) as raised:
        function(tf.constant(bad))
    assert "test_debugging_observers.py" in str(raised.value)


def test_assertions_that_tracing_can_decide() -> None:
    with pytest.raises(ValueError, match="must have rank 2"):
        tf.function(lambda x: tf.debugging.assert_rank(x, 2))(tf.ones(3))
    with pytest.raises(TypeError, match="must be of type"):
        tf.function(lambda x: tf.debugging.assert_type(x, tf.int32))(tf.ones(3))


def test_the_type_of_a_sparse_tensor() -> None:
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    tf.debugging.assert_type(sparse, tf.float32)
    with pytest.raises(TypeError, match="must be of type"):
        tf.debugging.assert_type(sparse, tf.int32)


# -- errors of Python's own classes ---------------------------------------------------------------


def _notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def test_errors_of_keras_name_the_line_in_a_note() -> None:
    layer = tf.keras.layers.Dense(3)
    with pytest.raises(ValueError, match="expected") as raised:
        tf.keras.Sequential([tf.keras.Input((2, 2)), tf.keras.layers.Conv2D(2, 1)])
    assert _notes(raised.value)[0].startswith(f"At {__file__}:")
    layer.build((None, 4))
    with pytest.raises(ValueError, match="expected 2 arrays") as raised:
        layer.set_weights([])
    assert _notes(raised.value)[0].endswith("layer.set_weights([])")
    assert len(_frames(raised.value)) == 2


def test_errors_of_the_users_own_code_have_no_note() -> None:
    class Strict(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as raised:
        Strict()(tf.ones([1]))
    assert not any(note.startswith("At ") for note in _notes(raised.value))


def test_an_error_that_is_its_own_context_is_folded() -> None:
    error, cause = ValueError("a"), ValueError("b")
    error.__context__, cause.__context__ = cause, error
    fold(error)
    assert error.__context__ is cause
