"""The derivative of gamma samples w.r.t. their shape: implicit differentiation, on NumPy.

A gamma sample `x` with parameter `a` keeps its quantile, `P(a, x)`, when `a` moves; so `dx/da =
-(dP/da) / (dP/dx)`. `P` is a power series below the parameter and a continued fraction above it;
both are differentiated term by term, and the density cancels out.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

_MOST_TERMS = 2000
_RELATIVE = 1e-14
_LARGE = 2.0**100  # the fraction's numerators and denominators are scaled down beyond it


def sample_gradient(xp: ModuleType, alpha: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Return the derivative of each `sample` w.r.t. its `alpha`, in double precision."""
    a, x = np.broadcast_arrays(alpha.astype(np.float64), sample.astype(np.float64))
    shape, a, x = a.shape, a.reshape(-1), x.reshape(-1)
    result = np.full(a.shape, np.nan)
    sensible = (a > 0) & (x >= 0) & np.isfinite(a) & np.isfinite(x)
    above = sensible & (x > 1) & (x > a)
    below = sensible & ~above
    result[below] = _by_series(xp, a[below], x[below])
    result[above] = _by_fraction(xp, a[above], x[above])
    return result.reshape(shape)


def _by_series(xp: ModuleType, a: np.ndarray, x: np.ndarray) -> np.ndarray:
    # P = x^a e^-x / Γ(a+1) · Σ x^n / ((a+1)…(a+n))
    term = np.ones_like(a)
    slope = np.zeros_like(a)  # of the term, by a
    total, total_slope = term.copy(), slope.copy()
    for n in range(1, _MOST_TERMS):
        factor = x / (a + n)
        slope = factor * (slope - term / (a + n))
        term = term * factor
        total += term
        total_slope += slope
        if (np.abs(slope) <= _RELATIVE * np.abs(total_slope)).all():
            break
    log_x = np.log(np.where(x > 0, x, 1.0))
    moved = -(x / a) * (total * (log_x - xp.special.digamma(a + 1)) + total_slope)
    return np.where(x > 0, moved, 0.0)


def _by_fraction(xp: ModuleType, a: np.ndarray, x: np.ndarray) -> np.ndarray:
    # 1 - P = x^a e^-x / Γ(a) · F, with F the limit of p/q below; d… is a derivative w.r.t. a.
    y, z = 1 - a, x + 2 - a
    p0, q0, p1, q1 = np.ones_like(a), x.copy(), x + 1, z * x
    dp0, dq0, dp1, dq1 = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a), -x
    value = p1 / q1
    slope = (dp1 - value * dq1) / q1
    for n in range(1, _MOST_TERMS):
        y, z = y + 1, z + 2
        p, q = p1 * z - p0 * y * n, q1 * z - q0 * y * n
        dp = dp1 * z - p1 - dp0 * y * n + p0 * n
        dq = dq1 * z - q1 - dq0 * y * n + q0 * n
        value = p / q
        before, slope = slope, (dp - value * dq) / q
        if (np.abs(slope - before) <= _RELATIVE * np.abs(slope)).all():
            break
        scale = np.where(np.abs(p) > _LARGE, 1 / _LARGE, 1.0)
        p0, q0, dp0, dq0 = (v * scale for v in (p1, q1, dp1, dq1))
        p1, q1, dp1, dq1 = (v * scale for v in (p, q, dp, dq))
    return x * (value * (np.log(x) - xp.special.digamma(a)) + slope)
