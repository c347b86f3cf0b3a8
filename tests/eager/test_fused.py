"""Functions that run as one program where their tensors are large."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.eager import fused, large
from tapeflow._src.executors import background, large_ops
from tapeflow._src.keras.activations import activations

SOURCES = Path(tf.__file__).parent / "_src"
keras = tf.keras


def _numbers(*shape: int, dtype: str = "float32", low: float = -2.0, high: float = 2.0) -> Any:
    rng = np.random.default_rng(0)
    numbers = rng.uniform(low, high, shape)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * rng.uniform(low, high, shape)
    return tf.constant(numbers.astype(dtype))


X = _numbers(20, 500)
Y = _numbers(20, 500) + 0.5
P = _numbers(20, 500, low=0.1)
WIDE = _numbers(20, 500, dtype="float64")
HALF = _numbers(20, 500, dtype="float16")
Z = _numbers(20, 500, dtype="complex64")
INTEGERS = _numbers(20, 500, dtype="int32", low=-300, high=300)
SPECIAL = tf.where(X > 1.5, tf.where(X > 1.9, np.inf, np.nan), tf.where(X < -1.5, -np.inf, X))
IMAGES = _numbers(2, 50, 40, 3, low=0.0, high=1.0)
BYTES = _numbers(2, 50, 40, 3, dtype="uint8", low=0, high=255)
ROW = _numbers(500)
# Calls of the marked functions: (function, arguments, keyword arguments).
CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    *[
        (tf.norm, (x,), options)
        for x in (X, WIDE, HALF, Z, SPECIAL)
        for options in ({}, {"axis": 1})
    ],
    *[(tf.norm, (X,), {"ord": o, "axis": a}) for o in (1, np.inf, 3.0) for a in (None, -1)],
    (tf.norm, (X,), {"ord": "fro", "axis": [0, 1], "keepdims": True}),
    *[(tf.linalg.normalize, (x,), {"axis": 1}) for x in (X, Z, SPECIAL)],
    *[(tf.nn.gelu, (x, a), {}) for x in (X, WIDE, HALF, SPECIAL) for a in (True, False)],
    *[(tf.nn.sigmoid_cross_entropy_with_logits, (P, x), {}) for x in (X, SPECIAL)],
    (tf.nn.weighted_cross_entropy_with_logits, (P, X, 0.3), {}),
    *[(tf.nn.log_poisson_loss, (P, X), {"compute_full_loss": full}) for full in (True, False)],
    *[(tf.nn.zero_fraction, (x,), {}) for x in (X, tf.nn.relu(X), SPECIAL)],
    *[(tf.nn.moments, (x, [0]), {}) for x in (X, WIDE, HALF, SPECIAL)],
    (tf.nn.moments, (IMAGES,), {"axes": (0, 1, 2), "keepdims": True}),
    (tf.nn.weighted_moments, (X, [0], P), {}),
    (tf.nn.batch_normalization, (X, ROW, abs(ROW), ROW, ROW, 1e-3), {}),
    (tf.nn.batch_normalization, (X, ROW, abs(ROW), None, None, 1e-3), {}),
    *[(tf.nn.l2_normalize, (x, -1), {}) for x in (X, WIDE, HALF, Z, SPECIAL, 0 * X)],
    *[(tf.image.adjust_brightness, (x, 0.2), {}) for x in (IMAGES, BYTES)],
    *[(tf.image.adjust_contrast, (x, 1.5), {}) for x in (IMAGES, BYTES)],
    *[(tf.image.adjust_gamma, (x, 0.7), {"gain": 2}) for x in (IMAGES, BYTES)],
    *[(tf.image.adjust_hue, (x, 0.2), {}) for x in (IMAGES, BYTES)],
    *[(tf.image.adjust_saturation, (x, 1.4), {}) for x in (IMAGES, BYTES)],
    *[(tf.image.per_image_standardization, (x,), {}) for x in (IMAGES, BYTES)],
    (tf.image.total_variation, (IMAGES,), {}),
    (tf.image.psnr, (IMAGES, 0.9 * IMAGES, 1.0), {}),
    (tf.image.psnr, (BYTES, BYTES[::-1], 255), {}),
    (tf.image.ssim, (IMAGES, 0.9 * IMAGES, 1.0), {}),
    *[
        (tf.image.convert_image_dtype, (x, dtype), {"saturate": saturate})
        for x in (IMAGES, BYTES)
        for dtype in (tf.uint8, tf.int16, tf.float64)
        for saturate in (True, False)
        if x.dtype != dtype
    ],
    (tf.image.convert_image_dtype, (3 * IMAGES, tf.uint8, True), {}),
    *[(tf.math.reduce_logsumexp, (x,), {"axis": a}) for x in (X, SPECIAL) for a in (None, 1)],
    *[
        (tf.math.reduce_variance, (x,), {"axis": a})
        for x in (X, HALF, Z, SPECIAL)
        for a in (None, 0)
    ],
    *[(tf.math.reduce_std, (x,), {"axis": a, "keepdims": True}) for x in (X, WIDE) for a in (0, 1)],
    *[
        (tf.math.count_nonzero, (x,), {"axis": a})
        for x in (INTEGERS, SPECIAL, Z)
        for a in (None, 1)
    ],
    *[(tf.clip_by_norm, (x, 1.0), {}) for x in (X, WIDE, SPECIAL, 0 * X)],
    *[
        (tf.saturate_cast, (x, dtype), {})
        for x in (100 * X, INTEGERS, 1e30 * WIDE)
        for dtype in (tf.uint8, tf.int8, tf.int64, tf.float32)
    ],
    *[
        (loss, (x, y), {})
        for x, y in ((P, P + 0.1), (X, WIDE), (INTEGERS, X))
        for loss in (
            *(keras.losses.mean_squared_error, keras.losses.mean_absolute_error),
            *(keras.losses.mean_absolute_percentage_error, keras.losses.huber),
            *(keras.losses.mean_squared_logarithmic_error, keras.losses.log_cosh),
            *(keras.losses.poisson, keras.losses.cosine_similarity, keras.losses.hinge),
            *(keras.losses.squared_hinge, keras.losses.categorical_hinge),
            keras.losses.kl_divergence,
        )
    ],
    (activations._mish, (X,), {}),
    *[(keras.losses.dice, (P, P + 0.1), {}), (keras.losses.tversky, (P, P + 0.1), {})],
    *[
        (keras.ops.isclose, (x, y), {"equal_nan": n})
        for x, y, n in ((X, X + 1e-6, True), (SPECIAL, X, False))
    ],
    *[
        (keras.ops.norm, (X,), {"ord": o, "axis": a})
        for o, a in ((None, None), (1, 0), (np.inf, 1), (3, 1))
    ],
    *[(keras.ops.normalize, (x,), {"order": o}) for x in (X, WIDE) for o in (1, 2, 3)],
    *[(keras.ops.layer_normalization, (x,), {}) for x in (X, HALF)],
    *[(keras.ops.rms_normalization, (x, ROW), {}) for x in (X,)],
    *[
        (f, (x, k), {})
        for f in (keras.ops.tril, keras.ops.triu)
        for x in (X, INTEGERS)
        for k in (-2, 0, 3)
    ],
    (tf.nn.crelu, (X,), {}),
    *[(tf.signal.frame, (X, 100, 30), {"pad_end": p}) for p in (True, False)],
]


def _marked() -> set[str]:
    """Return the names of all functions that are marked."""
    pattern = re.compile(r"@fused\ndef (\w+)\(")
    return {name for file in SOURCES.rglob("*.py") for name in pattern.findall(file.read_text())}


def _unmarked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what `fused` was given."""
    while getattr(function, "__wrapped__", None) is not None:
        function = function.__wrapped__
    return function


def test_every_marked_function_is_tested() -> None:
    tested = {_unmarked(function).__name__ for function, *_ in CALLS}
    # `convert_image_dtype`, `tril` and `triu` call functions that are marked.
    assert _marked() <= {*tested, "_converted", "_band"}


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """All calls that could run as a program, with their arrays."""
    seen: list[Any] = []

    def run(op: Any, arrays: Any, attrs: Any) -> Any:
        if isinstance(op, fused.FusedCall):
            seen.append((op, arrays))
        return large_ops._by_kernel(op, arrays, attrs)

    monkeypatch.setattr(large, "run", run)
    return seen


@pytest.mark.parametrize(
    "index", range(len(CALLS)), ids=[f"{i}-{f.__name__}" for i, (f, *_) in enumerate(CALLS)]
)
def test_programs_compute_what_the_ops_do(index: int, called: list[Any]) -> None:
    function, args, kwargs = CALLS[index]
    expected = function(*args, **kwargs)
    assert called
    for call, arrays in called:
        computed = call.run(None, *arrays)
        for old_emitter in large_ops._emitters(call, arrays):
            program = large_ops._Program(call, large_ops._stand_ins(arrays), {}, old_emitter)
            _assert_close(program(arrays, {}), computed)
    assert type(expected) is type(_unmarked(function)(*args, **kwargs))


def _assert_close(actual: Any, expected: Any) -> None:
    actual = (actual,) if isinstance(actual, np.ndarray) else tuple(actual)
    expected = (expected,) if isinstance(expected, np.ndarray) else tuple(expected)
    for one, other in zip(actual, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "iu":
            # Rounding differs in the last bit of numbers that become whole ones.
            assert np.abs(one.astype(float) - other.astype(float)).max() <= 1
        else:
            tolerance = 5e-3 if one.dtype == np.float16 else 2e-5
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.fixture
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_ops, "HOT_SECONDS", 0.0)
    monkeypatch.setattr(large_ops, "HOT_SECONDS_WITHOUT_JAX", 0.0)
    monkeypatch.setattr(large_ops, "TRIVIAL_SECONDS", -1.0)
    monkeypatch.setattr(large_ops, "_calls", {})
    monkeypatch.setattr(fused, "_calls", {})


def _the_call() -> large_ops.Call:
    (call,) = [c for c in large_ops._calls.values() if isinstance(c.op, fused.FusedCall)]
    return call


@pytest.mark.usefixtures("hot")
def test_a_hot_call_is_compiled_and_tried() -> None:
    for _ in range(3):
        expected = tf.norm(X, axis=1)
    background.compiler.wait()
    assert len(_the_call().ways) == 3  # op by op, and two programs
    for _ in range(60):
        np.testing.assert_allclose(tf.norm(X, axis=1), expected, rtol=1e-6)
    assert _the_call().chosen is not None


@pytest.mark.usefixtures("hot")
def test_several_results_are_a_tuple() -> None:
    for _ in range(3):
        tf.nn.moments(X, [0])
    background.compiler.wait()
    for _ in range(50):
        mean, variance = tf.nn.moments(X, [0])
    np.testing.assert_allclose(mean, X.numpy().mean(0), atol=1e-6)
    np.testing.assert_allclose(variance, X.numpy().var(0), rtol=1e-5)


@pytest.mark.usefixtures("hot")
def test_calls_differ_by_their_arguments() -> None:
    results = [tf.norm(X, ord=o, axis=a).numpy().sum() for o in (1, 2.0, 1.0) for a in (0, 1)]
    assert len(fused._calls) == 6 and results[:2] == results[4:] != results[2:4]
    # A tensor that decides the axes, too.
    for axis in (0, 1):
        np.testing.assert_allclose(
            tf.math.reduce_std(X, tf.constant(axis)), X.numpy().std(axis), rtol=1e-5
        )


@pytest.mark.usefixtures("hot")
def test_tensors_in_lists_are_read_in_each_call() -> None:
    for axis in (0, 1, 0):
        deviations = tf.math.reduce_std(X, axis=[tf.constant(axis)])
        np.testing.assert_allclose(deviations, X.numpy().std(axis), rtol=1e-5)


@pytest.mark.parametrize("small", [True, False])
def test_small_calls_tapes_and_graphs_run_op_by_op(small: bool, called: list[Any]) -> None:
    x = X[:2] if small else X
    with tf.GradientTape() as tape:
        tape.watch(x)
        norm = tf.norm(x)
    np.testing.assert_allclose(tape.gradient(norm, x), x / norm, rtol=1e-5)
    tf.function(tf.norm)(x)
    if small:
        tf.norm(x)
    tf.norm(x.numpy())
    tf.norm(tf.Variable(x))
    assert not called


def test_errors_are_those_of_the_ops(called: list[Any]) -> None:
    with pytest.raises(ValueError, match="is no vector norm"):
        tf.norm(X, ord=-1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.norm(X, axis=5)
    assert called


@pytest.mark.usefixtures("hot")
def test_what_is_no_result_of_a_program_is_returned_as_it_is() -> None:
    for result in (X, [X], None, (X + 1, None), ()):
        same = fused.fused(lambda x: result)  # noqa: B023
        for _ in range(3):
            assert same(X) is result


@pytest.mark.usefixtures("hot")
def test_settings_of_keras_are_part_of_a_call() -> None:
    ones = tf.ones([20, 500])
    for _ in range(3):
        keras.losses.poisson(ones, ones)
    background.compiler.wait()
    keras.config.set_epsilon(1.0)
    try:
        np.testing.assert_allclose(keras.losses.poisson(ones, ones), 1 - np.log(2.0), rtol=1e-5)
    finally:
        keras.config.set_epsilon(1e-7)
