"""`tf.math`: unary element-wise functions other than roundings and angles."""

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
)
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.nn.activation import softplus as softplus_op
from tapeflow._src.ops.nn.activation import softsign as softsign_op

_PI = 3.141592653589793


def exp(x: Any, name: str | None = None) -> Tensor:
    """Compute the exponential element-wise."""
    return elementwise.exp(x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """Compute `exp(x) - 1`, accurate near 0."""
    return elementwise.expm1(x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """Compute the natural logarithm element-wise."""
    return elementwise.log(x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """Compute `log(1 + x)`, accurate near 0."""
    return elementwise.log1p(x, name=name)


def negative(x: Any, name: str | None = None) -> Tensor:
    """Return `-x` element-wise."""
    return arithmetic.neg(x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Return `1 / x` element-wise."""
    return elementwise.reciprocal(x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Compute `1 / sqrt(x)` element-wise."""
    return elementwise.rsqrt(x, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Compute the logistic sigmoid `1 / (1 + exp(-x))` element-wise."""
    return elementwise.sigmoid(x, name=name)


def sign(x: Any, name: str | None = None) -> Tensor:
    """Return the sign: -1, 0 or 1; `x / |x|` for complex numbers."""
    return arithmetic.sign(x, name=name)


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Compute the square root element-wise."""
    return elementwise.sqrt(x, name=name)


def square(x: Any, name: str | None = None) -> Tensor:
    """Return `x * x` element-wise."""
    return elementwise.square(x, name=name)


# -- by dtype --------------------------------------------------------------------------------


def abs(x: Any, name: str | None = None) -> Tensor:
    """Compute the absolute value element-wise; real for complex tensors."""
    return arithmetic.absolute(x, name=name)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Compute the complex conjugate; real tensors are unchanged."""
    x = dispatch.operand(x)
    if x.dtype.is_complex:
        return arithmetic.conj(x, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.conj expects numbers, received dtype {x.dtype.name}.")
    return x


def real(input: Any, name: str | None = None) -> Tensor:
    """Return the real part element-wise."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.real(x, Tout=x.dtype.real_dtype, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.real expects numbers, received dtype {x.dtype.name}.")
    return x


@scoped("Imag", names_result=True)
def imag(input: Any, name: str | None = None) -> Tensor:
    """Return the imaginary part element-wise: 0 for real tensors."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.imag(x, Tout=x.dtype.real_dtype, name=name)
    return zeros_like(x, name="zeros_like")


@scoped("Angle", names_result=True)
def angle(input: Any, name: str | None = None) -> Tensor:
    """Compute the angle of complex numbers in [-π, π]; 0 or, if negative, π for real ones."""
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.angle(x, Tout=x.dtype.real_dtype, name=name)
    half_turn = dispatch.convert(_PI, x.dtype)
    return select_v2(less(x, dispatch.convert(0, x.dtype)), half_turn, zeros_like(x), name="Select")


# -- composites ------------------------------------------------------------------------------


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Compute `1 / x`, and 0 where `x` is 0."""
    x = dispatch.operand(x)
    one = dispatch.convert(1, x.dtype)
    return division.div_no_nan(one, x, name=name or "reciprocal_no_nan")


@scoped("LogSigmoid", names_result=True)
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Compute the logarithm of the sigmoid, without underflow."""
    return arithmetic.neg(softplus_op(arithmetic.neg(dispatch.operand(x))), name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Return `log(1 + exp(features))` element-wise."""
    return softplus_op(features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Return `features / (1 + |features|)` element-wise."""
    return softsign_op(features, name=name)
