"""Exponential functions, logarithms, roots."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
def exp(x: TensorLike) -> Any:
    """Computes `e**x` element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.exp([0.0, 1.0, -1.0]).numpy().round(4)
        array([1.    , 2.7183, 0.3679], dtype=float32)
    """
    return tf.exp(_floatx(x))


@_dense()
def exp2(x: Any) -> Any:
    """Computes `2**x` element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.exp2([0.0, 3.0, -1.0]).numpy()
        array([1. , 8. , 0.5], dtype=float32)
    """
    x = _floatx(x)
    return tf.pow(tf.constant(2, x.dtype), x)


@_unary()
def expm1(x: TensorLike) -> Any:
    """Computes `e**x - 1` element-wise, exactly near 0.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.expm1([0.0, 1e-8]).numpy()
        array([0.e+00, 1.e-08], dtype=float32)
    """
    return tf.math.expm1(_floatx(x))


@_dense()
def log(x: TensorLike) -> Any:
    """Computes the natural logarithm element-wise.

    Args:
        x: Tensor, or a value that converts to one. The result is -inf at 0 and NaN for negative
            numbers.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.log([1.0, np.e, 0.0]).numpy()
        array([  0.,   1., -inf], dtype=float32)
    """
    return tf.math.log(floating(x))


@_unary()
def log1p(x: TensorLike) -> Any:
    """Computes `log(1 + x)` element-wise, exactly near 0.

    Args:
        x: Tensor, or a value that converts to one; below -1 the result is NaN.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.log1p([0.0, 1e-8]).numpy()
        array([0.e+00, 1.e-08], dtype=float32)
    """
    return tf.math.log1p(floating(x))


@_dense()
def log2(x: TensorLike) -> Any:
    """Computes the logarithm to base 2 element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.log2([1, 8, 1024]).numpy()
        array([ 0.,  3., 10.], dtype=float32)
    """
    return _logarithm(floating(x), 2)


@_dense()
def log10(x: TensorLike) -> Any:
    """Computes the logarithm to base 10 element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.log10([1, 10, 1000]).numpy()
        array([0., 1., 3.], dtype=float32)
    """
    return _logarithm(floating(x), 10)


@_binary()
def logaddexp(x1: Any, x2: Any) -> Any:
    """Computes `log(exp(x1) + exp(x2))` without intermediate overflow.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the floating-point dtype that both are promoted to.

    Example:
        >>> tf.keras.ops.logaddexp([0.0, 10.0], [0.0, 10.0]).numpy().round(4)
        array([ 0.6931, 10.6931], dtype=float32)
    """
    x1, x2 = promoted_to_float(to_tensor(x1), to_tensor(x2))
    gap = x1 - x2
    larger = tf.maximum(x1, x2)
    return tf.where(tf.math.is_nan(gap), x1 + x2, larger + tf.math.log1p(tf.exp(-tf.abs(gap))))


@_binary()
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Computes `log2(2**x1 + 2**x2)` without intermediate overflow.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the floating-point dtype that both are promoted to.

    Example:
        >>> tf.keras.ops.logaddexp2([1.0, 5.0], [1.0, 5.0]).numpy()
        array([2., 6.], dtype=float32)
    """
    x1, x2 = promoted_to_float(to_tensor(x1), to_tensor(x2))
    gap = x1 - x2
    log_2 = tf.constant(math.log(2), x1.dtype)
    correction = tf.math.log1p(tf.exp(-tf.abs(gap) * log_2)) / log_2
    return tf.where(tf.math.is_nan(gap), x1 + x2, tf.maximum(x1, x2) + correction)


@_unary()
def sqrt(x: Any) -> Any:
    """Computes the square root element-wise.

    Args:
        x: Tensor, or a value that converts to one. Negative real numbers result in NaN.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.sqrt([4, 9, 2]).numpy().round(4)
        array([2.    , 3.    , 1.4142], dtype=float32)
    """
    return tf.sqrt(floating(x))


@_unary()
def square(x: Any) -> Any:
    """Computes `x * x` element-wise.

    Args:
        x: Tensor, or a value that converts to one. Booleans become `int32`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.square([-3, 4]).numpy()
        array([ 9, 16], dtype=int32)
    """
    x = to_tensor(x)
    return tf.square(tf.cast(x, tf.int32) if x.dtype is tf.bool else x)


@_dense()
def cbrt(x: Any) -> Any:
    """Computes the cube root element-wise.

    Args:
        x: Real tensor; the root of a negative number is negative.

    Returns:
        A floating-point tensor of the shape of `x`; `int64` becomes `float64`.

    Example:
        >>> tf.keras.ops.cbrt([8.0, -1.0, 0.0]).numpy()
        array([ 2., -1.,  0.], dtype=float32)
    """
    x = floating(x, int64="float64")
    return tf.sign(x) * tf.pow(tf.abs(x), tf.constant(1 / 3, x.dtype))


@_dense()
def i0(x: TensorLike) -> Any:
    """Computes the Bessel function I₀ element-wise.

    It is the modified Bessel function of the first kind and order 0, which the Kaiser window is
    made of.

    Args:
        x: Real tensor.

    Returns:
        A floating-point tensor of the shape of `x`; `int64` becomes `float64`.

    Example:
        >>> tf.keras.ops.i0([0.0, 1.0]).numpy().round(4)
        array([1.    , 1.2661], dtype=float32)
    """
    return tf.math.bessel_i0(floating(x, int64="float64"))


@_binary(output_spec=specs.broadcast(float))
def ldexp(x1: Any, x2: Any) -> Any:
    """Computes `x1 * 2**x2` for integers `x2`.

    Args:
        x1: The factors.
        x2: The exponents: integers that broadcast with `x1`.

    Returns:
        A tensor of the broadcast shape, floating-point.

    Raises:
        TypeError: `x2` is not of an integer dtype.

    Example:
        >>> tf.keras.ops.ldexp([1.0, 0.75], [3, 2]).numpy()
        array([8., 3.], dtype=float32)
    """
    x2 = to_tensor(x2)
    if not x2.dtype.is_integer:
        raise TypeError(
            f"The exponents `x2` of `ldexp` must be integers. Received: x2 of dtype {x2.dtype.name}"
        )
    x1, x2 = promoted_to_float(to_tensor(x1), x2)
    scaled = x1 * tf.pow(tf.constant(2, x1.dtype), x2)
    return tf.where(tf.math.is_inf(x1) | tf.equal(x1, 0), x1, scaled)
