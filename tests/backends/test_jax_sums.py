"""Sums over several axes side by side are products with ones; all sums are NumPy's."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from tapeflow._src.backends import jax_sums

SHAPES = [(4, 8, 8, 16), (1, 8, 8, 16), (2, 3, 4, 5), (64, 16), (3, 0, 4, 16), (5, 7, 9, 8, 8)]
AXES = [None, (), 0, (0, 1), (1, 2), (0, 1, 2), (-2, -3), (0, 2), (2, 3), (1, 0)]
CASES = [
    (shape, axis)
    for shape in SHAPES
    for axis in AXES
    if all(-len(shape) <= a < len(shape) for a in (axis if isinstance(axis, tuple) else ()))
]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_sums_are_numpys(shape: tuple[int, ...], axis: Any, keepdims: bool) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    result = jax_sums.total(x, axis=axis, keepdims=keepdims)
    expected = np.sum(x, axis=axis, keepdims=keepdims)
    assert result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def _products(x: np.ndarray, **options: Any) -> int:
    return jax.jit(lambda x: jax_sums.total(x, **options)).lower(x).as_text().count("dot_general")


@pytest.mark.parametrize("axis", [(0, 1, 2), (1, 2), (2, 1), (-2, -3)])
def test_axes_side_by_side_are_added_up_by_a_product(axis: tuple[int, ...]) -> None:
    assert _products(np.ones((4, 8, 8, 16), np.float32), axis=axis) == 1


@pytest.mark.parametrize(
    ("shape", "dtype", "options"),
    [
        ((4, 8, 8, 16), np.float32, {"axis": (0, 2)}),
        ((4, 8, 8, 16), np.float32, {"axis": (2, 3)}),
        ((4, 8, 8, 16), np.float32, {"axis": 1}),
        ((4, 8, 8, 16), np.int32, {"axis": (0, 1, 2)}),
        ((4, 8, 8, 16), np.float16, {"axis": (0, 1, 2), "dtype": np.float32}),
        ((4, 2, 2, 16), np.float32, {"axis": (1, 2)}),
        ((4, 8, 8, 1), np.float32, {"axis": (1, 2)}),
    ],
)
def test_others_are_left_to_xla(shape: Any, dtype: Any, options: Any) -> None:
    assert _products(np.ones(shape, dtype), **options) == 0


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_in_its_column(special: float) -> None:
    x = np.ones((4, 8, 8, 16), np.float32)
    x[2, 3, 3, 5] = special
    np.testing.assert_array_equal(jax_sums.total(x, axis=(0, 1, 2)), x.sum((0, 1, 2)))


@pytest.mark.parametrize("size", [1, 63, 64, 100, 128, 300, 2000, 2048, 2064, 5001])
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "float32"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_long_rows_are_reduced_in_parts(size: int, dtype: str, keepdims: bool) -> None:
    rows = np.random.default_rng(size).integers(-3, 4, (3, size)).astype(dtype)
    rows[rows == 0] = 1  # of many factors one would be zero
    if dtype == "float32":
        rows = 1 + rows / 1000
    for ours, numpys in ((jax_sums.product, np.prod), (jax_sums.total, np.sum)):
        actual = ours(jax.numpy.asarray(rows), (-1,), rows.dtype, keepdims)
        expected = numpys(rows, -1, rows.dtype, keepdims=keepdims)
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


@pytest.mark.parametrize("axis", [None, (0, 1, 2), (0, -1), (2, 1), (0, 1), 2])
@pytest.mark.parametrize("keepdims", [False, True])
def test_rows_are_reduced_with_other_axes(axis: Any, keepdims: bool) -> None:
    x = np.random.default_rng(0).integers(1, 4, (3, 2, 200))
    for ours, numpys in ((jax_sums.product, np.prod), (jax_sums.total, np.sum)):
        with jax.enable_x64(True):
            actual = ours(jax.numpy.asarray(x), axis, x.dtype, keepdims)
        np.testing.assert_array_equal(actual, numpys(x, axis, x.dtype, keepdims=keepdims))
