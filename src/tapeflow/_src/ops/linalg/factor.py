"""Triangular factors: Cholesky, QR and LU, of matrices in the last two axes.

The signs of QR's factors are those of Householder reflections, in LAPACK as in TF: elements on the
diagonal of `r` may be negative.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import FLOATING, INDEX, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import concat_v2, scalar_int, shape, zeros_like
from tapeflow._src.ops.array.diag import lower_part, matrix_diag_part, matrix_set_diag, upper_part
from tapeflow._src.ops.array.filling import one_hot
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matrix import (
    adjoint,
    identity_like,
    matmul,
    require_matrix,
    require_square,
    same_square,
)
from tapeflow._src.ops.linalg.solve import LAPACK, matrix_triangular_solve
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import scalar


def _strictly_lower(matrix: Any) -> Any:
    """Return the strictly lower triangle."""
    return matrix_set_diag(lower_part(matrix), zeros_like(matrix_diag_part(matrix)))


def _divided_by_adjoint(x: Any, upper: Any) -> Any:
    """Return `x @ inverse(adjoint(upper))` for an upper triangular matrix."""
    return adjoint(matrix_triangular_solve(upper, adjoint(x), lower=False))


# -- Cholesky ----------------------------------------------------------------------------------


@op("Cholesky", infer=same_square, dtypes=LAPACK, checked=True, batch=on_values)
def cholesky(xp, input):
    """Lower triangular `l` with `l @ adjoint(l) = input`; only the lower triangle is read.

    NaN where a matrix is not positive definite.
    """
    return xp.linalg.cholesky(input)


@cholesky.gradient
def _(dz, *, output):
    middle = matmul(output, dz, adjoint_a=True)
    halves = mul(matrix_diag_part(middle), scalar(0.5, dz))
    middle = lower_part(matrix_set_diag(middle, halves))
    left = matrix_triangular_solve(output, middle, adjoint=True)
    whole = adjoint(matrix_triangular_solve(output, adjoint(left), adjoint=True))
    return mul(add_v2(whole, adjoint(whole)), scalar(0.5, dz))


@op("CholeskyGrad", dtypes=FLOATING - {dtypes.bfloat16}, grad=None, checked=True, batch=on_values)
def cholesky_grad(xp, l, grad):  # noqa: E741  TF's name
    """Compute the gradient of `Cholesky` w.r.t.

    Its input, from the factor and its upstream gradient.
    """
    middle = xp.matmul(xp.swapaxes(l, -1, -2), grad)
    half = xp.tril(xp.ones(l.shape[-2:], l.dtype)) - xp.eye(l.shape[-1], dtype=l.dtype) / 2
    left = xp.linalg.triangular_solve(l, middle * half.astype(l.dtype), True, True)
    whole = xp.linalg.triangular_solve(l, xp.swapaxes(left, -1, -2), True, True)
    return ((whole + xp.swapaxes(whole, -1, -2)) / 2).astype(l.dtype)


@cholesky_grad.infer
def _(l, grad):  # noqa: E741
    require_square(l)
    shape = merge_shape(l.shape, grad.shape, "Inputs (L and grad) must have the same shape")
    return Spec(shape, l.dtype)


# -- QR ----------------------------------------------------------------------------------------


@op("Qr", outputs=("q", "r"), dtypes=LAPACK, checked=True, batch=on_values)
def qr(xp, input, *, full_matrices=False):
    """Compute `q` with orthonormal columns and upper triangular `r`, with `q @ r = input`."""
    return xp.linalg.qr(input, bool(full_matrices))


@qr.infer
def _(input, *, full_matrices):
    require_matrix(input)
    if input.shape is None:
        return Spec(None, input.dtype), Spec(None, input.dtype)
    *batch, rows, columns = input.shape
    inner = None if rows is None or columns is None else min(rows, columns)
    if full_matrices:
        inner = rows
    return Spec((*batch, rows, inner), input.dtype), Spec((*batch, inner, columns), input.dtype)


@qr.gradient
def _(dq, dr, *, input, q, r, full_matrices):
    rows, columns = (None, None) if r.static_shape is None else r.static_shape[-2:]
    unknown = rows is None or columns is None
    if full_matrices and (unknown or rows > columns):
        raise NotImplementedError(
            "Qr: the gradient is not defined for more rows than columns with full_matrices=True: "
            f"r has shape {fmt_shape(r.static_shape)}. The columns of q beyond those of the input "
            "are arbitrary."
        )
    if not unknown and rows >= columns:
        return _qr_gradient(q, r, dq, dr)
    # The columns that `q` does not depend on are on the right; there may be none.
    inner = get_item(shape(r), -2) if rows is None else rows
    left, right = (..., slice(None, inner)), (..., slice(inner, None))
    d_right = get_item(dr, right)
    dq = add_v2(dq, matmul(get_item(input, right), d_right, adjoint_b=True))
    d_left = _qr_gradient(q, get_item(r, left), dq, get_item(dr, left))
    return concat_v2([d_left, matmul(q, d_right)], scalar_int(-1))


def _qr_gradient(q: Any, r: Any, dq: Any, dr: Any) -> Any:
    """Return the gradient for matrices that are square or tall."""
    m = sub(matmul(r, dr, adjoint_b=True), matmul(dq, q, adjoint_a=True))
    below, diagonal = _strictly_lower(m), matrix_diag_part(m)
    if m.dtype.is_complex:
        diagonal = cast(real(diagonal, Tout=m.dtype.real_dtype), DstT=m.dtype)
    symmetric = matrix_set_diag(add_v2(below, adjoint(below)), diagonal)
    return _divided_by_adjoint(add_v2(dq, matmul(q, symmetric)), r)


# -- LU ----------------------------------------------------------------------------------------


@op("Lu", outputs=("lu", "p"), dtypes=LAPACK, checked=True, batch=on_values)
def lu(xp, input, *, output_idx_type=dtypes.int32):
    """Compute triangular factors of square matrices with rows in the order `p`.

    `l` is below the diagonal of `lu` (its own is all ones), `u` on and above it.
    """
    packed, order, invertible = xp.linalg.lu(input)
    xp.require(invertible, "Input is not invertible.")
    return packed, order.astype(as_dtype(output_idx_type).np)


@lu.infer
def _(input, *, output_idx_type):
    size = require_square(input)
    index = as_dtype(output_idx_type)
    if index not in INDEX:
        raise InferError(f"output_idx_type must be int32 or int64, got {index.name}")
    if input.shape is None:
        return Spec(None, input.dtype), Spec(None, index)
    batch = input.shape[:-2]
    return Spec((*batch, size, size), input.dtype), Spec((*batch, size), index)


@lu.gradient
def _(d_lu, d_p, *, lu, p):
    unit = matrix_diag_part(identity_like(lu))
    lower, upper = matrix_set_diag(lower_part(lu), unit), upper_part(lu)
    middle = add_v2(
        _strictly_lower(matmul(lower, _strictly_lower(d_lu), adjoint_a=True)),
        upper_part(matmul(upper_part(d_lu), upper, adjoint_b=True)),
    )
    permuted = matrix_triangular_solve(lower, _divided_by_adjoint(middle, upper), adjoint=True)
    rows = one_hot(p, _size(p), scalar(1, lu), scalar(0, lu))
    return matmul(rows, permuted, adjoint_a=True)


def _size(order: Any) -> Any:
    static_size = order.shape[-1]
    return scalar_int(static_size) if static_size is not None else get_item(shape(order), -1)
