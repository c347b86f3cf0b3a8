"""`tf.math`, element-wise functions of one tensor."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math import (
    arithmetic,
    complex_parts,
    division,
    elementwise,
    rounding,
    trigonometry,
)
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.nn.activation import softplus as softplus_op
from tapeflow._src.ops.nn.activation import softsign as softsign_op

_PI = 3.141592653589793


def acos(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the cosine, element by element."""
    return trigonometry.acos(x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the hyperbolic cosine, element by element."""
    return trigonometry.acosh(x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the sine, element by element."""
    return trigonometry.asin(x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the hyperbolic sine, element by element."""
    return trigonometry.asinh(x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the tangent, element by element."""
    return trigonometry.atan(x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the hyperbolic tangent, element by element."""
    return trigonometry.atanh(x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """The smallest whole numbers not below `x`."""
    return rounding.ceil(x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """The cosine, element by element."""
    return trigonometry.cos(x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, element by element."""
    return trigonometry.cosh(x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """e to the power `x`, element by element."""
    return elementwise.exp(x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """e to the power `x`, minus 1: exact near 0."""
    return elementwise.expm1(x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """The largest whole numbers not above `x`."""
    return rounding.floor(x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Where `x` is neither infinite nor NaN."""
    return rounding.is_finite(x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Where `x` is infinite."""
    return rounding.is_inf(x, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Where `x` is NaN."""
    return rounding.is_nan(x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm, element by element."""
    return elementwise.log(x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm of `1 + x`: exact near 0."""
    return elementwise.log1p(x, name=name)


def negative(x: Any, name: str | None = None) -> Tensor:
    """`-x`, element by element."""
    return arithmetic.neg(x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`, element by element."""
    return elementwise.reciprocal(x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole numbers, the even one of two."""
    return rounding.rint(x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 over the square root, element by element."""
    return elementwise.rsqrt(x, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """`1 / (1 + exp(-x))`, element by element."""
    return elementwise.sigmoid(x, name=name)


def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1 by the sign of `x`; `x / |x|` if it is complex."""
    return arithmetic.sign(x, name=name)


def sin(x: Any, name: str | None = None) -> Tensor:
    """The sine, element by element."""
    return trigonometry.sin(x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic sine, element by element."""
    return trigonometry.sinh(x, name=name)


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """The square root, element by element."""
    return elementwise.sqrt(x, name=name)


def square(x: Any, name: str | None = None) -> Tensor:
    """`x * x`, element by element."""
    return elementwise.square(x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """The tangent, element by element."""
    return trigonometry.tan(x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, element by element."""
    return elementwise.tanh(x, name=name)


# -- by dtype --------------------------------------------------------------------------------


def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value, element by element: of complex numbers a real tensor."""
    return arithmetic.absolute(x, name=name)


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole numbers, the even one of two; integers are left as they are."""
    x = dispatch.operand(x)
    return x if x.dtype.is_integer else rounding.round_(x, name=name)


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; real tensors are their own."""
    x = dispatch.operand(x)
    if x.dtype.is_complex:
        return arithmetic.conj(x, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.conj expects numbers, received dtype {x.dtype.name}.")
    return x


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part, element by element."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.real(x, Tout=x.dtype.real_dtype, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.real expects numbers, received dtype {x.dtype.name}.")
    return x


@scoped("Imag", names_result=True)
def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part, element by element: 0 for real tensors."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.imag(x, Tout=x.dtype.real_dtype, name=name)
    return zeros_like(x, name="zeros_like")


@scoped("Angle", names_result=True)
def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle of complex numbers between -pi and pi; real ones have 0 or, if negative, pi."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.angle(x, Tout=x.dtype.real_dtype, name=name)
    half_turn = dispatch.convert(_PI, x.dtype)
    return select_v2(less(x, dispatch.convert(0, x.dtype)), half_turn, zeros_like(x), name="Select")


# -- composites ------------------------------------------------------------------------------


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`, and 0 where `x` is 0."""
    x = dispatch.operand(x)
    one = dispatch.convert(1, x.dtype)
    return division.div_no_nan(one, x, name=name or "reciprocal_no_nan")


@scoped("LogSigmoid", names_result=True)
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, without underflow."""
    return arithmetic.neg(softplus_op(arithmetic.neg(dispatch.operand(x))), name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """`log(1 + exp(features))`, element by element."""
    return softplus_op(features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """`features / (1 + |features|)`, element by element."""
    return softsign_op(features, name=name)
