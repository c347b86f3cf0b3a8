"""Further divisions: truncating as in C, and quotients that are zero for a zero operand."""

from __future__ import annotations

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, FLOATING_COMPLEX, NUMERIC, REAL
from tapeflow._src.core.infer import broadcast
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import INTEGER_DIVISION_BY_ZERO, add_v2, conj_of, mul, neg
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import scalar

_MOD = FLOATING | {dtypes.int32, dtypes.int64}


def _truncated_quotient(xp, x, y):
    """Divide integers, rounding towards zero."""
    xp.require(xp.all(y != 0), INTEGER_DIVISION_BY_ZERO)
    return xp.floor_divide(xp.subtract(x, xp.fmod(x, y)), y)


@op("Div", infer=broadcast, dtypes=NUMERIC)
def div(xp, x, y):
    """Compute `x / y`; integers round towards zero."""
    return _truncated_quotient(xp, x, y) if x.dtype.kind in "iu" else xp.divide(x, y)


@div.gradient
def _(dz, *, y, output, needed):
    dx = div(dz, conj_of(y))
    return dx, mul(neg(dx), conj_of(output)) if needed[1] else None


@op("TruncateDiv", infer=broadcast, dtypes=REAL, grad=None, traits=(PROMOTES,))
def truncate_div(xp, x, y):
    """Compute `x / y` rounded towards zero."""
    if x.dtype.kind in "iu":
        return _truncated_quotient(xp, x, y)
    return xp.trunc(xp.divide(x, y))


def _truncated_remainder(xp, x, y):
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), INTEGER_DIVISION_BY_ZERO)
    return xp.fmod(x, y)


@op("TruncateMod", infer=broadcast, dtypes=_MOD, grad=None)
def truncate_mod(xp, x, y):
    """Compute the remainder of `truncate_div`: it has the sign of `x`."""
    return _truncated_remainder(xp, x, y)


@op("Mod", infer=broadcast, dtypes=_MOD, grad=None)
def mod(xp, x, y):
    """Compute the remainder of `x / y` with the sign of `x`: an alias of `truncate_mod`."""
    return _truncated_remainder(xp, x, y)


# -- zero wins -------------------------------------------------------------------------------


@op(
    "DivNoNan",
    infer=broadcast,
    dtypes=FLOATING_COMPLEX,
    traits=(OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES),
    public_name="div_no_nan",
)
def div_no_nan(xp, x, y):
    """Compute `x / y`, and 0 where `y` is 0."""
    zero = y == 0
    return xp.where(zero, _zero(xp, x), xp.divide(x, xp.where(zero, _scalar_one(xp, y), y)))


def _zero(xp, like):
    return xp.asarray(0, like.dtype)


def _scalar_one(xp, like):
    return xp.asarray(1, like.dtype)


@div_no_nan.gradient
def _(dz, *, y, output, needed):
    dx = div_no_nan(dz, conj_of(y))
    return dx, mul(neg(dx), conj_of(output)) if needed[1] else None


@op(
    "MulNoNan",
    infer=broadcast,
    dtypes=FLOATING_COMPLEX,
    traits=(OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES),
)
def mul_no_nan(xp, x, y):
    """Compute `x * y`, and 0 where `y` is 0, even if `x` is infinite or NaN."""
    return xp.where(y == 0, _zero(xp, x), xp.multiply(x, y))


@mul_no_nan.gradient
def _(dz, *, x, y, needed):
    return (
        mul_no_nan(dz, conj_of(y)) if needed[0] else None,
        mul_no_nan(conj_of(x), dz) if needed[1] else None,
    )


@op("Xdivy", infer=broadcast, dtypes=FLOATING_COMPLEX, traits=(TOTAL_ON_SHAPES,))
def xdivy(xp, x, y):
    """Compute `x / y`, and 0 where `x` is 0."""
    return xp.where(x == 0, _zero(xp, x), xp.divide(x, y))


@xdivy.gradient
def _(dz, *, x, y, needed):
    dx = dy = None
    if needed[0]:
        dx = mul(dz, conj_of(xdivy(_where_counted(x), y)))
    if needed[1]:
        dy = mul(dz, conj_of(xdivy(neg(x), mul(y, y))))
    return dx, dy


def _where_counted(x):
    """Return 1 where `x` is not 0, else 0."""
    return select_v2(not_equal(x, scalar(0, x)), scalar(1, x), scalar(0, x))


@op("Xlogy", infer=broadcast, dtypes=FLOATING_COMPLEX, traits=(TOTAL_ON_SHAPES,))
def xlogy(xp, x, y):
    """Compute `x * log(y)`, and 0 where `x` is 0."""
    return xp.where(x == 0, _zero(xp, x), xp.multiply(x, xp.log(y)))


@xlogy.gradient
def _(dz, *, x, y, needed):
    dx = dy = None
    if needed[0]:
        dx = mul(dz, conj_of(xlogy(_where_counted(x), y)))
    if needed[1]:
        dy = mul(dz, conj_of(xdivy(x, y)))
    return dx, dy


@op("Xlog1py", infer=broadcast, dtypes=FLOATING_COMPLEX, traits=(TOTAL_ON_SHAPES,))
def xlog1py(xp, x, y):
    """Compute `x * log(1 + y)`, exact near `y` = 0, and 0 where `x` is 0."""
    return xp.where(x == 0, _zero(xp, x), xp.multiply(x, xp.log1p(y)))


@xlog1py.gradient
def _(dz, *, x, y, needed):
    dx = dy = None
    if needed[0]:
        dx = mul(dz, conj_of(xlog1py(_where_counted(x), y)))
    if needed[1]:
        dy = mul(dz, conj_of(xdivy(x, add_v2(y, scalar(1, y)))))
    return dx, dy
