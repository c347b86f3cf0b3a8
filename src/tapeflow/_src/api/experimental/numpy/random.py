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
from tapeflow._src.core.types import DTypeLike

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
    """Set the global seed.

    Args:
        s: An integer.

    Returns:
        None.

    Example:
        >>> tf.experimental.numpy.random.seed(3)
    """
    tfr.set_seed(int(s))


def randn(*args: Any) -> Any:
    """Draw standard normal numbers of shape `args`.

    Args:
        *args: The sizes.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.random.randn(2, 3).shape
        TensorShape([2, 3])
    """
    return standard_normal(args)


def standard_normal(size: Any = None) -> Any:
    """Draw standard normal numbers.

    Args:
        size: A size, or a sequence of sizes; one number by default.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.random.standard_normal([2, 3]).shape
        TensorShape([2, 3])
    """
    return tfr.normal(_shape(size), dtype=default_float())


def rand(*size: Any) -> Any:
    """Draw uniform numbers in [0, 1) of shape `size`.

    Args:
        *size: The sizes.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.random.rand(2, 3).shape
        TensorShape([2, 3])
    """
    return uniform(0.0, 1.0, size)


def random(size: Any = None) -> Any:
    """Draw uniform numbers in [0, 1).

    Args:
        size: A size, or a sequence of sizes; one number by default.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.random.random(4).shape
        TensorShape([4])
    """
    return uniform(0.0, 1.0, size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draw uniform numbers in `[low, high)`; by default one for each of their elements.

    Args:
        low: Lower bound.
        high: Upper bound, which is not reached.
        size: A size, or a sequence of sizes.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.random.uniform(1.0, 2.0, 4).shape
        TensorShape([4])
    """
    dtype = default_float()
    low, high = asarray(low, dtype), asarray(high, dtype)
    if size is None:
        size = broadcast_dynamic_shape(shape_of(low), shape_of(high))
    return tfr.uniform(_shape(size), low, high, dtype=dtype)


def randint(low: Any, high: Any = None, size: Any = None, dtype: DTypeLike = np.int64) -> Any:
    """Draw integers in `[low, high)`; in `[0, low)` if `high` is None.

    Args:
        low: Lower bound, or the upper one if it is the only bound.
        high: Upper bound, which is not reached.
        size: A size, or a sequence of sizes; one number by default.
        dtype: int32 or int64.

    Returns:
        A tensor of integers.

    Raises:
        ValueError: For another dtype.

    Example:
        >>> bool(tf.experimental.numpy.random.randint(3) < 3)
        True
    """
    kind = as_tensor_dtype(dtype)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"randint returns int32 or int64, received dtype {dtype}.")
    if high is None:
        low, high = 0, low
    low, high = (bound if is_tensor(bound) else int(bound) for bound in (low, high))
    return tfr.uniform(_shape(size), low, high, dtype=kind)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draw numbers from a Poisson distribution with mean `lam`.

    Args:
        lam: The mean.
        size: A size, or a sequence of sizes; one number by default.

    Returns:
        A tensor of int64.

    Example:
        >>> tf.experimental.numpy.random.poisson(2.0, 5).shape
        TensorShape([5])
    """
    return tfr.poisson(_shape(size), asarray(lam, np.float64), dtype=as_tensor_dtype(int))


def _shape(size: Any) -> Any:
    if size is None:
        return ()
    return (size,) if isinstance(size, int | np.integer) else size
