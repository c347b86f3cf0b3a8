"""Element-wise functions of one tensor: powers, exponentials, logarithms and sigmoids.

A gradient that needs only the result is an op of its own, named `...Grad` as in TF: one pass over
the data instead of three.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import FLOATING_COMPLEX, NUMERIC
from tapeflow._src.core.infer import all_same, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import (
    KEEPS_FINITE,
    KEEPS_WEAK,
    MAPS_SPARSE_VALUES,
    OWN_SCOPE,
    TOTAL,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, neg, real_div, sub


def scalar(value: float, like: Any) -> Any:
    """Return `value` as a tensor of the dtype of `like`."""
    return dispatch.convert(value, like.dtype)


# -- powers ----------------------------------------------------------------------------------


@op("Square", infer=same_as("x"), dtypes=NUMERIC, traits=(KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL))
def square(xp, x):
    """Compute `x * x`."""
    return xp.multiply(x, x)


@square.gradient
def _(dz, *, x):
    return mul(dz, mul(scalar(2, x), conj_of(x)))


@op(
    "Sqrt",
    infer=same_as("x"),
    dtypes=FLOATING_COMPLEX,
    traits=(KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def sqrt(xp, x):
    """Compute the square root."""
    return xp.sqrt(x)


@sqrt.gradient
def _(dz, *, output):
    return sqrt_grad(output, dz)


@op("SqrtGrad", infer=all_same, dtypes=FLOATING_COMPLEX, checked=True, traits=(TOTAL_ON_SHAPES,))
def sqrt_grad(xp, y, dy):
    """Compute the gradient of `y = sqrt(x)`, 0 wherever `dy` is."""
    return _unless_zero(xp, dy, xp.divide(_times(xp, 0.5, dy), xp.conj(y)))


def _times(xp, factor, x):
    # Not a Python number beside `x`: with bfloat16, NumPy would make float32 of it.
    return xp.multiply(xp.asarray(factor, x.dtype), x)


def _unless_zero(xp, dy, gradient):
    """Return `gradient`, but 0 wherever `dy` is, also for an infinite slope."""
    return xp.where(dy == 0, xp.asarray(0, dy.dtype), gradient)


@sqrt_grad.gradient
def _(dz, *, y, dy, needed):
    ratio = real_div(mul(dz, scalar(0.5, dz)), y)
    return neg(mul(conj_of(ratio), real_div(dy, conj_of(y)))) if needed[0] else None, ratio


@op("Rsqrt", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def rsqrt(xp, x):
    """Compute the reciprocal of the square root."""
    return _one_over(xp, xp.sqrt(x))


def _one_over(xp, x):
    """Return `1 / x`, and 0 where both parts of a complex number are infinite, instead of NaN."""
    quotient = xp.divide(xp.asarray(1, x.dtype), x)
    if x.dtype.kind != "c":
        return quotient
    infinite = xp.isinf(xp.real(x)) & xp.isinf(xp.imag(x))
    return xp.where(infinite, xp.asarray(0, x.dtype), quotient)


@rsqrt.gradient
def _(dz, *, output):
    return rsqrt_grad(output, dz)


@op("RsqrtGrad", infer=all_same, dtypes=FLOATING_COMPLEX, checked=True, traits=(TOTAL_ON_SHAPES,))
def rsqrt_grad(xp, y, dy):
    """Compute the gradient of `y = 1 / sqrt(x)`, 0 wherever `dy` is."""
    y = xp.conj(y)
    gradient = xp.multiply(_times(xp, -0.5, xp.multiply(dy, y)), xp.multiply(y, y))
    return _unless_zero(xp, dy, gradient)


@rsqrt_grad.gradient
def _(dz, *, y, dy, needed):
    cy = conj_of(y)
    on_y = mul(mul(scalar(-1.5, y), mul(conj_of(dz), dy)), square(cy)) if needed[0] else None
    return on_y, rsqrt_grad(cy, dz) if needed[1] else None


def _declare_reciprocal(name: str) -> tuple[Any, Any]:
    """Declare `name` and its gradient: TF has the same function under two names."""

    @op(name, infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
    def reciprocal(xp, x):
        """Compute `1 / x`."""
        return xp.divide(xp.asarray(1, x.dtype), x)

    @op(
        f"{name}Grad",
        infer=all_same,
        dtypes=FLOATING_COMPLEX,
        checked=True,
        traits=(TOTAL_ON_SHAPES,),
    )
    def reciprocal_grad(xp, y, dy):
        """Compute the gradient of `y = 1 / x`, 0 wherever `dy` is."""
        y = xp.conj(y)
        return _unless_zero(xp, dy, xp.negative(xp.multiply(dy, xp.multiply(y, y))))

    @reciprocal.gradient
    def _(dz, *, output):
        return reciprocal_grad(output, dz)

    @reciprocal_grad.gradient
    def _(dz, *, y, dy, needed):
        cy = conj_of(y)
        on_y = mul(mul(scalar(-2, y), mul(conj_of(dz), dy)), cy) if needed[0] else None
        return on_y, reciprocal_grad(cy, dz) if needed[1] else None

    return reciprocal, reciprocal_grad


reciprocal, reciprocal_grad = _declare_reciprocal("Reciprocal")
inv, inv_grad = _declare_reciprocal("Inv")


# -- exponentials and logarithms -------------------------------------------------------------


@op("Exp", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def exp(xp, x):
    """Compute the exponential."""
    return xp.exp(x)


@exp.gradient
def _(dz, *, output):
    return mul(dz, conj_of(output))


@op("Expm1", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def expm1(xp, x):
    """Compute `exp(x) - 1`, exact near 0."""
    return xp.expm1(x)


@expm1.gradient
def _(dz, *, x):
    return mul(dz, conj_of(exp(x)))


@op("Log", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def log(xp, x):
    """Compute the natural logarithm."""
    return xp.log(x)


@log.gradient
def _(dz, *, x):
    return real_div(dz, conj_of(x))


@op("Log1p", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def log1p(xp, x):
    """Compute the natural logarithm of `1 + x`: exact near 0."""
    return xp.log1p(x)


@log1p.gradient
def _(dz, *, x):
    return real_div(dz, conj_of(add_v2(x, scalar(1, x))))


# -- sigmoids --------------------------------------------------------------------------------


@op(
    "Tanh",
    infer=same_as("x"),
    dtypes=FLOATING_COMPLEX,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def tanh(xp, x):
    """Compute the hyperbolic tangent."""
    return xp.tanh(x)


@tanh.gradient
def _(dz, *, output):
    return tanh_grad(conj_of(output), dz)


@op("TanhGrad", infer=all_same, dtypes=FLOATING_COMPLEX, checked=True, traits=(TOTAL_ON_SHAPES,))
def tanh_grad(xp, y, dy):
    """Compute the gradient of `y = tanh(x)`."""
    return xp.multiply(dy, xp.subtract(xp.asarray(1, y.dtype), xp.multiply(y, y)))


@tanh_grad.gradient
def _(dz, *, y, dy, needed):
    cy = conj_of(y)
    on_y = mul(mul(scalar(-2, y), mul(dz, conj_of(dy))), cy) if needed[0] else None
    return on_y, tanh_grad(cy, dz) if needed[1] else None


@op(
    "Sigmoid",
    infer=same_as("x"),
    dtypes=FLOATING_COMPLEX,
    traits=(KEEPS_FINITE, KEEPS_WEAK, OWN_SCOPE, TOTAL),
)
def sigmoid(xp, x):
    """Compute `1 / (1 + exp(-x))`."""
    wide = _wide(x)
    one = xp.asarray(1, wide.dtype)
    result = _one_over(xp, xp.add(one, xp.exp(xp.negative(wide))))
    return result if wide is x else result.astype(x.dtype)


def _wide(x):
    """Widen half precision to single: exp overflows long before the result saturates."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


@sigmoid.gradient
def _(dz, *, output):
    return sigmoid_grad(conj_of(output), dz)


@op("SigmoidGrad", infer=all_same, dtypes=FLOATING_COMPLEX, checked=True, traits=(TOTAL_ON_SHAPES,))
def sigmoid_grad(xp, y, dy):
    """Compute the gradient of `y = sigmoid(x)`."""
    return xp.multiply(dy, xp.multiply(y, xp.subtract(xp.asarray(1, y.dtype), y)))


@sigmoid_grad.gradient
def _(dz, *, y, dy, needed):
    cy = conj_of(y)
    on_y = None
    if needed[0]:
        slope = sub(scalar(1, y), mul(scalar(2, y), cy))
        on_y = mul(mul(dz, conj_of(dy)), slope)
    return on_y, sigmoid_grad(cy, dz) if needed[1] else None
