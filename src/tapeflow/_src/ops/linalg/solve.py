"""Determinants, inverses and systems of linear equations, of matrices in the last two axes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_aligned, on_values
from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast_shape, merge_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import NOT_ELEMENTWISE
from tapeflow._src.ops.array.common import expand_dims, scalar_int
from tapeflow._src.ops.array.diag import lower_part, upper_part
from tapeflow._src.ops.linalg.matrix import matmul, require_matrix, require_square, same_square
from tapeflow._src.ops.math.arithmetic import conj_of, mul, neg

LAPACK = FLOATING_COMPLEX - {dtypes.bfloat16}

_SINGULAR = "Input is not invertible."
_SINGULAR_SYSTEM = "Input matrix is not invertible."


def _adjoint(xp: ModuleType, a: Any) -> Any:
    return xp.swapaxes(a.conj() if a.dtype.kind == "c" else a, -1, -2)


# -- determinants ------------------------------------------------------------------------------


@op("MatrixDeterminant", dtypes=LAPACK, checked=True, batch=on_values)
def matrix_determinant(xp, input):
    """Compute the determinants."""
    return xp.linalg.det(input)


@matrix_determinant.infer
def _(input):
    require_square(input)
    return Spec(None if input.shape is None else input.shape[:-2], input.dtype)


@matrix_determinant.gradient
def _(dz, *, input, output):
    return mul(_as_matrices(mul(dz, conj_of(output))), matrix_inverse(input, adjoint=True))


def _as_matrices(numbers: Any) -> Any:
    """Append two axes to numbers, to multiply matrices with."""
    last = scalar_int(-1)
    return expand_dims(expand_dims(numbers, last), last)


@op(
    "LogMatrixDeterminant",
    outputs=("sign", "log_abs_determinant"),
    dtypes=LAPACK,
    checked=True,
    batch=on_values,
)
def log_matrix_determinant(xp, input):
    """Compute the signs of the determinants, and the logarithms of their absolute values."""
    sign, logarithm = xp.linalg.slogdet(input)
    return sign, logarithm.astype(input.dtype)


@log_matrix_determinant.infer
def _(input):
    require_square(input)
    return (Spec(None if input.shape is None else input.shape[:-2], input.dtype),) * 2


@log_matrix_determinant.gradient
def _(d_sign, d_log, *, input):
    # The sign of a real determinant is constant; TF takes that of a complex one for constant too.
    return mul(_as_matrices(d_log), matrix_inverse(input, adjoint=True))


# -- inverses ----------------------------------------------------------------------------------


@op("MatrixInverse", infer=same_square, dtypes=LAPACK, checked=True, batch=on_values)
def matrix_inverse(xp, input, *, adjoint=False):
    """Compute the inverses, or those of the adjoints."""
    inverse, exists = xp.linalg.inverse(_adjoint(xp, input) if adjoint else input)
    xp.require(exists, _SINGULAR)
    return inverse


@matrix_inverse.gradient
def _(dz, *, output, adjoint):
    if adjoint:
        return neg(matmul(output, matmul(dz, output, adjoint_a=True)))
    return neg(matmul(output, matmul(dz, output, adjoint_b=True), adjoint_a=True))


# -- systems of equations ----------------------------------------------------------------------


def require_same_batch(matrix: Spec, rhs: Spec) -> Any:
    """Return the common batch axes, or None; raise InferError."""
    require_matrix(matrix)
    if matrix.shape is None or rhs.shape is None:
        return None
    if len(matrix.shape) != len(rhs.shape):
        raise InferError(
            f"The matrix and rhs must have one rank; received shapes {fmt_shape(matrix.shape)} and "
            f"{fmt_shape(rhs.shape)}"
        )
    return merge_shape(matrix.shape[:-2], rhs.shape[:-2], "All outer dimensions must be equal")


def require_same_rows(matrix: Any, rhs: Any) -> None:
    """Raise InferError unless both have the same number of rows."""
    rows, rhs_rows = matrix.shape[-2], rhs.shape[-2]
    if rows is not None and rhs_rows is not None and rows != rhs_rows:
        raise InferError(
            "Input matrix and rhs are incompatible. Got "
            f"{fmt_shape(matrix.shape)} and {fmt_shape(rhs.shape)}"
        )


@op("MatrixSolve", dtypes=LAPACK, checked=True, batch=on_values)
def matrix_solve(xp, matrix, rhs, *, adjoint=False):
    """Solve `matrix @ x = rhs`, or for the adjoint matrix."""
    solution, exists = xp.linalg.solve(_adjoint(xp, matrix) if adjoint else matrix, rhs)
    xp.require(exists, _SINGULAR_SYSTEM)
    return solution


@matrix_solve.infer
def _(matrix, rhs, *, adjoint):
    batch = require_same_batch(matrix, rhs)
    rows = require_square(matrix, "First input (lhs) must be a square matrix.")
    if batch is None:
        return Spec(None, matrix.dtype)
    require_same_rows(matrix, rhs)
    return Spec((*batch, rhs.shape[-2] if rows is None else rows, rhs.shape[-1]), matrix.dtype)


@matrix_solve.gradient
def _(dz, *, matrix, output, adjoint, needed):
    d_rhs = matrix_solve(matrix, dz, adjoint=not adjoint)
    if not needed[0]:
        return None, d_rhs
    return neg(outer(output, d_rhs) if adjoint else outer(d_rhs, output)), d_rhs


def outer(x: Any, y: Any) -> Any:
    """Compute `x @ adjoint(y)`."""
    return matmul(x, y, adjoint_b=True)


@op(
    "MatrixTriangularSolve",
    dtypes=FLOATING_COMPLEX,
    checked=True,
    traits=(NOT_ELEMENTWISE,),
    batch=on_aligned,
)
def matrix_triangular_solve(xp, matrix, rhs, *, lower=True, adjoint=False):
    """Solve `matrix @ x = rhs`, reading one triangle of the matrix; batches are broadcast."""
    return xp.linalg.triangular_solve(matrix, rhs, bool(lower), bool(adjoint))


@matrix_triangular_solve.infer
def _(matrix, rhs, *, lower, adjoint):
    for index, spec in enumerate((matrix, rhs)):
        if spec.shape is not None and len(spec.shape) < 2:
            raise InferError(f"In[{index}] ndims must be >= 2: {len(spec.shape)}")
    rows = require_square(matrix, "In[0] matrices in the last dimensions must be square.")
    if matrix.shape is None or rhs.shape is None:
        return Spec(None, matrix.dtype)
    if rows is not None and rhs.shape[-2] is not None and rows != rhs.shape[-2]:
        raise InferError(
            f"In[0] mismatch In[1] shape: {rows} vs. {rhs.shape[-2]}: "
            f"{fmt_shape(matrix.shape)} {fmt_shape(rhs.shape)}"
        )
    batch = broadcast_batch(matrix, rhs)
    return Spec((*batch, rhs.shape[-2] if rows is None else rows, rhs.shape[-1]), matrix.dtype)


def broadcast_batch(matrix: Any, rhs: Any) -> Any:
    """Return the batch axes of a result, or raise InferError."""
    try:
        return broadcast_shape(matrix.shape[:-2], rhs.shape[:-2])
    except InferError:
        raise InferError(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{fmt_shape(matrix.shape)} vs. {fmt_shape(rhs.shape)}"
        ) from None


matrix_triangular_solve.broadcasts = "batch"


@matrix_triangular_solve.gradient
def _(dz, *, matrix, output, lower, adjoint, needed):
    d_rhs = matrix_triangular_solve(matrix, dz, lower=lower, adjoint=not adjoint)
    if not needed[0]:
        return None, d_rhs
    d_matrix = neg(outer(output, d_rhs) if adjoint else outer(d_rhs, output))
    return lower_part(d_matrix) if lower else upper_part(d_matrix), d_rhs


def cholesky_solve(chol: Any, rhs: Any) -> Any:
    """Solve `a @ x = rhs`, with `chol` the lower Cholesky factor of `a`."""
    return matrix_triangular_solve(chol, matrix_triangular_solve(chol, rhs), adjoint=True)
