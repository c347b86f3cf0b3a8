"""Trigonometric and hyperbolic functions and their inverses. `Tanh` is with the sigmoids."""

from __future__ import annotations

from tapeflow._src.core.dtypes import FLOATING, FLOATING_COMPLEX
from tapeflow._src.core.infer import broadcast, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import (
    KEEPS_FINITE,
    KEEPS_WEAK,
    MAPS_SPARSE_VALUES,
    PROMOTES,
    TOTAL,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, neg, real_div, sub
from tapeflow._src.ops.math.elementwise import reciprocal, scalar, sqrt, square


@op(
    "Sin",
    infer=same_as("x"),
    dtypes=FLOATING_COMPLEX,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def sin(xp, x):
    """Compute the sine."""
    return xp.sin(x)


@sin.gradient
def _(dz, *, x):
    return mul(dz, cos(conj_of(x)))


@op("Cos", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL))
def cos(xp, x):
    """Compute the cosine."""
    return xp.cos(x)


@cos.gradient
def _(dz, *, x):
    return neg(mul(dz, sin(conj_of(x))))


@op("Tan", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def tan(xp, x):
    """Compute the tangent."""
    return xp.tan(x)


@tan.gradient
def _(dz, *, x):
    return mul(dz, square(reciprocal(cos(conj_of(x)))))


@op("Asin", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def asin(xp, x):
    """Compute the inverse of the sine."""
    return xp.arcsin(x)


@asin.gradient
def _(dz, *, x):
    return real_div(dz, sqrt(_one_minus_square(conj_of(x))))


def _one_minus_square(x):
    return sub(scalar(1, x), square(x))


def _one_plus_square(x):
    return add_v2(scalar(1, x), square(x))


@op("Acos", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def acos(xp, x):
    """Compute the inverse of the cosine."""
    return xp.arccos(x)


@acos.gradient
def _(dz, *, x):
    return neg(real_div(dz, sqrt(_one_minus_square(conj_of(x)))))


@op("Atan", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def atan(xp, x):
    """Compute the inverse of the tangent."""
    return xp.arctan(x)


@atan.gradient
def _(dz, *, x):
    return real_div(dz, _one_plus_square(conj_of(x)))


@op("Atan2", infer=broadcast, dtypes=FLOATING, traits=(PROMOTES, TOTAL_ON_SHAPES))
def atan2(xp, y, x):
    """Compute the angle of the point (`x`, `y`), between -pi and pi."""
    return xp.arctan2(y, x)


@atan2.gradient
def _(dz, *, y, x):
    share = real_div(dz, add_v2(square(x), square(y)))
    return mul(x, share), mul(neg(y), share)


@op("Sinh", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def sinh(xp, x):
    """Compute the hyperbolic sine."""
    return xp.sinh(x)


@sinh.gradient
def _(dz, *, x):
    return mul(dz, cosh(conj_of(x)))


@op("Cosh", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def cosh(xp, x):
    """Compute the hyperbolic cosine."""
    return xp.cosh(x)


@cosh.gradient
def _(dz, *, x):
    return mul(dz, sinh(conj_of(x)))


@op("Asinh", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def asinh(xp, x):
    """Compute the inverse of the hyperbolic sine."""
    return xp.arcsinh(x)


@asinh.gradient
def _(dz, *, output):
    return real_div(dz, cosh(conj_of(output)))


@op("Acosh", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def acosh(xp, x):
    """Compute the inverse of the hyperbolic cosine."""
    return xp.arccosh(x)


@acosh.gradient
def _(dz, *, output):
    return real_div(dz, sinh(conj_of(output)))


@op("Atanh", infer=same_as("x"), dtypes=FLOATING_COMPLEX, traits=(KEEPS_WEAK, TOTAL))
def atanh(xp, x):
    """Compute the inverse of the hyperbolic tangent."""
    return xp.arctanh(x)


@atanh.gradient
def _(dz, *, x):
    return real_div(dz, _one_minus_square(conj_of(x)))
