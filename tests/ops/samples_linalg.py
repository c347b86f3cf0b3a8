"""Samples of matrix products, factorisations and systems of linear equations."""

import numpy as np

from tests.ops.harness import Law, S, bf16, c64, c128, f16, f32, f64, i8, i16, i32, i64, u8, u32


def apart(*shape: int) -> np.ndarray:
    """Square matrices far from singular: of a dominant diagonal."""
    return f32(*shape) + 4 * np.eye(shape[-1], dtype=np.float32)


def apart_c(*shape: int) -> np.ndarray:
    return c64(*shape) + 5 * np.eye(shape[-1], dtype=np.complex64)


def positive_definite(*shape: int) -> np.ndarray:
    a = f32(*shape)
    return a @ np.swapaxes(a, -1, -2) + 2 * np.eye(shape[-1], dtype=np.float32)


def hermitian(*shape: int) -> np.ndarray:
    a = c64(*shape)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + 2 * np.eye(shape[-1], dtype=np.complex64)


def spread_out(*shape: int) -> np.ndarray:
    """Self-adjoint matrices with eigenvalues far from each other."""
    a = f32(*shape)
    steps = np.diag(np.arange(shape[-1], dtype=np.float32) * 4)
    return (a + np.swapaxes(a, -1, -2)) / 4 + steps


def tall(*shape: int) -> np.ndarray:
    """Matrices with singular values far from each other."""
    steps = np.zeros(shape[-2:], np.float32)
    np.fill_diagonal(steps, 3 * np.arange(1, min(shape[-2:]) + 1))
    return f32(*shape) / 2 + steps


def lower_factor(*shape: int) -> np.ndarray:
    return np.linalg.cholesky(positive_definite(*shape))


def tridiagonals(*shape: int) -> np.ndarray:
    """Diagonals of a matrix that is far from singular."""
    lines = f32(*shape) / 4
    lines[..., 1, :] += 3
    return lines


def bands(*shape: int, main: int) -> np.ndarray:
    lines = f32(*shape) / 4
    lines[..., main, :] += 2
    return lines


SYMMETRIC = Law(
    grad=False,
    finite=False,
    why="the gradient is that of a self-adjoint input; a single element cannot be moved alone "
    "(tests/ops/test_linalg.py moves both)",
)
PHASE = Law(
    grad=False,
    rtol=1e-3,
    atol=1e-4,
    why="a complex vector's phase may be moved too (tests/ops/test_linalg.py compares products)",
)
EIG = Law(
    grad=False,
    rtol=1e-3,
    atol=1e-4,
    why="JAX has no gradient of eigenvectors (tests/ops/test_linalg.py takes slopes)",
)
EMPTY = Law(grad=False, why="JAX has no gradient for matrices of size 0")
SIGN = Law(grad=False, why="TF takes the sign of a complex determinant for constant")
ROUGH = Law(rtol=1e-3, atol=1e-4, why="float32 through the normal equations")
PIVOTS = Law(finite=False, why="the order of pivots may change")
HOST = Law(rtol=1e-3, atol=1e-4, why="the block matrix of the gradient is defective")

# Libraries find the eigenvalues of other matrices in one order or another.
_IN_ORDER = np.array([[1.0, 0.5, 0.2], [0.1, 4.0, 0.3], [0.2, 0.1, 9.0]], np.float32)

SAMPLES = [
    # products
    S("MatMul", f32(2, 3), f32(3, 4)),
    S("MatMul", f32(3, 2), f32(3, 4), transpose_a=True),
    S("MatMul", f32(2, 3), f32(4, 3), transpose_b=True),
    S("MatMul", f64(3, 2), f64(4, 3), transpose_a=True, transpose_b=True),
    S("MatMul", c64(3, 2), c64(3, 4), transpose_a=True),
    S("MatMul", f16(2, 3), f16(3, 4)),
    S("MatMul", bf16(2, 3), bf16(3, 4)),
    S("MatMul", i32(2, 3), i32(3, 4)),
    S("MatMul", i64(50, 40), i64(40, 30)),
    S("MatMul", u8(2, 3), u8(3, 4)),
    S("MatMul", f32(2, 0), f32(0, 4)),
    S("MatMul", f32(0, 3), f32(3, 4)),
    S("BatchMatMulV2", f32(2, 2, 3), f32(3, 4)),
    S("BatchMatMulV2", f32(2, 3), f32(5, 3, 4)),
    S("BatchMatMulV2", f32(5, 1, 2, 3), f32(2, 3, 4)),
    S("BatchMatMulV2", f32(2, 3, 2), f32(2, 3, 4), adj_x=True),
    S("BatchMatMulV2", c128(2, 2, 3), c128(2, 4, 3), adj_y=True),
    S("BatchMatMulV2", i16(2, 2, 3), i16(2, 3, 2)),
    S("BatchMatMulV2", f16(2, 2, 3), f16(2, 3, 2)),
    S("BatchMatMulV2", f32(0, 2, 3), f32(0, 3, 4)),
    S("BatchMatMulV2", f32(2, 2, 0), f32(0, 4)),
    S("BatchMatMul", f32(2, 2, 3), f32(2, 3, 4)),
    S("BatchMatMul", c64(2, 3, 2), c64(2, 4, 3), adj_x=True, adj_y=True),
    S("BatchMatMulV3", f64(2, 3), f64(5, 3, 4), Tout="float64"),
    S("BatchMatMulV3", i8(2, 3), u8(3, 4), Tout="int32"),
    S("BatchMatMulV3", bf16(2, 2, 3), bf16(2, 4, 3), Tout="float32", adj_y=True),
    S("SparseMatMul", f32(2, 3), f32(3, 4), a_is_sparse=True),
    S(
        "SparseMatMul",
        bf16(3, 2),
        f32(4, 3),
        transpose_a=True,
        transpose_b=True,
        law=Law(grad=False, why="the gradient of a bfloat16 input is rounded"),
    ),
    # factorisations
    S("Cholesky", positive_definite(3, 3), law=SYMMETRIC),
    S("Cholesky", positive_definite(2, 3, 3), law=SYMMETRIC),
    S("Cholesky", hermitian(3, 3), law=SYMMETRIC),
    S("Cholesky", positive_definite(3, 3).astype(np.float16), law=SYMMETRIC),
    S("Cholesky", f32(0, 3, 3), law=SYMMETRIC),
    S("Cholesky", f32(0, 0), law=SYMMETRIC),
    S("CholeskyGrad", lower_factor(3, 3), f32(3, 3)),
    S("CholeskyGrad", lower_factor(2, 3, 3), f32(2, 3, 3)),
    S("Qr", tall(4, 3)),
    S("Qr", tall(2, 3, 3)),
    S("Qr", tall(3, 5), law=Law(grad=False, why="JAX has no gradient for wide matrices")),
    S(
        "Qr",
        f32(4, 3),
        full_matrices=True,
        law=Law(grad=False, finite=False, why="the last columns of q are arbitrary"),
    ),
    S("Qr", c64(4, 3)),
    S("Qr", c128(3, 3)),
    S("Qr", f16(3, 3)),
    S("Qr", f32(0, 3)),
    S("Qr", f32(3, 0)),
    S("Lu", f32(3, 3), law=PIVOTS),
    S("Lu", f32(2, 3, 3), output_idx_type="int64", law=PIVOTS),
    S("Lu", c64(3, 3), law=PIVOTS),
    S("Lu", f32(0, 3, 3)),
    S("Svd", tall(4, 3)),
    S("Svd", tall(2, 3, 4)),
    S("Svd", tall(3, 3)),
    S("Svd", tall(4, 3), compute_uv=False),
    S("Svd", tall(4, 3), full_matrices=True, law=Law(grad=False, why="JAX has no such gradient")),
    S("Svd", c64(4, 3), law=PHASE),
    S("Svd", c64(4, 3), compute_uv=False),
    S("Svd", f16(3, 3)),
    S("Svd", f32(0, 3)),
    S("SelfAdjointEigV2", spread_out(3, 3)),
    S("SelfAdjointEigV2", spread_out(2, 4, 4)),
    S("SelfAdjointEigV2", spread_out(3, 3), compute_v=False),
    S("SelfAdjointEigV2", hermitian(3, 3), law=PHASE),
    S("SelfAdjointEigV2", hermitian(3, 3), compute_v=False),
    S("SelfAdjointEigV2", f32(0, 0)),
    S("Eig", tall(3, 3), Tout="complex64", law=EIG),
    S("Eig", _IN_ORDER, Tout="complex64", compute_v=False, law=EIG),
    S("Eig", apart_c(2, 3, 3), Tout="complex64", law=EIG),
    S("Eig", f64(0, 3, 3), Tout="complex128", law=EMPTY),
    # determinants and systems
    S("MatrixDeterminant", f32(3, 3)),
    S("MatrixDeterminant", f32(2, 3, 3)),
    S("MatrixDeterminant", apart_c(3, 3), law=Law(rtol=1e-4)),
    S("MatrixDeterminant", f32(2, 0, 0), law=EMPTY),
    S("LogMatrixDeterminant", f32(3, 3)),
    S("LogMatrixDeterminant", apart_c(2, 3, 3), law=SIGN),
    S("LogMatrixDeterminant", f32(0, 3, 3)),
    S("MatrixInverse", apart(3, 3)),
    S("MatrixInverse", apart(2, 3, 3), adjoint=True),
    S("MatrixInverse", apart_c(3, 3)),
    S("MatrixInverse", apart_c(3, 3), adjoint=True),
    S("MatrixInverse", apart(3, 3).astype(np.float16)),
    S("MatrixInverse", f32(0, 0)),
    S("MatrixSolve", apart(3, 3), f32(3, 2)),
    S("MatrixSolve", apart(2, 3, 3), f32(2, 3, 2), adjoint=True),
    S("MatrixSolve", apart_c(3, 3), c64(3, 2)),
    S("MatrixSolve", apart_c(3, 3), c64(3, 2), adjoint=True),
    S("MatrixSolve", apart(3, 3), f32(3, 0)),
    S("MatrixTriangularSolve", apart(3, 3), f32(3, 2)),
    S("MatrixTriangularSolve", apart(3, 3), f32(3, 2), lower=False),
    S("MatrixTriangularSolve", apart(2, 3, 3), f32(3, 2), adjoint=True),
    S("MatrixTriangularSolve", apart(3, 3), f32(2, 3, 2), lower=False, adjoint=True),
    S("MatrixTriangularSolve", apart(40, 40), f32(40, 2)),
    S("MatrixTriangularSolve", apart_c(40, 40), c64(40, 2), lower=False, adjoint=True),
    S("MatrixTriangularSolve", apart_c(3, 3), c64(3, 2), adjoint=True),
    S("MatrixTriangularSolve", apart(3, 3).astype(np.float16), f16(3, 2)),
    S("MatrixTriangularSolve", f32(0, 3, 3), f32(0, 3, 2)),
    S("MatrixSolveLs", tall(4, 3), f32(4, 2), np.float64(0.5), law=ROUGH),
    S("MatrixSolveLs", tall(2, 3, 4), f32(2, 3, 2), np.float64(0.1), law=ROUGH),
    S("MatrixSolveLs", c64(4, 3), c64(4, 2), np.float64(0.5), law=ROUGH),
    S("MatrixSolveLs", c64(3, 4), c64(3, 2), np.float64(0.5), law=ROUGH),
    S(
        "MatrixSolveLs",
        tall(4, 3),
        f32(4, 2),
        np.float64(0),
        fast=False,
        law=Law(grad=False, rtol=1e-4, why="TF has no gradient of the slow way"),
    ),
    # bands
    S("TridiagonalSolve", tridiagonals(3, 5), f32(5, 2)),
    S("TridiagonalSolve", tridiagonals(2, 3, 4), f32(2, 4, 1)),
    S("TridiagonalSolve", c64(3, 4), c64(4, 2), law=Law(rtol=1e-3, atol=1e-4)),
    S("TridiagonalSolve", tridiagonals(3, 5), f32(5, 2), perturb_singular=True),
    S("TridiagonalSolve", tridiagonals(3, 1), f32(1, 2)),
    S("TridiagonalSolve", f32(3, 0), f32(0, 2)),
    S("TridiagonalMatMul", f32(1, 4), f32(1, 4), f32(1, 4), f32(4, 2)),
    S("TridiagonalMatMul", f32(2, 1, 4), f32(2, 1, 4), f32(2, 1, 4), f32(2, 4, 3)),
    S("TridiagonalMatMul", c64(1, 4), c64(1, 4), c64(1, 4), c64(4, 2)),
    S("TridiagonalMatMul", f32(1, 0), f32(1, 0), f32(1, 0), f32(0, 2)),
    S("BandedTriangularSolve", bands(2, 4, main=0), f32(4, 2)),
    S("BandedTriangularSolve", bands(3, 5, main=2), f32(5, 2), lower=False),
    S("BandedTriangularSolve", bands(2, 3, 5, main=0), f32(5, 2), adjoint=True),
    S("BandedTriangularSolve", bands(3, 5, main=2), f32(2, 5, 2), lower=False, adjoint=True),
    S("BandedTriangularSolve", bands(1, 4, main=0), f32(4, 2)),
    S("BandedTriangularSolve", bands(4, 3, main=0), f32(3, 2)),
    # functions of matrices
    S("MatrixSquareRoot", positive_definite(3, 3), law=HOST),
    S("MatrixSquareRoot", positive_definite(2, 3, 3), law=HOST),
    S("MatrixSquareRoot", apart_c(3, 3), law=HOST),
    S("MatrixSquareRoot", f32(0, 0)),
    S("MatrixLogarithm", apart_c(3, 3), law=HOST),
    S("MatrixLogarithm", c128(0, 3, 3)),
    S("MatMul", u32(2, 3), u32(3, 4)),
]
