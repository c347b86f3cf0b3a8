"""Batch normalization in compiled code, with the signatures of `backends.numpy_norm`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tapeflow._src.backends import jax_onednn
from tapeflow._src.backends.jax_residuals import recall, remember
from tapeflow._src.core.types import Array

_SIGNS = "signs"


def batch_norm(x: Array, scale: Any, offset: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """Return normalised `x`, and the mean and biased variance of each channel."""
    if jax_onednn.takes_norm(x):
        y, mean, variance = jax_onednn.batch_norm(x, scale, offset, epsilon)
        return y, mean, variance
    wide = x.astype(jnp.float32)
    rows = tuple(range(x.ndim - 1))
    mean, variance = wide.mean(rows), wide.var(rows)
    gain = scale / jnp.sqrt(variance + jnp.float32(epsilon))
    return wide * gain + (offset - mean * gain), mean, variance


def batch_norm_gradient(
    x: Array, dy: Any, scale: Any, mean: Any, variance: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to `x`, scale and offset."""
    if jax_onednn.takes_norm(x):
        gradients = jax_onednn.batch_norm_gradient(x, dy, scale, mean, variance, epsilon)
        return gradients[0], gradients[1], gradients[2]
    wide, upstream = x.astype(jnp.float32), dy.astype(jnp.float32)
    rows = tuple(range(x.ndim - 1))
    count = jnp.float32(max(x.size // max(x.shape[-1], 1), 1))
    rate = 1 / jnp.sqrt(variance + jnp.float32(epsilon))
    hat = (wide - mean) * rate
    doffset, dscale = upstream.sum(rows), (upstream * hat).sum(rows)
    dx = (scale * rate) * (upstream - doffset / count - hat * (dscale / count))
    return dx, dscale, doffset


def batch_norm_relu(x: Array, scale: Any, offset: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """Fused batch normalisation and ReLU; the statistics are those of `x`."""
    if epsilon > 0 and jax_onednn.takes_norm(x):
        y, mean, variance, signs = jax_onednn.batch_norm_relu(x, scale, offset, epsilon)
        remember(mean, _SIGNS, signs)
        return y, mean, variance
    y, mean, variance = batch_norm(x, scale, offset, epsilon)
    return jnp.maximum(y, jnp.float32(0)), mean, variance


def batch_norm_add_relu(
    x: Array, scale: Any, offset: Any, side_input: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Fused batch normalisation, residual add and ReLU."""
    if epsilon > 0 and side_input.shape == x.shape and jax_onednn.takes_norm(x):
        y, mean, variance = jax_onednn.batch_norm_add_relu(x, scale, offset, side_input, epsilon)
        return y, mean, variance
    y, mean, variance = batch_norm(x, scale, offset, epsilon)
    return jnp.maximum(y + side_input, jnp.float32(0)), mean, variance


def batch_norm_relu_gradient(
    x: Array, y: Array, dy: Any, scale: Any, mean: Any, variance: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    """Return the fused gradients w.r.t. `x`, scale and offset; `y` is the result of the ReLU."""
    signs = recall(mean, _SIGNS)
    if signs is None:
        masked = dy * (y > 0).astype(dy.dtype)
        return batch_norm_gradient(x, masked, scale, mean, variance, epsilon)
    gradients = jax_onednn.batch_norm_relu_gradient(x, dy, scale, mean, variance, signs, epsilon)
    return gradients[0], gradients[1], gradients[2]
