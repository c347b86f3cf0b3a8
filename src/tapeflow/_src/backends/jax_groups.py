"""Sorting, scanning and grouping beyond jax.numpy. `numpy_groups` has the twins."""

from __future__ import annotations

from typing import Any

import jax
from jax import numpy as jnp

from tapeflow._src.core.types import Array

_METHODS = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}


def segment_reduce(kind: str, rows: Any, ids: Any, count: int, initial: Any) -> Any:
    """Reduce `rows` into `count` rows by their ids; rows with invalid ids are left out.

    `kind` is the ufunc's name, `initial` the initial value of a row.
    """
    start = jnp.full((count, *rows.shape[1:]), initial, rows.dtype)
    target = jnp.where(ids < 0, count, ids)
    return getattr(start.at[target], _METHODS[kind])(rows, mode="drop")


def segment_count(ids: Any, count: int) -> Any:
    """Count how often each number below `count` occurs."""
    return segment_reduce("add", jnp.ones(ids.shape, jnp.int64), ids, count, 0)


def cumulative_logsumexp(x: Array, axis: int) -> Any:
    """Compute the logarithms of the cumulative sums of the exponentials."""
    return jax.lax.cumlogsumexp(x, axis=axis % x.ndim)


def search_rows(sorted_rows: Any, values: Array, side: str) -> Any:
    """Apply `searchsorted` to each row of `values` in the row of the same index."""
    return jax.vmap(lambda row, value: jnp.searchsorted(row, value, side=side))(sorted_rows, values)


def top_k(x: Array, k: int) -> tuple[Any, Any]:
    """Return the `k` largest along the last axis and their indices; ties by index, NaN first."""
    keys = x
    if jnp.issubdtype(x.dtype, jnp.floating):
        # XLA distinguishes -0.0 from 0.0, and a negative NaN from a positive one.
        keys = jnp.where(x == 0, 0, jnp.where(jnp.isnan(x), jnp.nan, x)).astype(x.dtype)
    _, order = jax.lax.top_k(keys, k)
    return jnp.take_along_axis(x, order, axis=-1), order
