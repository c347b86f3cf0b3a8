"""The special functions of both backends agree, also where each had to be completed."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from tapeflow._src.backends import jax_special, numpy_special

jax.config.update("jax_enable_x64", True)

GRID = np.concatenate([np.geomspace(1e-3, 60, 97), [0.5, 1, 2, 8]])


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1", "k0", "k0e", "k1", "k1e"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bessel_functions_agree(name: str, dtype: type) -> None:
    x = GRID.astype(dtype)
    expected = getattr(numpy_special, name)(x.astype(np.float64))
    actual = np.asarray(jax.jit(getattr(jax_special, name))(x))
    assert actual.dtype == dtype
    tolerance = 1e-6 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(actual, expected, rtol=10 * tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["j0", "j1"])
def test_waves_continue_to_negative_numbers(name: str) -> None:
    x = np.array([-0.0, -1, -7.9, -8.1, -30])
    np.testing.assert_allclose(
        getattr(jax_special, name)(x), getattr(numpy_special, name)(x), atol=1e-14
    )


@pytest.mark.parametrize("order", [0.01, 0.5, 1, 3.3, 10, 200, 1e3, 1e5])
def test_derivative_of_incomplete_gamma_is_its_slope(order: float) -> None:
    x = order * np.array([0.3, 0.9, 1.0, 1.1, 2.5])
    step = 1e-4 * order
    high, low = numpy_special.gammainc(order + step, x), numpy_special.gammainc(order - step, x)
    slope = (high - low) / (2 * step)
    a = np.full(5, order)
    np.testing.assert_allclose(numpy_special.igamma_grad_a(a, x), slope, rtol=2e-4, atol=1e-12)
    np.testing.assert_allclose(
        jax_special.igamma_grad_a(a, x), numpy_special.igamma_grad_a(a, x), rtol=1e-8, atol=1e-15
    )


@pytest.mark.parametrize("order", [1e6, 1e7, 1e9, 1e20, 1e300])
def test_gamma_of_a_large_order_ends(order: float) -> None:
    """A series that steps by 1 would not: adding 1 changes nothing there."""
    a, x = np.full(3, order), order + np.sqrt(order) * np.array([-1.0, 0.0, 1.0])
    for name in ("gammainc", "gammaincc"):
        expected = getattr(numpy_special, name)(a, x)
        np.testing.assert_allclose(getattr(jax_special, name)(a, x), expected, rtol=1e-6)
    np.testing.assert_allclose(
        jax_special.igamma_grad_a(a, x), numpy_special.igamma_grad_a(a, x), rtol=1e-4
    )


def test_edges_of_the_derivative_of_incomplete_gamma() -> None:
    a = np.array([1.0, 1.0, 0.0, 0.0, -1.0, 1.0, np.nan])
    x = np.array([0.0, np.inf, 0.0, 1.0, 1.0, -1.0, 1.0])
    expected = [0, 0, 0, np.nan, np.nan, np.nan, np.nan]
    with np.errstate(all="ignore"):
        actual = numpy_special.igamma_grad_a(a, x)
    np.testing.assert_array_equal(actual, expected)


def test_exponential_integral_at_its_ends() -> None:
    x = np.array([0.0, 1.0, np.inf])
    np.testing.assert_allclose(jax_special.expi(x), numpy_special.expi(x), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_gamma_is_exact_near_its_zeros(dtype: type) -> None:
    """Relative to its value, which is small there; the slopes at 1 and 2 are -γ and 1 - γ."""
    steps = np.array([-1e-3, -1e-5, -1e-6, 0, 1e-6, 1e-5, 1e-3])
    for zero, slope in ((1, -np.euler_gamma), (2, 1 - np.euler_gamma)):
        x = (zero + steps).astype(dtype)
        t = x.astype(np.float64) - zero
        expected = slope * t + (np.pi**2 / 6 - zero + 1) * t**2 / 2
        actual = np.asarray(jax.jit(jax_special.gammaln)(x))
        np.testing.assert_allclose(actual, expected, rtol=2e-6, atol=0)
    grid = np.linspace(0.3, 3, 1001)
    actual = np.asarray(jax.jit(jax_special.gammaln)(grid))
    np.testing.assert_allclose(actual, numpy_special.gammaln(grid), rtol=1e-12, atol=1e-14)
    slopes = jax.vmap(jax.grad(jax_special.gammaln))(grid)
    np.testing.assert_allclose(slopes, numpy_special.digamma(grid), rtol=1e-12, atol=1e-13)
