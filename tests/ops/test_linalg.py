"""Matrix ops: slopes where the generated laws do not reach, edge values, errors, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.backends import jax as jax_backend
from tapeflow._src.backends import numpy as np_backend
from tapeflow._src.core.registry import OPS
from tapeflow._src.ops.linalg.matmul import multiply
from tapeflow._src.ops.linalg.matrix import adjoint, identity_like, transposed
from tapeflow._src.ops.math.arithmetic import conj_of
from tests.ops.hidden import Formless, Hidden

RAW = tf.raw_ops


def values(*shape: int, seed: int = 0, dtype: Any = np.float64) -> np.ndarray:
    generator = np.random.default_rng(seed)
    array = generator.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * generator.normal(size=shape)
    return array.astype(dtype)


def self_adjoint(x: Any) -> Any:
    return (x + tf.linalg.adjoint(x)) / 2


def positive(x: Any) -> Any:
    return self_adjoint(x) + 6 * tf.eye(x.shape[-1], dtype=x.dtype)


# -- gradients: the slope along a direction ----------------------------------------------------


def weighted(function: Callable[[Any], Any], x: Any) -> Any:
    """A real number that depends on every output."""
    outputs = function(x)
    total: Any = tf.constant(0.0, tf.float64)
    for i, output in enumerate(outputs if isinstance(outputs, (tuple, list)) else [outputs]):
        weights = values(*output.shape, seed=20 + i, dtype=output.dtype.as_numpy_dtype)
        products = output * tf.constant(weights)
        if products.dtype.is_complex:
            products = RAW.Real(input=products, Tout=tf.float64)
        total += tf.reduce_sum(products)
    return total


def gradient(function: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        total = weighted(function, tensor)
    return np.asarray(tape.gradient(total, tensor))


def directional_second(function: Callable[[Any], Any], x: np.ndarray, way: np.ndarray) -> float:
    tensor = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(tensor)
        with tf.GradientTape() as inner:
            inner.watch(tensor)
            total = weighted(function, tensor)
        slope = tf.reduce_sum(inner.gradient(total, tensor) * tf.constant(way.conj()))
        if slope.dtype.is_complex:
            slope = RAW.Real(input=slope, Tout=tf.float64)
    second = np.asarray(outer.gradient(slope, tensor))
    return float(np.sum(second.conj() * way).real)


def check_slopes(function: Callable[[Any], Any], x: np.ndarray, second: bool = True) -> None:
    way = values(*x.shape, seed=9, dtype=x.dtype)
    step = 1e-6
    ahead, behind = x + step * way, x - step * way
    expected = float(weighted(function, tf.constant(ahead))) - float(
        weighted(function, tf.constant(behind))
    )
    actual = np.sum(gradient(function, x).conj() * way).real
    np.testing.assert_allclose(actual, expected / (2 * step), rtol=1e-5, atol=1e-6)
    if second:
        slopes = [np.sum(gradient(function, at).conj() * way).real for at in (ahead, behind)]
        expected = (slopes[0] - slopes[1]) / (2 * step)
        np.testing.assert_allclose(
            directional_second(function, x, way), expected, rtol=1e-4, atol=1e-5
        )


def of_vectors(vectors: Any) -> Any:
    """What does not change with the sign or phase of the vectors."""
    squares = vectors * conj_of(vectors)
    return RAW.Real(input=squares, Tout=tf.float64) if squares.dtype.is_complex else squares


def recomposed(s: Any, u: Any, v: Any) -> Any:
    middle = RAW.Sin(x=s)
    if u.dtype.is_complex:
        middle = tf.cast(middle, u.dtype)
    return u @ tf.linalg.diag(middle) @ tf.linalg.adjoint(v)


SLOPES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...], Any]] = {
    "cholesky": (lambda x: tf.linalg.cholesky(positive(x)), (3, 3), float),
    "cholesky batch": (lambda x: tf.linalg.cholesky(positive(x)), (2, 3, 3), float),
    "cholesky complex": (lambda x: tf.linalg.cholesky(positive(x)), (3, 3), complex),
    "logdet": (lambda x: tf.linalg.logdet(positive(x)), (3, 3), float),
    "logdet complex": (lambda x: tf.linalg.logdet(positive(x)), (3, 3), complex),
    "qr wide": (tf.linalg.qr, (3, 5), float),
    "qr wide complex": (tf.linalg.qr, (3, 4), complex),
    "qr square complex": (tf.linalg.qr, (3, 3), complex),
    "svd recomposed": (lambda x: recomposed(*tf.linalg.svd(x)), (4, 3), float),
    "svd recomposed complex": (lambda x: recomposed(*tf.linalg.svd(x)), (4, 3), complex),
    "svd recomposed wide complex": (lambda x: recomposed(*tf.linalg.svd(x)), (3, 4), complex),
    "svd u complex": (lambda x: of_vectors(tf.linalg.svd(x)[1]), (4, 3), complex),
    "svd v complex": (lambda x: of_vectors(tf.linalg.svd(x)[2]), (3, 4), complex),
    "svd full tall": (
        lambda x: of_vectors(tf.linalg.svd(x, full_matrices=True)[1]),
        (4, 3),
        float,
    ),
    "svd full wide complex": (
        lambda x: of_vectors(tf.linalg.svd(x, full_matrices=True)[2]),
        (3, 4),
        complex,
    ),
    "svd values complex": (lambda x: tf.linalg.svd(x, compute_uv=False), (2, 4, 3), complex),
    "eigh complex": (
        lambda x: of_vectors(tf.linalg.eigh(self_adjoint(x))[1]),
        (3, 3),
        complex,
    ),
    "eigvalsh complex": (lambda x: tf.linalg.eigvalsh(self_adjoint(x)), (3, 3), complex),
    "eig vectors": (lambda x: of_vectors(tf.linalg.eig(x)[1]), (3, 3), float),
    "eig vectors complex": (lambda x: of_vectors(tf.linalg.eig(x)[1]), (3, 3), complex),
    "eig values": (lambda x: of_vectors(tf.linalg.eigvals(x)), (2, 3, 3), float),
    "lu complex": (lambda x: tf.linalg.lu(x)[0], (3, 3), complex),
    "det complex": (tf.linalg.det, (3, 3), complex),
    "log_abs_det complex": (
        lambda x: RAW.Real(input=tf.linalg.slogdet(x)[1], Tout=tf.float64),
        (3, 3),
        complex,
    ),
    "pinv": (tf.linalg.pinv, (4, 3), float),
    "expm": (tf.linalg.expm, (3, 3), float),
    "expm complex": (lambda x: tf.linalg.expm(3 * x), (2, 3, 3), complex),
    "sqrtm": (lambda x: tf.linalg.sqrtm(positive(x)), (3, 3), float),
    "sqrtm complex": (tf.linalg.sqrtm, (3, 3), complex),
    "logm": (tf.linalg.logm, (3, 3), complex),
    "norm 2": (lambda x: tf.norm(x, ord=2, axis=[0, 2]), (2, 3, 4), float),
    "lstsq": (lambda x: tf.linalg.lstsq(x, values(4, 2, seed=3)), (4, 3), float),
    "lstsq wide": (
        lambda x: tf.linalg.lstsq(x, values(3, 2, seed=3), l2_regularizer=0.5),
        (3, 4),
        float,
    ),
    "lu_solve": (
        lambda x: tf.linalg.lu_solve(*tf.linalg.lu(x), rhs=values(3, 2, seed=3)),
        (2, 3, 3),
        float,
    ),
    "tridiagonal_solve": (
        lambda x: tf.linalg.tridiagonal_solve(x, values(4, 2, seed=3, dtype=complex)),
        (3, 4),
        complex,
    ),
    "eigh_tridiagonal": (
        lambda x: tf.linalg.eigh_tridiagonal(x, values(4, seed=3)),
        (5,),
        float,
    ),
}


@pytest.mark.parametrize("name", SLOPES)
def test_gradients_are_slopes(name: str) -> None:
    function, shape, dtype = SLOPES[name]
    check_slopes(function, values(*shape, seed=4, dtype=dtype))


def test_gradient_of_equal_eigenvalues_is_finite() -> None:
    for function in (tf.linalg.eigh, tf.linalg.svd):
        assert np.isfinite(gradient(function, np.eye(3))).all()


def test_gradient_of_the_regulariser() -> None:
    for shape in ((4, 3), (3, 4)):
        matrix, rhs = values(*shape), values(shape[0], 2, seed=1)
        check_slopes(
            lambda r, m=matrix, b=rhs: RAW.MatrixSolveLs(matrix=m, rhs=b, l2_regularizer=r),
            np.asarray(0.5),
        )


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda x: tf.linalg.qr(x, full_matrices=True), NotImplementedError),
        (lambda x: tf.linalg.svd(x, full_matrices=True), NotImplementedError),
        (lambda x: tf.linalg.lstsq(x, values(5, 2), fast=False), ValueError),
    ],
)
def test_gradients_that_are_not_defined_say_so(call: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="gradient"):
        gradient(call, values(5, 3))


# -- values ------------------------------------------------------------------------------------

NAN = np.nan


def test_cholesky_gives_nan_where_a_matrix_is_not_positive_definite() -> None:
    found = tf.linalg.cholesky([[[4.0, 9.0], [2.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]])
    np.testing.assert_array_equal(found, [[[2, 0], [1, 1]], [[NAN, 0], [NAN, NAN]]])


def test_svd_gives_nan_for_matrices_that_are_not_finite() -> None:
    for bad in (NAN, np.inf):
        s, u, v = tf.linalg.svd([[[bad, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]])
        np.testing.assert_array_equal(s, [[NAN, NAN], [2, 1]])
        assert np.isnan(u[0]).all() and np.isnan(v[0]).all()
        np.testing.assert_array_equal(u[1], np.eye(2))


def test_determinants_of_matrices_with_nan() -> None:
    assert np.isnan(tf.linalg.det([[NAN, 1.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(tf.linalg.slogdet([[NAN, 1.0], [1.0, 1.0]]), [NAN, NAN])
    np.testing.assert_array_equal(tf.linalg.slogdet([[1.0, 1.0], [1.0, 1.0]]), [0, -np.inf])


def test_triangular_solve_of_a_singular_matrix_gives_infinities() -> None:
    found = tf.linalg.triangular_solve([[0.0, 1.0], [1.0, 1.0]], [[1.0], [2.0]])
    np.testing.assert_array_equal(found, [[np.inf], [-np.inf]])


def test_tridiagonal_solve_of_singular_matrices() -> None:
    diagonals = tf.constant([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
    rhs = tf.constant([1.0, 2.0, 3.0])
    assert np.isnan(tf.linalg.tridiagonal_solve(diagonals, rhs)).all()
    assert np.isfinite(tf.linalg.tridiagonal_solve(diagonals, rhs, perturb_singular=True)).all()
    pivoted = tf.constant([[1.0, 1.0, 9.0], [0.0, 1.0, 1.0], [9.0, 1.0, 1.0]])
    for pivoting in (True, False):
        found = tf.linalg.tridiagonal_solve(pivoted, rhs, partial_pivoting=pivoting)
        np.testing.assert_allclose(found, [-1, 1, 2])


def test_elimination_agrees_with_lapack() -> None:
    diagonals, rhs = values(2, 3, 6), values(2, 6, 2, seed=1)
    upper, main, lower = (diagonals[:, i] for i in range(3))
    solve = np_backend.linalg.tridiagonal_solve
    np.testing.assert_allclose(
        solve(upper, main, lower, rhs, True), solve(upper, main, lower, rhs, False)
    )


def test_square_root_of_a_real_matrix_without_a_real_one() -> None:
    assert np.isnan(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 1.0]])).all()


def test_only_the_lower_triangle_is_read() -> None:
    matrix = np.array([[4.0, 77.0], [2.0, 5.0]])
    for function in (tf.linalg.cholesky, tf.linalg.eigvalsh):
        np.testing.assert_allclose(function(matrix), function(np.array([[4.0, 2.0], [2.0, 5.0]])))


def test_lu_puts_the_rows_in_order() -> None:
    matrix = values(2, 4, 4)
    packed, order = tf.linalg.lu(matrix)
    lower = np.tril(packed, -1) + np.eye(4)
    for i in range(2):
        np.testing.assert_allclose((lower @ np.triu(packed))[i], matrix[i][np.asarray(order)[i]])


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_factors_give_the_matrix_again(shape: tuple[int, ...], dtype: Any) -> None:
    matrix = values(*shape, dtype=dtype)
    close = {"rtol": 1e-4, "atol": 1e-4}
    for full in (False, True):
        q, r = tf.linalg.qr(matrix, full_matrices=full)
        np.testing.assert_allclose(q @ r, matrix, **close)
    s, u, v = (np.asarray(part) for part in tf.linalg.svd(matrix))
    np.testing.assert_allclose(
        u * s[..., None, :] @ np.conj(np.swapaxes(v, -1, -2)), matrix, **close
    )


def test_vectors_have_the_same_sign_on_both_backends() -> None:
    for shape in ((3, 4), (6, 3), (2, 5, 5)):
        matrix = values(*shape, seed=6)
        for mine, theirs in zip(
            np_backend.linalg.svd(matrix, False),
            jax_backend.linalg.svd(jax_backend.asarray(matrix), False),
            strict=True,
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_added_up_in_float32(dtype: Any) -> None:
    ones = np.ones((1, 5000), dtype)
    assert tf.matmul(ones, ones, transpose_b=True).numpy() == np.asarray(5000).astype(dtype)
    triangular = tf.linalg.triangular_solve(2 * np.eye(2, dtype=dtype), np.ones((2, 1), dtype))
    assert triangular.dtype == dtype
    np.testing.assert_array_equal(np.asarray(triangular, np.float32), [[0.5], [0.5]])


def test_integer_products_are_exact() -> None:
    generator = np.random.default_rng(0)
    for dtype, limit in ((np.int32, 1000), (np.int64, 2**40), (np.uint8, 255), (np.int32, 2**30)):
        a = generator.integers(0, limit, (40, 50)).astype(dtype)
        b = generator.integers(0, limit, (50, 60)).astype(dtype)
        np.testing.assert_array_equal(multiply(a, b), np.matmul(a, b))


def test_products_of_many_matrices_with_one() -> None:
    a, b = values(2, 3, 4, 5), values(5, 6, seed=1)
    np.testing.assert_allclose(multiply(a, b), np.matmul(a, b))
    assert multiply(a[:0], b).shape == (0, 3, 4, 6)
    assert multiply(a[..., :0], b[:0]).shape == (2, 3, 4, 6)


@pytest.mark.parametrize("rows", [3, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_triangular_systems_by_each_way(rows: int, dtype: Any) -> None:
    """Substitution for many small matrices, BLAS for a large one."""
    solve = np_backend.linalg.triangular_solve
    for batch in ((), (2,), (50,)):
        matrix = values(*batch, rows, rows, dtype=dtype) + 2 * rows * np.eye(rows, dtype=dtype)
        rhs = values(rows, 2, seed=1, dtype=dtype)
        for lower in (False, True):
            triangle = np.tril(matrix) if lower else np.triu(matrix)
            for flip in (False, True):
                used = np.conj(np.swapaxes(triangle, -1, -2)) if flip else triangle
                found = used @ solve(matrix, rhs, lower, flip)
                np.testing.assert_allclose(
                    found, np.broadcast_to(rhs, found.shape), rtol=1e-3, atol=1e-4
                )


# -- unknown shapes ----------------------------------------------------------------------------


def test_transposes_of_unknown_rank() -> None:
    matrix = values(2, 3, 4, dtype=complex)
    for kind in (Hidden, Formless):
        np.testing.assert_array_equal(transposed(kind(matrix)), np.swapaxes(matrix, -1, -2))
        np.testing.assert_array_equal(adjoint(kind(matrix)), np.swapaxes(matrix, -1, -2).conj())


def test_identities_of_unknown_size() -> None:
    for kind in (Hidden, Formless):
        found = identity_like(kind(values(2, 3, 3)))
        np.testing.assert_array_equal(found, np.broadcast_to(np.eye(3), (2, 3, 3)))


def test_products_of_unknown_rank() -> None:
    a, b = values(2, 3), values(3, 4, seed=1)
    np.testing.assert_allclose(Formless(a) @ Formless(b), a @ b)


# -- errors ------------------------------------------------------------------------------------

INVALID = tf.errors.InvalidArgumentError
F32 = np.ones((3, 3), np.float32)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tf.linalg.inv(F32), INVALID, "Input is not invertible"),
    (lambda: tf.linalg.inv(F32 * NAN), INVALID, "Input is not invertible"),
    (lambda: tf.linalg.inv(F32[:2]), INVALID, "Input matrix must be square"),
    (lambda: tf.linalg.inv(F32[0]), INVALID, "must have rank >= 2, got 1"),
    (lambda: tf.linalg.solve(F32, F32), INVALID, "Input matrix is not invertible"),
    (lambda: tf.linalg.solve(F32, F32[0]), INVALID, "must have one rank"),
    (lambda: tf.linalg.solve(F32, F32[:2]), INVALID, "are incompatible"),
    (lambda: tf.linalg.solve(F32[:2], F32[:2]), INVALID, "must be a square matrix"),
    (lambda: tf.linalg.lu(F32), INVALID, "Input is not invertible"),
    (lambda: tf.linalg.eigh(F32 * NAN), INVALID, "was not successful"),
    (lambda: tf.linalg.eigvalsh(F32 * NAN), INVALID, "was not successful"),
    (lambda: tf.linalg.eig(F32 * NAN), INVALID, "was not successful"),
    (lambda: tf.linalg.cholesky(F32.astype(int)), INVALID, "does not support dtype int64"),
    (lambda: tf.linalg.det(F32[:2]), INVALID, "must be square"),
    (lambda: tf.linalg.triangular_solve(F32, F32[:2]), INVALID, "3 vs. 2"),
    (lambda: tf.linalg.triangular_solve(F32, F32[0]), INVALID, r"In\[1\] ndims must be >= 2"),
    (
        lambda: tf.linalg.triangular_solve(np.ones((4, 3, 3)), np.ones((2, 3, 1))),
        INVALID,
        "compatible batch dimensions",
    ),
    (lambda: tf.linalg.banded_triangular_solve(F32 * 0, F32), INVALID, "not invertible"),
    (lambda: tf.linalg.logm(F32), INVALID, "does not support dtype float32"),
    (lambda: tf.linalg.cross(F32[:2], F32[0]), INVALID, "must be of same shape"),
    (
        lambda: tf.linalg.cross(F32[:, :2], F32[:, :2]),
        tf.errors.FailedPreconditionError,
        "3-element vectors",
    ),
    (lambda: tf.constant(F32) @ tf.constant(F32[:2]), INVALID, "columns of a"),
    (lambda: tf.constant(F32) @ tf.constant(F32[0]), INVALID, "b must be a matrix"),
    (lambda: tf.constant(F32) @ tf.constant(F32.astype(float)), INVALID, "float64"),
    (lambda: tf.matmul(F32[None], F32[None][[0, 0]][:, :2]), INVALID, "columns of a"),
    (
        lambda: tf.matmul(np.ones((2, 3, 3)), np.ones((4, 3, 3))),
        INVALID,
        "compatible batch dimensions",
    ),
    (
        lambda: RAW.MatrixSolveLs(matrix=F32, rhs=F32, l2_regularizer=np.float64(-1)),
        INVALID,
        "must be >= 0",
    ),
    (lambda: RAW.BatchMatMulV3(x=F32, y=F32, Tout=tf.int32), INVALID, "wider"),
    (lambda: RAW.Eig(input=F32, Tout=tf.complex128), INVALID, "complex64"),
    (lambda: RAW.TridiagonalSolve(diagonals=F32[:2], rhs=F32), INVALID, "3 diagonals"),
    (lambda: tf.linalg.band_part(F32, 4, 0), INVALID, r"number of rows \(3\) got: 4"),
    (lambda: tf.linalg.diag_part(F32, k=3), INVALID, "must be between -3 and 3"),
    (lambda: tf.linalg.diag(F32, k=(1, 0)), INVALID, "1 > 0"),
    (lambda: tf.linalg.diag(F32[0], num_rows=2), INVALID, "rows is too small"),
    (lambda: tf.linalg.diag(F32, align="UP"), INVALID, "'align' of 'UP'"),
    (lambda: tf.linalg.set_diag(F32, F32[0, :2]), INVALID, "diagonal"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "[Op:" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("MatrixInverse", [F32]),
        ("MatrixSolve", [F32, F32]),
        ("Lu", [F32]),
        ("SelfAdjointEigV2", [F32 * NAN]),
        ("BandedTriangularSolve", [F32 * 0, F32]),
    ],
)
def test_compiled_code_raises_a_flag(name: str, arrays: list[np.ndarray]) -> None:
    op = OPS[name]
    good = [np.eye(3, dtype=np.float32) + 1 for _ in arrays]
    for inputs, fails in ((arrays, True), (good, False)):
        traced = [jax_backend.asarray(a) for a in inputs]
        with jax_backend.collect_failures() as flags:
            op.body(jax_backend, *traced, **op.defaults)
        assert any(bool(flag) for flag in flags) is fails
