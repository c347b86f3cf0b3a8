"""jaxlib's LAPACK kernels compute for a batch what NumPy's loops and single calls compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow._src.backends import jaxlib_lapack, lapack_batches, numpy_linalg

pytest.importorskip("jaxlib")

RANDOM = np.random.default_rng(0)
TOLERANCE = {"f": 2e-3, "F": 2e-3, "d": 1e-9, "D": 1e-9}


@pytest.fixture
def batched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute batches of any size by the kernels, in pieces of a few matrices."""
    monkeypatch.setattr(lapack_batches, "WORK", 1)
    monkeypatch.setattr(lapack_batches, "_PIECE", 4096)


def _matrices(char: str, *shape: int) -> np.ndarray:
    numbers = RANDOM.normal(size=shape)
    if char in "FD":
        numbers = numbers + 1j * RANDOM.normal(size=shape)
    return numbers.astype(char)


def _check(function: Any, arguments: tuple[Any, ...], request: pytest.FixtureRequest) -> None:
    with np.errstate(all="ignore"):
        expected = function(*arguments)
        request.getfixturevalue("batched")
        assert lapack_batches.pays(arguments[0])
        actual = function(*arguments)
    if not isinstance(expected, tuple):
        expected, actual = (expected,), (actual,)
    tolerance = TOLERANCE[arguments[0].dtype.char]
    for ours, other in zip(actual, expected, strict=True):
        assert np.shape(ours) == np.shape(other)
        assert np.asarray(ours).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(ours, other, rtol=tolerance, atol=tolerance)


def test_kernels_have_the_known_version() -> None:
    assert jaxlib_lapack.available()


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("name", ["lu", "det", "slogdet"])
def test_square_matrices(name: str, char: str, request: pytest.FixtureRequest) -> None:
    _check(getattr(numpy_linalg, name), (_matrices(char, 7, 3, 12, 12),), request)


@pytest.mark.parametrize("char", "fdFD")
def test_eigh_reads_the_lower_triangle(char: str, request: pytest.FixtureRequest) -> None:
    matrices = _matrices(char, 7, 3, 6, 6) + np.diag(np.arange(0, 60, 10)).astype(char)
    _check(numpy_linalg.eigh, (matrices,), request)


@pytest.mark.parametrize("char", "fdFD")
def test_cholesky_reads_the_lower_triangle(char: str, request: pytest.FixtureRequest) -> None:
    matrices = _matrices(char, 5, 4, 7, 7)
    matrices = matrices @ matrices.conj().swapaxes(-1, -2) + 7 * np.eye(7).astype(char)
    matrices[:, :, np.triu(np.ones((7, 7), bool), 1)] = np.nan
    matrices[1, 2, 3, 3] = -1  # without a factor
    matrices[2, 3, 4, 1] = np.nan
    _check(numpy_linalg.cholesky, (matrices,), request)
    factors = numpy_linalg.cholesky(matrices)
    assert np.isnan(factors[1, 2, 0, 0]) and not factors[1, 2, 0, 1]


@pytest.mark.usefixtures("batched")
def test_eigh_reports_matrices_without_eigenvectors() -> None:
    matrices = _matrices("f", 40, 5, 5)
    assert numpy_linalg.eigh(matrices)[2]
    matrices[17, 3, 1] = np.nan
    with np.errstate(all="ignore"):
        assert not numpy_linalg.eigh(matrices)[2]


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("shape", [(9, 9), (9, 4), (4, 9), (1, 5), (5, 1)])
@pytest.mark.parametrize("full", [False, True])
def test_qr(char: str, shape: tuple[int, int], full: bool, request: pytest.FixtureRequest) -> None:
    _check(numpy_linalg.qr, (_matrices(char, 31, *shape), full), request)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("columns", [1, 5])
def test_triangular_solve(
    char: str, lower: bool, adjoint: bool, columns: int, request: pytest.FixtureRequest
) -> None:
    matrices = _matrices(char, 5, 7, 9, 9) + 9 * np.eye(9, dtype=char)
    rights = _matrices(char, 5, 7, 9, columns)
    _check(numpy_linalg.triangular_solve, (matrices, rights, lower, adjoint), request)


def test_matrices_that_are_views(request: pytest.FixtureRequest) -> None:
    matrices = _matrices("f", 9, 20, 10).swapaxes(-1, -2)[:, :, ::2]
    for name in ("lu", "slogdet"):
        _check(getattr(numpy_linalg, name), (matrices,), request)


def test_singular_matrices_and_nan(request: pytest.FixtureRequest) -> None:
    matrices = _matrices("f", 40, 6, 6)
    matrices[3] = 0
    matrices[7, :, 2] = 0
    matrices[11] = np.eye(6)
    matrices[11, 0, 4] = np.nan
    matrices[30, 5, 5] = np.nan
    matrices[35] = np.eye(6)[::-1]
    _check(numpy_linalg.slogdet, (matrices,), request)
    _check(numpy_linalg.det, (matrices,), request)
    sign, logarithm = numpy_linalg.slogdet(matrices)
    assert sign[3] == 0 and np.isneginf(logarithm[3])
    assert np.isnan(sign[[11, 30]]).all() and np.isnan(logarithm[[11, 30]]).all()
    assert sign[35] == -1
    assert not numpy_linalg.lu(matrices)[2]


def test_zeros_on_the_diagonal_of_triangular_systems(request: pytest.FixtureRequest) -> None:
    matrices = _matrices("d", 30, 4, 4) + 4 * np.eye(4)
    matrices[5, 2, 2] = 0
    rights = _matrices("d", 30, 4, 2)
    request.getfixturevalue("batched")
    with np.errstate(all="ignore"):
        solved = numpy_linalg.triangular_solve(matrices, rights, True, False)
    assert not np.isfinite(solved[5, 2:]).all() and np.isfinite(solved[6:]).all()


def test_16_bit_floats_are_computed_in_float32(batched: None) -> None:
    matrices = (_matrices("f", 20, 5, 5) + 5 * np.eye(5, dtype="f")).astype(np.float16)
    assert numpy_linalg.det(matrices).dtype == np.float16
    wide = numpy_linalg.det(matrices.astype(np.float32))
    np.testing.assert_allclose(numpy_linalg.det(matrices), wide.astype(np.float16))


def test_a_refused_call_raises_what_the_kernel_says() -> None:
    matrices = _matrices("f", 3, 4, 4).swapaxes(-1, -2)
    with pytest.raises(RuntimeError, match=r"failed: .*argument"):
        jaxlib_lapack.call("getrf", [matrices, matrices], [matrices])
