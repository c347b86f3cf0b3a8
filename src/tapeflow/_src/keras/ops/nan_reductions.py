"""Reductions that leave out NaN."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
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


def _only_nan(x: Any, axis: Any, keepdims: bool) -> Any:
    return tf.reduce_all(tf.math.is_nan(x), axis=axis, keepdims=keepdims)


@_op()
def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Sums elements along `axis` without NaN."""
    return reductions.sum(_with(x, 0.0), axis, keepdims)


@_op()
def nanprod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Multiplies elements along `axis` without NaN."""
    return reductions.prod(_with(x, 1.0), axis, keepdims)


@_op()
def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the mean along `axis` without NaN; NaN where nothing else is."""
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
    """Computes the variance along `axis` without NaN."""
    x = to_tensor(x)
    x = tf.cast(x, result_type(x.dtype, float))
    valid = tf.logical_not(tf.math.is_nan(x))
    centered = tf.where(valid, x - nanmean(x, axis, True), tf.zeros_like(x))
    count = tf.reduce_sum(tf.cast(valid, x.dtype), axis=axis, keepdims=keepdims)
    return tf.reduce_sum(tf.square(centered), axis=axis, keepdims=keepdims) / count


@_op()
def nanstd(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the standard deviation along `axis` without NaN."""
    return tf.sqrt(nanvar(x, axis, keepdims))


def _extreme(reduce: Any, beyond: float, x: Any, axis: Any, keepdims: bool) -> Any:
    x = to_tensor(x)
    if not x.dtype.is_floating:
        return reduce(x, axis, keepdims)
    result = reduce(_with(x, beyond), axis, keepdims)
    nan = tf.constant(float("nan"), x.dtype)
    return tf.where(_only_nan(x, axis, keepdims), nan, result)


@_op()
def nanmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the largest elements along `axis` without NaN."""
    return _extreme(reductions.max, -_INFINITY, x, axis, keepdims)


@_op()
def nanmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the smallest elements along `axis` without NaN."""
    return _extreme(reductions.min, _INFINITY, x, axis, keepdims)


def _position(search: Any, beyond: float, x: Any, axis: Any, keepdims: bool) -> Any:
    x = to_tensor(x)
    if not x.dtype.is_floating:
        return search(x, axis, keepdims)
    indices = search(_with(x, beyond), axis, keepdims)
    return tf.where(_only_nan(x, axis, keepdims), tf.constant(-1, tf.int32), indices)


@_op()
def nanargmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the indices of the largest elements without NaN; -1 where all are NaN."""
    return _position(reductions.argmax, -_INFINITY, x, axis, keepdims)


@_op()
def nanargmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the indices of the smallest elements without NaN; -1 where all are NaN."""
    return _position(reductions.argmin, _INFINITY, x, axis, keepdims)


@_op()
def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Computes running sums along `axis` without NaN."""
    return reductions.cumsum(nan_to_num(x), axis, dtype)


@_op()
def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Computes running products along `axis` without NaN."""
    return reductions.cumprod(nan_to_num(x, nan=1.0), axis, dtype)
