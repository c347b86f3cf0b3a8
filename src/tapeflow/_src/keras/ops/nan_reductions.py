"""Reductions that leave out NaN."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, DTypeLike, TensorLike
from tapeflow._src.keras.ops import reductions
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.elementwise import nan_to_num
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

_op = functools.partial(declare, family="numpy")
_INFINITY = float("inf")


def _with(x: Any, number: float) -> Any:
    """`x` with a number for NaN."""
    x = to_tensor(x)
    if not x.dtype.is_floating:
        return x
    return tf.where(tf.math.is_nan(x), tf.constant(number, x.dtype), x)


def _only_nan(x: TensorLike, axis: Axis, keepdims: bool) -> Any:
    return tf.reduce_all(tf.math.is_nan(x), axis=axis, keepdims=keepdims)


@_op()
def nansum(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Sums elements along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype that `sum` returns; 0 where all elements are NaN.

    Example:
        >>> tf.keras.ops.nansum([[1.0, float("nan")], [2.0, 3.0]], axis=1).numpy()
        array([1., 5.], dtype=float32)
    """
    return reductions.sum(_with(x, 0.0), axis, keepdims)


@_op()
def nanprod(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Multiplies elements along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype that `prod` returns; 1 where all elements are NaN.

    Example:
        >>> tf.keras.ops.nanprod([2.0, float("nan"), 3.0]).numpy()
        np.float32(6.0)
    """
    return reductions.prod(_with(x, 1.0), axis, keepdims)


@_op()
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the mean along `axis` without NaN; NaN where nothing else is.

    Args:
        x: Tensor, or a value that converts to one; integers are averaged as `float32`.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor.

    Example:
        >>> tf.keras.ops.nanmean([2.0, float("nan"), 3.0]).numpy()
        np.float32(2.5)
    """
    x = to_tensor(x)
    if axis in ((), []):
        return x
    if not x.dtype.is_floating:
        return tf.reduce_mean(tf.cast(x, tf.float32), axis=axis, keepdims=keepdims)
    counted = tf.cast(tf.logical_not(tf.math.is_nan(x)), x.dtype)
    total = tf.reduce_sum(_with(x, 0.0), axis=axis, keepdims=keepdims)
    return total / tf.reduce_sum(counted, axis=axis, keepdims=keepdims)


@_op()
def nanvar(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the variance along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor: mean squared deviations from the mean of what is not NaN.

    Example:
        >>> tf.keras.ops.nanvar([1.0, float("nan"), 3.0]).numpy()
        np.float32(1.0)
    """
    x = to_tensor(x)
    x = tf.cast(x, result_type(x.dtype, float))
    valid = tf.logical_not(tf.math.is_nan(x))
    centered = tf.where(valid, x - nanmean(x, axis, True), tf.zeros_like(x))
    count = tf.reduce_sum(tf.cast(valid, x.dtype), axis=axis, keepdims=keepdims)
    return tf.reduce_sum(tf.square(centered), axis=axis, keepdims=keepdims) / count


@_op()
def nanstd(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Computes the standard deviation along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor: the root of `nanvar`.

    Example:
        >>> tf.keras.ops.nanstd([1.0, float("nan"), 3.0]).numpy()
        np.float32(1.0)
    """
    return tf.sqrt(nanvar(x, axis, keepdims))


def _extreme(reduce: Any, beyond: float, x: Any, axis: Any, keepdims: bool) -> Any:
    x = to_tensor(x)
    if not x.dtype.is_floating:
        return reduce(x, axis, keepdims)
    result = reduce(_with(x, beyond), axis, keepdims)
    nan = tf.constant(float("nan"), x.dtype)
    return tf.where(_only_nan(x, axis, keepdims), nan, result)


@_op()
def nanmax(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the largest elements along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`; NaN where all elements are.

    Example:
        >>> tf.keras.ops.nanmax([[1.0, float("nan")], [2.0, 3.0]], axis=1).numpy()
        array([1., 3.], dtype=float32)
    """
    return _extreme(reductions.max, -_INFINITY, x, axis, keepdims)


@_op()
def nanmin(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the smallest elements along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`; NaN where all elements are.

    Example:
        >>> tf.keras.ops.nanmin([[1.0, float("nan")], [2.0, 3.0]], axis=1).numpy()
        array([1., 2.], dtype=float32)
    """
    return _extreme(reductions.min, _INFINITY, x, axis, keepdims)


def _position(search: Any, beyond: float, x: Any, axis: Any, keepdims: bool) -> Any:
    x = to_tensor(x)
    if not x.dtype.is_floating:
        return search(x, axis, keepdims)
    indices = search(_with(x, beyond), axis, keepdims)
    return tf.where(_only_nan(x, axis, keepdims), tf.constant(-1, tf.int32), indices)


@_op()
def nanargmax(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the indices of the largest elements without NaN; -1 where all are NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along; None searches the flattened tensor.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        An `int32` tensor.

    Example:
        >>> tf.keras.ops.nanargmax([1.0, float("nan"), 3.0]).numpy()
        np.int32(2)
    """
    return _position(reductions.argmax, -_INFINITY, x, axis, keepdims)


@_op()
def nanargmin(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the indices of the smallest elements without NaN; -1 where all are NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along; None searches the flattened tensor.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        An `int32` tensor.

    Example:
        >>> tf.keras.ops.nanargmin([float("nan"), 2.0, 1.0]).numpy()
        np.int32(2)
    """
    return _position(reductions.argmin, _INFINITY, x, axis, keepdims)


@_op()
def nancumsum(x: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None) -> Any:
    """Computes running sums along `axis` without NaN.

    NaN counts as 0, and an infinity as the largest finite number of the dtype.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to add along; None flattens `x` first.
        dtype: Dtype to add in; None is that of `x`.

    Returns:
        A tensor of the shape of `x`, or a vector if `axis` is None.

    Example:
        >>> tf.keras.ops.nancumsum([1.0, float("nan"), 3.0]).numpy()
        array([1., 1., 4.], dtype=float32)
    """
    return reductions.cumsum(nan_to_num(x), axis, dtype)


@_op()
def nancumprod(x: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None) -> Any:
    """Computes running products along `axis` without NaN.

    NaN counts as 1, and an infinity as the largest finite number of the dtype.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to multiply along; None flattens `x` first.
        dtype: Dtype to multiply in; None is that of `x`.

    Returns:
        A tensor of the shape of `x`, or a vector if `axis` is None.

    Example:
        >>> tf.keras.ops.nancumprod([2.0, float("nan"), 3.0]).numpy()
        array([2., 2., 6.], dtype=float32)
    """
    return reductions.cumprod(nan_to_num(x, nan=1.0), axis, dtype)
