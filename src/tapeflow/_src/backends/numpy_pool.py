"""Pooling on NumPy arrays: oneDNN for the dtypes it supports, else by the taps of the window.

Activations are `[batch, *space, channels]`; `window` is the strides, the dilations (ones) and the
padding before and after, one entry per spatial axis, as for convolutions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import onednn
from tapeflow._src.backends.numpy_conv import Window, output_space, taps
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.types import Array

Ints = tuple[int, ...]


def _onednn_takes(dtype: Any, ksize: Ints, window: Window) -> bool:
    """Whether oneDNN supports the window: there must be less padding than window."""
    _, _, before, after = window
    padded_out = any(max(low, high) >= k for k, low, high in zip(ksize, before, after, strict=True))
    return not padded_out and dtype == np.float32 and onednn.available()


def _padded(x: np.ndarray, window: Window, value: Any) -> np.ndarray:
    _, _, before, after = window
    if not any((*before, *after)):
        return x
    widths = ((0, 0), *zip(before, after, strict=True), (0, 0))
    return np.pad(x, widths, constant_values=value)


def _inner(padded: np.ndarray, space: Ints, window: Window) -> np.ndarray:
    keep = tuple(slice(b, b + n) for b, n in zip(window[2], space, strict=True))
    return padded[(slice(None), *keep)]


def lowest(dtype: np.dtype[Any]) -> Any:
    """Return the value that loses every comparison for the maximum."""
    return np.array(np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf, dtype)


def least(dtype: np.dtype[Any]) -> Any:
    """Return the result of a window without a greater value: the lowest finite one, as in TF."""
    return FROM_NUMPY[np.dtype(dtype)].min


# -- maximum: NaN is never greater -------------------------------------------------------------


def max_pool(x: Array, ksize: Ints, window: Window) -> np.ndarray:
    """Compute the maximum of each window."""
    strides, _, before, after = window
    if _onednn_takes(x.dtype, ksize, window):
        return onednn.max_pool_forward(x, ksize, strides, before, after)
    return max_pool_by_taps(x, ksize, window)


def max_pool_by_taps(x: np.ndarray, ksize: Ints, window: Window) -> np.ndarray:
    """Like `max_pool`, in plain NumPy."""
    space = output_space(x.shape[1:-1], ksize, window)
    padded = _padded(x, window, lowest(x.dtype))
    result = np.full((x.shape[0], *space, x.shape[-1]), least(x.dtype), x.dtype)
    for _, part in taps(ksize, space, window):
        np.fmax(result, padded[part], out=result)
    return result


def max_pool_gradient(x: Array, y: Array, dy: Any, ksize: Ints, window: Window) -> np.ndarray:
    """Return the input gradient: the first maximum of each window gets all of it."""
    strides, _, before, after = window
    if _onednn_takes(x.dtype, ksize, window):
        return onednn.max_pool_backward(x, dy, ksize, strides, before, after)
    return max_pool_gradient_by_taps(x, y, dy, ksize, window)


def max_pool_gradient_by_taps(
    x: np.ndarray, y: np.ndarray, dy: np.ndarray, ksize: Ints, window: Window
) -> np.ndarray:
    """Like `max_pool_gradient`, in plain NumPy."""
    space = list(y.shape[1:-1])
    padded = _padded(np.fmax(x, least(x.dtype)), window, lowest(x.dtype))
    result = np.zeros(padded.shape, dy.dtype)
    left = np.ones(y.shape, bool)
    for _, part in taps(ksize, space, window):
        here = left & (padded[part] == y)
        result[part] += np.where(here, dy, 0)
        left &= ~here
    return _inner(result, x.shape[1:-1], window)


def max_pool_pick(x: Array, y: Array, values: Array, ksize: Ints, window: Window) -> np.ndarray:
    """Return, for each window, the entry of `values` at the first maximum of `x`."""
    space = list(y.shape[1:-1])
    padded = _padded(np.fmax(x, least(x.dtype)), window, lowest(x.dtype))
    picked = _padded(values, window, 0)
    result = np.zeros(y.shape, values.dtype)
    left = np.ones(y.shape, bool)
    for _, part in taps(ksize, space, window):
        here = left & (padded[part] == y)
        result = np.where(here, picked[part], result)
        left &= ~here
    return result


# -- mean --------------------------------------------------------------------------------------


def _counts(space: Ints, ksize: Ints, window: Window) -> np.ndarray:
    """Return how many values each window covers, without padding: `[1, *output space, 1]`."""
    ones = _padded(np.ones((1, *space, 1), np.float32), window, 0)
    out = output_space(space, ksize, window)
    total = np.zeros((1, *out, 1), np.float32)
    for _, part in taps(ksize, out, window):
        total += ones[part]
    return total


def avg_pool(x: Array, ksize: Ints, window: Window) -> np.ndarray:
    """Compute the mean of each window, excluding padding."""
    strides, _, before, after = window
    if _onednn_takes(x.dtype, ksize, window):
        return onednn.avg_pool_forward(x, ksize, strides, before, after)
    return avg_pool_by_taps(x, ksize, window)


def avg_pool_by_taps(x: np.ndarray, ksize: Ints, window: Window) -> np.ndarray:
    """Like `avg_pool`, in plain NumPy."""
    space = output_space(x.shape[1:-1], ksize, window)
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    padded = _padded(wide, window, 0)
    total = np.zeros((x.shape[0], *space, x.shape[-1]), padded.dtype)
    for _, part in taps(ksize, space, window):
        total += padded[part]
    return (total / _counts(x.shape[1:-1], ksize, window).astype(total.dtype)).astype(x.dtype)


def avg_pool_gradient(dy: Any, input_shape: Ints, ksize: Ints, window: Window) -> np.ndarray:
    """Return the input gradient: each value of a window gets an equal share."""
    strides, _, before, after = window
    if _onednn_takes(dy.dtype, ksize, window):
        return onednn.avg_pool_backward(dy, input_shape, ksize, strides, before, after)
    return avg_pool_gradient_by_taps(dy, input_shape, ksize, window)


def avg_pool_gradient_by_taps(
    dy: np.ndarray, input_shape: Ints, ksize: Ints, window: Window
) -> np.ndarray:
    """Like `avg_pool_gradient`, in plain NumPy."""
    _, _, before, after = window
    wide = dy.astype(np.float32) if dy.dtype.itemsize == 2 else dy
    share = wide / _counts(input_shape[1:-1], ksize, window).astype(wide.dtype)
    sizes = [n + b + a for n, b, a in zip(input_shape[1:-1], before, after, strict=True)]
    padded = np.zeros((input_shape[0], *sizes, input_shape[-1]), wide.dtype)
    for _, part in taps(ksize, list(dy.shape[1:-1]), window):
        padded[part] += share
    return _inner(padded, input_shape[1:-1], window).astype(dy.dtype)
