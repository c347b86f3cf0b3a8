"""`tf.linalg`: values against NumPy, facts recorded from TensorFlow 2.21, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.linalg
INVALID = tf.errors.InvalidArgumentError
INF = np.inf


def values(*shape: int, seed: int = 0, dtype: Any = np.float64) -> np.ndarray:
    generator = np.random.default_rng(seed)
    array = generator.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * generator.normal(size=shape)
    return array.astype(dtype)


def adjoint(a: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(a, -1, -2))


# -- products ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shapes", [((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((2, 3), (5, 3, 4))])
@pytest.mark.parametrize("flag_a", ["", "transpose_a", "adjoint_a"])
@pytest.mark.parametrize("flag_b", ["", "transpose_b", "adjoint_b"])
def test_matmul_flags(shapes: Any, flag_a: str, flag_b: str) -> None:
    a, b = (values(*shape, seed=i, dtype=complex) for i, shape in enumerate(shapes))
    expected = a @ b
    flags = {}
    for flag in filter(None, (flag_a, flag_b)):
        flags[flag] = True
        turned = np.swapaxes(b if flag.endswith("b") else a, -1, -2)
        turned = turned.conj() if flag.startswith("adjoint") else turned
        a, b = (a, turned) if flag.endswith("b") else (turned, b)
    np.testing.assert_allclose(tf.matmul(a, b, **flags), expected)


def test_matmul_of_what_is_said_to_be_sparse() -> None:
    a, b = values(3, 2, dtype=np.float32), values(2, 4, seed=1, dtype=np.float32)
    np.testing.assert_allclose(tf.matmul(a, b, a_is_sparse=True), a @ b, rtol=1e-6)
    half = tf.constant(a, tf.bfloat16)
    assert tf.matmul(half, tf.constant(b, tf.bfloat16), b_is_sparse=True).dtype is tf.bfloat16
    wide = tf.matmul(a.astype(float), b.astype(float), a_is_sparse=True)
    assert wide.dtype is tf.float64


def test_matmul_output_type() -> None:
    a = np.array([[100, 100]], np.int8)
    found = tf.matmul(a, a, transpose_b=True, output_type=tf.int32)
    assert found.dtype is tf.int32 and found.numpy() == 20000
    same = tf.matmul([[1.0]], [[2.0]], output_type=tf.float32)
    assert same.numpy() == 2


def test_the_second_operand_takes_the_dtype_of_the_first() -> None:
    assert tf.matmul(tf.constant([[1.0]]), [[2]]).dtype is tf.float32
    with pytest.raises(INVALID, match="int32, b is float32, expected"):
        tf.matmul([[1]], [[2.0]])


def test_matvec_and_transposes() -> None:
    a, b = values(2, 3, 4, dtype=complex), values(4, seed=1, dtype=complex)
    np.testing.assert_allclose(L.matvec(a, b), a @ b)
    np.testing.assert_allclose(L.matvec(a, b[:3], adjoint_a=True), adjoint(a) @ b[:3])
    np.testing.assert_allclose(L.adjoint(a), adjoint(a))
    np.testing.assert_allclose(L.matrix_transpose(a), np.swapaxes(a, -1, -2))
    np.testing.assert_allclose(L.matrix_transpose(a, conjugate=True), adjoint(a))
    np.testing.assert_allclose(L.trace(a), np.trace(a, axis1=-2, axis2=-1))


@pytest.mark.parametrize(
    ("shapes", "axes"),
    [
        (((2, 3), (3, 4)), 1),
        (((2, 3), (3, 4)), 0),
        (((2, 3), (2, 3)), 2),
        (((2, 3, 4), (4, 3, 2)), [[1, 2], [1, 0]]),
        (((2, 3, 4), (4, 3, 2)), [[-2, -1], [1, 0]]),
        (((2, 3, 4), (4, 3, 2)), [2, 0]),
        (((2, 3, 4), (4, 3, 2)), tf.constant([[2], [0]])),
        (((2, 0), (0, 4)), 1),
    ],
)
def test_tensordot(shapes: Any, axes: Any) -> None:
    a, b = (values(*shape, seed=i) for i, shape in enumerate(shapes))
    plain = axes.numpy().tolist() if isinstance(axes, tf.Tensor) else axes
    np.testing.assert_allclose(tf.tensordot(a, b, axes), np.tensordot(a, b, plain))


# -- diagonals ---------------------------------------------------------------------------------

D = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    ("align", "expected"),
    [
        ("RIGHT_LEFT", [[4, 2, 0], [7, 5, 3], [0, 8, 6]]),
        ("LEFT_RIGHT", [[4, 1, 0], [8, 5, 2], [0, 9, 6]]),
        ("LEFT_LEFT", [[4, 1, 0], [7, 5, 2], [0, 8, 6]]),
        ("RIGHT_RIGHT", [[4, 2, 0], [8, 5, 3], [0, 9, 6]]),
    ],
)
def test_alignment_of_diagonals(align: str, expected: list[list[int]]) -> None:
    matrix = L.diag(D, k=(-1, 1), align=align)
    np.testing.assert_array_equal(matrix, expected)
    np.testing.assert_array_equal(
        L.set_diag(tf.zeros([3, 3], tf.int32), D, k=(-1, 1), align=align), expected
    )
    packed = L.diag_part(matrix, k=(-1, 1), align=align)
    np.testing.assert_array_equal(L.diag(packed, k=(-1, 1), align=align), expected)


def test_diagonals_of_rectangles_and_padding() -> None:
    np.testing.assert_array_equal(
        L.diag([1, 2, 3], k=-1, num_cols=3, padding_value=9),
        [[9, 9, 9], [1, 9, 9], [9, 2, 9], [9, 9, 3]],
    )
    matrix = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(
        L.diag_part(matrix, k=(-1, 2), padding_value=-1),
        [[-1, 2, 7], [1, 6, 11], [0, 5, 10], [4, 9, -1]],
    )
    np.testing.assert_array_equal(L.diag([True, False]), [[True, False], [False, False]])
    np.testing.assert_array_equal(L.band_part(matrix, 0, 1), np.triu(np.tril(matrix, 1)))
    np.testing.assert_array_equal(L.band_part(matrix, -1, 0), np.tril(matrix))


def test_diagonals_of_tensors() -> None:
    x = values(2, 3)
    spread = L.tensor_diag(x)
    assert spread.shape == (2, 3, 2, 3)
    np.testing.assert_array_equal(L.tensor_diag_part(spread), x)
    assert np.count_nonzero(spread) == 6


# -- norms -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ord", [1, 2, 3, 2.5, INF])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_vectors(ord: Any, axis: int, keepdims: bool) -> None:
    x = values(3, 4)
    expected = np.linalg.norm(x, ord, axis, keepdims)
    np.testing.assert_allclose(tf.norm(x, ord, axis, keepdims), expected)


@pytest.mark.parametrize("ord", ["fro", "euclidean", 1, 2, INF])
@pytest.mark.parametrize("axis", [(0, 1), (-2, -1), (0, 2), (2, 0)])
def test_norms_of_matrices(ord: Any, axis: tuple[int, int]) -> None:
    x = values(2, 3, 4)
    expected = np.linalg.norm(x, "fro" if ord == "euclidean" else ord, axis)
    np.testing.assert_allclose(tf.norm(x, ord, axis), expected)
    kept = tf.norm(x, ord, axis, keepdims=True)
    np.testing.assert_allclose(np.squeeze(kept), np.squeeze(expected))
    assert [kept.shape[a] for a in axis] == [1, 1]


def test_norms_of_everything_and_of_complex_numbers() -> None:
    x = values(2, 3, dtype=complex)
    assert tf.norm(x).dtype is tf.complex128
    assert tf.norm(x, 1).dtype is tf.float64
    np.testing.assert_allclose(tf.norm(x), np.linalg.norm(x))
    np.testing.assert_allclose(tf.norm(x, 2, (0, 1)), np.linalg.norm(x, 2))
    unit, length = L.normalize([[3.0, 4.0], [6.0, 8.0]], axis=1)
    np.testing.assert_allclose(unit, [[0.6, 0.8], [0.6, 0.8]])
    np.testing.assert_allclose(length, [[5], [10]])


def test_global_norm() -> None:
    assert L.global_norm([[3.0], None, [[4.0]]]).numpy() == 5
    slices = tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([0, 7]))
    assert L.global_norm([slices]).numpy() == 5
    assert L.global_norm([]).numpy() == 0
    with pytest.raises(TypeError, match="sequence"):
        L.global_norm(np.ones(3))


# -- systems -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (2, 4, 3)])
@pytest.mark.parametrize("fast", [False, True])
def test_least_squares(shape: tuple[int, ...], fast: bool) -> None:
    matrix = values(*shape)
    rhs = values(*shape[:-1], 2, seed=1)
    np.testing.assert_allclose(L.lstsq(matrix, rhs, fast=fast), np.linalg.pinv(matrix) @ rhs)


def test_least_squares_of_a_matrix_without_full_rank() -> None:
    matrix, rhs = np.ones((4, 3)), values(4, 2)
    np.testing.assert_allclose(L.lstsq(matrix, rhs, fast=False), np.linalg.pinv(matrix) @ rhs)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
@pytest.mark.parametrize("dtype", [float, complex])
def test_regularised_least_squares(shape: tuple[int, ...], dtype: Any) -> None:
    matrix, rhs = values(*shape, dtype=dtype), values(shape[0], 2, seed=1, dtype=dtype)
    gram = adjoint(matrix) @ matrix + 0.5 * np.eye(shape[1])
    expected = np.linalg.solve(gram, adjoint(matrix) @ rhs)
    np.testing.assert_allclose(L.lstsq(matrix, rhs, l2_regularizer=0.5), expected)
    raw = tf.raw_ops.MatrixSolveLs(matrix=matrix, rhs=rhs, l2_regularizer=np.float64(0.5))
    np.testing.assert_allclose(raw, expected)


def test_lu_gives_solutions_inverses_and_the_matrix_again() -> None:
    matrix, rhs = values(2, 3, 3), values(3, 2, seed=1)
    factors = L.lu(matrix)
    np.testing.assert_allclose(L.lu_reconstruct(*factors), matrix)
    np.testing.assert_allclose(L.lu_matrix_inverse(*factors), np.linalg.inv(matrix))
    np.testing.assert_allclose(L.lu_solve(*factors, rhs), np.linalg.solve(matrix, rhs[None]))


def test_cholesky_solve_and_logdet() -> None:
    a = values(2, 3, 3, dtype=complex)
    matrix = a @ adjoint(a) + 3 * np.eye(3)
    rhs = values(2, 3, 2, seed=1, dtype=complex)
    np.testing.assert_allclose(
        L.cholesky_solve(L.cholesky(matrix), rhs), np.linalg.solve(matrix, rhs)
    )
    assert L.logdet(matrix).dtype is tf.float64
    np.testing.assert_allclose(L.logdet(matrix), np.linalg.slogdet(matrix)[1])


def tridiagonal(diagonals: np.ndarray) -> np.ndarray:
    upper, main, lower = diagonals
    return np.diag(main) + np.diag(upper[:-1], 1) + np.diag(lower[1:], -1)


@pytest.mark.parametrize("form", ["compact", "sequence", "short sequence", "matrix"])
def test_tridiagonal_systems_and_products(form: str) -> None:
    diagonals, rhs = values(3, 5), values(5, 2, seed=1)
    matrix = tridiagonal(diagonals)
    given: Any = diagonals
    if form == "sequence":
        given = list(diagonals)
    elif form == "short sequence":
        given = [diagonals[0, :-1], diagonals[1], diagonals[2, 1:]]
    elif form == "matrix":
        given = matrix + np.diag(np.ones(3), 2)  # what is outside is not read
    name = form.rsplit(" ", 1)[-1]
    found = L.tridiagonal_solve(given, rhs, diagonals_format=name)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, rhs))
    found = L.tridiagonal_solve(given, rhs[:, 0], diagonals_format=name)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, rhs[:, 0]))
    if form != "short sequence":
        found = L.tridiagonal_matmul(given, rhs, diagonals_format=name)
        np.testing.assert_allclose(found, matrix @ rhs)


def test_right_sides_of_tridiagonal_systems() -> None:
    diagonals, rhs = values(3, 4, dtype=complex), values(2, 4, seed=1, dtype=complex)
    matrix = tridiagonal(diagonals)
    found = L.tridiagonal_solve(diagonals, rhs, transpose_rhs=True)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, rhs.T))
    found = L.tridiagonal_solve(diagonals, rhs, transpose_rhs=True, conjugate_rhs=True)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, adjoint(rhs)))
    found = L.tridiagonal_solve(diagonals, rhs[0], conjugate_rhs=True)
    np.testing.assert_allclose(found, np.linalg.solve(matrix, rhs[0].conj()))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_banded_triangular_solve(lower: bool, flip: bool, count: int) -> None:
    bands, rhs = values(count, 4, dtype=complex), values(4, 2, seed=1, dtype=complex)
    matrix = np.zeros((4, 4), complex)
    for i in range(count):
        line = bands[i] if lower else bands[count - 1 - i]
        matrix += np.diag(line[i:], -i) if lower else np.diag(line[: 4 - i], i)
    used = adjoint(matrix) if flip else matrix
    found = L.banded_triangular_solve(bands, rhs, lower=lower, adjoint=flip)
    np.testing.assert_allclose(found, np.linalg.solve(used, rhs))


# -- eigenvalues, ranks, functions -------------------------------------------------------------


def test_eigenvalues() -> None:
    matrix = values(3, 3, dtype=np.float32)
    e, v = L.eig(matrix)
    assert e.dtype is v.dtype is tf.complex64
    np.testing.assert_allclose(matrix @ v.numpy(), v.numpy() * e.numpy(), atol=1e-5)
    np.testing.assert_allclose(np.sort(L.eigvals(matrix)), np.sort(e), atol=1e-5)
    hermitian = values(3, 3, dtype=complex)
    hermitian = hermitian + adjoint(hermitian)
    e, v = L.eigh(hermitian)
    assert e.dtype is tf.complex128
    np.testing.assert_allclose(hermitian @ v.numpy(), v.numpy() * e.numpy())
    np.testing.assert_allclose(L.eigvalsh(hermitian), e)


def test_eigenvalues_of_tridiagonal_matrices() -> None:
    alpha, beta = values(5), values(4, seed=1)
    matrix = np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1)
    expected = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(L.eigh_tridiagonal(alpha, beta), expected)
    found = L.eigh_tridiagonal(alpha, beta, select="i", select_range=(1, 3))
    np.testing.assert_allclose(found, expected[1:4])
    inside = expected[(expected > -0.5) & (expected <= 1)]
    e, v = L.eigh_tridiagonal(alpha, beta, eigvals_only=False, select="v", select_range=(-0.5, 1.0))
    np.testing.assert_allclose(e, inside)
    np.testing.assert_allclose(matrix @ v.numpy(), v.numpy() * e.numpy(), atol=1e-12)
    np.testing.assert_allclose(L.eigh_tridiagonal(alpha[:1], beta[:0]), alpha[:1])
    complex_beta = beta * np.exp(1j)
    found = L.eigh_tridiagonal(alpha.astype(complex), complex_beta)
    np.testing.assert_allclose(found, expected)


def test_pseudo_inverses_and_ranks() -> None:
    matrix = values(2, 4, 3)
    np.testing.assert_allclose(L.pinv(matrix), np.linalg.pinv(matrix))
    deficient = np.ones((3, 2))
    np.testing.assert_allclose(L.pinv(deficient), np.full((2, 3), 1 / 6))
    np.testing.assert_array_equal(L.matrix_rank(matrix), [3, 3])
    assert L.matrix_rank(deficient).numpy() == 1
    assert L.matrix_rank(np.zeros((2, 2))).numpy() == 0
    assert L.matrix_rank([[1, 2], [2, 4]]).numpy() == 1
    assert L.matrix_rank(np.diag([3.0, 2.0, 1.0]), tol=1.5).numpy() == 2
    for dtype in (tf.int32, tf.complex64):
        with pytest.raises(TypeError, match="float"):
            L.matrix_rank(tf.ones([2, 2], dtype))


@pytest.mark.parametrize("scale", [0.0, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_exponentials(scale: float, dtype: Any) -> None:
    """Of a matrix with known eigenvectors, as the exponentials of its eigenvalues."""
    vectors = values(3, 3, dtype=dtype) + 2 * np.eye(3, dtype=dtype)
    spectrum = np.array([-1.0, 0.5, 1.0]) * scale
    inverse = np.linalg.inv(vectors)
    matrix = (vectors * spectrum @ inverse).astype(dtype)
    expected = vectors * np.exp(spectrum) @ inverse
    tolerance = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(
        L.expm(matrix), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max()
    )


def test_exponentials_of_matrices_of_different_sizes_together() -> None:
    small, large = values(3, 3) * 0.1, values(3, 3, seed=1) * 20
    both = L.expm(np.stack([small, large]))
    np.testing.assert_allclose(both[0], L.expm(small))
    np.testing.assert_allclose(both[1], L.expm(large))
    assert L.expm(np.zeros((0, 3, 3))).shape == (0, 3, 3)


def test_square_roots_and_logarithms() -> None:
    matrix = values(2, 3, 3, dtype=complex)
    root = L.sqrtm(matrix)
    np.testing.assert_allclose(root @ root, matrix)
    np.testing.assert_allclose(L.expm(L.logm(matrix)), matrix)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_empty_matrices(shape: tuple[int, ...]) -> None:
    empty = tf.zeros(shape)
    for function in (L.cholesky, L.inv, L.sqrtm, L.expm):
        assert function(empty).shape == shape
    assert L.det(empty).shape == shape[:-2]
    np.testing.assert_array_equal(L.det(empty), np.ones(shape[:-2]))
    assert L.eigh(empty)[1].shape == shape
    assert L.solve(empty, empty).shape == shape
    assert [t.shape for t in L.lu(empty)] == [shape, shape[:-1]]
    assert L.qr(empty)[0].shape == L.svd(empty)[1].shape == shape


# -- conjugate gradients -----------------------------------------------------------------------


def test_conjugate_gradient() -> None:
    a = values(4, 4)
    matrix, rhs = a @ a.T + 4 * np.eye(4), values(4, seed=1)
    operator = L.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)
    state = L.experimental.conjugate_gradient(operator, rhs, tol=1e-10)
    np.testing.assert_allclose(state.x, np.linalg.solve(matrix, rhs))
    assert 1 <= state.i.numpy() <= 6
    assert L.experimental.conjugate_gradient(operator, rhs, max_iter=2).i.numpy() == 2
    diagonal = L.LinearOperatorDiag(1 / np.diag(matrix), is_positive_definite=True)
    state = L.experimental.conjugate_gradient(operator, rhs, preconditioner=diagonal, tol=1e-10)
    np.testing.assert_allclose(state.x, np.linalg.solve(matrix, rhs))
    with pytest.raises(ValueError, match="self-adjoint, positive definite"):
        L.experimental.conjugate_gradient(L.LinearOperatorFullMatrix(matrix), rhs)


# -- errors ------------------------------------------------------------------------------------

M = np.ones((2, 3), np.float32)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: tf.matmul(M, M, transpose_a=True, adjoint_a=True),
        ValueError,
        "Only one of `transpose_a` and `adjoint_a`",
    ),
    (
        lambda: tf.matmul(M, M, transpose_b=True, adjoint_b=True),
        ValueError,
        "Only one of `transpose_b` and `adjoint_b`",
    ),
    (lambda: tf.matmul(M, M), INVALID, r"a has shape \[2,3\], b has shape \[2,3\]"),
    (lambda: tf.matmul(M[0], M), INVALID, "a must be a matrix"),
    (lambda: tf.matmul([[True]], [[True]]), INVALID, "bool"),
    (lambda: tf.matmul(M[None], M.T[None], a_is_sparse=True), INVALID, "a is not a matrix"),
    (lambda: L.adjoint(M[0]), ValueError, "rank 2 or more"),
    (lambda: tf.tensordot(M, M.T, -1), ValueError, "at least 0"),
    (lambda: tf.tensordot(M, M.T, 3), ValueError, "contracts 3 axes"),
    (lambda: tf.tensordot(M, M.T, [[0, 1], [0]]), ValueError, "received 2 and 1"),
    (lambda: tf.tensordot(M, M.T, [[0, 1, 2]]), ValueError, "a pair"),
    (lambda: tf.tensordot(M, M.T, [[5], [0]]), IndexError, "axis 5"),
    (lambda: tf.norm(M, "fro"), ValueError, "'fro' is no vector norm"),
    (lambda: tf.norm(M, 0, 1), ValueError, "ord=0 is no vector norm"),
    (lambda: tf.norm(M, 3, (0, 1)), ValueError, "no matrix norm"),
    (lambda: tf.norm(M, axis=[0, 0]), ValueError, "two different integers"),
    (lambda: tf.norm(M, axis=[0, 1, 2]), ValueError, "two different integers"),
    (lambda: L.expm(np.ones((2, 2), np.int32)), ValueError, "int32"),
    (lambda: L.expm(M), INVALID, "columns of a"),
    (lambda: L.pinv(np.ones((2, 2), np.int32)), TypeError, "received dtype int32"),
    (lambda: L.pinv(M[0]), ValueError, "rank 2 or more"),
    (lambda: L.matrix_rank(M[0]), ValueError, "rank 2 or more"),
    (lambda: L.lu_solve(np.eye(2), [0, 1], np.ones(2)), ValueError, "rank 2 or more"),
    (lambda: L.lu_solve(np.eye(2), [0, 1], np.ones((3, 1))), ValueError, "must equal"),
    (lambda: L.lu_reconstruct(np.eye(2), [[0, 1]]), ValueError, "rank"),
    (lambda: L.tridiagonal_solve(M, M, diagonals_format="x"), ValueError, "format: x"),
    (lambda: L.tridiagonal_matmul(M, M, diagonals_format="x"), ValueError, "format: x"),
    (lambda: L.tridiagonal_solve(M, M[0]), ValueError, "Expected 3 diagonals"),
    (
        lambda: L.tridiagonal_solve(np.ones((3, 4)), np.ones(5)),
        ValueError,
        "4 equations, but `rhs` has 5",
    ),
    (lambda: L.tridiagonal_solve(np.ones((2, 3, 4)), np.ones(4)), ValueError, "rank 2 .* or 3"),
    (
        lambda: L.tridiagonal_solve([M[0], M[0], np.ones(5)], M[0], diagonals_format="sequence"),
        ValueError,
        "received length 5",
    ),
    (
        lambda: L.tridiagonal_solve([M[0], M[0]], M[0], diagonals_format="sequence"),
        ValueError,
        "three tensors",
    ),
    (lambda: L.eigh_tridiagonal(M[0], M[0, :2], select="x"), ValueError, "'x'"),
    (lambda: L.eigh_tridiagonal(M[0], M[0, :2], select="i"), TypeError, "select_range"),
    (
        lambda: L.eigh_tridiagonal(M[0], M[0, :2], select="i", select_range=(2, 1)),
        INVALID,
        "empty index range",
    ),
    (lambda: L.eigh_tridiagonal(M[0], M[0].astype(float)), ValueError, "one dtype"),
]


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS)
def test_errors(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("mode", ["eager", "traced", "compiled"])
def test_exponentials_of_matrices_that_are_not_finite_or_very_large(mode: str) -> None:
    def expm(matrix: tf.Tensor) -> tf.Tensor:
        return tf.linalg.expm(matrix)

    call = expm if mode == "eager" else tf.function(expm, jit_compile=mode == "compiled")
    for wrong in (np.inf, np.nan):
        result = call(tf.constant([[[wrong, 1.0], [1.0, 1.0]], np.eye(2)])).numpy()
        assert np.isnan(result[0]).all()
        np.testing.assert_allclose(result[1], np.e * np.eye(2), rtol=1e-6)
    if mode == "eager":
        assert np.isinf(expm(np.full((2, 2), 1e300))).all()
        assert expm(np.zeros((3, 0, 0))).shape == [3, 0, 0]


@pytest.mark.parametrize(
    ("diagonals", "layout", "message"),
    [
        (np.ones((4, 5)), "matrix", "square"),
        (np.ones(4), "matrix", "rank 2 or more"),
        ([np.ones((5, 4)), np.ones((7, 4)), np.ones((7, 4))], "sequence", "does not fit"),
    ],
)
def test_diagonals_that_do_not_fit(diagonals: object, layout: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.linalg.tridiagonal_solve(diagonals, np.ones(4), diagonals_format=layout)
