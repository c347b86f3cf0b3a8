"""Element-wise functions of one tensor."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch
from tapeflow.core.dtypes import FLOATING_COMPLEX, NUMERIC
from tapeflow.core.infer import same_as
from tapeflow.core.registry import op
from tapeflow.ops.arithmetic import conj_of, mul, real_div


def scalar(value: float, like: Any) -> Any:
    """`value` as a tensor of the dtype of `like`."""
    return dispatch.convert(value, like.dtype)


@op("Exp", infer=same_as("x"), dtypes=FLOATING_COMPLEX)
def exp(xp, x):
    """e to the power `x`."""
    return xp.exp(x)


@exp.gradient
def _(dz, *, output):
    return mul(dz, conj_of(output))


@op("Log", infer=same_as("x"), dtypes=FLOATING_COMPLEX)
def log(xp, x):
    """The natural logarithm."""
    return xp.log(x)


@log.gradient
def _(dz, *, x):
    return real_div(dz, conj_of(x))


@op("Square", infer=same_as("x"), dtypes=NUMERIC)
def square(xp, x):
    """`x * x`."""
    return xp.square(x)


@square.gradient
def _(dz, *, x):
    return mul(dz, mul(scalar(2, x), conj_of(x)))


@op("Sqrt", infer=same_as("x"), dtypes=FLOATING_COMPLEX)
def sqrt(xp, x):
    """The square root."""
    return xp.sqrt(x)


@sqrt.gradient
def _(dz, *, output):
    return real_div(mul(dz, scalar(0.5, dz)), conj_of(output))
