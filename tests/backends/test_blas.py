"""Products of middling size run on one thread, and leave the user's setting as it was."""

from __future__ import annotations

import numpy as np
import pytest

from tapeflow.backends import blas


@pytest.mark.parametrize("shape", [(2, 3, 4), (64, 784, 256), (0, 3, 4), (300, 700, 700)])
def test_products_are_numpys(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(m, k)), generator.normal(size=(k, n))
    np.testing.assert_allclose(blas.dot(a, b), a @ b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(blas.dot(b.T, a.T), b.T @ a.T, rtol=1e-9, atol=1e-9)


def test_the_number_of_threads_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(blas, "_controls", lambda: (lambda: 7, seen.append))
    blas.dot(np.ones((100, 100)), np.ones((100, 100)))
    assert seen == [1, 7]
    with pytest.raises(ValueError):
        blas.dot(np.ones((100, 100)), np.ones((99, 100)))
    assert seen == [1, 7, 1, 7]
    blas.dot(np.ones((2, 2)), np.ones((2, 2)))
    assert seen == [1, 7, 1, 7]


def test_without_a_library_to_control(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_controls", lambda: None)
    np.testing.assert_array_equal(blas.dot(np.ones((100, 100)), np.ones((100, 100)))[0, 0], 100.0)
