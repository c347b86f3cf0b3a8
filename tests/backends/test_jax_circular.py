"""Sine, cosine and tangent of many float32 in compiled code, by polynomials."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from tapeflow._src.backends import jax_circular

LIMIT = jax_circular._LIMIT
# Near multiples of a right angle little is left of an angle.
MULTIPLES = np.arange(1, 5200) * (np.pi / 2)
ANGLES = {
    "few turns": np.linspace(-10, 10, 20_001),
    "many turns": np.linspace(-LIMIT, LIMIT, 200_003),
    "near multiples": np.concatenate([MULTIPLES, -MULTIPLES]),
    "small": np.concatenate([np.geomspace(1e-37, 1, 5000), -np.geomspace(1e-37, 1, 5000)]),
    "special": np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -LIMIT], 5000),
    "huge": np.concatenate([np.geomspace(1, 3e38, 5000), [-1e30]]),
}


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("angles", ANGLES)
def test_errors_are_a_few_units(name: str, angles: str) -> None:
    x = ANGLES[angles].astype(np.float32)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.float64))
    actual = np.asarray(jax.jit(getattr(jax_circular, name))(x))
    expected = exact.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    zero = x == 0
    np.testing.assert_array_equal(np.signbit(actual[zero]), np.signbit(expected[zero]))
    finite = ~np.isnan(expected)
    error = np.abs(actual[finite].astype(np.float64) - exact[finite])
    units = 4 if name == "tan" else 3
    assert (error <= units * np.spacing(np.abs(expected[finite]))).all()


@pytest.mark.parametrize("shape", [(4096,), (2, 2049), (3, 4, 400), (2000, 3), (5, 1000, 1)])
def test_any_shape_is_computed(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    np.testing.assert_allclose(jax_circular.sin(x), np.sin(x), rtol=1e-6, atol=1e-7)
    x.reshape(-1)[-1] = 1e20
    np.testing.assert_allclose(jax_circular.sin(x), np.sin(x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_derivatives_are_those_of_few_elements(name: str) -> None:
    x = np.linspace(-4, 4, 5000, dtype=np.float32)

    def second(function: Any) -> Any:
        return jax.vmap(jax.grad(jax.grad(function)))(x)

    many, few = getattr(jax_circular, name), getattr(jax.numpy, name)
    once = jax.grad(lambda x: many(x).sum())(x)
    np.testing.assert_allclose(once, jax.grad(lambda x: few(x).sum())(x), rtol=2e-5, atol=1e-6)
    twice = jax.grad(lambda x: jax.grad(lambda x: many(x).sum())(x).sum())(x)
    np.testing.assert_allclose(twice, second(few), rtol=2e-5, atol=1e-5)
