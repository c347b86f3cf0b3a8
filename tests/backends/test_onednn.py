"""oneDNN against plain NumPy: a loop over the taps of the window, in float64."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeflow._src.backends import onednn

Array = npt.NDArray[Any]
Ints = tuple[int, ...]

pytestmark = pytest.mark.skipif(
    not onednn.available(), reason="oneDNN (onednn-cpu-gomp) is not installed"
)


class Window(NamedTuple):
    strides: Ints
    dilations: Ints
    before: Ints
    after: Ints


def taps(size: Ints, kernel: Ints, window: Window) -> list[tuple[Ints, tuple[slice, ...]]]:
    """For each tap of a kernel: its index, and the padded input values it meets."""
    found = []
    for tap in np.ndindex(*kernel):
        places = [slice(None)]
        for t, n, k, s, d, low, high in zip(tap, size, kernel, *window):
            count = max(0, (n + low + high - (k - 1) * d - 1) // s + 1)
            places.append(slice(t * d, t * d + s * count, s) if count else slice(0, 0))
        found.append((tap, tuple(places)))
    return found


def padded(x: Array, window: Window, value: float = 0.0) -> Array:
    pads = [(0, 0), *zip(window.before, window.after), (0, 0)]
    return np.pad(x.astype(np.float64), pads, constant_values=value)


def inner(wide: Array, window: Window) -> Array:
    sizes = wide.shape[1:-1]
    cut = (slice(b, n - a) for n, b, a in zip(sizes, window.before, window.after))
    return wide[(slice(None), *cut)]


def conv(x: Array, w: Array, window: Window, groups: int) -> Array:
    wide, total = padded(x, window), 0
    for tap, places in taps(x.shape[1:], w.shape[:-2], window):
        values = wide[places]
        values = values.reshape(*values.shape[:-1], groups, -1)
        weights = w[tap].reshape(w.shape[-2], groups, -1)
        total = total + np.einsum("...gi,igo->...go", values, weights)
    return total.reshape(*total.shape[:-2], w.shape[-1])


def conv_gradients(
    x: Array, w: Array, dy: Array, window: Window, groups: int
) -> tuple[Array, Array]:
    wide = padded(x, window)
    dwide, dw = np.zeros_like(wide), np.zeros(w.shape)
    dy = dy.astype(np.float64).reshape(*dy.shape[:-1], groups, -1)
    for tap, places in taps(x.shape[1:], w.shape[:-2], window):
        values = wide[places]
        weights = w[tap].reshape(w.shape[-2], groups, -1)
        dwide[places] += np.einsum("...go,igo->...gi", dy, weights).reshape(values.shape)
        flat = values.reshape(-1, *weights.shape[1::-1])
        dw[tap] = np.einsum("ngi,ngo->igo", flat, dy.reshape(-1, *dy.shape[-2:])).reshape(
            w.shape[-2:]
        )
    return inner(dwide, window), dw


def normal(shape: Ints, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check_conv(x_shape: Ints, w_shape: Ints, window: Window, groups: int) -> None:
    x, w = normal(x_shape, 1), normal(w_shape, 2)
    expected = conv(x, w, window, groups)
    y = onednn.conv_forward(x, w, *window, groups)
    close(y, expected)
    dy = normal(y.shape, 3)
    expected_dx, expected_dw = conv_gradients(x, w, dy, window, groups)
    close(onednn.conv_backward_input(dy, w, x.shape, *window, groups), expected_dx)
    close(onednn.conv_backward_filter(x, dy, w.shape, *window, groups), expected_dw)


def close(got: Array, expected: Array) -> None:
    assert got.dtype == np.float32
    assert got.shape == expected.shape
    assert (got.flags.c_contiguous and got.ctypes.data % 64 == 0) or got.size == 0
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(got / scale, expected / scale, atol=2e-6, rtol=0)


# batch and spatial sizes, input channels
INPUTS = {1: (2, 11, 4), 2: (2, 9, 10, 4), 3: (1, 7, 6, 8, 4)}
# groups, output channels: plain, grouped, depthwise, depthwise with multiplier 2
GROUPINGS = [(1, 6), (2, 6), (4, 4), (4, 8)]


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(("groups", "channels"), GROUPINGS)
@pytest.mark.parametrize("kernel", [1, 2, 3])
def test_convolutions_on_a_grid(rank: int, groups: int, channels: int, kernel: int) -> None:
    x_shape = INPUTS[rank]
    w_shape = (kernel,) * rank + (4 // groups, channels)
    for stride, dilation, pads in itertools.product((1, 2, 3), (1, 2), ((0, 0), (1, 2), (4, 0))):
        numbers = (stride, dilation, *pads)
        check_conv(x_shape, w_shape, Window(*((number,) * rank for number in numbers)), groups)


@pytest.mark.parametrize(
    ("x_shape", "w_shape", "groups"),
    [
        ((3, 8, 8, 1), (3, 3, 1, 8), 1),
        ((2, 8, 8, 3), (5, 5, 3, 16), 1),
        ((2, 8, 8, 17), (3, 3, 17, 5), 1),
        ((2, 8, 8, 32), (3, 3, 32, 64), 1),
        ((2, 8, 8, 64), (1, 1, 64, 32), 1),
        ((2, 8, 8, 32), (3, 3, 1, 32), 32),
        ((2, 8, 8, 48), (3, 3, 16, 48), 3),
        ((2, 8, 8, 20), (3, 3, 1, 60), 20),
    ],
)
def test_convolutions_on_the_channel_counts_that_select_other_code(
    x_shape: Ints, w_shape: Ints, groups: int
) -> None:
    for strides in ((1, 1), (2, 2)):
        check_conv(x_shape, w_shape, Window(strides, (1, 1), (1, 1), (1, 1)), groups)


def test_convolution_with_different_numbers_in_each_dimension() -> None:
    window = Window((1, 3, 2), (2, 1, 1), (0, 2, 1), (3, 0, 1))
    check_conv((2, 7, 9, 6, 3), (3, 1, 2, 3, 5), window, 1)


def test_convolution_by_hand() -> None:
    x = np.array([1, 2, 3, 4], np.float32).reshape(1, 4, 1)
    w = np.array([10, 1], np.float32).reshape(2, 1, 1)
    window = Window((1,), (1,), (1,), (0,))
    assert onednn.conv_forward(x, w, *window).ravel().tolist() == [1, 12, 23, 34]
    dy = np.ones((1, 4, 1), np.float32)
    assert onednn.conv_backward_input(dy, w, x.shape, *window).ravel().tolist() == [11, 11, 11, 1]
    assert onednn.conv_backward_filter(x, dy, w.shape, *window).ravel().tolist() == [6, 10]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_gradients_are_adjoint_to_the_convolution(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))

    def each(low: int, high: int) -> Ints:
        return tuple(data.draw(st.integers(low, high)) for _ in range(rank))

    groups, inside, outside = (data.draw(st.integers(1, 4)) for _ in range(3))
    x = normal((data.draw(st.integers(1, 3)), *each(1, 9), groups * inside), 1)
    w = normal((*each(1, 4), inside, groups * outside), 2)
    window = Window(each(1, 3), each(1, 3), each(0, 4), each(0, 4))
    y = onednn.conv_forward(x, w, *window, groups)
    dy = normal(y.shape, 3)
    product = float((y * dy).sum(dtype=np.float64))
    dx = onednn.conv_backward_input(dy, w, x.shape, *window, groups)
    dw = onednn.conv_backward_filter(x, dy, w.shape, *window, groups)
    scale = 1 + float(np.abs(y * dy).sum())
    assert abs(float((dx * x).sum(dtype=np.float64)) - product) < 1e-5 * scale
    assert abs(float((dw * w).sum(dtype=np.float64)) - product) < 1e-5 * scale


ONE = Window((1, 1), (1, 1), (0, 0), (0, 0))


@pytest.mark.parametrize(
    ("x_shape", "w_shape", "y_shape"),
    [
        ((0, 5, 5, 2), (3, 3, 2, 4), (0, 3, 3, 4)),
        ((2, 2, 5, 2), (3, 3, 2, 4), (2, 0, 3, 4)),
        ((2, 5, 5, 0), (3, 3, 0, 4), (2, 3, 3, 4)),
        ((2, 5, 5, 2), (3, 3, 2, 0), (2, 3, 3, 0)),
    ],
)
def test_empty_dimensions_give_zeros(x_shape: Ints, w_shape: Ints, y_shape: Ints) -> None:
    x, w = normal(x_shape), normal(w_shape)
    y = onednn.conv_forward(x, w, *ONE)
    assert np.array_equal(y, np.zeros(y_shape, np.float32))
    assert np.array_equal(onednn.conv_backward_input(y, w, x_shape, *ONE), np.zeros(x_shape))
    assert np.array_equal(onednn.conv_backward_filter(x, y, w_shape, *ONE), np.zeros(w_shape))


def test_inputs_may_be_strided_read_only_and_unaligned() -> None:
    x, w = normal((2, 6, 6, 4)), normal((3, 3, 4, 5))
    expected = onednn.conv_forward(x, w, *ONE)
    strided = np.asfortranarray(x)
    shifted = np.frombuffer(b"\0" * 4 + w.tobytes(), np.float32, offset=4).reshape(w.shape)
    assert not strided.flags.c_contiguous and not shifted.flags.writeable
    assert np.array_equal(onednn.conv_forward(strided, shifted, *ONE), expected)


def test_wrong_dtypes_are_refused() -> None:
    x, w = normal((1, 5, 5, 2)), normal((3, 3, 2, 4))
    for wrong in (np.float64, np.int32, ">f4"):
        with pytest.raises(TypeError, match="conv_forward: oneDNN computes in"):
            onednn.conv_forward(x.astype(wrong), w.astype(wrong), *ONE)
        assert not onednn.supports(wrong)
    with pytest.raises(TypeError, match="same dtype; received"):
        onednn.conv_forward(x, w.astype(np.float64), *ONE)
    assert onednn.supports(np.float32)


@pytest.mark.skipif(not onednn.supports(np.float16), reason="this processor has no float16")
def test_half_precision() -> None:
    x, w = normal((2, 6, 6, 16)), normal((3, 3, 16, 16))
    y = onednn.conv_forward(x.astype(np.float16), w.astype(np.float16), *ONE)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.astype(np.float64), conv(x, w, ONE, 1), atol=0.1, rtol=0.01)


@pytest.mark.parametrize(
    ("x_shape", "w_shape", "window", "groups", "message"),
    [
        ((5, 5), (3, 2), ONE, 1, "1 to 3 spatial dimensions"),
        ((1, 5, 5, 2), (3, 2, 4), ONE, 1, "1 to 3 spatial dimensions"),
        ((1, 5, 5, 2), (3, 3, 2, 4), Window((1,), (1, 1), (0, 0), (0, 0)), 1, "need 2 items"),
        ((1, 5, 5, 2), (3, 3, 2, 4), Window((0, 1), (1, 1), (0, 0), (0, 0)), 1, "start at 1"),
        ((1, 5, 5, 2), (3, 3, 2, 4), Window((1, 1), (1, 1), (-1, 0), (0, 0)), 1, "pads at 0"),
        ((1, 5, 5, 3), (3, 3, 2, 4), ONE, 1, "do not fit"),
        ((1, 5, 5, 4), (3, 3, 2, 5), ONE, 2, "do not fit"),
        ((1, 5, 5, 4), (3, 3, 2, 4), ONE, 0, "do not fit"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    x_shape: Ints, w_shape: Ints, window: Window, groups: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        onednn.conv_forward(normal(x_shape), normal(w_shape), *window, groups)


def test_a_gradient_of_another_shape_is_refused() -> None:
    x, w, dy = normal((1, 5, 5, 2)), normal((3, 3, 2, 4)), normal((1, 5, 5, 4))
    with pytest.raises(ValueError, match=r"dy has shape \(1, 5, 5, 4\), the result has \(1, 3, 3"):
        onednn.conv_backward_input(dy, w, x.shape, *ONE)
    with pytest.raises(ValueError, match="conv_backward_filter: dy has shape"):
        onednn.conv_backward_filter(x, dy, w.shape, *ONE)


def test_threads_at_once_on_one_shape() -> None:
    """Each thread has its own values; a buffer shared by mistake would mix them up."""
    window = Window((1, 1), (1, 1), (1, 1), (1, 1))
    inputs = [(normal((4, 16, 16, 16), 2 * n), normal((3, 3, 16, 16), 2 * n + 1)) for n in range(8)]

    def work(pair: tuple[Array, Array]) -> tuple[Array, Array, Array]:
        x, w = pair
        y = onednn.conv_forward(x, w, *window)
        dx = onednn.conv_backward_input(y, w, x.shape, *window)
        return y, dx, onednn.conv_backward_filter(x, y, w.shape, *window)

    alone = [work(pair) for pair in inputs]
    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(lambda n: (n % 8, work(inputs[n % 8])), range(160)):
            index, results = together
            for got, expected in zip(results, alone[index]):
                np.testing.assert_allclose(got, expected, atol=1e-3, rtol=1e-4)


def max_pool(x: Array, ksize: Ints, window: Window) -> Array:
    wide = padded(x, window, -np.inf)
    return np.max([wide[places] for _, places in taps(x.shape[1:], ksize, window)], axis=0)


def max_pool_gradient(x: Array, dy: Array, ksize: Ints, window: Window) -> Array:
    wide = padded(x, window, -np.inf)
    dwide, y = np.zeros_like(wide), max_pool(x, ksize, window)
    free = np.ones(y.shape, np.bool_)
    for _, places in taps(x.shape[1:], ksize, window):
        hit = free & (wide[places] == y)
        dwide[places] += np.where(hit, dy, 0)
        free &= ~hit
    return inner(dwide, window)


def avg_pool_counts(shape: Ints, ksize: Ints, window: Window) -> Array:
    inside = padded(np.ones(shape), window)
    return np.sum([inside[places] for _, places in taps(shape[1:], ksize, window)], axis=0)


def avg_pool(x: Array, ksize: Ints, window: Window) -> Array:
    wide = padded(x, window)
    total = np.sum([wide[places] for _, places in taps(x.shape[1:], ksize, window)], axis=0)
    return total / avg_pool_counts(x.shape, ksize, window)


def avg_pool_gradient(shape: Ints, dy: Array, ksize: Ints, window: Window) -> Array:
    dwide = padded(np.zeros(shape), window)
    for _, places in taps(shape[1:], ksize, window):
        dwide[places] += dy / avg_pool_counts(shape, ksize, window)
    return inner(dwide, window)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("channels", [1, 5, 16])
def test_pools_on_a_grid(rank: int, channels: int) -> None:
    x = normal((*INPUTS[rank][:-1], channels))
    x[x > 1] = 1  # equal values: the gradient goes to the first
    for k, stride, pads in itertools.product((2, 3), (1, 2, 3), ((0, 0), (1, 0), (1, 1))):
        ksize = (k,) * rank
        window = Window(*((number,) * rank for number in (stride, 1, *pads)))
        args = (ksize, window.strides, window.before, window.after)
        y = onednn.max_pool_forward(x, *args)
        close(y, max_pool(x, ksize, window))
        dy = normal(y.shape, 1)
        close(onednn.max_pool_backward(x, dy, *args), max_pool_gradient(x, dy, ksize, window))
        close(onednn.avg_pool_forward(x, *args), avg_pool(x, ksize, window))
        expected = avg_pool_gradient(x.shape, dy, ksize, window)
        close(onednn.avg_pool_backward(dy, x.shape, *args), expected)


def test_pools_by_hand() -> None:
    x = np.array([1, 5, 5, 2], np.float32).reshape(1, 4, 1)
    args = ((3,), (2,), (1,), (1,))
    assert onednn.max_pool_forward(x, *args).ravel().tolist() == [5, 5]
    assert onednn.avg_pool_forward(x, *args).ravel().tolist() == [3, 4]
    dy = np.array([1, 10], np.float32).reshape(1, 2, 1)
    assert onednn.max_pool_backward(x, dy, *args).ravel().tolist() == [0, 11, 0, 0]
    got = onednn.avg_pool_backward(dy, x.shape, *args).ravel()
    np.testing.assert_allclose(got, [1 / 2, 1 / 2 + 10 / 3, 10 / 3, 10 / 3], rtol=1e-6)


def test_empty_pools() -> None:
    args = ((2, 2), (2, 2), (0, 0), (0, 0))
    for shape, pooled in (((0, 4, 4, 3), (0, 2, 2, 3)), ((2, 1, 4, 3), (2, 0, 2, 3))):
        x, dy = normal(shape), normal(pooled)
        assert onednn.max_pool_forward(x, *args).shape == pooled
        assert onednn.avg_pool_forward(x, *args).shape == pooled
        assert np.array_equal(onednn.max_pool_backward(x, dy, *args), np.zeros(shape))
        assert np.array_equal(onednn.avg_pool_backward(dy, shape, *args), np.zeros(shape))


def test_pools_that_do_not_fit_are_refused() -> None:
    x = normal((1, 4, 4, 2))
    with pytest.raises(ValueError, match="smaller than ksize"):
        onednn.max_pool_forward(x, (2, 2), (1, 1), (2, 0), (0, 0))
    with pytest.raises(ValueError, match="need 2 items each"):
        onednn.avg_pool_forward(x, (2,), (1, 1), (0, 0), (0, 0))
    with pytest.raises(ValueError, match="start at 1"):
        onednn.avg_pool_forward(x, (2, 2), (0, 1), (0, 0), (0, 0))
    with pytest.raises(ValueError, match="1 to 3 spatial dimensions"):
        onednn.avg_pool_forward(x[0, 0], (), (), (), ())
    with pytest.raises(ValueError, match="max_pool_backward: dy has shape"):
        onednn.max_pool_backward(x, x, (2, 2), (2, 2), (0, 0), (0, 0))


@pytest.mark.parametrize("shape", [(64, 3), (5, 8), (4, 6, 6, 16), (2, 3, 4, 5, 12), (1, 1, 1, 7)])
def test_batch_norm(shape: Ints) -> None:
    x, dy = 3 * normal(shape) + 100, normal(shape, 1)
    scale, shift = normal(shape[-1:], 2), normal(shape[-1:], 3)
    axes, epsilon = tuple(range(len(shape) - 1)), 1e-3
    y, mean, variance = onednn.batch_norm_forward(x, scale, shift, epsilon)
    exact = x.astype(np.float64)
    np.testing.assert_allclose(mean, exact.mean(axes), rtol=1e-6)
    np.testing.assert_allclose(variance, exact.var(axes), rtol=1e-3, atol=1e-6)
    factor = 1 / np.sqrt(exact.var(axes) + epsilon)
    normalised = (exact - exact.mean(axes)) * factor
    np.testing.assert_allclose(y, normalised * scale + shift, atol=1e-3)

    dx, dscale, dshift = onednn.batch_norm_backward(x, dy, scale, mean, variance, epsilon)
    np.testing.assert_allclose(dshift, dy.sum(axes, np.float64), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(dscale, (dy * normalised).sum(axes), rtol=1e-3, atol=1e-2)
    count = math.prod(shape[:-1])
    expected = dy - dy.mean(axes, np.float64) - normalised * (dy * normalised).sum(axes) / count
    np.testing.assert_allclose(dx, expected * scale * factor, atol=2e-3)


def test_batch_norm_of_nothing() -> None:
    x, ones = np.zeros((0, 3, 4), np.float32), np.ones(4, np.float32)
    y, mean, variance = onednn.batch_norm_forward(x, ones, ones, 1e-3)
    assert y.shape == x.shape and np.isnan(mean).all() and np.isnan(variance).all()
    dx, dscale, dshift = onednn.batch_norm_backward(x, x, ones, ones, ones, 1e-3)
    assert dx.shape == x.shape and not dscale.any() and not dshift.any()


def test_batch_norm_that_does_not_fit_is_refused() -> None:
    x, ones = normal((2, 4)), np.ones(4, np.float32)
    with pytest.raises(ValueError, match="one value a channel"):
        onednn.batch_norm_forward(x, ones[:3], ones, 1e-3)
    with pytest.raises(ValueError, match="dy has shape"):
        onednn.batch_norm_backward(x, x[:1], ones, ones, ones, 1e-3)
    half = np.ones(4, np.float16)
    with pytest.raises(TypeError, match="runs in float32"):
        onednn.batch_norm_forward(x.astype(np.float16), half, half, 1e-3)
    assert onednn.batch_norm_pays((32, 32, 32, 64)) and not onednn.batch_norm_pays((8, 10))
