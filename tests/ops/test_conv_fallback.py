"""Without oneDNN, convolutions, pools and batch norm give the same, more slowly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import numpy_conv, numpy_norm, numpy_pool, onednn
from tests.parity.nn_programs import PROGRAMS
from tests.parity.recorded_nn import check

needs_onednn = pytest.mark.skipif(
    not onednn.available(), reason="oneDNN (onednn-cpu-gomp) is not installed"
)

Ints = tuple[int, ...]

# Input, filter, strides, dilations, padding before and after, groups.
CONVOLUTIONS: dict[str, tuple[Any, ...]] = {
    "1d": ((2, 9, 3), (3, 3, 4), (2,), (1,), (1,), (0,), 1),
    "2d": ((2, 5, 6, 3), (3, 2, 3, 4), (1, 1), (1, 1), (1, 0), (1, 1), 1),
    "2d strided": ((2, 7, 6, 3), (3, 3, 3, 4), (2, 3), (1, 1), (0, 2), (1, 0), 1),
    "2d dilated": ((1, 8, 9, 2), (3, 2, 2, 5), (1, 1), (2, 3), (2, 1), (2, 2), 1),
    "2d in groups": ((2, 5, 5, 6), (3, 3, 2, 9), (1, 1), (1, 1), (1, 1), (1, 1), 3),
    "2d depthwise": ((2, 5, 5, 4), (3, 3, 1, 8), (1, 2), (1, 1), (1, 1), (1, 1), 4),
    "2d one by one": ((2, 4, 4, 8), (1, 1, 8, 16), (1, 1), (1, 1), (0, 0), (0, 0), 1),
    "3d": ((1, 4, 5, 4, 2), (2, 3, 2, 2, 3), (1, 2, 1), (1, 1, 2), (0, 1, 1), (1, 1, 1), 1),
    "no batch": ((0, 5, 5, 2), (3, 3, 2, 2), (1, 1), (1, 1), (1, 1), (1, 1), 1),
}
# Input, window, strides, padding before and after.
POOLS: dict[str, tuple[Any, ...]] = {
    "1d": ((2, 9, 3), (3,), (2,), (1,), (1,)),
    "2d": ((2, 6, 6, 3), (2, 2), (2, 2), (0, 0), (0, 0)),
    "2d overlapping": ((2, 5, 7, 4), (3, 2), (1, 2), (1, 0), (1, 1)),
    "3d": ((1, 4, 5, 4, 2), (2, 3, 2), (2, 1, 2), (0, 1, 0), (0, 1, 0)),
}


def _numbers(shape: Ints, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _close(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)


@needs_onednn
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_by_taps(name: str) -> None:
    dims, filter_dims, *geometry, groups = CONVOLUTIONS[name]
    window: Any = tuple(geometry)
    x, w = _numbers(dims, 0), _numbers(filter_dims, 1)
    y = numpy_conv.conv(x, w, window, groups)
    _close(numpy_conv.by_taps(x, w, window, groups), y)
    dy = _numbers(y.shape, 2)
    _close(
        numpy_conv.input_gradient_by_taps(dy, w, dims, window, groups),
        numpy_conv.conv_input_gradient(dy, w, dims, window, groups),
    )
    _close(
        numpy_conv.filter_gradient_by_taps(x, dy, filter_dims, window, groups),
        numpy_conv.conv_filter_gradient(x, dy, filter_dims, window, groups),
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_of_other_precision(name: str, dtype: str) -> None:
    dims, filter_dims, *geometry, groups = CONVOLUTIONS[name]
    window: Any = tuple(geometry)
    kind = tf.as_dtype(dtype).as_numpy_dtype
    x, w = _numbers(dims, 0).astype(kind), _numbers(filter_dims, 1).astype(kind)
    y = numpy_conv.by_taps(x, w, window, groups)
    assert y.dtype == kind
    exact = numpy_conv.by_taps(x.astype(np.float64), w.astype(np.float64), window, groups)
    epsilon = 2.0**-7 if dtype == "bfloat16" else float(np.finfo(kind).eps)
    np.testing.assert_allclose(y.astype(np.float64), exact, rtol=2 * epsilon, atol=2 * epsilon)


@needs_onednn
@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
@pytest.mark.parametrize("name", POOLS)
def test_pools_by_taps(name: str, ties: bool) -> None:
    dims, ksize, strides, before, after = POOLS[name]
    window = (strides, (1,) * len(strides), before, after)
    x = np.round(_numbers(dims, 0)) if ties else _numbers(dims, 0)
    y = numpy_pool.max_pool(x, ksize, window)
    np.testing.assert_array_equal(numpy_pool.max_pool_by_taps(x, ksize, window), y)
    dy = _numbers(y.shape, 1)
    _close(
        numpy_pool.max_pool_gradient_by_taps(x, y, dy, ksize, window),
        numpy_pool.max_pool_gradient(x, y, dy, ksize, window),
    )
    _close(numpy_pool.avg_pool_by_taps(x, ksize, window), numpy_pool.avg_pool(x, ksize, window))
    _close(
        numpy_pool.avg_pool_gradient_by_taps(dy, dims, ksize, window),
        numpy_pool.avg_pool_gradient(dy, dims, ksize, window),
    )


# -- with oneDNN taken away --------------------------------------------------------------------


@pytest.fixture
def without_onednn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(onednn, "available", lambda: False)
    monkeypatch.setattr(onednn, "supports", lambda dtype: False)
    for name in ("conv_forward", "max_pool_forward", "avg_pool_forward", "batch_norm_forward"):
        monkeypatch.setattr(onednn, name, _absent)
    yield


def _absent(*args: Any) -> Any:
    raise AssertionError("oneDNN was called")


FAMILIES = ("convolution", "transposed", "pool", "normalization: fused")


@pytest.mark.usefixtures("without_onednn")
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n.startswith(FAMILIES)])
def test_programs_come_to_the_same(name: str) -> None:
    check(name)


@needs_onednn
def test_batch_norm_is_that_of_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    x, scale, offset = _numbers((8, 32, 32, 16), 0), _numbers((16,), 1), _numbers((16,), 2)
    dy = _numbers(x.shape, 3)
    assert onednn.batch_norm_pays(x.shape)
    forward = numpy_norm.batch_norm(x, scale, offset, 1e-3)
    mean, variance = forward[1:]
    backward = numpy_norm.batch_norm_gradient(x, dy, scale, mean, variance, 1e-3)
    monkeypatch.setattr(onednn, "available", lambda: False)
    for actual, expected in zip(
        (
            *numpy_norm.batch_norm(x, scale, offset, 1e-3),
            *numpy_norm.batch_norm_gradient(x, dy, scale, mean, variance, 1e-3),
        ),
        (*forward, *backward),
        strict=True,
    ):
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-3)
