"""Exponential functions, logarithms, roots."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.ops import sparse, specs
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, promoted_to_float, to_tensor

# Functions that map 0 to 0, and those that do not.
_unary = functools.partial(declare, family="numpy", sparse=sparse.unary)
_dense = functools.partial(declare, family="numpy", sparse=sparse.densified)
_binary = functools.partial(_dense, call=("x1", "x2"))


def _floatx(x: Any) -> Any:
    """`x` as a tensor; booleans and integers of any size become `floatx()`."""
    x = to_tensor(x)
    return x if x.dtype.is_floating or x.dtype.is_complex else tf.cast(x, floatx())


def _logarithm(x: Any, base: float) -> Any:
    return tf.math.log(x) / tf.constant(math.log(base), x.dtype)


@_dense()
def exp(x: Any) -> Any:
    """Computes `e**x` element-wise."""
    return tf.exp(_floatx(x))


@_dense()
def exp2(x: Any) -> Any:
    """Computes `2**x` element-wise."""
    x = _floatx(x)
    return tf.pow(tf.constant(2, x.dtype), x)


@_unary()
def expm1(x: Any) -> Any:
    """Computes `e**x - 1` element-wise, exactly near 0."""
    return tf.math.expm1(_floatx(x))


@_dense()
def log(x: Any) -> Any:
    """Computes the natural logarithm element-wise."""
    return tf.math.log(floating(x))


@_unary()
def log1p(x: Any) -> Any:
    """Computes `log(1 + x)` element-wise, exactly near 0."""
    return tf.math.log1p(floating(x))


@_dense()
def log2(x: Any) -> Any:
    """Computes the logarithm to base 2 element-wise."""
    return _logarithm(floating(x), 2)


@_dense()
def log10(x: Any) -> Any:
    """Computes the logarithm to base 10 element-wise."""
    return _logarithm(floating(x), 10)


@_binary()
def logaddexp(x1: Any, x2: Any) -> Any:
    """Computes `log(exp(x1) + exp(x2))` without intermediate overflow."""
    x1, x2 = promoted_to_float(to_tensor(x1), to_tensor(x2))
    gap = x1 - x2
    larger = tf.maximum(x1, x2)
    return tf.where(tf.math.is_nan(gap), x1 + x2, larger + tf.math.log1p(tf.exp(-tf.abs(gap))))


@_binary()
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Computes `log2(2**x1 + 2**x2)` without intermediate overflow."""
    x1, x2 = promoted_to_float(to_tensor(x1), to_tensor(x2))
    gap = x1 - x2
    log_2 = tf.constant(math.log(2), x1.dtype)
    correction = tf.math.log1p(tf.exp(-tf.abs(gap) * log_2)) / log_2
    return tf.where(tf.math.is_nan(gap), x1 + x2, tf.maximum(x1, x2) + correction)


@_unary()
def sqrt(x: Any) -> Any:
    """Computes the square root element-wise."""
    return tf.sqrt(floating(x))


@_unary()
def square(x: Any) -> Any:
    """Computes `x * x` element-wise."""
    x = to_tensor(x)
    return tf.square(tf.cast(x, tf.int32) if x.dtype is tf.bool else x)


@_dense()
def cbrt(x: Any) -> Any:
    """Computes the cube root element-wise."""
    x = floating(x, int64="float64")
    return tf.sign(x) * tf.pow(tf.abs(x), tf.constant(1 / 3, x.dtype))


@_dense()
def i0(x: Any) -> Any:
    """Computes the Bessel function I₀ element-wise."""
    return tf.math.bessel_i0(floating(x, int64="float64"))


@_binary(output_spec=specs.broadcast(float))
def ldexp(x1: Any, x2: Any) -> Any:
    """Computes `x1 * 2**x2` for integers `x2`."""
    x2 = to_tensor(x2)
    if not x2.dtype.is_integer:
        raise TypeError(
            f"The exponents `x2` of `ldexp` must be integers. Received: x2 of dtype {x2.dtype.name}"
        )
    x1, x2 = promoted_to_float(to_tensor(x1), x2)
    scaled = x1 * tf.pow(tf.constant(2, x1.dtype), x2)
    return tf.where(tf.math.is_inf(x1) | tf.equal(x1, 0), x1, scaled)
