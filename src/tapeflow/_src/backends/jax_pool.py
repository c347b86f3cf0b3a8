"""Pooling in compiled code, with the signatures of `backends.numpy_pool`.

By oneDNN where it supports the windows: from about as fast as XLA to ten times as fast.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends import jax_onednn, onednn_pool
from tapeflow._src.backends.jax_residuals import is_remembering, recall, remember
from tapeflow._src.backends.numpy_conv import Window, taps
from tapeflow._src.backends.numpy_pool import least, lowest
from tapeflow._src.core.types import Array

Ints = tuple[int, ...]


def _reduce(x: Array, start: Any, combine: Any, ksize: Ints, window: Window) -> Any:
    strides, _, before, after = window
    padding = ((0, 0), *zip(before, after, strict=True), (0, 0))
    return lax.reduce_window(x, start, combine, (1, *ksize, 1), (1, *strides, 1), padding)


def _pooling(
    kind: onednn_pool.Kind, shape: Ints, ksize: Ints, window: Window
) -> onednn_pool.Window:
    strides, _, before, after = window
    return onednn_pool.Window.of(kind, shape, (ksize, strides, before, after))


def max_pool(x: Array, ksize: Ints, window: Window) -> Any:
    """Compute the maximum of each window; NaN is never greater."""
    pooling = _pooling("max", x.shape, ksize, window)
    if jax_onednn.takes_pool(x.dtype, pooling):
        if not is_remembering():
            return jax_onednn.pool(x, pooling)
        y, positions = jax_onednn.max_pool_argmax(x, pooling)
        remember(x, pooling, positions)
        return y
    # Starting from minus infinity, the reduction is one that JAX can differentiate.
    return _without_nan(_reduce(_without_nan(x), lowest(x.dtype), lax.max, ksize, window))


def _without_nan(x: Array) -> Any:
    return jnp.fmax(x, jnp.asarray(least(x.dtype), x.dtype))


def max_pool_gradient(x: Array, y: Array, dy: Any, ksize: Ints, window: Window) -> Any:
    """Return the input gradient: the first maximum of each window gets all of it."""
    pooling = _pooling("max", x.shape, ksize, window)
    if jax_onednn.takes_pool(x.dtype, pooling):
        positions = recall(x, pooling)
        if positions is not None:
            return jax_onednn.max_pool_gradient_at(dy, positions, pooling)
        return jax_onednn.max_pool_gradient(x, dy, pooling)
    pick = jax.linear_transpose(
        lambda values: max_pool_pick(x, y, values, ksize, window),
        jax.ShapeDtypeStruct(x.shape, dy.dtype),
    )
    return pick(dy)[0]


def max_pool_pick(x: Array, y: Array, values: Array, ksize: Ints, window: Window) -> Any:
    """Return, for each window, the entry of `values` at the first maximum of `x`."""
    _, _, before, after = window
    widths = ((0, 0), *zip(before, after, strict=True), (0, 0))
    padded = jnp.pad(_without_nan(x), widths, constant_values=lowest(x.dtype))
    picked = jnp.pad(values, widths)
    result = jnp.zeros(y.shape, values.dtype)
    left = jnp.ones(y.shape, bool)
    for _, part in taps(ksize, list(y.shape[1:-1]), window):
        here = left & (padded[part] == y)
        result = result + jnp.where(here, picked[part], 0)
        left &= ~here
    return result


def _counts(space: Ints, ksize: Ints, window: Window, dtype: Any) -> Any:
    return _reduce(jnp.ones((1, *space, 1), dtype), np.zeros((), dtype), lax.add, ksize, window)


def avg_pool(x: Array, ksize: Ints, window: Window) -> Any:
    """Compute the mean of each window, excluding padding."""
    pooling = _pooling("avg", x.shape, ksize, window)
    if jax_onednn.takes_pool(x.dtype, pooling):
        return jax_onednn.pool(x, pooling)
    return _mean_by_xla(x, ksize, window)


def _mean_by_xla(x: Array, ksize: Ints, window: Window) -> Any:
    wide = x.astype(jnp.float32) if x.dtype.itemsize == 2 else x
    total = _reduce(wide, np.zeros((), wide.dtype), lax.add, ksize, window)
    return (total / _counts(x.shape[1:-1], ksize, window, wide.dtype)).astype(x.dtype)


def avg_pool_gradient(dy: Any, input_shape: Ints, ksize: Ints, window: Window) -> Any:
    """Return the input gradient: each value of a window gets an equal share."""
    pooling = _pooling("avg", input_shape, ksize, window)
    if jax_onednn.takes_pool(dy.dtype, pooling):
        return jax_onednn.avg_pool_gradient(dy, pooling)
    like = jax.ShapeDtypeStruct(input_shape, dy.dtype)
    return jax.linear_transpose(lambda x: _mean_by_xla(x, ksize, window), like)(dy)[0]
