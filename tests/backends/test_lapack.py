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
