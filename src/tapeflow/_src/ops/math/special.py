"""Special functions: those of the normal distribution, of gamma and beta, and a few integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.infer import broadcast, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, real_div, sub
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.division import xlog1py, xlogy
from tapeflow._src.ops.math.elementwise import exp, log, scalar, square
from tapeflow._src.ops.math.trigonometry import cos, sin

_SINGLE_DOUBLE = frozenset({dtypes.float32, dtypes.float64})


def wide(function: Callable[..., Any], *arrays: Any) -> Any:
    """Apply `function` to arrays of one dtype; half precision is computed in single precision."""
    dtype = arrays[0].dtype
    if dtype.itemsize == 2:
        return function(*[array.astype("float32") for array in arrays]).astype(dtype)
    return function(*arrays)


# -- the normal distribution -----------------------------------------------------------------


@op(
    "Erf",
    infer=same_as("x"),
    dtypes=FLOATING,
    traits=(KEEPS_FINITE, KEEPS_WEAK, MAPS_SPARSE_VALUES, TOTAL),
)
def erf(xp, x):
    """Compute the error function: twice the integral of exp(-t**2) / sqrt(pi) from 0 to `x`."""
    return wide(xp.special.erf, x)


@erf.gradient
def _(dz, *, x):
    return mul(dz, mul(scalar(2 / math.sqrt(math.pi), x), exp(neg(square(x)))))


@op("Erfc", infer=same_as("x"), dtypes=FLOATING, traits=(KEEPS_WEAK, TOTAL))
def erfc(xp, x):
    """1 minus the error function, exact where that is small."""
    return wide(xp.special.erfc, x)


@erfc.gradient
def _(dz, *, x):
    return mul(dz, mul(scalar(-2 / math.sqrt(math.pi), x), exp(neg(square(x)))))


@op("Erfinv", infer=same_as("x"), dtypes=FLOATING, traits=(KEEPS_WEAK,))
def erfinv(xp, x):
    """Compute the inverse of the error function: NaN outside of -1 to 1."""
    return wide(xp.special.erfinv, x)


@erfinv.gradient
def _(dz, *, output):
    return mul(dz, mul(scalar(math.sqrt(math.pi) / 2, output), exp(square(output))))


@op("Ndtri", infer=same_as("x"), dtypes=FLOATING, traits=(KEEPS_WEAK,))
def ndtri(xp, x):
    """Compute the quantile of the standard normal distribution at probability `x`."""
    return wide(xp.special.ndtri, x)


@ndtri.gradient
def _(dz, *, output):
    half = scalar(0.5, output)
    slope = mul(scalar(math.sqrt(2 * math.pi), output), exp(mul(half, square(output))))
    return mul(dz, slope)


# -- gamma and its kin -----------------------------------------------------------------------


@op("Lgamma", infer=same_as("x"), dtypes=FLOATING, traits=(KEEPS_WEAK,))
def lgamma(xp, x):
    """Log-gamma: `log(|Γ(x)|)`."""
    return wide(lambda x: xp.special.gammaln(xp.where(x == -xp.inf, xp.inf, x)), x)


@lgamma.gradient
def _(dz, *, x):
    return mul(dz, digamma(x))


@op("Digamma", infer=same_as("x"), dtypes=FLOATING, traits=(KEEPS_WEAK,))
def digamma(xp, x):
    """Compute the derivative of `lgamma`: NaN at 0 and at the negative integers."""
    return wide(lambda x: _digamma(xp, x), x)


def _digamma(xp, x):
    return _nan_outside(xp, (x > 0) | (x != xp.floor(x)), xp.special.digamma(x))


def _nan_outside(xp, inside, value):
    """Return `value` where the function is defined, NaN elsewhere."""
    return xp.where(inside, value, xp.asarray(xp.nan, value.dtype))


@digamma.gradient
def _(dz, *, x):
    return mul(dz, polygamma(scalar(1, x), x))


@op("Polygamma", infer=broadcast, dtypes=FLOATING)
def polygamma(xp, a, x):
    """Compute the derivative of order `a` of `digamma`; `a` is a non-negative integer."""

    def compute(a, x):
        # (-1)**(a + 1) * a! * zeta(a + 1, x), which does not hold for a = 0
        sign = xp.where(xp.mod(a, xp.asarray(2, a.dtype)) == 0, -1, 1).astype(x.dtype)
        derivative = sign * xp.special.gamma(a + 1) * _zeta(xp, a + 1, x)
        value = xp.where(a == 0, _digamma(xp, x), derivative)
        return _nan_outside(xp, (a >= 0) & (a == xp.floor(a)), value).astype(x.dtype)

    return wide(compute, a, x)


@polygamma.gradient
def _(dz, *, a, x):
    return None, mul(dz, polygamma(add_v2(a, scalar(1, a)), x))


@op("Zeta", infer=broadcast, dtypes=_SINGLE_DOUBLE)
def zeta(xp, x, q):
    """Compute the Hurwitz zeta function: the sum of `(q + n) ** -x` over n = 0, 1, 2, ..."""
    return _zeta(xp, x, q)


def _zeta(xp, x, q):
    """Compute the zeta function; at the poles q = 0, -1, ...

    Infinite, or NaN where the sides of the pole disagree.
    """
    value = _nan_outside(xp, x >= 1, xp.special.zeta(x, q))
    value = xp.where((q == xp.inf) & (x > 1), xp.asarray(0, value.dtype), value)
    even = xp.mod(x, xp.asarray(2, x.dtype)) == 0
    limit = _nan_outside(xp, even, xp.asarray(xp.inf, x.dtype))
    return xp.where((q <= 0) & (q == xp.floor(q)) & (x > 1), limit, value)


@zeta.gradient
def _(dz, *, x, q):
    return None, mul(dz, mul(neg(x), zeta(add_v2(x, scalar(1, x)), q)))


@op("Igamma", infer=broadcast, dtypes=FLOATING)
def igamma(xp, a, x):
    """Compute the lower regularised incomplete gamma function."""

    def compute(a, x):
        return _zero_at_zero(xp, x, _of_order(xp, xp.special.gammainc, 0, a, x))

    return wide(compute, a, x)


def _of_order(xp, function, at_infinity, a, x):
    """Compute `function(a, x)` where it is defined, and its limit for an infinite order `a`."""
    inside = (a > 0) & (x >= 0)
    value = _nan_outside(xp, inside, function(a, x))
    limit = inside & (a == xp.inf) & (x < xp.inf)
    return xp.where(limit, xp.asarray(at_infinity, value.dtype), value)


def _zero_at_zero(xp, x, value):
    return xp.where(x == 0, xp.asarray(0, value.dtype), value)


@igamma.gradient
def _(dz, *, a, x, needed):
    return (
        mul(dz, igamma_grad_a(a, x)) if needed[0] else None,
        mul(dz, _gamma_density(a, x)) if needed[1] else None,
    )


def _gamma_density(a: Any, x: Any) -> Any:
    """Compute the derivative of `igamma` w.r.t. `x`."""
    exponent = sub(mul(sub(a, scalar(1, a)), log(x)), x)
    return exp(sub(exponent, lgamma(a)))


@op("Igammac", infer=broadcast, dtypes=FLOATING)
def igammac(xp, a, x):
    """Compute the upper regularised incomplete gamma function."""
    return wide(lambda a, x: _of_order(xp, xp.special.gammaincc, 1, a, x), a, x)


@igammac.gradient
def _(dz, *, a, x, needed):
    return (
        neg(mul(dz, igamma_grad_a(a, x))) if needed[0] else None,
        neg(mul(dz, _gamma_density(a, x))) if needed[1] else None,
    )


@op("IgammaGradA", infer=broadcast, dtypes=_SINGLE_DOUBLE, grad=None)
def igamma_grad_a(xp, a, x):
    """Compute the derivative of `igamma` w.r.t. `a`."""
    value = _of_order(xp, xp.special.igamma_grad_a, 0, a, x)
    value = xp.where((a > 0) & (x == xp.inf), xp.asarray(0, value.dtype), value)
    return _zero_at_zero(xp, x, value)


@op("Betainc", infer=broadcast, dtypes=_SINGLE_DOUBLE)
def betainc(xp, a, b, x):
    """Compute the regularised incomplete beta function."""
    inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    return _nan_outside(xp, inside, xp.special.betainc(a, b, x))


@betainc.gradient
def _(dz, *, a, b, x):
    # The density of the beta distribution at `x`.
    log_beta = sub(add_v2(lgamma(a), lgamma(b)), lgamma(add_v2(a, b)))
    left = xlogy(sub(a, scalar(1, a)), x)
    right = xlog1py(sub(b, scalar(1, b)), neg(x))
    return None, None, mul(dz, exp(sub(add_v2(left, right), log_beta)))


# -- integrals -------------------------------------------------------------------------------


@op("Dawsn", infer=same_as("x"), dtypes=FLOATING)
def dawsn(xp, x):
    """Compute Dawson's function: `sqrt(π)/2 * exp(-x**2) * erfi(x)`."""
    return wide(xp.special.dawsn, x)


@dawsn.gradient
def _(dz, *, x, output):
    return mul(dz, sub(scalar(1, x), mul(scalar(2, x), mul(x, output))))


@op("Expint", infer=same_as("x"), dtypes=FLOATING)
def expint(xp, x):
    """Compute the exponential integral of positive `x`: that of exp(t) / t up to `x`."""
    return wide(lambda x: _nan_outside(xp, x >= 0, xp.special.expi(x)), x)


@expint.gradient
def _(dz, *, x):
    return mul(dz, real_div(exp(x), x))


@op("FresnelCos", infer=same_as("x"), dtypes=FLOATING)
def fresnel_cos(xp, x):
    """Compute the integral of cos(pi t**2 / 2) from 0 to `x`."""
    return wide(lambda x: xp.special.fresnel(x)[1], x)


@fresnel_cos.gradient
def _(dz, *, x):
    return mul(dz, cos(mul(scalar(math.pi / 2, x), square(x))))


@op("FresnelSin", infer=same_as("x"), dtypes=FLOATING)
def fresnel_sin(xp, x):
    """Compute the integral of sin(pi t**2 / 2) from 0 to `x`."""
    return wide(lambda x: xp.special.fresnel(x)[0], x)


@fresnel_sin.gradient
def _(dz, *, x):
    return mul(dz, sin(mul(scalar(math.pi / 2, x), square(x))))


@op("Spence", infer=same_as("x"), dtypes=FLOATING)
def spence(xp, x):
    """Compute Spence's function, the dilogarithm `Li2(1 - x)`."""
    return wide(xp.special.spence, x)


@spence.gradient
def _(dz, *, x):
    one = scalar(1, x)
    removable = equal(x, one)
    slope = real_div(log(x), sub(one, select_v2(removable, scalar(2, x), x)))
    return mul(dz, select_v2(removable, neg(one), slope))
