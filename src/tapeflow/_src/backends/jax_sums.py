"""Sums in compiled code, with NumPy's signature.

XLA reduces several axes at once element by element, computing the index of each: a bias's gradient,
a batch of images summed over all but the channels, takes 9 ms where a product with ones takes 0.9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.core.types import Array

# Below this many terms, or parallel sums, a product is no faster.
_PAYING_TERMS = 32
_PAYING_SUMS = 8
_EXACT = frozenset(map(np.dtype, (np.float32, np.float64)))


def total(array: Array, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum over `axis`, in `dtype`."""
    axes = _adjacent_axes(array, axis, dtype)
    if axes is None:
        return jnp.sum(array, axis=axis, dtype=dtype, keepdims=keepdims)
    first, last = axes
    dims = array.shape
    before, within, after = dims[:first], dims[first : last + 1], dims[last + 1 :]
    rows = array.reshape(math.prod(before), math.prod(within), math.prod(after))
    ones = jnp.ones(rows.shape[:2], rows.dtype)
    sums = lax.dot_general(ones, rows, (((1,), (1,)), ((0,), (0,))))
    return sums.reshape(*before, *[1] * (len(within) if keepdims else 0), *after)


def _adjacent_axes(array: Array, axis: Any, dtype: Any) -> tuple[int, int] | None:
    """Return the first and the last of several adjacent axes, if a product pays for them."""
    if not isinstance(axis, Sequence) or len(axis) < 2 or array.dtype not in _EXACT:
        return None
    if dtype is not None and array.dtype != dtype:
        return None
    axes = sorted(a % array.ndim for a in axis)
    first, last = axes[0], axes[-1]
    if axes != list(range(first, last + 1)):
        return None
    terms = math.prod(array.shape[first : last + 1])
    side_by_side = math.prod(array.shape[last + 1 :]) if last + 1 < array.ndim else 0
    pays = terms >= _PAYING_TERMS and side_by_side >= _PAYING_SUMS
    return (first, last) if pays and array.size else None
