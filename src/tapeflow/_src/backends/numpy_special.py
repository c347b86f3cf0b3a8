"""The special functions of eager execution: SciPy's, and what SciPy lacks. Loaded at first use."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import *  # noqa: F403
from scipy.special import digamma, gammaln
from scipy.special import erf as _erf

from tapeflow._src.core.types import Array

# atanh(erf(x)) / x as a polynomial of x**2, while erf is less than 1; beyond, it stays larger.
_ERF = (
    *(1.1283792742940122, 0.10276905588356498, -0.00019183096690247983, -0.0006197845501665089),
    *(8.763729789570347e-05, -5.668472479393518e-06, 1.4185212930612915e-07),
)
# Elements from which on a polynomial takes less time than SciPy's loop.
_MANY = 512


def erf(x: Any) -> Any:
    """Compute the error function; of many float32 with at most four units of error."""
    if x.size < _MANY or x.dtype != np.float32:
        return _erf(x)
    square = np.multiply(x, x)
    value = np.multiply(square, np.float32(_ERF[-1]))
    for coefficient in _ERF[-2:0:-1]:
        value += np.float32(coefficient)
        value *= square
    value += np.float32(_ERF[0])
    value *= x
    return np.tanh(value, out=value)


_MOST_TERMS = 20_000
# Up to this order the series and the fraction converge within this many terms.
_LARGE = 1e6


def igamma_grad_a(a: Array, x: Array) -> Any:
    """Compute the derivative of the lower incomplete gamma function `gammainc(a, x)` w.r.t. `a`."""
    dtype = np.result_type(a, x)
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    inside = (a > 0) & (x > 0) & (a <= _LARGE) & (x < np.inf)
    safe_a, safe_x = np.where(inside, a, 1.0), np.where(inside, x, 1.0)
    by_series = (safe_x <= 1) | (safe_x <= safe_a)
    near = _by_series(safe_a, np.where(by_series, safe_x, 0.5))
    far = _by_fraction(np.where(by_series, 1.0, safe_a), np.where(by_series, 2.0, safe_x))
    result = np.where(by_series, near, far)
    outside = np.where((a > _LARGE) & (a < np.inf), _of_large_order(a, x), 0.0)
    defined = (x == 0) | ((a > 0) & (x > 0))
    return np.where(inside, result, np.where(defined, outside, np.nan)).astype(dtype)


def _of_large_order(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Approximate large orders: the cube root of a gamma variable is normal (Wilson, Hilferty)."""
    root = np.cbrt(x / a)
    deviation = 3 * np.sqrt(a) * (root - 1 + 1 / (9 * a))
    density = np.exp(-np.square(deviation) / 2) / np.sqrt(2 * np.pi)
    slope = (root - 3 - 1 / (3 * a)) / (2 * np.sqrt(a))
    return np.where(density == 0, 0.0, density * slope)


def _by_series(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Sum the series P(a, x) = x**a e**-x / Gamma(a + 1) * sum of x**n / ((a + 1) ... (a + n))."""
    term, term_slope = np.ones_like(x), np.zeros_like(x)
    total, slope = term.copy(), term_slope.copy()
    for n in range(1, _MOST_TERMS):
        ratio = x / (a + n)
        term_slope = ratio * (term_slope - term / (a + n))
        term = ratio * term
        total += term
        slope += term_slope
        if np.all(np.abs(term_slope) <= 1e-16 * np.abs(slope)) and np.all(term <= 1e-16 * total):
            break
    front = np.exp(a * np.log(x) - x - gammaln(a + 1))
    return front * ((np.log(x) - digamma(a + 1)) * total + slope)


def _by_fraction(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Evaluate the continued fraction of 1 - P(a, x) and its derivative, by Lentz's method."""
    below = x + 1 - a
    below_slope = -1.0
    up, up_slope = np.full_like(x, 1e300), np.zeros_like(x)
    down, down_slope = 1 / below, 1 / below**2
    value, slope = down, down_slope
    for n in range(1, _MOST_TERMS):
        above, above_slope = n * (a - n), float(n)
        below = below + 2
        up, up_slope = (
            below + above / up,
            below_slope + above_slope / up - above * (up_slope / up) / up,
        )
        inverse = below + above * down
        inverse_slope = below_slope + above_slope * down + above * down_slope
        down, down_slope = 1 / inverse, -inverse_slope / inverse**2
        factor, factor_slope = up * down, up_slope * down + up * down_slope
        value, slope = value * factor, slope * factor + value * factor_slope
        if np.all(np.abs(factor - 1) <= 1e-15) and np.all(
            np.abs(value * factor_slope) <= 1e-15 * np.abs(slope)
        ):
            break
    front = np.exp(a * np.log(x) - x - gammaln(a))
    return -front * ((np.log(x) - digamma(a)) * value + slope)
