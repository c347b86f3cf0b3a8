"""Bessel functions of orders 0 and 1, with their derivatives in terms of each other."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.registry import op
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, real_div, sign, sub
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.special import wide


def _slope_of_order_1(x: Any, value: Any, order_0: Any) -> Any:
    """Compute `order_0 - value / x`, and its limit 1/2 at 0."""
    origin = equal(x, scalar(0, x))
    slope = sub(order_0, real_div(value, select_v2(origin, scalar(1, x), x)))
    return select_v2(origin, scalar(0.5, x), slope)


# -- I: modified, growing --------------------------------------------------------------------


@op("BesselI0", infer=same_as("x"), dtypes=FLOATING)
def bessel_i0(xp, x):
    """Compute the modified Bessel function I0 (first kind)."""
    return wide(xp.special.i0, x)


@bessel_i0.gradient
def _(dz, *, x):
    return mul(dz, bessel_i1(x))


@op("BesselI1", infer=same_as("x"), dtypes=FLOATING)
def bessel_i1(xp, x):
    """Compute the modified Bessel function I1 (first kind)."""
    return wide(xp.special.i1, x)


@bessel_i1.gradient
def _(dz, *, x, output):
    return mul(dz, _slope_of_order_1(x, output, bessel_i0(x)))


@op("BesselI0e", infer=same_as("x"), dtypes=FLOATING)
def bessel_i0e(xp, x):
    """Compute `bessel_i0(x)` times exp(-|x|)."""
    return wide(xp.special.i0e, x)


@bessel_i0e.gradient
def _(dz, *, x, output):
    return mul(dz, sub(bessel_i1e(x), mul(sign(x), output)))


@op("BesselI1e", infer=same_as("x"), dtypes=FLOATING)
def bessel_i1e(xp, x):
    """Compute `bessel_i1(x)` times exp(-|x|)."""
    return wide(xp.special.i1e, x)


@bessel_i1e.gradient
def _(dz, *, x, output):
    scaled = sub(bessel_i0e(x), mul(sign(x), output))
    return mul(dz, _slope_of_order_1(x, output, scaled))


# -- J and Y: waves --------------------------------------------------------------------------


@op("BesselJ0", infer=same_as("x"), dtypes=FLOATING)
def bessel_j0(xp, x):
    """Compute the Bessel function J0 (first kind)."""
    return wide(xp.special.j0, x)


@bessel_j0.gradient
def _(dz, *, x):
    return neg(mul(dz, bessel_j1(x)))


@op("BesselJ1", infer=same_as("x"), dtypes=FLOATING)
def bessel_j1(xp, x):
    """Compute the Bessel function J1 (first kind)."""
    return wide(xp.special.j1, x)


@bessel_j1.gradient
def _(dz, *, x, output):
    return mul(dz, _slope_of_order_1(x, output, bessel_j0(x)))


def _extended_below_zero(xp: ModuleType, function: Any, elsewhere: float, x: Any) -> Any:
    """Return a function of positive numbers; like TF it stays at its limit for negative ones."""

    def compute(x: Any) -> Any:
        return xp.where(x <= 0, xp.asarray(elsewhere, x.dtype), function(x))

    return wide(compute, x)


@op("BesselY0", infer=same_as("x"), dtypes=FLOATING)
def bessel_y0(xp, x):
    """Compute the Bessel function of the second kind, order 0: -inf up to 0."""
    return _extended_below_zero(xp, xp.special.y0, -xp.inf, x)


@bessel_y0.gradient
def _(dz, *, x):
    return neg(mul(dz, bessel_y1(x)))


@op("BesselY1", infer=same_as("x"), dtypes=FLOATING)
def bessel_y1(xp, x):
    """Compute the Bessel function of the second kind, order 1: -inf up to 0."""
    return _extended_below_zero(xp, xp.special.y1, -xp.inf, x)


@bessel_y1.gradient
def _(dz, *, x, output):
    return mul(dz, sub(bessel_y0(x), real_div(output, x)))


# -- K: modified, decaying -------------------------------------------------------------------


@op("BesselK0", infer=same_as("x"), dtypes=FLOATING)
def bessel_k0(xp, x):
    """Compute the modified Bessel function of the second kind, order 0: inf up to 0."""
    return _extended_below_zero(xp, xp.special.k0, xp.inf, x)


@bessel_k0.gradient
def _(dz, *, x):
    return neg(mul(dz, bessel_k1(x)))


@op("BesselK1", infer=same_as("x"), dtypes=FLOATING)
def bessel_k1(xp, x):
    """Compute the modified Bessel function of the second kind, order 1: inf up to 0."""
    return _extended_below_zero(xp, xp.special.k1, xp.inf, x)


@bessel_k1.gradient
def _(dz, *, x, output):
    return neg(mul(dz, add_v2(bessel_k0(x), real_div(output, x))))


@op("BesselK0e", infer=same_as("x"), dtypes=FLOATING)
def bessel_k0e(xp, x):
    """Compute `bessel_k0(x)` times exp(x)."""
    return _extended_below_zero(xp, xp.special.k0e, xp.inf, x)


@bessel_k0e.gradient
def _(dz, *, x, output):
    return mul(dz, sub(output, bessel_k1e(x)))


@op("BesselK1e", infer=same_as("x"), dtypes=FLOATING)
def bessel_k1e(xp, x):
    """Compute `bessel_k1(x)` times exp(x)."""
    return _extended_below_zero(xp, xp.special.k1e, xp.inf, x)


@bessel_k1e.gradient
def _(dz, *, x, output):
    return mul(dz, sub(mul(output, sub(scalar(1, x), real_div(scalar(1, x), x))), bessel_k0e(x)))
