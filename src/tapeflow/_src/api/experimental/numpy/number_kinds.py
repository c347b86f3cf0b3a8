"""Whether elements are finite, NaN, real or complex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api.arrays import zeros_like
from tapeflow._src.api.experimental.numpy.promotion import asarray, to_float
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike


def isfinite(x: TensorLike) -> Any:
    """Return whether elements are neither infinite nor NaN.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isfinite([1.0, np.inf, np.nan]).numpy()
        array([ True, False, False])
    """
    return tfm.is_finite(to_float(x))


def isnan(x: Any) -> Any:
    """Return whether elements are NaN.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isnan([1.0, np.nan]).numpy()
        array([False,  True])
    """
    return tfm.is_nan(to_float(x))


def isinf(x: TensorLike) -> Any:
    """Return whether elements are infinite.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isinf([1.0, -np.inf]).numpy()
        array([False,  True])
    """
    return _of_floats(x, tfm.is_inf)


def isposinf(x: TensorLike) -> Any:
    """Return whether elements are positive infinity.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isposinf([np.inf, -np.inf]).numpy()
        array([ True, False])
    """
    return _of_floats(x, lambda t: tfm.equal(t, convert(np.inf, t.dtype)))


def isneginf(x: TensorLike) -> Any:
    """Return whether elements are negative infinity.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isneginf([np.inf, -np.inf]).numpy()
        array([False,  True])
    """
    return _of_floats(x, lambda t: tfm.equal(t, convert(-np.inf, t.dtype)))


def _of_floats(x: Any, judge: Callable[[Any], Any]) -> Any:
    """Apply a predicate to floats; False for any other dtype."""
    x = asarray(x)
    return judge(x) if x.dtype.is_floating else zeros_like(x, dtypes.bool)


def iscomplex(x: Any) -> Any:
    """Return whether elements have a nonzero imaginary part.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.iscomplex([1 + 0j, 1 + 1j]).numpy()
        array([False,  True])
    """
    x = asarray(x)
    if not x.dtype.is_complex:
        return zeros_like(x, dtypes.bool)
    part = tfm.imag(x)
    return tfm.not_equal(part, convert(0, part.dtype))


def isreal(x: TensorLike) -> Any:
    """Return whether elements have a zero imaginary part.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.isreal([1 + 0j, 1 + 1j]).numpy()
        array([ True, False])
    """
    return tfm.logical_not(iscomplex(x))


def iscomplexobj(x: TensorLike) -> bool:
    """Return whether the dtype is complex.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool.

    Example:
        >>> tf.experimental.numpy.iscomplexobj([1 + 0j])
        True
    """
    return bool(asarray(x).dtype.is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Return whether the dtype is not complex.

    Args:
        x: Array, or what converts to one.

    Returns:
        A bool.

    Example:
        >>> tf.experimental.numpy.isrealobj([1.0])
        True
    """
    return not iscomplexobj(x)
