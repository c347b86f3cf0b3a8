"""Comparison, logic and equality of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api.arrays import shape as shape_of
from tapeflow._src.api.arrays import size
from tapeflow._src.api.control_flow import cond
from tapeflow._src.api.experimental.numpy.promotion import (
    asarray,
    is_tensor,
    promote,
    promote_as_numpy,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import Axis, TensorLike


def equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 == x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.equal([1, 2], 2).numpy()
        array([False,  True])
    """
    return tfm.equal(*promote_as_numpy(x1, x2))


def not_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 != x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.not_equal([1, 2], 2).numpy()
        array([ True, False])
    """
    return tfm.not_equal(*promote_as_numpy(x1, x2))


def greater(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 > x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.greater([1, 2, 3], 2).numpy()
        array([False, False,  True])
    """
    return tfm.greater(*_ordered(x1, x2))


def greater_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 >= x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.greater_equal([1, 2, 3], 2).numpy()
        array([False,  True,  True])
    """
    return tfm.greater_equal(*_ordered(x1, x2))


def less(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 < x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.less([1, 2, 3], 2).numpy()
        array([ True, False, False])
    """
    return tfm.less(*_ordered(x1, x2))


def less_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 <= x2` element-wise.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.less_equal([1, 2, 3], 2).numpy()
        array([ True,  True, False])
    """
    return tfm.less_equal(*_ordered(x1, x2))


def _ordered(x1: Any, x2: Any) -> tuple[Any, ...]:
    """Convert both to one ordered dtype: False comes before True."""
    x1, x2 = promote_as_numpy(x1, x2)
    if x1.dtype.is_bool:
        return cast(x1, dtypes.int32), cast(x2, dtypes.int32)
    return x1, x2


def as_bools(x: TensorLike) -> Any:
    """Return `x != 0`."""
    return cast(asarray(x), dtypes.bool)


def logical_and(x1: TensorLike, x2: TensorLike) -> Any:
    """Whether both are nonzero.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.logical_and([1, 0], [1, 1]).numpy()
        array([ True, False])
    """
    return tfm.logical_and(as_bools(x1), as_bools(x2))


def logical_or(x1: TensorLike, x2: TensorLike) -> Any:
    """Whether either is nonzero.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.logical_or([1, 0], [0, 0]).numpy()
        array([ True, False])
    """
    return tfm.logical_or(as_bools(x1), as_bools(x2))


def logical_xor(x1: TensorLike, x2: TensorLike) -> Any:
    """Whether exactly one is nonzero.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.logical_xor([1, 0], [1, 1]).numpy()
        array([False,  True])
    """
    return tfm.logical_xor(as_bools(x1), as_bools(x2))


def logical_not(x: TensorLike) -> Any:
    """Whether elements are zero.

    Args:
        x: Array.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.logical_not([0, 2]).numpy()
        array([ True, False])
    """
    return tfm.logical_not(as_bools(x))


def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether elements differ by at most `atol + rtol * |b|`; equality for integers.

    Args:
        a: Array.
        b: Array to compare with.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether NaN equals NaN.

    Returns:
        A bool tensor of the broadcast shape.

    Example:
        >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy()
        array([ True, False])
    """
    a, b = promote(a, b)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        return tfm.equal(a, b)
    distance, size_of_b = tfm.abs(tfm.subtract(a, b)), tfm.abs(b)
    dtype = distance.dtype
    allowed = tfm.add(convert(atol, dtype), tfm.multiply(convert(rtol, dtype), size_of_b))
    close = tfm.less_equal(distance, allowed)
    if not equal_nan or a.dtype.is_complex:
        return close
    return tfm.logical_or(close, tfm.logical_and(tfm.is_nan(a), tfm.is_nan(b)))


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether all elements are close; see `isclose`.

    Args:
        a: Array.
        b: Array to compare with.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether NaN equals NaN.

    Returns:
        A scalar bool tensor.

    Example:
        >>> bool(tf.experimental.numpy.allclose([1.0], [1.0 + 1e-9]))
        True
    """
    return tfm.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Any:
    """Whether two arrays have the same shape and elements.

    Args:
        a1: Array.
        a2: Array to compare with.

    Returns:
        A scalar bool tensor.

    Example:
        >>> bool(tf.experimental.numpy.array_equal([1, 2], [1, 2]))
        True
    """
    a1, a2 = promote(a1, a2)
    if not a1.shape.is_compatible_with(a2.shape):
        return convert(False)
    if a1.shape.is_fully_defined() and a2.shape.is_fully_defined():
        return tfm.reduce_all(tfm.equal(a1, a2))
    if a1.shape.rank is None or a2.shape.rank is None:
        raise ValueError("array_equal needs arrays whose number of axes is known.")
    alike = tfm.reduce_all(tfm.equal(shape_of(a1), shape_of(a2)))
    return cond(alike, lambda: tfm.reduce_all(tfm.equal(a1, a2)), lambda: convert(False))


def isscalar(num: Any) -> Any:
    """Whether `num` is a Python or NumPy scalar, or a tensor of rank 0.

    Args:
        num: Any value.

    Returns:
        A bool; a tensor where the rank is unknown.

    Example:
        >>> tf.experimental.numpy.isscalar(3.0), tf.experimental.numpy.isscalar([3.0])
        (True, False)
    """
    if not is_tensor(num):
        return bool(np.isscalar(num))
    rank = asarray(num).shape.rank
    return bool(rank == 0) if rank is not None else tfm.equal(size(shape_of(num)), 0)


def count_nonzero(a: TensorLike, axis: Axis | None = None) -> Any:
    """Count the nonzero elements, in total or along axes.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.

    Returns:
        An int64 tensor.

    Example:
        >>> int(tf.experimental.numpy.count_nonzero([0, 1, 2]))
        2
    """
    return tfm.count_nonzero(asarray(a), axis)
