"""oneDNN called by compiled code gives what it gives when called eagerly."""

from __future__ import annotations

import ast
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tapeflow._src.backends import (
    jax_conv,
    jax_ffi,
    jax_norm,
    jax_onednn,
    jax_pool,
    numpy_conv,
    numpy_norm,
    numpy_pool,
    onednn,
)
from tapeflow._src.backends import jax_residuals as jax_recall
from tests.ops.test_conv_fallback import CONVOLUTIONS, POOLS

pytestmark = pytest.mark.skipif(
    not onednn.available(), reason="oneDNN (onednn-cpu-gomp) is not installed"
)

WINDOW: Any = ((1, 1), (1, 1), (1, 1), (1, 1))


def _numbers(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _calls(function: Any, *arrays: Any) -> int:
    """How many calls of oneDNN the compiled program makes."""
    text = jax.jit(function).lower(*arrays).as_text()
    return text.count(f"@{jax_onednn.TARGET}")


def _same(actual: Any, expected: np.ndarray) -> None:
    result = np.asarray(actual)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str) -> None:
    dims, filter_dims, *geometry, groups = CONVOLUTIONS[name]
    window: Any = tuple(geometry)
    x, w = _numbers(dims, 0), _numbers(filter_dims, 1)
    y = numpy_conv.conv(x, w, window, groups)
    dy = _numbers(y.shape, 2)

    def both(conv: Any, by_input: Any, by_filter: Any) -> Any:
        return lambda x, w, dy: (
            conv(x, w, window, groups),
            by_input(dy, w, dims, window, groups),
            by_filter(x, dy, filter_dims, window, groups),
        )

    compiled = both(jax_conv.conv, jax_conv.conv_input_gradient, jax_conv.conv_filter_gradient)
    eager = both(numpy_conv.conv, numpy_conv.conv_input_gradient, numpy_conv.conv_filter_gradient)
    assert _calls(compiled, x, w, dy) == (3 if x.size else 0)
    for actual, expected in zip(jax.jit(compiled)(x, w, dy), eager(x, w, dy), strict=True):
        _same(actual, expected)


@pytest.mark.parametrize("name", POOLS)
def test_pools(name: str) -> None:
    dims, ksize, strides, before, after = POOLS[name]
    window = (strides, (1,) * len(strides), before, after)
    x = np.round(_numbers(dims, 0))
    y = numpy_pool.max_pool(x, ksize, window)
    dy = _numbers(y.shape, 1)

    def all_of(backend: Any) -> Any:
        return lambda x, y, dy: (
            backend.max_pool(x, ksize, window),
            backend.avg_pool(x, ksize, window),
            backend.max_pool_gradient(x, y, dy, ksize, window),
            backend.avg_pool_gradient(dy, dims, ksize, window),
        )

    assert _calls(all_of(jax_pool), x, y, dy) == 4
    results = jax.jit(all_of(jax_pool))(x, y, dy)
    for actual, expected in zip(results, all_of(numpy_pool)(x, y, dy), strict=True):
        _same(actual, expected)


@pytest.mark.parametrize("name", POOLS)
def test_pooling_remembers_for_its_gradient(name: str) -> None:
    dims, ksize, strides, before, after = POOLS[name]
    window = (strides, (1,) * len(strides), before, after)
    x = np.round(_numbers(dims, 0))
    y = numpy_pool.max_pool(x, ksize, window)
    dy = _numbers(y.shape, 1)

    def both(x: Any, dy: Any) -> Any:
        with jax_recall.remembering():
            y = jax_pool.max_pool(x, ksize, window)
            return y, jax_pool.max_pool_gradient(x, y, dy, ksize, window)

    assert "pool gradient at" in jax.jit(both).lower(x, dy).as_text()
    results = jax.jit(both)(x, dy)
    _same(results[0], y)
    _same(results[1], numpy_pool.max_pool_gradient(x, y, dy, ksize, window))


def test_windows_that_see_only_padding_are_left_to_xla() -> None:
    x = _numbers((1, 4, 4, 2), 0)
    window: Any = ((1, 1), (1, 1), (2, 2), (2, 2))
    assert _calls(lambda x: jax_pool.max_pool(x, (2, 2), window), x) == 0


def test_batch_norm() -> None:
    x, scale, offset = _numbers((8, 32, 32, 16), 0), _numbers((16,), 1), _numbers((16,), 2)
    dy = _numbers(x.shape, 3)
    _, mean, variance = numpy_norm.batch_norm(x, scale, offset, 1e-3)

    def both(backend: Any) -> Any:
        return lambda *a: (
            *backend.batch_norm(x, scale, offset, 1e-3),
            *backend.batch_norm_gradient(x, dy, scale, mean, variance, 1e-3),
        )

    arrays = (x, scale, offset, dy, mean, variance)
    assert _calls(both(jax_norm), *arrays) == 2
    for actual, expected in zip(
        jax.jit(both(jax_norm))(*arrays), both(numpy_norm)(*arrays), strict=True
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("remembered", [False, True])
def test_rectified_batch_norm(remembered: bool) -> None:
    x, scale, offset = _numbers((8, 32, 32, 16), 0), _numbers((16,), 1), _numbers((16,), 2)
    dy = _numbers(x.shape, 3)

    def both(backend: Any) -> Any:
        def function(x: Any, scale: Any, offset: Any, dy: Any) -> Any:
            y, *statistics = backend.batch_norm_relu(x, scale, offset, 1e-3)
            gradients = backend.batch_norm_relu_gradient(x, y, dy, scale, *statistics, 1e-3)
            return y, *statistics, *gradients

        return function

    def traced(*arrays: Any) -> Any:
        with jax_recall.remembering() if remembered else nullcontext():
            return both(jax_norm)(*arrays)

    arrays = (x, scale, offset, dy)
    assert ("norm relu gradient" in jax.jit(traced).lower(*arrays).as_text()) == remembered
    for actual, expected in zip(jax.jit(traced)(*arrays), both(numpy_norm)(*arrays), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["x", "scale", "offset"])
def test_what_is_not_a_number_is_not_rectified_away(wrong: float, where: str) -> None:
    given = {"x": _numbers((2, 64, 64, 8), 0), "scale": _numbers((8,), 1)}
    given["offset"] = _numbers((8,), 2)
    given[where].reshape(-1)[5] = wrong
    expected = numpy_norm.batch_norm_relu(*given.values(), 1e-3)
    actual = jax.jit(lambda *a: jax_norm.batch_norm_relu(*a, 1e-3))(*given.values())
    assert np.isnan(expected[0]).any() or where != "x"
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("wrong", [1.0, np.nan, np.inf, -np.inf, 3e38, -3e38])
@pytest.mark.parametrize("where", ["x", "scale", "offset", "aside"])
def test_a_rectified_sum_is_what_numpy_gives(wrong: float, where: str) -> None:
    given = {"x": _numbers((2, 64, 64, 8), 0), "scale": _numbers((8,), 1)}
    given |= {"offset": _numbers((8,), 2), "aside": _numbers((2, 64, 64, 8), 3)}
    given[where].reshape(-1)[5] = wrong
    with np.errstate(all="ignore"):
        expected = numpy_norm.batch_norm_add_relu(*given.values(), 1e-3)

    def function(*arrays: Any) -> Any:
        return jax_norm.batch_norm_add_relu(*arrays, 1e-3)

    assert _calls(function, *given.values()) == 1
    for one, other in zip(jax.jit(function)(*given.values()), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_a_rectified_sum_without_variance_is_what_numpy_gives() -> None:
    x, ones = np.ones((2, 64, 64, 8), np.float32), np.ones(8, np.float32)
    with np.errstate(all="ignore"):
        expected = numpy_norm.batch_norm_add_relu(x, ones, ones, x, 0.0)
    actual = jax.jit(lambda *a: jax_norm.batch_norm_add_relu(*a, 0.0))(x, ones, ones, x)
    assert np.isnan(expected[0]).all() and np.isnan(actual[0]).all()


def test_what_has_no_variance_is_not_rectified_away() -> None:
    x, ones = np.ones((2, 64, 64, 8), np.float32), np.ones(8, np.float32)
    with np.errstate(all="ignore"):
        expected = numpy_norm.batch_norm_relu(x, ones, ones, 0.0)
    actual = jax.jit(lambda *a: jax_norm.batch_norm_relu(*a, 0.0))(x, ones, ones)
    assert np.isnan(expected[0]).all() and np.isnan(actual[0]).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes_go_where_they_are_computed(dtype: str) -> None:
    kind = jnp.dtype(dtype)
    with jax.enable_x64(True):
        x, w = _numbers((1, 5, 5, 4), 0).astype(kind), _numbers((3, 3, 4, 4), 1).astype(kind)
        calls = _calls(lambda x, w: jax_conv.conv(x, w, WINDOW, 1), x, w)
        assert calls == int(onednn.supports(kind))
        result = jax.jit(lambda x, w: jax_conv.conv(x, w, WINDOW, 1))(x, w)
    expected = numpy_conv.by_taps(x.astype(np.float64), w.astype(np.float64), WINDOW, 1)
    np.testing.assert_allclose(np.asarray(result, np.float64), expected, rtol=0.05, atol=0.05)


def test_operands_are_row_major_whatever_xla_would_like() -> None:
    x, w = _numbers((3, 4, 8, 7), 0), _numbers((5, 4, 3, 3), 1)

    def function(conv: Any, moveaxis: Any) -> Any:
        return lambda x, w: conv(moveaxis(x, 1, -1), w.transpose(2, 3, 1, 0), WINDOW, 1).T

    expected = function(numpy_conv.conv, np.moveaxis)(x, w)
    _same(jax.jit(function(jax_conv.conv, jnp.moveaxis))(x, w), expected)


def test_inside_a_loop() -> None:
    x, w = _numbers((1, 6, 6, 4), 0), _numbers((3, 3, 4, 4), 1) / 10

    def function(x: Any, w: Any) -> Any:
        return jax.lax.fori_loop(0, 5, lambda _, x: jax_conv.conv(x, w, WINDOW, 1), x)

    expected = x
    for _ in range(5):
        expected = numpy_conv.conv(expected, w, WINDOW, 1)
    _same(jax.jit(function)(x, w), expected)


def test_from_many_threads_while_python_is_busy() -> None:
    """Compiled code waits for the GIL, and never the other way round."""
    w = _numbers((3, 3, 8, 8), 1)
    function = jax.jit(
        lambda x, w: (
            jax_conv.conv(x, w, WINDOW, 1),
            jax_conv.conv_input_gradient(x, w, x.shape, WINDOW, 1),
            jax_conv.conv_filter_gradient(x, x, w.shape, WINDOW, 1),
        )
    )
    done = threading.Event()

    def spin() -> None:
        while not done.is_set():
            sum(range(1000))

    busy = threading.Thread(target=spin)
    busy.start()

    def run(seed: int) -> None:
        x = _numbers((2, 12, 12, 8), seed)
        for _ in range(5):
            y, dx, dw = function(x, w)
            _same(y, numpy_conv.conv(x, w, WINDOW, 1))
            _same(dx, numpy_conv.conv_input_gradient(x, w, x.shape, WINDOW, 1))
            _same(dw, numpy_conv.conv_filter_gradient(x, x, w.shape, WINDOW, 1))

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(run, range(4)))
    finally:
        done.set()
        busy.join()


def test_a_target_that_raises_is_an_error_of_xla() -> None:
    def fail(spec: bytes, addresses: list[int]) -> None:
        raise LookupError(f"no plan {spec.decode()!r} for {len(addresses)} buffers")

    jax_ffi.register("tapeflow_test_failing", fail)
    like = jax.ShapeDtypeStruct((2,), np.float32)

    def function(x: Any) -> Any:
        return jax_ffi.call("tapeflow_test_failing", [x], [like, like], "ü")

    with pytest.raises(RuntimeError, match=r"LookupError: no plan 'ü' for 3 buffers"):
        jax.block_until_ready(jax.jit(function)(np.ones(2, np.float32)))


def test_an_interrupt_waits_for_the_end_of_the_call() -> None:
    calls = []

    def once(spec: bytes, addresses: list[int]) -> None:
        calls.append(spec)
        if len(calls) == 1:
            raise KeyboardInterrupt

    jax_ffi.register("tapeflow_test_interrupted", once)
    like = jax.ShapeDtypeStruct((2,), np.float32)
    function = jax.jit(lambda x: jax_ffi.call("tapeflow_test_interrupted", [x], [like], "a"))
    jax.block_until_ready(function(np.ones(2, np.float32)))
    assert calls == [b"a", b"a"]
    assert [type(i) for i in jax_ffi.interrupts] == [KeyboardInterrupt]
    jax_ffi.interrupts.clear()


@pytest.mark.parametrize(("programs", "threads"), [(1, 6), (2, 3), (4, 1), (9, 1)])
def test_programs_that_run_at_once_share_the_threads(
    programs: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(jax_onednn._KINDS, "test", lambda *arguments: arguments)
    with jax_onednn.shared_by(programs):
        spec = jax_onednn._spec("test", (1, 2))
    assert jax_onednn._planned(spec.encode(), 6) == (threads, (1, 2))
    assert ast.literal_eval(jax_onednn._spec("test")) == (1, "test")
