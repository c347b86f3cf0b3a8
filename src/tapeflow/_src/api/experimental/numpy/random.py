"""`tf.experimental.numpy.random`: NumPy's names of random functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow import random as tfr
from tapeflow._src.api.arrays import broadcast_dynamic_shape
from tapeflow._src.api.arrays import shape as shape_of
from tapeflow._src.api.experimental.numpy.promotion import (
    as_tensor_dtype,
    asarray,
    default_float,
    is_tensor,
)
from tapeflow._src.core import dtypes

__all__ = [
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "seed",
    "standard_normal",
    "uniform",
]


def seed(s: Any) -> None:
    """Set the global seed."""
    tfr.set_seed(int(s))


def randn(*args: Any) -> Any:
    """Draw standard normal numbers of shape `args`."""
    return standard_normal(args)


def standard_normal(size: Any = None) -> Any:
    """Draw standard normal numbers."""
    return tfr.normal(_shape(size), dtype=default_float())


def rand(*size: Any) -> Any:
    """Draw uniform numbers in [0, 1) of shape `size`."""
    return uniform(0.0, 1.0, size)


def random(size: Any = None) -> Any:
    """Draw uniform numbers in [0, 1)."""
    return uniform(0.0, 1.0, size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draw uniform numbers in `[low, high)`; by default one for each of their elements."""
    dtype = default_float()
    low, high = asarray(low, dtype), asarray(high, dtype)
    if size is None:
        size = broadcast_dynamic_shape(shape_of(low), shape_of(high))
    return tfr.uniform(_shape(size), low, high, dtype=dtype)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Draw integers in `[low, high)`; in `[0, low)` if `high` is None."""
    kind = as_tensor_dtype(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"randint returns int32 or int64, received dtype {dtype}.")
    if high is None:
        low, high = 0, low
    low, high = (bound if is_tensor(bound) else int(bound) for bound in (low, high))
    return tfr.uniform(_shape(size), low, high, dtype=kind)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draw numbers from a Poisson distribution with mean `lam`."""
    return tfr.poisson(_shape(size), asarray(lam, np.float64), dtype=as_tensor_dtype(int))


def _shape(size: Any) -> Any:
    if size is None:
        return ()
    return (size,) if isinstance(size, int | np.integer) else size
