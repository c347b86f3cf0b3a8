"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

import math as python_math
from typing import Any

from tapeflow import math as tfm
from tapeflow._src.api.arrays import where
from tapeflow._src.api.experimental.numpy.promotion import to_float
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike

_DEGREES = 180.0 / python_math.pi


def sin(x: TensorLike) -> Any:
    """Compute the sine.

    Args:
        x: Angles in radians.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.sin([0.0, np.pi / 2]).numpy()
        array([0., 1.])
    """
    return tfm.sin(to_float(x))


def cos(x: TensorLike) -> Any:
    """Compute the cosine.

    Args:
        x: Angles in radians.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.cos([0.0]).numpy()
        array([1.])
    """
    return tfm.cos(to_float(x))


def tan(x: TensorLike) -> Any:
    """Compute the tangent.

    Args:
        x: Angles in radians.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.tan([0.0]).numpy()
        array([0.])
    """
    return tfm.tan(to_float(x))


def arcsin(x: TensorLike) -> Any:
    """Compute the inverse sine.

    Args:
        x: Numbers in [-1, 1].

    Returns:
        Angles in [-pi/2, pi/2].

    Example:
        >>> tf.experimental.numpy.arcsin(1.0).numpy().round(4)
        np.float64(1.5708)
    """
    return tfm.asin(to_float(x))


def arccos(x: TensorLike) -> Any:
    """Compute the inverse cosine.

    Args:
        x: Numbers in [-1, 1].

    Returns:
        Angles in [0, pi].

    Example:
        >>> tf.experimental.numpy.arccos(1.0).numpy()
        np.float64(0.0)
    """
    return tfm.acos(to_float(x))


def arctan(x: TensorLike) -> Any:
    """Compute the inverse tangent.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        Angles in (-pi/2, pi/2).

    Example:
        >>> tf.experimental.numpy.arctan(1.0).numpy().round(4)
        np.float64(0.7854)
    """
    return tfm.atan(to_float(x))


def sinh(x: TensorLike) -> Any:
    """Compute the hyperbolic sine.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.sinh([0.0]).numpy()
        array([0.])
    """
    return tfm.sinh(to_float(x))


def cosh(x: TensorLike) -> Any:
    """Compute the hyperbolic cosine.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.cosh([0.0]).numpy()
        array([1.])
    """
    return tfm.cosh(to_float(x))


def tanh(x: TensorLike) -> Any:
    """Compute the hyperbolic tangent.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.tanh([0.0, 100.0]).numpy()
        array([0., 1.])
    """
    return tfm.tanh(to_float(x))


def arcsinh(x: TensorLike) -> Any:
    """Compute the inverse hyperbolic sine.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.arcsinh([0.0]).numpy()
        array([0.])
    """
    return tfm.asinh(to_float(x))


def arccosh(x: TensorLike) -> Any:
    """Compute the inverse hyperbolic cosine.

    Args:
        x: Numbers of at least 1.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.arccosh([1.0]).numpy()
        array([0.])
    """
    return tfm.acosh(to_float(x))


def arctanh(x: TensorLike) -> Any:
    """Compute the inverse hyperbolic tangent.

    Args:
        x: Numbers in (-1, 1).

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.arctanh([0.0]).numpy()
        array([0.])
    """
    return tfm.atanh(to_float(x))


def deg2rad(x: TensorLike) -> Any:
    """Convert degrees to radians.

    Args:
        x: Angles in degrees.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.deg2rad(180.0).numpy().round(4)
        np.float64(3.1416)
    """
    return to_float(x) * (python_math.pi / 180.0)


def rad2deg(x: TensorLike) -> Any:
    """Convert radians to degrees.

    Args:
        x: Angles in radians.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.rad2deg(np.pi).numpy()
        np.float64(180.0)
    """
    return to_float(x) * _DEGREES


def sinc(x: Any) -> Any:
    """Compute the normalised sinc function `sin(pi x) / (pi x)`, 1 at 0.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.sinc([0.0, 1.0]).numpy().round(4)
        array([1., 0.])
    """
    x = to_float(x) * python_math.pi
    zero, one = convert(0, x.dtype), convert(1, x.dtype)
    at_zero = tfm.equal(x, zero)
    # The quotient is not computed at 0, so that its derivative there is not NaN.
    safe = where(at_zero, one, x)
    return where(at_zero, one, tfm.divide(tfm.sin(safe), safe))
