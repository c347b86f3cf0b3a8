"""The functions of float32 in compiled code are within three units of the last place."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from tapeflow._src.backends import jax_single

INSIDE = np.concatenate([np.linspace(-1, 1, 20_001), [0.0, -0.0, 1e-30, -1e-30, 0.5, -0.5]])
WIDE = np.concatenate(
    [np.linspace(-50, 50, 20_001), [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, 1.0, -1.0]]
)
ABOVE = np.concatenate([np.linspace(-0.999, 20, 20_001), [-1, -2, np.inf, np.nan, -0.0, 1e-9, 1e9]])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("arcsin", INSIDE),
        ("arccos", INSIDE),
        ("arctan", WIDE),
        ("log1p", ABOVE),
        ("arctanh", INSIDE),
    ],
)
def test_errors_are_at_most_three_units(name: str, values: np.ndarray) -> None:
    x = values.astype(np.float32)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.float64))
    _compare(np.asarray(jax.jit(getattr(jax_single, name))(x)), exact)


def test_angles_of_points_are_exact_in_all_quadrants() -> None:
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.3, -7.0, 1e-30, 1e30, np.inf, -np.inf, np.nan])
    y, x = (part.astype(np.float32).reshape(-1) for part in np.meshgrid(parts, parts))
    exact = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    angles = np.asarray(jax.jit(jax_single.arctan2)(y, x))
    normal = (exact == 0) | (np.abs(exact) > np.finfo(np.float32).tiny) | np.isnan(exact)
    _compare(angles[normal], exact[normal])


@pytest.mark.parametrize("name", ["arcsin", "arccos"])
def test_outside_of_the_domain_they_are_undefined(name: str) -> None:
    x = np.array([1.5, -2.0, np.inf, np.nan], np.float32)
    assert np.isnan(np.asarray(getattr(jax_single, name)(x))).all()


def _compare(actual: Any, exact: Any) -> None:
    expected = exact.astype(np.float32)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[signed], np.signbit(expected)[signed])
    error = np.abs(actual[finite].astype(np.float64) - exact[finite])
    assert (error <= 3 * np.spacing(np.abs(expected[finite]))).all()
