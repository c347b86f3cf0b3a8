"""Pooling by XLA, with the signatures of `backends.numpy_pool`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow.backends.numpy_conv import Window, taps
from tapeflow.backends.numpy_pool import least, lowest

Ints = tuple[int, ...]


def _reduce(x: Any, start: Any, combine: Any, ksize: Ints, window: Window) -> Any:
    strides, _, before, after = window
    padding = ((0, 0), *zip(before, after, strict=True), (0, 0))
    return lax.reduce_window(x, start, combine, (1, *ksize, 1), (1, *strides, 1), padding)


def max_pool(x: Any, ksize: Ints, window: Window) -> Any:
    """The greatest value of each window; NaN is never greater."""
    # Starting from minus infinity, the reduction is one that JAX can differentiate.
    return _without_nan(_reduce(_without_nan(x), lowest(x.dtype), lax.max, ksize, window))


def _without_nan(x: Any) -> Any:
    return jnp.fmax(x, jnp.asarray(least(x.dtype), x.dtype))


def max_pool_gradient(x: Any, y: Any, dy: Any, ksize: Ints, window: Window) -> Any:
    """The gradient of the input: of each window the first greatest value gets all of it."""
    pick = jax.linear_transpose(
        lambda values: max_pool_pick(x, y, values, ksize, window),
        jax.ShapeDtypeStruct(x.shape, dy.dtype),
    )
    return pick(dy)[0]


def max_pool_pick(x: Any, y: Any, values: Any, ksize: Ints, window: Window) -> Any:
    """Of each window, the entry of `values` at the place of the first greatest value of `x`."""
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


def avg_pool(x: Any, ksize: Ints, window: Window) -> Any:
    """The mean of each window, padding left out."""
    wide = x.astype(jnp.float32) if x.dtype.itemsize == 2 else x
    total = _reduce(wide, np.zeros((), wide.dtype), lax.add, ksize, window)
    return (total / _counts(x.shape[1:-1], ksize, window, wide.dtype)).astype(x.dtype)


def avg_pool_gradient(dy: Any, input_shape: Ints, ksize: Ints, window: Window) -> Any:
    """The gradient of the input: each value of a window gets an equal share."""
    like = jax.ShapeDtypeStruct(input_shape, dy.dtype)
    return jax.linear_transpose(lambda x: avg_pool(x, ksize, window), like)(dy)[0]
