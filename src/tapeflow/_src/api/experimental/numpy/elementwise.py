"""Unary element-wise functions: exponentials, roots, rounding, signs and parts."""

from __future__ import annotations

import math as python_math
from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import bitwise
from tapeflow._src.api.arrays import identity, where, zeros_like
from tapeflow._src.api.experimental.numpy.promotion import asarray, default_float, to_float
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike

_DEGREES = 180.0 / python_math.pi


# -- exponentials and roots --------------------------------------------------------------------


def exp(x: TensorLike) -> Any:
    """Compute the exponential.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.exp([0.0, 1.0]).numpy().round(4)
        array([1.    , 2.7183])
    """
    return tfm.exp(to_float(x))


def exp2(x: Any) -> Any:
    """Compute `2**x`.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.exp2([1, 3]).numpy()
        array([2., 8.])
    """
    x = to_float(x)
    return tfm.pow(convert(2, x.dtype), x)


def expm1(x: TensorLike) -> Any:
    """Compute `exp(x) - 1`, accurate for small `x`.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.expm1([0.0]).numpy()
        array([0.])
    """
    return tfm.expm1(to_float(x))


def log(x: TensorLike) -> Any:
    """Compute the natural logarithm.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.log([1.0]).numpy()
        array([0.])
    """
    return tfm.log(to_float(x))


def log1p(x: TensorLike) -> Any:
    """Compute `log(1 + x)`, accurate for small `x`.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.log1p([0.0]).numpy()
        array([0.])
    """
    return tfm.log1p(to_float(x))


def log2(x: TensorLike) -> Any:
    """Compute the base-2 logarithm; float64 with NumPy's promotion.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.log2([8.0]).numpy()
        array([3.])
    """
    return log(x) / np.log(2)


def log10(x: TensorLike) -> Any:
    """Compute the base-10 logarithm; float64 with NumPy's promotion.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.log10([100.0]).numpy()
        array([2.])
    """
    return log(x) / np.log(10)


def sqrt(x: TensorLike) -> Any:
    """Compute the square root.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.sqrt([4, 9]).numpy()
        array([2., 3.])
    """
    return tfm.sqrt(to_float(x))


def cbrt(x: Any) -> Any:
    """Compute the cube root, also of negative numbers.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.cbrt([-8.0]).numpy().round(4)
        array([-2.])
    """
    x = to_float(x)
    less = tfm.less(x, convert(0, x.dtype))
    root = tfm.pow(tfm.abs(x), convert(1 / 3, x.dtype))
    return where(less, -root, root)


def square(x: TensorLike) -> Any:
    """Compute `x * x`.

    Args:
        x: Array.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.square([2, 3]).numpy()
        array([4, 9])
    """
    return tfm.square(asarray(x))


def reciprocal(x: TensorLike) -> Any:
    """Compute `1 / x`.

    Args:
        x: Array of floats or complex numbers.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.reciprocal([2.0, 4.0]).numpy()
        array([0.5 , 0.25])
    """
    return tfm.reciprocal(asarray(x))


# -- rounding ----------------------------------------------------------------------------------


def floor(x: TensorLike) -> Any:
    """Round down to an integer.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.floor([1.7, -1.2]).numpy()
        array([ 1., -2.])
    """
    return tfm.floor(to_float(x))


def ceil(x: TensorLike) -> Any:
    """Round up to an integer.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.ceil([1.2, -1.7]).numpy()
        array([ 2., -1.])
    """
    return tfm.ceil(to_float(x))


def fix(x: Any) -> Any:
    """Round towards zero to an integer.

    Args:
        x: Array, or what converts to one; integers become floats.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.fix([1.7, -1.7]).numpy()
        array([ 1., -1.])
    """
    x = to_float(x)
    return where(tfm.less(x, convert(0, x.dtype)), tfm.ceil(x), tfm.floor(x))


def around(a: Any, decimals: int = 0) -> Any:
    """Round to `decimals`, halves to even; integers stay integers.

    Args:
        a: Array.
        decimals: Number of decimals; negative ones round before the point.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.around([1.25, 2.5]).numpy()
        array([1., 2.])
    """
    a = asarray(a)
    dtype = a.dtype
    factor = python_math.pow(10, decimals)
    if dtype.is_floating or dtype.is_complex:
        # TensorFlow has the power of ten in single precision.
        scale = convert(float(np.float32(factor)), dtype)
    else:
        a, scale = cast(a, default_float()), convert(float(np.float32(factor)), default_float())
    rounded = tfm.divide(tfm.round(tfm.multiply(a, scale)), scale)
    return cast(rounded, dtype)


def round(a: TensorLike, decimals: int = 0) -> Any:
    """Round to `decimals`, halves to even; integers stay integers.

    Args:
        a: Array.
        decimals: Number of decimals; negative ones round before the point.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.round([1.5, 2.5]).numpy()
        array([2., 2.])
    """
    return around(a, decimals)


# -- signs and parts ---------------------------------------------------------------------------


def abs(x: Any) -> Any:
    """Compute the absolute value.

    Args:
        x: Array.

    Returns:
        A tensor in the shape of the input; real for complex numbers.

    Example:
        >>> tf.experimental.numpy.abs([-1, 2]).numpy()
        array([1, 2])
    """
    return _absolute(x)


def absolute(x: TensorLike) -> Any:
    """Compute the absolute value.

    Args:
        x: Array.

    Returns:
        A tensor in the shape of the input; real for complex numbers.

    Example:
        >>> tf.experimental.numpy.absolute([-1, 2]).numpy()
        array([1, 2])
    """
    return _absolute(x)


def fabs(x: TensorLike) -> Any:
    """Compute the absolute value.

    Args:
        x: Array.

    Returns:
        A tensor in the shape of the input; real for complex numbers.

    Example:
        >>> tf.experimental.numpy.fabs([-1.5]).numpy()
        array([1.5])
    """
    return _absolute(x)


def _absolute(x: TensorLike) -> Any:
    return tfm.abs(asarray(x))


def negative(x: TensorLike) -> Any:
    """Compute `-x`.

    Args:
        x: Array.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.negative([1, -2]).numpy()
        array([-1,  2])
    """
    return tfm.negative(asarray(x))


def positive(x: TensorLike) -> Any:
    """Compute `+x`.

    Args:
        x: Array.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.positive([1, -2]).numpy()
        array([ 1, -2])
    """
    return identity(asarray(x))


def sign(x: TensorLike, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Return the sign: -1, 0 or 1; `x / |x|` for complex numbers.

    Args:
        x: Array.
        out: Must be None.
        where: Must be None.

    Returns:
        A tensor in the shape and dtype of the input.

    Raises:
        ValueError: If another argument is passed.

    Example:
        >>> tf.experimental.numpy.sign([-3.0, 0.0, 2.0]).numpy()
        array([-1.,  0.,  1.])
    """
    if out is not None or where is not None or kwargs:
        unsupported = [
            name for name, value in (("out", out), ("where", where)) if value is not None
        ]
        raise ValueError(f"sign does not support setting {', '.join([*unsupported, *kwargs])}.")
    return tfm.sign(asarray(x))


def signbit(x: Any) -> Any:
    """Whether a number is negative.

    Args:
        x: Array of real numbers.

    Returns:
        A bool tensor of the same shape.

    Example:
        >>> tf.experimental.numpy.signbit([-3.0, 2.0]).numpy()
        array([ True, False])
    """
    x = asarray(x)
    if x.dtype.is_bool:
        return zeros_like(x)
    return tfm.less(x, convert(0, x.dtype))


def conj(x: TensorLike) -> Any:
    """Compute the complex conjugate.

    Args:
        x: Array.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.conj([1 + 2j]).numpy()
        array([1.-2.j])
    """
    return tfm.conj(asarray(x))


def conjugate(x: TensorLike) -> Any:
    """Compute the complex conjugate.

    Args:
        x: Array.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.conjugate([1 + 2j]).numpy()
        array([1.-2.j])
    """
    return conj(x)


def real(val: Any) -> Any:
    """Compute the real part.

    Args:
        val: Array.

    Returns:
        A tensor of real numbers.

    Example:
        >>> tf.experimental.numpy.real([1 + 2j]).numpy()
        array([1.])
    """
    return tfm.real(asarray(val))


def imag(val: Any) -> Any:
    """Compute the imaginary part.

    Args:
        val: Array.

    Returns:
        A tensor of real numbers: zeros for real ones.

    Example:
        >>> tf.experimental.numpy.imag([1 + 2j]).numpy()
        array([2.])
    """
    val = asarray(val)
    return tfm.imag(val) if val.dtype.is_complex else zeros_like(val)


def angle(z: Any, deg: bool = False) -> Any:
    """Compute the angle of complex numbers, in radians or degrees; float32 for real ones.

    Args:
        z: Array of complex numbers.
        deg: Whether to return degrees.

    Returns:
        A tensor of floats of the same shape.

    Example:
        >>> tf.experimental.numpy.angle([1j], deg=True).numpy()
        array([90.])
    """
    z = to_float(z)
    if z.dtype.is_complex:
        radians = tfm.angle(z)
    else:
        below = tfm.less(z, convert(0, z.dtype))
        radians = where(below, convert(np.float32(python_math.pi)), convert(np.float32(0)))
    return radians * _DEGREES if deg else radians


def bitwise_not(x: Any) -> Any:
    """Invert every bit; logical NOT of booleans.

    Args:
        x: Integers or booleans.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.experimental.numpy.bitwise_not([0, 1]).numpy()
        array([-1, -2])
    """
    x = asarray(x)
    return tfm.logical_not(x) if x.dtype.is_bool else bitwise.invert(x)
