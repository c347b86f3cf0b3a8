"""Sine, cosine and tangent of many float32 for compiled code, by polynomials.

XLA calls the C library for each element of these. Here an angle is reduced to an eighth of a circle
by multiples of a right angle, in four parts, of which three have so few digits that their multiples
are exact up to `_LIMIT`. Arrays with a finite angle beyond that are left to XLA. Errors are at most
three units in the last place, four of the tangent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Elements from which on a conditional costs less than the C library.
MANY = 4096
_LIMIT = 8192.0
_RIGHT_ANGLE = (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12)
_TWO_OVER_PI = np.float32(2 / np.pi)
# (sin(x) / x - 1) / x**2, (cos(x) - 1 + x**2 / 2) / x**4 and (tan(x) / x - 1) / x**2, as
# polynomials of x**2 that interpolate at Chebyshev nodes.
_SIN = (-0.166666667, 0.00833333185, -0.000198400766, 2.72488181e-06)
_COS = (0.0416666667, -0.00138888876, 2.48005907e-05, -2.7299934e-07)
_TAN = (
    *(0.333333333, 0.133333437, 0.0539648675, 0.0219119761),
    *(0.0086034869, 0.00443885806, -1.60580513e-05, 0.00179680881),
)
# Slices of which the element-wise maximum is taken, so often: unlike reductions, XLA divides it
# among the cores.
_SLICES, _LEVELS = 8, 3
_WITHOUT_SIGN, _INFINITY = np.int32(0x7FFFFFFF), np.int32(0x7F800000)

Function = Callable[[Any], Any]


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    value = jnp.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * x + np.float32(coefficient)
    return value


def _reduced(x: Any) -> tuple[Any, Any]:
    """Return the number of right angles nearest to `x`, and what is left."""
    turns = jnp.round(x * _TWO_OVER_PI)
    rest = x
    for part in _RIGHT_ANGLE:
        rest = rest - turns * np.float32(part)
    quadrant = jnp.where(jnp.isfinite(turns), turns, 0).astype(np.int32)
    return quadrant, jnp.where(turns == 0, x, rest)  # -0 stays -0


def _wave(x: Any, offset: int) -> Any:
    """Compute the sine of `x` and `offset` right angles."""
    quadrant, rest = _reduced(x)
    quadrant = quadrant + offset
    square = rest * rest
    sine = rest * (1 + square * _polynomial(_SIN, square))
    cosine = 1 - (square * 0.5 - square * (square * _polynomial(_COS, square)))
    value = jnp.where(quadrant & 1 == 0, sine, cosine)
    # The second bit of the quadrant is moved to the place of the sign.
    bits = lax.bitcast_convert_type(value, np.int32) ^ ((quadrant & 2) << 30)
    return lax.bitcast_convert_type(bits, np.float32)


def _slope(x: Any) -> Any:
    """Compute the tangent."""
    quadrant, rest = _reduced(x)
    square = rest * rest
    value = rest + rest * (square * _polynomial(_TAN, square))
    return jnp.where(quadrant & 1 == 0, value, -1 / value)


def _all_near(x: Any) -> Any:
    """Whether no finite angle is beyond `_LIMIT`."""
    bits = lax.bitcast_convert_type(x, np.int32) & _WITHOUT_SIGN
    bits = jnp.where(bits < _INFINITY, bits, 0)
    if bits.shape[-1] < _SLICES * _SLICES:
        bits = bits.reshape(-1)
    for _ in range(_LEVELS):
        length = bits.shape[-1]
        width = -(-length // _SLICES)
        slices = []
        for index in range(_SLICES):
            start = min(index * width, length - width)
            slices.append(bits[..., start : start + width])
        bits = lax.optimization_barrier(reduce(jnp.maximum, slices))
    return jnp.max(bits) <= np.float32(_LIMIT).view(np.int32)


def _for_many(near: Function, plain: Function, derivative: Function) -> Function:
    """Return the function that computes `near` for many float32, `plain` for others."""

    @jax.custom_jvp
    def many(x: Any) -> Any:
        return lax.cond(_all_near(x), near, plain, x)

    @many.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return many(*primals), tangents[0] * derivative(*primals)

    def chosen(x: Any) -> Any:
        return many(x) if x.dtype == np.float32 and x.size >= MANY else plain(x)

    return chosen


def _tangent_derivative(x: Any) -> Any:
    value = tan(x)
    return 1 + value * value


sin: Function = _for_many(lambda x: _wave(x, 0), jnp.sin, lambda x: cos(x))
cos: Function = _for_many(lambda x: _wave(x, 1), jnp.cos, lambda x: -sin(x))
tan: Function = _for_many(_slope, jnp.tan, _tangent_derivative)
