"""Trigonometric and hyperbolic functions, and angles."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import (
    floating,
    promoted_to_float,
    strongly_promoted,
    to_tensor,
)

# Functions that map 0 to 0, and those that do not.
_unary = functools.partial(declare, family="numpy", sparse=sparse.unary)
_dense = functools.partial(declare, family="numpy", sparse=sparse.densified)


@_unary()
def sin(x: Any) -> Any:
    """Computes the sine element-wise."""
    return tf.sin(floating(x))


@_dense()
def cos(x: Any) -> Any:
    """Computes the cosine element-wise."""
    return tf.cos(floating(x))


@_unary()
def tan(x: Any) -> Any:
    """Computes the tangent element-wise."""
    return tf.tan(floating(x))


@_unary()
def arcsin(x: Any) -> Any:
    """Computes the inverse sine element-wise, between -π/2 and π/2."""
    return tf.asin(floating(x))


@_dense()
def arccos(x: Any) -> Any:
    """Computes the inverse cosine element-wise, between 0 and π."""
    return tf.acos(floating(x))


@_unary()
def arctan(x: Any) -> Any:
    """Computes the inverse tangent element-wise, between -π/2 and π/2."""
    return tf.atan(floating(x))


@_unary()
def sinh(x: Any) -> Any:
    """Computes the hyperbolic sine element-wise."""
    return tf.sinh(floating(x))


@_dense()
def cosh(x: Any) -> Any:
    """Computes the hyperbolic cosine element-wise."""
    return tf.cosh(floating(x))


@_unary()
def tanh(x: Any) -> Any:
    """Computes the hyperbolic tangent element-wise."""
    return tf.tanh(floating(x))


@_unary()
def arcsinh(x: Any) -> Any:
    """Computes the inverse hyperbolic sine element-wise."""
    return tf.asinh(floating(x))


@_dense()
def arccosh(x: Any) -> Any:
    """Computes the inverse hyperbolic cosine element-wise."""
    return tf.acosh(floating(x))


@_unary()
def arctanh(x: Any) -> Any:
    """Computes the inverse hyperbolic tangent element-wise."""
    return tf.atanh(floating(x))


@_dense()
def angle(x: Any) -> Any:
    """Computes the argument of complex numbers; 0 or π for real ones."""
    return tf.math.angle(floating(x))


@_dense()
def sinc(x: Any) -> Any:
    """Computes `sin(πx) / (πx)` element-wise, which is 1 at 0."""
    x = floating(x)
    scaled = x * tf.constant(math.pi, x.dtype)
    one = tf.ones_like(x)
    at_zero = tf.equal(x, 0)
    return tf.where(at_zero, one, tf.sin(scaled) / tf.where(at_zero, one, scaled))


@_dense()
def deg2rad(x: Any) -> Any:
    """Converts degrees to radians."""
    x = floating(x, int64="float64")
    return x * tf.constant(math.pi / 180, x.dtype)


@_dense()
def rad2deg(x: Any) -> Any:
    """Converts radians to degrees."""
    x = floating(x, int64="float64")
    return x * tf.constant(180 / math.pi, x.dtype)


@_dense(call=("x1", "x2"))
def arctan2(x1: Any, x2: Any) -> Any:
    """Computes the angle of the points with abscissae `x2` and ordinates `x1`."""
    return tf.atan2(*promoted_to_float(to_tensor(x1), to_tensor(x2)))


@_dense(call=("x1", "x2"))
def hypot(x1: Any, x2: Any) -> Any:
    """Computes `sqrt(x1**2 + x2**2)` without intermediate overflow.

    >>> tf.keras.ops.hypot(3.0, 4.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    x1, x2 = (floating(x, int64="float64") for x in strongly_promoted(x1, x2))
    x1, x2 = tf.abs(x1), tf.abs(x2)
    larger = tf.maximum(x1, x2)
    ratio = tf.math.divide_no_nan(tf.minimum(x1, x2), larger)
    return larger * tf.sqrt(1 + tf.square(ratio))
