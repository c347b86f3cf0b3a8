"""Questions about elements: finite, close, contained."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import strongly_promoted, to_tensor

_dense = functools.partial(declare, family="numpy", sparse=sparse.densified)
_INFINITY = float("inf")


def _everywhere(x: TensorLike, answer: bool) -> Any:
    return tf.ones_like(x, tf.bool) if answer else tf.zeros_like(x, tf.bool)


def _inexact(x: Any) -> bool:
    return x.dtype.is_floating or x.dtype.is_complex


@_dense()
def isfinite(x: TensorLike) -> Any:
    """Returns whether elements are neither infinite nor NaN.

    Args:
        x: Tensor, or a value that converts to one; integers are always finite.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isfinite([1.0, float("inf"), float("nan")]).numpy()
        array([ True, False, False])
    """
    x = to_tensor(x)
    return tf.math.is_finite(x) if _inexact(x) else _everywhere(x, True)


@_dense()
def isinf(x: TensorLike) -> Any:
    """Returns whether elements are infinite.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isinf([1.0, -float("inf"), float("nan")]).numpy()
        array([False,  True, False])
    """
    x = to_tensor(x)
    return tf.math.is_inf(x) if _inexact(x) else _everywhere(x, False)


@_dense()
def isnan(x: TensorLike) -> Any:
    """Returns whether elements are NaN.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isnan([1.0, float("inf"), float("nan")]).numpy()
        array([False, False,  True])
    """
    x = to_tensor(x)
    return tf.math.is_nan(x) if _inexact(x) else _everywhere(x, False)


@_dense()
def isneginf(x: Any) -> Any:
    """Returns whether elements are negative infinity.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isneginf([1.0, float("inf"), -float("inf")]).numpy()
        array([False, False,  True])
    """
    x = to_tensor(x)
    if not _inexact(x):
        return _everywhere(x, False)
    return tf.equal(x, tf.constant(-_INFINITY, x.dtype))


@_dense()
def isposinf(x: Any) -> Any:
    """Returns whether elements are positive infinity.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isposinf([1.0, float("inf"), -float("inf")]).numpy()
        array([False,  True, False])
    """
    x = to_tensor(x)
    if not _inexact(x):
        return _everywhere(x, False)
    return tf.equal(x, tf.constant(_INFINITY, x.dtype))


@_dense()
def isreal(x: Any) -> Any:
    """Returns whether the imaginary part of elements is 0.

    Args:
        x: Tensor, or a value that converts to one; elements of real dtypes always are.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.isreal([1 + 0j, 2 + 3j]).numpy()
        array([ True, False])
    """
    x = to_tensor(x)
    return tf.equal(tf.math.imag(x), 0) if x.dtype.is_complex else _everywhere(x, True)


@_dense(call=("x1", "x2", "rtol", "atol"))
@fused
def isclose(x1: Any, x2: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    """Returns whether `|x1 - x2| <= atol + rtol * |x2|`.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The reference, of a shape that broadcasts with that of `x1`.
        rtol: Relative tolerance.
        atol: Absolute tolerance, which decides near 0.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        A boolean tensor of the broadcast shape. Infinities are close to themselves, and integers
        only to equal ones.

    Example:
        >>> tf.keras.ops.isclose([1.0, 1.0, 1.0], [1.0, 1.000001, 1.1]).numpy()
        array([ True,  True, False])
    """
    x1, x2 = strongly_promoted(x1, x2)
    equal = tf.equal(x1, x2)
    if not x1.dtype.is_floating:
        return equal
    within = tf.abs(x1 - x2) <= to_tensor(atol, x1.dtype) + to_tensor(rtol, x1.dtype) * tf.abs(x2)
    close = equal | (within & tf.math.is_finite(x1) & tf.math.is_finite(x2))
    if equal_nan:
        close |= tf.math.is_nan(x1) & tf.math.is_nan(x2)
    return close


@_dense("AllClose", call=("x1", "x2"))
def allclose(
    x1: TensorLike, x2: TensorLike, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Any:
    """Returns whether all elements of two tensors are close, as `isclose` defines it.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The reference, of a shape that broadcasts with that of `x1`.
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        A boolean scalar tensor.

    Example:
        >>> tf.keras.ops.allclose([1.0, 2.0], [1.0, 2.000001]).numpy()
        np.True_
    """
    return tf.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


@_dense("IsIn", call=("x1", "x2"))
def isin(x1: TensorLike, x2: TensorLike, assume_unique: bool = False, invert: bool = False) -> Any:
    """Returns whether elements of `x1` are among those of `x2`.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The elements to look for, of any shape.
        assume_unique: Whether the elements of `x2` are known to differ; it changes no result.
        invert: Whether the answers are negated.

    Returns:
        A boolean tensor of the shape of `x1`.

    Example:
        >>> tf.keras.ops.isin([1, 2, 3, 4], [2, 4]).numpy()
        array([False,  True, False,  True])
    """
    x1, x2 = strongly_promoted(x1, x2)
    same = tf.equal(tf.expand_dims(x1, -1), tf.reshape(x2, [-1]))
    contained = tf.reduce_any(same, axis=-1)
    return tf.logical_not(contained) if invert else contained
