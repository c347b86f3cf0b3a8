"""`Pow`, whose gradient needs logarithms and choices."""

from __future__ import annotations

import math

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.infer import broadcast
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import OWN_SCOPE, PROMOTES
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import conj_of, mul, sub
from tapeflow._src.ops.math.comparison import greater, not_equal
from tapeflow._src.ops.math.elementwise import log, scalar


@op(
    "Pow",
    infer=broadcast,
    dtypes=NUMERIC - dtypes.UNSIGNED,
    traits=(OWN_SCOPE, PROMOTES),
    display="pow",
)
def pow_(xp, x, y):
    """Compute `x` to the power `y`, element-wise."""
    if x.dtype.kind == "i":
        xp.require(xp.all(y >= 0), "Integers to negative integer powers are not allowed")
    return xp.power(x, y)


# Elements from which on speed counts more than the last place of a cube.
_MANY = 1024


@pow_.kernel("numpy")
def _(xp, x, y):
    if y.ndim == 0 and x.dtype.kind in "fc":
        # The most common powers, and much cheaper than others.
        exponent = y.item()
        if exponent == 2:
            return xp.multiply(x, x)
        if exponent == 3 and x.size >= _MANY:
            return x * x * x
        if exponent == 1:
            return x
        if exponent == 0.5 and x.dtype.kind == "f":
            return _half_power(xp, x)
    elif x.dtype.kind == "f" and y.shape != x.shape and (y == 0.5).any():
        # NumPy uses the square root for a scalar exponent.
        y = xp.ascontiguousarray(xp.broadcast_to(y, xp.broadcast_shapes(x.shape, y.shape)))
    return pow_.body(xp, x, y)


def _half_power(xp, x):
    """Compute `x ** 0.5`: the square root, except for negative infinity and -0."""
    root = xp.add(xp.sqrt(x), x.dtype.type(0))
    return xp.where(x == -math.inf, x.dtype.type(math.inf), root)


@pow_.gradient
def _(dz, *, x, y, output, needed):
    cx, cy = conj_of(x), conj_of(y)
    dx = dy = None
    if needed[0]:
        dx = mul(mul(dz, cy), pow_(cx, sub(cy, scalar(1, cy))))
    if needed[1]:
        # log is computed only where it exists: elsewhere the power does not depend on `y`.
        zero, one = scalar(0, cx), scalar(1, cx)
        usable = not_equal(cx, zero) if cx.dtype.is_complex else greater(cx, zero)
        safe_log = select_v2(usable, log(select_v2(usable, cx, one)), zero)
        # In this order: a zero upstream gradient must not overflow.
        dy = mul(mul(dz, conj_of(output)), safe_log)
    return dx, dy
