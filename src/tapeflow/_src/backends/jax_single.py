"""Inverse circular functions, `arctanh`, `log1p` and `expm1` of float32 for compiled code.

XLA calls the C library for each element of these, or computes two exponentials; a polynomial is one
vectorised loop. Errors are at most three units in the last place. The coefficients interpolate at
Chebyshev nodes.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

# (arctan(x) / x - 1) / x**2 and (arcsin(x) / x - 1) / x**2, as polynomials of x**2.
_ARCTAN = (
    *(-0.333333331, 0.199999547, -0.142841429, 0.110896555, -0.0893885729),
    *(0.0705189947, -0.0492950709, 0.0266320501, -0.00931730637, 0.00152672782),
)
_ARCSIN = (0.166666663, 0.0750009876, 0.0445980322, 0.0311161564, 0.0170778595, 0.0338057481)
# (arctanh(x) / x - 1) / x**2, likewise, up to 0.5.
_ARCTANH = (
    *(0.333333333, 0.200000039, 0.142854094, 0.111204266),
    *(0.0895103702, 0.0881793731, 0.0181084293, 0.158605199),
)
_HALF_PI, _PI = np.float32(np.pi / 2), np.float32(np.pi)
# What float32 misses of pi / 2.
_REST = np.float32(np.pi / 2 - float(_HALF_PI))


def is_single(*arrays: Any) -> bool:
    """Whether all are real numbers of single precision."""
    return all(array.dtype == np.float32 for array in arrays)


def _odd(coefficients: tuple[float, ...], x: Any, square: Any) -> Any:
    """Return `x + x**3 * polynomial(x**2)`."""
    value = jnp.full_like(square, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * square + np.float32(coefficient)
    return x + x * (square * value)


def arctan(x: Any) -> Any:
    """Compute the inverse tangent."""
    large = jnp.abs(x) > 1
    inside = jnp.where(large, -1 / jnp.where(large, x, 1), x)
    angle = _odd(_ARCTAN, inside, inside * inside)
    beyond = jnp.copysign(_HALF_PI, x) + (angle + jnp.copysign(_REST, x))
    return jnp.copysign(jnp.where(large, beyond, angle), x)


def arctan2(y: Any, x: Any) -> Any:
    """Compute the angle of `(x, y)`, of which no part is subnormal."""
    width, height = jnp.abs(x), jnp.abs(y)
    longest, shortest = jnp.maximum(width, height), jnp.minimum(width, height)
    level = (longest == shortest) & (longest > 0)  # infinite parts, too
    regular = (longest > 0) & ~level
    slope = jnp.where(regular, shortest / jnp.where(regular, longest, 1), shortest)
    slope = jnp.where(level, 1, slope)
    angle = _odd(_ARCTAN, slope, slope * slope)
    angle = jnp.where(height > width, _HALF_PI - angle, angle)
    angle = jnp.where(jnp.signbit(x), _PI - angle, angle)
    return jnp.copysign(angle, y)


def _half_angle(x: Any, large: Any) -> Any:
    """Return the inverse sine of `|x|` up to 0.5, and of `sqrt((1 - |x|) / 2)` above."""
    square = jnp.where(large, (1 - jnp.abs(x)) / 2, x * x)
    root = jnp.sqrt(jnp.where(large, square, 1))
    return _odd(_ARCSIN, jnp.where(large, root, jnp.abs(x)), square)


def arcsin(x: Any) -> Any:
    """Compute the inverse sine; NaN outside of -1 to 1."""
    large = jnp.abs(x) > 0.5
    angle = _half_angle(x, large)
    return jnp.copysign(jnp.where(large, _HALF_PI - (2 * angle - _REST), angle), x)


def arccos(x: Any) -> Any:
    """Compute the inverse cosine; NaN outside of -1 to 1."""
    large = jnp.abs(x) > 0.5
    angle = _half_angle(x, large)
    beyond = jnp.where(x > 0, 2 * angle, _PI - (2 * angle - 2 * _REST))
    return jnp.where(large, beyond, _HALF_PI - (jnp.copysign(angle, x) - _REST))


def log1p(x: Any) -> Any:
    """Compute the logarithm of `1 + x`: the rounding error of the sum is divided out."""
    # Simplified, `(1 + x) - 1` would be `x`.
    total = lax.optimization_barrier(1 + x)
    error = total - 1
    exact = (error == 0) | (error == x) | jnp.isinf(total)
    ratio = jnp.where(exact, 1, x / jnp.where(exact, 1, error))
    return jnp.where(error == 0, x, jnp.log(total) * ratio)


def arctanh(x: Any) -> Any:
    """Compute the inverse of the hyperbolic tangent; NaN outside of -1 to 1."""
    large = jnp.abs(x) > 0.5
    inside = jnp.where(large, 0, x)
    outside = jnp.where(large, x, 0)
    direct = jnp.log((1 + outside) / (1 - outside)) * 0.5
    return jnp.where(large, direct, _odd(_ARCTANH, inside, inside * inside))


# exp(r) = 1 + r + r**2 * polynomial(r), for |r| up to log(2) / 2.
_EXP = (1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040)
_LOG2_E = np.float32(1.44269504)
# log(2) in two parts, of which the first has few digits: its multiples are exact.
_LOG_2, _LOG_2_REST = np.float32(0.693359375), np.float32(-2.12194440e-4)
# Arguments below and above which the result is -1 and infinite.
_LOWEST, _HIGHEST = np.float32(-20), np.float32(89)
_EXPONENT_BITS, _EXPONENT_BIAS = 23, 127


def expm1(x: Any) -> Any:
    """Compute `exp(x) - 1`, as `2**n * exp(r) - 1`."""
    inside = jnp.clip(x, _LOWEST, _HIGHEST)
    whole = jnp.round(inside * _LOG2_E)
    rest = (inside - whole * _LOG_2) - whole * _LOG_2_REST
    value = jnp.full_like(rest, _EXP[-1])
    for coefficient in _EXP[-2::-1]:
        value = value * rest + np.float32(coefficient)
    value = rest + rest * (rest * value)
    # Half of the power: that of the largest arguments is no float32.
    exponent = whole.astype(np.int32) + (_EXPONENT_BIAS - 1)
    power = lax.bitcast_convert_type(exponent << _EXPONENT_BITS, np.float32)
    result = (power * value + (power - np.float32(0.5))) * 2
    return jnp.where(whole == 0, jnp.where(x == 0, x, value), result)
