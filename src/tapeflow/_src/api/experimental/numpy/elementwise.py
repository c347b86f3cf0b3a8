"""Unary element-wise functions."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import bitwise
from tapeflow._src.api.arrays import identity, where, zeros_like
from tapeflow._src.api.experimental.numpy.promotion import asarray, default_float, to_float
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert

_DEGREES = 180.0 / python_math.pi


# -- trigonometry ----------------------------------------------------------------------------


def sin(x: Any) -> Any:
    """Compute the sine."""
    return tfm.sin(to_float(x))


def cos(x: Any) -> Any:
    """Compute the cosine."""
    return tfm.cos(to_float(x))


def tan(x: Any) -> Any:
    """Compute the tangent."""
    return tfm.tan(to_float(x))


def arcsin(x: Any) -> Any:
    """Compute the inverse sine."""
    return tfm.asin(to_float(x))


def arccos(x: Any) -> Any:
    """Compute the inverse cosine."""
    return tfm.acos(to_float(x))


def arctan(x: Any) -> Any:
    """Compute the inverse tangent."""
    return tfm.atan(to_float(x))


def sinh(x: Any) -> Any:
    """Compute the hyperbolic sine."""
    return tfm.sinh(to_float(x))


def cosh(x: Any) -> Any:
    """Compute the hyperbolic cosine."""
    return tfm.cosh(to_float(x))


def tanh(x: Any) -> Any:
    """Compute the hyperbolic tangent."""
    return tfm.tanh(to_float(x))


def arcsinh(x: Any) -> Any:
    """Compute the inverse hyperbolic sine."""
    return tfm.asinh(to_float(x))


def arccosh(x: Any) -> Any:
    """Compute the inverse hyperbolic cosine."""
    return tfm.acosh(to_float(x))


def arctanh(x: Any) -> Any:
    """Compute the inverse hyperbolic tangent."""
    return tfm.atanh(to_float(x))


def deg2rad(x: Any) -> Any:
    """Convert degrees to radians."""
    return to_float(x) * (python_math.pi / 180.0)


def rad2deg(x: Any) -> Any:
    """Convert radians to degrees."""
    return to_float(x) * _DEGREES


def sinc(x: Any) -> Any:
    """Compute the normalised sinc function `sin(pi x) / (pi x)`, 1 at 0."""
    x = to_float(x) * python_math.pi
    zero, one = convert(0, x.dtype), convert(1, x.dtype)
    at_zero = tfm.equal(x, zero)
    # The quotient is not computed at 0, so that its derivative there is not NaN.
    safe = where(at_zero, one, x)
    return where(at_zero, one, tfm.divide(tfm.sin(safe), safe))


# -- exponentials and roots --------------------------------------------------------------------


def exp(x: Any) -> Any:
    """Compute the exponential."""
    return tfm.exp(to_float(x))


def exp2(x: Any) -> Any:
    """Compute `2**x`."""
    x = to_float(x)
    return tfm.pow(convert(2, x.dtype), x)


def expm1(x: Any) -> Any:
    """Compute `exp(x) - 1`, accurate for small `x`."""
    return tfm.expm1(to_float(x))


def log(x: Any) -> Any:
    """Compute the natural logarithm."""
    return tfm.log(to_float(x))


def log1p(x: Any) -> Any:
    """Compute `log(1 + x)`, accurate for small `x`."""
    return tfm.log1p(to_float(x))


def log2(x: Any) -> Any:
    """Compute the base-2 logarithm; float64 with NumPy's promotion."""
    return log(x) / np.log(2)


def log10(x: Any) -> Any:
    """Compute the base-10 logarithm; float64 with NumPy's promotion."""
    return log(x) / np.log(10)


def sqrt(x: Any) -> Any:
    """Compute the square root."""
    return tfm.sqrt(to_float(x))


def cbrt(x: Any) -> Any:
    """Compute the cube root, also of negative numbers."""
    x = to_float(x)
    less = tfm.less(x, convert(0, x.dtype))
    root = tfm.pow(tfm.abs(x), convert(1 / 3, x.dtype))
    return where(less, -root, root)


def square(x: Any) -> Any:
    """Compute `x * x`."""
    return tfm.square(asarray(x))


def reciprocal(x: Any) -> Any:
    """Compute `1 / x`."""
    return tfm.reciprocal(asarray(x))


# -- rounding ----------------------------------------------------------------------------------


def floor(x: Any) -> Any:
    """Round down to an integer."""
    return tfm.floor(to_float(x))


def ceil(x: Any) -> Any:
    """Round up to an integer."""
    return tfm.ceil(to_float(x))


def fix(x: Any) -> Any:
    """Round towards zero to an integer."""
    x = to_float(x)
    return where(tfm.less(x, convert(0, x.dtype)), tfm.ceil(x), tfm.floor(x))


def around(a: Any, decimals: int = 0) -> Any:
    """Round to `decimals`, halves to even; integers stay integers."""
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


def round(a: Any, decimals: int = 0) -> Any:
    """Round to `decimals`, halves to even; integers stay integers."""
    return around(a, decimals)


# -- signs and parts ---------------------------------------------------------------------------


def abs(x: Any) -> Any:
    """Compute the absolute value."""
    return _absolute(x)


def absolute(x: Any) -> Any:
    """Compute the absolute value."""
    return _absolute(x)


def fabs(x: Any) -> Any:
    """Compute the absolute value."""
    return _absolute(x)


def _absolute(x: Any) -> Any:
    return tfm.abs(asarray(x))


def negative(x: Any) -> Any:
    """Compute `-x`."""
    return tfm.negative(asarray(x))


def positive(x: Any) -> Any:
    """Compute `+x`."""
    return identity(asarray(x))


def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Return the sign: -1, 0 or 1; `x / |x|` for complex numbers."""
    if out is not None or where is not None or kwargs:
        unsupported = [
            name for name, value in (("out", out), ("where", where)) if value is not None
        ]
        raise ValueError(f"sign does not support setting {', '.join([*unsupported, *kwargs])}.")
    return tfm.sign(asarray(x))


def signbit(x: Any) -> Any:
    """Whether a number is negative."""
    x = asarray(x)
    if x.dtype.is_bool:
        return zeros_like(x)
    return tfm.less(x, convert(0, x.dtype))


def conj(x: Any) -> Any:
    """Compute the complex conjugate."""
    return tfm.conj(asarray(x))


def conjugate(x: Any) -> Any:
    """Compute the complex conjugate."""
    return conj(x)


def real(val: Any) -> Any:
    """Compute the real part."""
    return tfm.real(asarray(val))


def imag(val: Any) -> Any:
    """Compute the imaginary part."""
    val = asarray(val)
    return tfm.imag(val) if val.dtype.is_complex else zeros_like(val)


def angle(z: Any, deg: bool = False) -> Any:
    """Compute the angle of complex numbers, in radians or degrees; float32 for real ones."""
    z = to_float(z)
    if z.dtype.is_complex:
        radians = tfm.angle(z)
    else:
        below = tfm.less(z, convert(0, z.dtype))
        radians = where(below, convert(np.float32(python_math.pi)), convert(np.float32(0)))
    return radians * _DEGREES if deg else radians


def bitwise_not(x: Any) -> Any:
    """Invert every bit; logical NOT of booleans."""
    x = asarray(x)
    return tfm.logical_not(x) if x.dtype.is_bool else bitwise.invert(x)


# -- what kind of number -----------------------------------------------------------------------


def isfinite(x: Any) -> Any:
    """Whether elements are neither infinite nor NaN."""
    return tfm.is_finite(to_float(x))


def isnan(x: Any) -> Any:
    """Whether elements are NaN."""
    return tfm.is_nan(to_float(x))


def isinf(x: Any) -> Any:
    """Whether elements are infinite."""
    return _of_floats(x, tfm.is_inf)


def isposinf(x: Any) -> Any:
    """Whether elements are positive infinity."""
    return _of_floats(x, lambda t: tfm.equal(t, convert(np.inf, t.dtype)))


def isneginf(x: Any) -> Any:
    """Whether elements are negative infinity."""
    return _of_floats(x, lambda t: tfm.equal(t, convert(-np.inf, t.dtype)))


def _of_floats(x: Any, judge: Callable[[Any], Any]) -> Any:
    """Apply a predicate to floats; False for any other dtype."""
    x = asarray(x)
    return judge(x) if x.dtype.is_floating else zeros_like(x, dtypes.bool)


def iscomplex(x: Any) -> Any:
    """Whether elements have a nonzero imaginary part."""
    x = asarray(x)
    if not x.dtype.is_complex:
        return zeros_like(x, dtypes.bool)
    part = tfm.imag(x)
    return tfm.not_equal(part, convert(0, part.dtype))


def isreal(x: Any) -> Any:
    """Whether elements have a zero imaginary part."""
    return tfm.logical_not(iscomplex(x))


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex."""
    return bool(asarray(x).dtype.is_complex)


def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)
