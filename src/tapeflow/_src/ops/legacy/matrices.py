"""Ops on batches of matrices, from when ops on one matrix had other names; and of transforms."""

from __future__ import annotations

from tapeflow._src.core.dtypes import complex64, float16, float32, float64
from tapeflow._src.core.registry import UNREGISTERED, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.legacy.renaming import renamed, run
from tapeflow._src.ops.linalg.factor import cholesky, cholesky_grad
from tapeflow._src.ops.linalg.least_squares import matrix_solve_ls
from tapeflow._src.ops.linalg.matrix import require_square
from tapeflow._src.ops.linalg.solve import (
    matrix_determinant,
    matrix_inverse,
    matrix_solve,
    matrix_triangular_solve,
)
from tapeflow._src.ops.linalg.spectral import self_adjoint_eig_v2, svd
from tapeflow._src.ops.signal import fft

_REAL = frozenset({float32, float64})
_SINGLE = frozenset({complex64})

batch_cholesky = renamed("BatchCholesky", cholesky, dtypes=_REAL)
batch_cholesky_grad = renamed("BatchCholeskyGrad", cholesky_grad, dtypes=_REAL)
batch_matrix_determinant = renamed("BatchMatrixDeterminant", matrix_determinant)
batch_matrix_inverse = renamed("BatchMatrixInverse", matrix_inverse, dtypes=_REAL)
batch_matrix_solve = renamed("BatchMatrixSolve", matrix_solve, dtypes=_REAL)
batch_matrix_solve_ls = renamed("BatchMatrixSolveLs", matrix_solve_ls, dtypes=_REAL)
batch_matrix_triangular_solve = renamed(
    "BatchMatrixTriangularSolve", matrix_triangular_solve, dtypes=_REAL
)
batch_self_adjoint_eig_v2 = renamed("BatchSelfAdjointEigV2", self_adjoint_eig_v2, dtypes=_REAL)
batch_svd = renamed("BatchSvd", svd)

batch_fft = renamed("BatchFFT", fft.fft, dtypes=_SINGLE)
batch_fft2d = renamed("BatchFFT2D", fft.fft2d, dtypes=_SINGLE)
batch_fft3d = renamed("BatchFFT3D", fft.fft3d, dtypes=_SINGLE)
batch_ifft = renamed("BatchIFFT", fft.ifft, dtypes=_SINGLE)
batch_ifft2d = renamed("BatchIFFT2D", fft.ifft2d, dtypes=_SINGLE)
batch_ifft3d = renamed("BatchIFFT3D", fft.ifft3d, dtypes=_SINGLE)


@op("SelfAdjointEig", dtypes=_REAL | {float16}, grad=UNREGISTERED, checked=True)
def self_adjoint_eig(xp, input):
    """Return the eigenvalues as a first row, and below it the eigenvectors as columns."""
    e, v = run(self_adjoint_eig_v2, xp, input)
    return xp.concatenate([e[..., None, :], v], axis=-2)


@self_adjoint_eig.infer
def _(input):
    size = require_square(input)
    if input.shape is None:
        return Spec(None, input.dtype)
    rows = None if size is None else size + 1
    return Spec((*input.shape[:-2], rows, size), input.dtype)


batch_self_adjoint_eig = renamed("BatchSelfAdjointEig", self_adjoint_eig, dtypes=_REAL)
