"""Rounding to integers, the next float, and tests for finite floats."""

from __future__ import annotations

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.infer import broadcast, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import KEEPS_FINITE, KEEPS_WEAK, TOTAL
from tapeflow._src.ops.math.arithmetic import mul
from tapeflow._src.ops.math.elementwise import scalar

_ROUNDED = FLOATING | dtypes.SIGNED_INTEGER


@op(
    "Floor",
    infer=same_as("x"),
    dtypes=FLOATING,
    grad=None,
    traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL),
)
def floor(xp, x):
    """Round towards negative infinity."""
    return xp.floor(x)


@op(
    "Ceil", infer=same_as("x"), dtypes=FLOATING, grad=None, traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL)
)
def ceil(xp, x):
    """Round towards infinity."""
    return xp.ceil(x)


@op(
    "Rint", infer=same_as("x"), dtypes=FLOATING, grad=None, traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL)
)
def rint(xp, x):
    """Round to the nearest integer, halves to even."""
    return xp.rint(x)


@op(
    "Round",
    infer=same_as("x"),
    dtypes=_ROUNDED,
    grad=None,
    traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL),
)
def round_(xp, x):
    """Round to the nearest integer, halves to even; integers are unchanged."""
    return x if x.dtype.kind == "i" else xp.rint(x)


@op("IsNan", infer=same_as("x", dtypes.bool), dtypes=FLOATING, grad=None, traits=(TOTAL,))
def is_nan(xp, x):
    """Whether each element is NaN."""
    return xp.isnan(x)


@op("IsInf", infer=same_as("x", dtypes.bool), dtypes=FLOATING, grad=None, traits=(TOTAL,))
def is_inf(xp, x):
    """Whether each element is infinite, with either sign."""
    return xp.isinf(x)


@op("IsFinite", infer=same_as("x", dtypes.bool), dtypes=FLOATING, grad=None, traits=(TOTAL,))
def is_finite(xp, x):
    """Whether each element is neither infinite nor NaN."""
    return xp.isfinite(x)


@op("NextAfter", infer=broadcast, dtypes=frozenset({dtypes.float32, dtypes.float64}))
def next_after(xp, x1, x2):
    """Return the float next to `x1` in the direction of `x2`."""
    return xp.nextafter(x1, x2)


@next_after.gradient
def _(dz):
    return dz, mul(dz, scalar(0, dz))
