"""Batches of matrices are computed in pieces on threads, each matrix on one BLAS thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow._src.backends import blas, lapack, numpy_linalg

RANDOM = np.random.default_rng(0)
MATRICES = RANDOM.normal(size=(2, 9, 5, 5)) + 5 * np.eye(5)
DEFINITE = MATRICES @ MATRICES.swapaxes(-1, -2)
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "cholesky": (DEFINITE,),
    "qr": (MATRICES, False),
    "svd": (MATRICES, True),
    "singular_values": (MATRICES,),
    "eigh": (DEFINITE,),
    "eigvalsh": (DEFINITE,),
    "eig": (MATRICES,),
    "eigvals": (MATRICES,),
    "lu": (MATRICES,),
    "det": (MATRICES,),
    "slogdet": (MATRICES,),
    "inverse": (MATRICES,),
    "solve": (MATRICES, DEFINITE),
    "least_squares": (MATRICES, DEFINITE),
    "triangular_solve": (MATRICES, DEFINITE, True, False),
}


def _parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_pieces_of_a_batch_compute_what_the_batch_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, arguments = getattr(numpy_linalg, name), FUNCTIONS[name]
    expected = _parts(function(*arguments))
    monkeypatch.setattr(lapack, "_TEAM_WORK", 0)
    actual = _parts(function(*arguments))
    for piece, whole in zip(actual, expected, strict=True):
        assert np.shape(piece) == np.shape(whole)
        np.testing.assert_allclose(piece, whole, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("count", [lapack.WITHOUT_GIL, 600, 1100, 5001])
def test_pieces_that_overlap_compute_each_determinant(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrices = RANDOM.normal(size=(count, 4, 4))
    expected = [numpy_linalg.det(matrices), *numpy_linalg.slogdet(matrices)]
    monkeypatch.setattr(lapack, "_SMALL_ORDER", 0)
    monkeypatch.setattr(lapack, "_TEAM_WORK", 0)
    for cores in (1, 2, 3, 64):
        monkeypatch.setattr(lapack.threads, "cores", lambda cores=cores: cores)
        actual = [numpy_linalg.det(matrices), *numpy_linalg.slogdet(matrices)]
        np.testing.assert_array_equal(actual, expected)


def test_routines_of_a_batch_on_threads_compute_what_one_thread_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = RANDOM.normal(size=(3, 7, 64, 64)) + 64 * np.eye(64)
    b = RANDOM.normal(size=(3, 7, 64, 64))
    divided = [*numpy_linalg.lu(a), numpy_linalg.triangular_solve(a, b, False, True)]
    monkeypatch.setattr(lapack, "_TEAM_WORK", 10**12)
    whole = [*numpy_linalg.lu(a), numpy_linalg.triangular_solve(a, b, False, True)]
    for actual, expected in zip(divided, whole, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_one_singular_matrix_of_a_batch_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lapack, "_TEAM_WORK", 0)
    singular = MATRICES.copy()
    singular[1, 4] = 0
    assert numpy_linalg.inverse(MATRICES)[1] and not numpy_linalg.inverse(singular)[1]


def test_one_matrix_is_computed_on_one_thread_unless_it_is_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    monkeypatch.setattr(blas, "_controls", lambda: (lambda: 7, seen.append))
    monkeypatch.setattr(blas, "_scipy_controls", lambda: None)
    numpy_linalg.cholesky(np.eye(3))
    assert seen == []
    numpy_linalg.cholesky(np.eye(50))
    assert seen == [1, 7]
    monkeypatch.setattr(lapack, "_LARGE_ORDER", 50)
    numpy_linalg.cholesky(np.eye(50))
    assert seen == [1, 7]


@pytest.mark.parametrize("kind", ["f", "d", "F", "D"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@pytest.mark.parametrize("shape", [(1, 3), (2, 70), (40, 4)])
def test_triangular_systems_are_solved(
    kind: str, lower: bool, adjoint: bool, shape: tuple[int, int]
) -> None:
    count, size = shape
    a = (RANDOM.normal(size=(count, size, size)) + 2 * size * np.eye(size)).astype(kind)
    if kind in "FD":
        a = a + 1j * RANDOM.normal(size=a.shape).astype(kind)
    triangle = np.tril(a) if lower else np.triu(a)
    if adjoint:
        triangle = triangle.swapaxes(-1, -2).conj()
    b = RANDOM.normal(size=(count, size, 5)).astype(kind)
    x = numpy_linalg.triangular_solve(a, b, lower, adjoint)
    assert x.dtype == np.dtype(kind)
    np.testing.assert_allclose(triangle @ x, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["f", "d", "F", "D"])
@pytest.mark.parametrize("shape", [(2, 3), (9, 3), (1, 40)])
def test_rows_of_lu_factors_are_those_of_the_matrix(kind: str, shape: tuple[int, int]) -> None:
    count, size = shape
    a = RANDOM.normal(size=(count, size, size)).astype(kind)
    packed, order, regular = numpy_linalg.lu(a)
    product = (np.tril(packed, -1) + np.eye(size)) @ np.triu(packed)
    np.testing.assert_allclose(
        product, np.take_along_axis(a, order[..., None], 1), rtol=1e-3, atol=1e-4
    )
    assert regular


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e7])
@pytest.mark.parametrize("order", [64, 100])
def test_determinants_of_single_precision_are_products_of_its_pivots(
    order: int, scale: float
) -> None:
    a = (RANDOM.normal(size=(3, order, order)) / np.sqrt(order)).astype(np.float32)
    # Half of the rows are scaled up and half of them down: pivots differ by 14 orders of magnitude.
    a[:, ::2] *= np.float32(scale)
    a[:, 1::2] /= np.float32(scale)
    sign, logarithm = np.linalg.slogdet(a.astype(np.float64))
    actual = numpy_linalg.det(a)
    assert actual.dtype == np.float32 and actual.shape == (3,)
    np.testing.assert_allclose(actual, sign * np.exp(logarithm), rtol=3e-3)
    np.testing.assert_allclose(numpy_linalg.det(a[:, [1, 0, *range(2, order)]]), -actual, rtol=1e-3)


def test_determinants_of_singular_and_huge_matrices_and_of_nan() -> None:
    a = np.stack([np.eye(64, dtype=np.float32)] * 4)
    a[0, 5] = 0
    a[1] *= 100
    a[2, 0, 63] = np.nan
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(numpy_linalg.det(a), [0, np.inf, np.nan, 1])
    assert numpy_linalg.det(np.zeros((0, 64, 64), np.float32)).shape == (0,)


def test_factors_of_a_large_matrix_have_rows_in_order() -> None:
    a = RANDOM.normal(size=(2, 90, 90))
    packed, order, _ = numpy_linalg.lu(a)
    product = (np.tril(packed, -1) + np.eye(90)) @ np.triu(packed)
    np.testing.assert_allclose(product, np.take_along_axis(a, order[..., None], 1), atol=1e-9)


@pytest.mark.parametrize("bad", [0.0, np.nan])
@pytest.mark.parametrize("count", [1, 20])
def test_factors_without_a_pivot_are_reported(bad: float, count: int) -> None:
    a = np.stack([np.eye(3)] * count)
    assert numpy_linalg.lu(a)[2]
    a[-1, 1, 1] = bad
    assert not numpy_linalg.lu(a)[2]


def test_a_system_with_nan_on_the_right_only_has_a_solution() -> None:
    b = np.full((2, 9, 5, 1), np.nan)
    with np.errstate(all="ignore"):
        x, exists = numpy_linalg.solve(MATRICES, b)
        assert exists and np.isnan(x).all()
        assert not numpy_linalg.solve(np.zeros((5, 5)), b[0, 0])[1]
