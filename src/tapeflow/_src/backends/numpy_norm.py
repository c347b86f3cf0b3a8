"""Batch normalization of `[..., channels]` arrays on NumPy, or oneDNN where that is faster."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import onednn
from tapeflow._src.core.types import Array


def _onednn_takes(x: Array) -> bool:
    return x.dtype == np.float32 and onednn.batch_norm_pays(x.shape) and onednn.available()


def batch_norm(x: Array, scale: Any, offset: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """Return normalised `x`, and the mean and biased variance of each channel."""
    if _onednn_takes(x):
        return onednn.batch_norm_forward(x, scale, offset, epsilon)
    wide = x.astype(np.float32, copy=False)
    rows = tuple(range(x.ndim - 1))
    mean, variance = wide.mean(rows), wide.var(rows)
    gain = scale / np.sqrt(variance + np.float32(epsilon))
    return wide * gain + (offset - mean * gain), mean, variance


def batch_norm_gradient(
    x: Array, dy: Any, scale: Any, mean: Any, variance: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to `x`, scale and offset."""
    if _onednn_takes(x):
        return onednn.batch_norm_backward(x, dy, scale, mean, variance, epsilon)
    wide, upstream = x.astype(np.float32, copy=False), dy.astype(np.float32, copy=False)
    rows = tuple(range(x.ndim - 1))
    count = np.float32(max(x.size // max(x.shape[-1], 1), 1))
    rate = 1 / np.sqrt(variance + np.float32(epsilon))
    hat = (wide - mean) * rate
    doffset, dscale = upstream.sum(rows), (upstream * hat).sum(rows)
    dx = (scale * rate) * (upstream - doffset / count - hat * (dscale / count))
    return dx, dscale, doffset


def batch_norm_relu(x: Array, scale: Any, offset: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """Fused batch normalisation and ReLU; the statistics are those of `x`."""
    y, mean, variance = batch_norm(x, scale, offset, epsilon)
    return np.maximum(y, np.float32(0), out=y), mean, variance


def batch_norm_add_relu(
    x: Array, scale: Any, offset: Any, side_input: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Fused batch normalisation, residual add and ReLU."""
    y, mean, variance = batch_norm(x, scale, offset, epsilon)
    total = np.add(y, side_input, out=y) if side_input.shape == x.shape else y + side_input
    return np.maximum(total, np.float32(0), out=total), mean, variance


def batch_norm_relu_gradient(
    x: Array, y: Array, dy: Any, scale: Any, mean: Any, variance: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Return the fused gradients w.r.t. `x`, scale and offset; `y` is the result of the ReLU."""
    mask = (y > 0).astype(dy.dtype)
    mask *= dy
    return batch_norm_gradient(x, mask, scale, mean, variance, epsilon)
