"""Trigonometric and hyperbolic functions, and angles."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
def sin(x: TensorLike) -> Any:
    """Computes the sine element-wise.

    Args:
        x: Angles in radians.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.sin([0.0, np.pi / 6, np.pi / 2]).numpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    return tf.sin(floating(x))


@_dense()
def cos(x: TensorLike) -> Any:
    """Computes the cosine element-wise.

    Args:
        x: Angles in radians.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.cos([0.0, np.pi]).numpy()
        array([ 1., -1.], dtype=float32)
    """
    return tf.cos(floating(x))


@_unary()
def tan(x: TensorLike) -> Any:
    """Computes the tangent element-wise.

    Args:
        x: Angles in radians.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.tan([0.0, np.pi / 4]).numpy()
        array([0., 1.], dtype=float32)
    """
    return tf.tan(floating(x))


@_unary()
def arcsin(x: TensorLike) -> Any:
    """Computes the inverse sine element-wise, between -π/2 and π/2.

    Args:
        x: Sines; outside of the interval from -1 to 1 the result is NaN.

    Returns:
        Angles in radians, of the shape of `x`.

    Example:
        >>> tf.keras.ops.arcsin([0.0, 1.0]).numpy().round(4)
        array([0.    , 1.5708], dtype=float32)
    """
    return tf.asin(floating(x))


@_dense()
def arccos(x: TensorLike) -> Any:
    """Computes the inverse cosine element-wise, between 0 and π.

    Args:
        x: Cosines; outside of the interval from -1 to 1 the result is NaN.

    Returns:
        Angles in radians, of the shape of `x`.

    Example:
        >>> tf.keras.ops.arccos([1.0, 0.0]).numpy().round(4)
        array([0.    , 1.5708], dtype=float32)
    """
    return tf.acos(floating(x))


@_unary()
def arctan(x: TensorLike) -> Any:
    """Computes the inverse tangent element-wise, between -π/2 and π/2.

    Args:
        x: Tangents. `arctan2` takes a ratio apart into two operands, and so covers all four
            quadrants.

    Returns:
        Angles in radians, of the shape of `x`.

    Example:
        >>> tf.keras.ops.arctan([0.0, 1.0]).numpy().round(4)
        array([0.    , 0.7854], dtype=float32)
    """
    return tf.atan(floating(x))


@_unary()
def sinh(x: TensorLike) -> Any:
    """Computes the hyperbolic sine element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.sinh([0.0, 1.0]).numpy().round(4)
        array([0.    , 1.1752], dtype=float32)
    """
    return tf.sinh(floating(x))


@_dense()
def cosh(x: TensorLike) -> Any:
    """Computes the hyperbolic cosine element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.cosh([0.0, 1.0]).numpy().round(4)
        array([1.    , 1.5431], dtype=float32)
    """
    return tf.cosh(floating(x))


@_unary()
def tanh(x: TensorLike) -> Any:
    """Computes the hyperbolic tangent element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.tanh([0.0, 1.0, -20.0]).numpy().round(4)
        array([ 0.    ,  0.7616, -1.    ], dtype=float32)
    """
    return tf.tanh(floating(x))


@_unary()
def arcsinh(x: TensorLike) -> Any:
    """Computes the inverse hyperbolic sine element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.arcsinh([0.0, 1.0]).numpy().round(4)
        array([0.    , 0.8814], dtype=float32)
    """
    return tf.asinh(floating(x))


@_dense()
def arccosh(x: TensorLike) -> Any:
    """Computes the inverse hyperbolic cosine element-wise.

    Args:
        x: Tensor, or a value that converts to one; below 1 the result is NaN.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.arccosh([1.0, 2.0]).numpy().round(4)
        array([0.   , 1.317], dtype=float32)
    """
    return tf.acosh(floating(x))


@_unary()
def arctanh(x: TensorLike) -> Any:
    """Computes the inverse hyperbolic tangent element-wise.

    Args:
        x: Tensor, or a value that converts to one; it is infinite at -1 and 1, and NaN beyond.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.arctanh([0.0, 0.5]).numpy().round(4)
        array([0.    , 0.5493], dtype=float32)
    """
    return tf.atanh(floating(x))


@_dense()
def angle(x: TensorLike) -> Any:
    """Computes the argument of complex numbers; 0 or π for real ones.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        Angles in radians between -π and π, of the shape of `x`.

    Example:
        >>> tf.keras.ops.angle([1 + 1j, -1 + 0j]).numpy().round(4)
        array([0.7854, 3.1416])
    """
    return tf.math.angle(floating(x))


@_dense()
def sinc(x: Any) -> Any:
    """Computes `sin(πx) / (πx)` element-wise, which is 1 at 0.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.sinc([0.0, 0.5]).numpy().round(4)
        array([1.    , 0.6366], dtype=float32)
    """
    x = floating(x)
    scaled = x * tf.constant(math.pi, x.dtype)
    one = tf.ones_like(x)
    at_zero = tf.equal(x, 0)
    return tf.where(at_zero, one, tf.sin(scaled) / tf.where(at_zero, one, scaled))


@_dense()
def deg2rad(x: Any) -> Any:
    """Converts degrees to radians.

    Args:
        x: Angles in degrees.

    Returns:
        The angles in radians; `int64` becomes `float64`.

    Example:
        >>> tf.keras.ops.deg2rad([0.0, 180.0]).numpy().round(4)
        array([0.    , 3.1416], dtype=float32)
    """
    x = floating(x, int64="float64")
    return x * tf.constant(math.pi / 180, x.dtype)


@_dense()
def rad2deg(x: Any) -> Any:
    """Converts radians to degrees.

    Args:
        x: Angles in radians.

    Returns:
        The angles in degrees; `int64` becomes `float64`.

    Example:
        >>> tf.keras.ops.rad2deg([0.0, np.pi]).numpy()
        array([  0., 180.], dtype=float32)
    """
    x = floating(x, int64="float64")
    return x * tf.constant(180 / math.pi, x.dtype)


@_dense(call=("x1", "x2"))
def arctan2(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the angle of the points with abscissae `x2` and ordinates `x1`.

    Args:
        x1: The ordinates (y).
        x2: The abscissae (x), of a shape that broadcasts with that of `x1`.

    Returns:
        Angles in radians between -π and π, of the broadcast shape.

    Example:
        >>> tf.keras.ops.arctan2([1.0, -1.0], [-1.0, -1.0]).numpy().round(4)
        array([ 2.3562, -2.3562], dtype=float32)
    """
    return tf.atan2(*promoted_to_float(to_tensor(x1), to_tensor(x2)))


@_dense(call=("x1", "x2"))
def hypot(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes `sqrt(x1**2 + x2**2)` without intermediate overflow.

    Args:
        x1: One leg of each right triangle.
        x2: The other, of a shape that broadcasts with that of `x1`.

    Returns:
        The hypotenuses, floating-point; `int64` becomes `float64`.

    Example:
        >>> tf.keras.ops.hypot([3.0, 5.0], [4.0, 12.0]).numpy()
        array([ 5., 13.], dtype=float32)
    """
    x1, x2 = (floating(x, int64="float64") for x in strongly_promoted(x1, x2))
    x1, x2 = tf.abs(x1), tf.abs(x2)
    larger = tf.maximum(x1, x2)
    ratio = tf.math.divide_no_nan(tf.minimum(x1, x2), larger)
    return larger * tf.sqrt(1 + tf.square(ratio))
