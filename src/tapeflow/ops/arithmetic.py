"""Element-wise arithmetic of two tensors, and the signs: what the Python operators compute."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.core.dtypes import COMPLEX, FLOATING_COMPLEX, INTEGER, NUMERIC, REAL
from tapeflow.core.infer import broadcast, same_as
from tapeflow.core.registry import op
from tapeflow.core.spec import Spec
from tapeflow.ops.cast import cast

_INTEGER_DIVISION_BY_ZERO = "Integer division by zero"
_SIGNED = NUMERIC - dtypes.UNSIGNED


@op("Conj", infer=same_as("input"), dtypes=COMPLEX)
def conj(xp, input):
    """The complex conjugate."""
    return xp.conj(input)


@conj.gradient
def _(dz):
    return conj(dz)


def conj_of(x: Any) -> Any:
    """The conjugate, which of a real tensor is the tensor itself."""
    return conj(x) if x.dtype.is_complex else x


@op("AddV2", infer=broadcast, dtypes=NUMERIC | {dtypes.string})
def add_v2(xp, x, y):
    """`x + y`, element by element; strings are joined."""
    return xp.add(x, y)


@add_v2.gradient
def _(dz):
    return dz, dz


@op("Sub", infer=broadcast, dtypes=NUMERIC)
def sub(xp, x, y):
    """`x - y`, element by element."""
    return xp.subtract(x, y)


@sub.gradient
def _(dz, *, needed):
    return dz, neg(dz) if needed[1] else None


@op("Mul", infer=broadcast, dtypes=NUMERIC)
def mul(xp, x, y):
    """`x * y`, element by element."""
    return xp.multiply(x, y)


@mul.gradient
def _(dz, *, x, y, needed):
    return (
        mul(dz, conj_of(y)) if needed[0] else None,
        mul(dz, conj_of(x)) if needed[1] else None,
    )


@op("RealDiv", infer=broadcast, dtypes=FLOATING_COMPLEX)
def real_div(xp, x, y):
    """`x / y`, element by element."""
    return xp.divide(x, y)


@real_div.gradient
def _(dz, *, x, y, needed):
    y = conj_of(y)
    dx = real_div(dz, y)
    if not needed[1]:
        return dx, None
    return dx, mul(dx, neg(real_div(conj_of(x), y)))


@op("FloorDiv", infer=broadcast, dtypes=REAL, grad=None)
def floor_div(xp, x, y):
    """`x / y` rounded towards negative infinity."""
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), _INTEGER_DIVISION_BY_ZERO)
        return xp.floor_divide(x, y)
    return xp.floor(xp.divide(x, y))


@op("FloorMod", infer=broadcast, dtypes=REAL)
def floor_mod(xp, x, y):
    """The remainder of `floor_div`: it has the sign of `y`."""
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), _INTEGER_DIVISION_BY_ZERO)
    return xp.mod(x, y)


@floor_mod.gradient
def _(dz, *, x, y, needed):
    return dz, mul(neg(dz), floor_div(x, y)) if needed[1] else None


@op("Neg", infer=same_as("x"), dtypes=_SIGNED)
def neg(xp, x):
    """`-x`, element by element."""
    return xp.negative(x)


@neg.gradient
def _(dz):
    return neg(dz)


@op("Sign", infer=same_as("x"), dtypes=_SIGNED)
def sign(xp, x):
    """-1, 0 or 1 by the sign of `x`; `x / |x|` if complex."""
    return xp.sign(x)


@sign.gradient
def _(dz):
    return mul(dz, dispatch.convert(0, dz.dtype))


@op("Abs", infer=same_as("x"), dtypes=REAL - dtypes.UNSIGNED)
def abs_(xp, x):
    """The absolute value of a real tensor."""
    return xp.abs(x)


@abs_.gradient
def _(dz, *, x):
    return mul(dz, sign(x))


@op("ComplexAbs", dtypes=COMPLEX)
def complex_abs(xp, x):
    """The absolute value of a complex tensor: a real one."""
    return xp.abs(x)


@complex_abs.infer
def _(x):
    return Spec(x.shape, x.dtype.real_dtype)


@complex_abs.gradient
def _(dz, *, x):
    return mul(cast(dz, DstT=x.dtype), sign(x))


# -- what an operator or function means for a dtype -------------------------------------------

_TRUE_DIVISION = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


def true_divide(x: Any, y: Any) -> Any:
    """`x / y` as Python means it: integers give floats."""
    x, y = real_div.convert_inputs((x, y))
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype in INTEGER:
        target = _TRUE_DIVISION[x.dtype]
        x, y = cast(x, DstT=target), cast(y, DstT=target)
    return real_div(x, y)


def absolute(x: Any) -> Any:
    """The absolute value; unsigned tensors are their own."""
    x = dispatch.convert(x)
    if x.dtype.is_complex:
        return complex_abs(x)
    return x if x.dtype.is_unsigned else abs_(x)
