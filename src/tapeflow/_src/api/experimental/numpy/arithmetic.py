"""Binary element-wise functions with NumPy's type promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import bitwise
from tapeflow._src.api.arrays import where, zeros_like
from tapeflow._src.api.control_flow import while_loop
from tapeflow._src.api.experimental.numpy.elementwise import exp2, log1p
from tapeflow._src.api.experimental.numpy.promotion import (
    asarray,
    promote,
    promote_as_numpy,
    to_float,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert

_Binary = Callable[[Any, Any], Any]


def _apply(compute: _Binary, x1: Any, x2: Any, of_bools: _Binary | None = None) -> Any:
    """Apply `compute` in the common dtype; `of_bools` replaces it for booleans."""
    x1, x2 = promote_as_numpy(x1, x2)
    if of_bools is not None and x1.dtype.is_bool:
        return of_bools(x1, x2)
    return compute(x1, x2)


def _as_bytes(compute: _Binary) -> _Binary:
    """Return `compute` applied to booleans as the integers 0 and 1."""
    return lambda x, y: compute(cast(x, dtypes.int8), cast(y, dtypes.int8))


# -- the four operations, and powers -------------------------------------------------------------


def add(x1: Any, x2: Any) -> Any:
    """Compute `x1 + x2`; logical OR of booleans."""
    return _apply(tfm.add, x1, x2, tfm.logical_or)


def subtract(x1: Any, x2: Any) -> Any:
    """Compute `x1 - x2`."""
    return _apply(tfm.subtract, x1, x2)


def multiply(x1: Any, x2: Any) -> Any:
    """Compute `x1 * x2`; logical AND of booleans."""
    return _apply(tfm.multiply, x1, x2, tfm.logical_and)


def true_divide(x1: Any, x2: Any) -> Any:
    """Compute `x1 / x2`; integers are converted to floats."""
    x1, x2 = promote_as_numpy(x1, x2)
    if not (x1.dtype.is_floating or x1.dtype.is_complex):
        x1, x2 = cast(x1, dtypes.float64), cast(x2, dtypes.float64)
    return tfm.truediv(x1, x2)


def divide(x1: Any, x2: Any) -> Any:
    """Compute `x1 / x2`; integers are converted to floats."""
    return true_divide(x1, x2)


def floor_divide(x1: Any, x2: Any) -> Any:
    """Compute `x1 / x2` rounded towards negative infinity."""
    return _apply(tfm.floordiv, x1, x2, _as_bytes(tfm.floordiv))


def mod(x1: Any, x2: Any) -> Any:
    """Compute the remainder of `floor_divide`, which has the sign of `x2`."""
    return _apply(tfm.floormod, x1, x2, _as_bytes(tfm.floormod))


def remainder(x1: Any, x2: Any) -> Any:
    """Compute the remainder of `floor_divide`, which has the sign of `x2`."""
    return mod(x1, x2)


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Compute `floor_divide` and `mod`."""
    return floor_divide(x1, x2), mod(x1, x2)


def power(x1: Any, x2: Any) -> Any:
    """Compute `x1` to the power `x2`."""
    return _apply(tfm.pow, x1, x2)


def float_power(x1: Any, x2: Any) -> Any:
    """Compute `x1` to the power `x2` in their common dtype."""
    return power(x1, x2)


def gcd(x1: Any, x2: Any) -> Any:
    """Compute the greatest common divisor."""
    x1, x2 = _integers(x1, x2)
    # Both have the shape of the result from the start: a loop keeps the shapes of its variables.
    x1, x2 = tfm.add(x1, zeros_like(x2)), tfm.add(x2, zeros_like(x1))
    zero = convert(0, x1.dtype)

    def is_left(a: Any, b: Any) -> Any:
        return tfm.reduce_any(tfm.not_equal(b, zero))

    def step(a: Any, b: Any) -> tuple[Any, Any]:
        done = tfm.equal(b, zero)
        left = tfm.floormod(a, where(done, convert(1, b.dtype), b))
        return where(done, a, b), where(done, b, left)

    divisor, _ = while_loop(is_left, step, (x1, x2))
    return _magnitude(divisor)


def lcm(x1: Any, x2: Any) -> Any:
    """Compute the least common multiple."""
    divisor = gcd(x1, x2)
    x1, x2 = _integers(x1, x2)
    zero, one = convert(0, divisor.dtype), convert(1, divisor.dtype)
    none = tfm.equal(divisor, zero)
    multiple = tfm.multiply(x1, tfm.floordiv(x2, where(none, one, divisor)))
    return where(none, zero, _magnitude(multiple))


def _integers(x1: Any, x2: Any) -> tuple[Any, ...]:
    x1, x2 = promote_as_numpy(x1, x2)
    if not x1.dtype.is_integer:
        raise ValueError(f"Arguments to gcd must be integers. Received dtype {x1.dtype.name}.")
    return x1, x2


def _magnitude(x: Any) -> Any:
    return x if x.dtype.is_unsigned else tfm.abs(x)


# -- of floats -------------------------------------------------------------------------------------


def arctan2(x1: Any, x2: Any) -> Any:
    """Compute the angle of the point (x2, x1) in radians."""
    return _apply(tfm.atan2, x1, x2)


def hypot(x1: Any, x2: Any) -> Any:
    """Compute `sqrt(x1**2 + x2**2)`."""
    squares = add(tfm.square(asarray(x1)), tfm.square(asarray(x2)))
    return tfm.sqrt(to_float(squares))


def heaviside(x1: Any, x2: Any) -> Any:
    """Compute the Heaviside step function of `x1`, which is `x2` at 0."""
    x1, x2 = promote_as_numpy(x1, x2)
    if x1.dtype.is_bool:
        raise TypeError("heaviside takes numbers, not bool.")
    x1, x2 = to_float(x1), to_float(x2)
    zero, one = convert(0, x1.dtype), convert(1, x1.dtype)
    return where(tfm.less(x1, zero), zero, where(tfm.greater(x1, zero), one, x2))


def logaddexp(x1: Any, x2: Any) -> Any:
    """Compute `log(exp(x1) + exp(x2))`."""
    larger, distance, total = _larger_and_distance(x1, x2)
    return where(tfm.is_nan(distance), total, tfm.add(larger, log1p(tfm.exp(-distance))))


def logaddexp2(x1: Any, x2: Any) -> Any:
    """Compute `log2(2**x1 + 2**x2)`; float64 with NumPy's promotion."""
    larger, distance, total = _larger_and_distance(x1, x2)
    result = larger + log1p(exp2(-distance)) / np.log(2)
    return where(tfm.is_nan(distance), cast(total, result.dtype), result)


def _larger_and_distance(x1: Any, x2: Any) -> tuple[Any, Any, Any]:
    x1, x2 = promote_as_numpy(x1, x2)
    tfm.subtract(x1, x2)  # refuses booleans
    x1, x2 = to_float(x1), to_float(x2)
    return tfm.maximum(x1, x2), tfm.abs(tfm.subtract(x1, x2)), tfm.add(x1, x2)


def nextafter(x1: Any, x2: Any) -> Any:
    """Return the next float after `x1` towards `x2`."""
    return _apply(tfm.nextafter, x1, x2)


# -- bounds ----------------------------------------------------------------------------------------


def maximum(x1: Any, x2: Any) -> Any:
    """Compute the element-wise maximum; logical OR of booleans."""
    return _apply(tfm.maximum, x1, x2, tfm.logical_or)


def minimum(x1: Any, x2: Any) -> Any:
    """Compute the element-wise minimum; logical AND of booleans."""
    return _apply(tfm.minimum, x1, x2, tfm.logical_and)


def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clip values to `[a_min, a_max]`; either bound may be None."""
    if a_min is None and a_max is None:
        raise ValueError("clip needs a_min or a_max, received None for both.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    a, a_min, a_max = promote(a, a_min, a_max)
    return tfm.minimum(tfm.maximum(a, a_min), a_max)


# -- bits ------------------------------------------------------------------------------------------


def bitwise_and(x1: Any, x2: Any) -> Any:
    """Compute the bitwise AND."""
    return _apply(bitwise.bitwise_and, x1, x2, tfm.logical_and)


def bitwise_or(x1: Any, x2: Any) -> Any:
    """Compute the bitwise OR."""
    return _apply(bitwise.bitwise_or, x1, x2, tfm.logical_or)


def bitwise_xor(x1: Any, x2: Any) -> Any:
    """Compute the bitwise XOR."""
    return _apply(bitwise.bitwise_xor, x1, x2, tfm.logical_xor)
