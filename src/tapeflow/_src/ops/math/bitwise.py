"""Ops on the bits of integers."""

from __future__ import annotations

from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import INTEGER, uint8
from tapeflow._src.core.infer import broadcast, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, KEEPS_WEAK, TOTAL


@op("BitwiseAnd", infer=broadcast, dtypes=INTEGER, grad=None)
def bitwise_and(xp, x, y):
    """Compute the bitwise AND."""
    return xp.bitwise_and(x, y)


@op("BitwiseOr", infer=broadcast, dtypes=INTEGER, grad=None)
def bitwise_or(xp, x, y):
    """Compute the bitwise OR."""
    return xp.bitwise_or(x, y)


@op("BitwiseXor", infer=broadcast, dtypes=INTEGER, grad=None)
def bitwise_xor(xp, x, y):
    """Compute the bitwise XOR."""
    return xp.bitwise_xor(x, y)


@op("Invert", infer=same_as("x"), dtypes=INTEGER, grad=None, traits=(KEEPS_WEAK, TOTAL))
def invert(xp, x):
    """Compute the bitwise complement."""
    return xp.invert(x)


def _bit_width(x):
    return x.dtype.itemsize * 8


@op("LeftShift", infer=broadcast, dtypes=INTEGER, grad=None)
def left_shift(xp, x, y):
    """Shift `x` left by `y` bits; `y` is clamped to the width of the type."""
    return xp.left_shift(x, xp.clip(y, 0, _bit_width(x) - 1))


@op("RightShift", infer=broadcast, dtypes=INTEGER, grad=None)
def right_shift(xp, x, y):
    """Shift `x` right by `y` bits, keeping the sign; `y` is clamped to the width of the type."""
    return xp.right_shift(x, xp.clip(y, 0, _bit_width(x) - 1))


@op(
    "PopulationCount",
    infer=lambda op, specs, attrs: _uint8_like(specs[0]),
    dtypes=INTEGER,
    grad=None,
    traits=(ELEMENTWISE,),
    batch=on_values,
)
def population_count(xp, x):
    """Count the bits set."""
    unsigned = f"uint{_bit_width(x)}"
    return xp.bitwise_count(x.view(unsigned)).astype("uint8")


def _uint8_like(spec):
    return Spec(spec.shape, uint8)
