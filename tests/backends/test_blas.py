"""Products are NumPy's, whoever computes them, and leave the user's setting as it was."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tapeflow._src.backends import blas, onednn
from tapeflow._src.backends.onednn_product import product

needs_onednn = pytest.mark.skipif(
    not onednn.available(), reason="oneDNN (onednn-cpu-gomp) is not installed"
)


def matrices(m: int, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    return (
        generator.normal(size=(m, k)).astype(np.float32),
        generator.normal(size=(k, n)).astype(np.float32),
    )


@pytest.mark.parametrize("shape", [(2, 3, 4), (64, 784, 256), (0, 3, 4), (300, 700, 700)])
def test_products_are_numpys(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(m, k)), generator.normal(size=(k, n))
    np.testing.assert_allclose(blas.dot(a, b), a @ b, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(blas.dot(b.T, a.T), b.T @ a.T, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_many_short_rows_are_multiplied_on_all_cores(
    order: Literal["C", "F"], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blas, "_SPREAD", 0)
    monkeypatch.setattr(blas, "_MANY_ROWS", 5)
    generator = np.random.default_rng(0)
    a = generator.normal(size=(7, 3)).astype(dtype, order=order)
    b = generator.normal(size=(3, 4)).astype(dtype)
    if a.dtype.kind == "f":
        a[2, 1], a[4, 0] = np.nan, np.inf
    product = blas.dot(a, b)
    assert product.dtype == dtype
    np.testing.assert_allclose(product, a @ b, rtol=1e-5)
    with pytest.raises(ValueError):
        blas.dot(a, b[:2])


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


# -- by oneDNN ---------------------------------------------------------------------------------


def stored(matrix: np.ndarray, order: str) -> np.ndarray:
    if order == "apart":
        wide = np.zeros((matrix.shape[0], 2 * matrix.shape[1]), matrix.dtype)
        wide[:, ::2] = matrix
        return wide[:, ::2]
    return np.asarray(matrix, order=order)  # type: ignore[call-overload]


@pytest.mark.parametrize("order_b", ["C", "F", "apart"])
@pytest.mark.parametrize("order_a", ["C", "F", "apart"])
def test_however_the_matrices_are_stored(order_a: str, order_b: str) -> None:
    a, b = matrices(67, 190, 130)
    wanted = a.astype(np.float64) @ b
    result = blas.dot(stored(a, order_a), stored(b, order_b))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)


@needs_onednn
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 7, 3), (5, 1, 4), (410, 400, 401)])
def test_products_by_onednn(shape: tuple[int, int, int]) -> None:
    a, b = matrices(*shape)
    before = onednn.num_threads()
    for x, y in ((a, b), (b.T, a.T), (a, np.asfortranarray(b)), (np.asfortranarray(a), b)):
        result = product(x, y)
        assert result is not None
        np.testing.assert_allclose(result, x.astype(np.float64) @ y, rtol=1e-3, atol=1e-3)
    assert onednn.num_threads() == before
    assert product(a[:, ::2], b[::2]) is None or a[:, ::2].flags.contiguous


@needs_onednn
def test_what_is_not_finite_shows() -> None:
    a, b = matrices(120, 100, 110)
    a[3, 4], a[5, 6], b[6] = np.nan, np.inf, 0
    result = blas.dot(a, b)
    assert np.isnan(result[[3, 5]]).all()
    assert np.isfinite(np.delete(result, [3, 5], axis=0)).all()


def test_matrices_that_do_not_fit() -> None:
    a, b = matrices(200, 100, 110)
    with pytest.raises(ValueError, match="not aligned"):
        blas.dot(a, b[1:])


@pytest.mark.parametrize("shape", [(2, 3, 5, 5), (40, 60, 60), (4, 128, 128)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [False, True])
def test_batches_of_products_are_numpys(
    shape: tuple[int, ...], dtype: type, transposed: bool
) -> None:
    generator = np.random.default_rng(0)
    a, b = (generator.normal(size=shape).astype(dtype) for _ in range(2))
    if transposed:
        a, b = a.swapaxes(-1, -2), np.broadcast_to(b[:1], b.shape).swapaxes(-1, -2)
    np.testing.assert_allclose(blas.batched_dot(a, b), a @ b, rtol=1e-4, atol=1e-4)
