"""Systems and products of banded matrices.

A tridiagonal matrix is three rows of one length: the superdiagonal (its last element is outside the
matrix), the main diagonal, and the subdiagonal (its first element is outside).
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import COMPLEX
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import NOT_ELEMENTWISE
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    fill,
    pack,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
    sum_,
    unpack,
    zeros_like,
)
from tapeflow._src.ops.array.diag import matrix_diag_part_v3
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matrix import matmul
from tapeflow._src.ops.linalg.solve import LAPACK, broadcast_batch
from tapeflow._src.ops.math.arithmetic import conj_of, mul, neg, sub
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum, minimum

_TRIDIAGONAL = COMPLEX | {dtypes.float32, dtypes.float64}


def _from_next(x: Any, axis: int) -> Any:
    """Shift by one towards the front along the axis, with a zero at the end."""
    return _shifted(x, slice(1, None), slice(None, 1), axis, first=False)


def _from_previous(x: Any, axis: int) -> Any:
    """Shift by one towards the end, with a zero at the front."""
    return _shifted(x, slice(None, -1), slice(None, 1), axis, first=True)


def _shifted(x: Any, rest_of_axis: slice, one: slice, axis: int, first: bool) -> Any:
    after = (slice(None),) * (-axis - 1)
    zero = zeros_like(get_item(x, (..., one, *after)))
    rest = get_item(x, (..., rest_of_axis, *after))
    return concat_v2([zero, rest] if first else [rest, zero], scalar_int(axis))


# -- tridiagonal systems -----------------------------------------------------------------------


@op("TridiagonalSolve", dtypes=_TRIDIAGONAL, checked=True, batch=on_values)
def tridiagonal_solve(xp, diagonals, rhs, *, partial_pivoting=True, perturb_singular=False):
    """Solve `a @ x = rhs` for a tridiagonal `a`; NaN where `a` is singular.

    `perturb_singular` enlarges pivots that are too small instead. Rows are always pivoted: a system
    that TF calls singular with `partial_pivoting=False` is solved.
    """
    upper, main, lower = (diagonals[..., i, :] for i in range(3))
    return xp.linalg.tridiagonal_solve(upper, main, lower, rhs, bool(perturb_singular))


@tridiagonal_solve.infer
def _(diagonals, rhs, *, partial_pivoting, perturb_singular):
    for index, spec in enumerate((diagonals, rhs)):
        if spec.shape is not None and len(spec.shape) < 2:
            raise InferError(f"Input {index} must have rank >= 2, got {fmt_shape(spec.shape)}")
    if diagonals.shape is None or rhs.shape is None:
        return Spec(rhs.shape, rhs.dtype)
    if diagonals.shape[-2] not in (None, 3):
        raise InferError(f"Expected 3 diagonals got {diagonals.shape[-2]}.")
    merge_shape(
        (*diagonals.shape[:-2], diagonals.shape[-1]),
        rhs.shape[:-1],
        "The length of diagonals and the batch must be those of rhs",
    )
    return Spec(rhs.shape, rhs.dtype)


@tridiagonal_solve.gradient
def _(dz, *, diagonals, output, partial_pivoting, perturb_singular):
    upper, main, lower = unpack(diagonals, num=3, axis=-2)
    flipped = [_from_next(lower, -1), main, _from_previous(upper, -1)]
    d_rhs = tridiagonal_solve(
        pack([conj_of(d) for d in flipped], axis=-2),
        dz,
        partial_pivoting=partial_pivoting,
        perturb_singular=perturb_singular,
    )
    x = conj_of(output)
    lines = (_from_next(x, -2), x, _from_previous(x, -2))
    last = static_ints((-1,))
    return neg(pack([sum_(mul(d_rhs, line), last) for line in lines], axis=-2)), d_rhs


# -- tridiagonal products ----------------------------------------------------------------------


@op("TridiagonalMatMul", dtypes=_TRIDIAGONAL, checked=True, batch=on_values)
def tridiagonal_mat_mul(xp, superdiag, maindiag, subdiag, rhs):
    """Compute `a @ rhs` for a tridiagonal `a` given by diagonals of shape `[..., 1, size]`."""
    upper, main, lower = (xp.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    edge = [(0, 0)] * (rhs.ndim - 2)
    above = xp.pad(
        upper[..., :-1, :] * rhs[..., 1:, :], [*edge, (0, min(rhs.shape[-2], 1)), (0, 0)]
    )
    below = xp.pad(
        lower[..., 1:, :] * rhs[..., :-1, :], [*edge, (min(rhs.shape[-2], 1), 0), (0, 0)]
    )
    return main * rhs + above + below


@tridiagonal_mat_mul.infer
def _(superdiag, maindiag, subdiag, rhs):
    specs = (superdiag, maindiag, subdiag, rhs)
    if any(s.shape is None for s in specs):
        return Spec(rhs.shape, rhs.dtype)
    if any(len(s.shape) != len(rhs.shape) for s in specs) or len(rhs.shape) < 2:
        raise InferError(
            "The diagonals and rhs must all have one rank, 2 or more; received shapes "
            + ", ".join(fmt_shape(s.shape) for s in specs)
        )
    names = ("superdiagonal", "maindiagonal", "subdiagonal")
    expected = (*rhs.shape[:-2], 1, rhs.shape[-2])
    for name, spec in zip(names, specs, strict=False):
        merge_shape(expected, spec.shape, f"Invalid {name} shape. Expected vs. received")
    return Spec(rhs.shape, rhs.dtype)


@tridiagonal_mat_mul.gradient
def _(dz, *, superdiag, maindiag, subdiag, rhs, needed):
    x = conj_of(rhs)
    lines = (_from_next(x, -2), x, _from_previous(x, -2))
    grads = [
        _row(mul(dz, line)) if is_needed else None
        for line, is_needed in zip(lines, needed, strict=False)
    ]
    if not needed[3]:
        return tuple(grads)
    flipped = [_from_next(subdiag, -1), maindiag, _from_previous(superdiag, -1)]
    return (*grads, tridiagonal_mat_mul(*[conj_of(d) for d in flipped], dz))


def _row(products: Any) -> Any:
    """Sum along the last axis, and insert an axis of size 1 before the remaining last one."""
    return expand_dims(sum_(products, static_ints((-1,))), scalar_int(-2))


# -- triangular bands --------------------------------------------------------------------------


@op("BandedTriangularSolve", dtypes=LAPACK, checked=True, traits=(NOT_ELEMENTWISE,))
def banded_triangular_solve(xp, matrix, rhs, *, lower=True, adjoint=False):
    """Compute `x` with `a @ x = rhs`, `a` triangular, given by its diagonals as rows.

    The main one first if it is lower triangular, else last. Batches are broadcast.
    """
    solution, exists = xp.linalg.banded_solve(matrix, rhs, bool(lower), bool(adjoint))
    xp.require(exists, "Input matrix is not invertible.")
    return solution


@banded_triangular_solve.infer
def _(matrix, rhs, *, lower, adjoint):
    for index, spec in enumerate((matrix, rhs)):
        if spec.shape is not None and len(spec.shape) < 2:
            raise InferError(f"In[{index}] ndims must be >= 2: {len(spec.shape)}")
    if matrix.shape is None or rhs.shape is None:
        return Spec(None, rhs.dtype)
    if matrix.shape[-2] == 0:
        raise InferError(f"In[0] needs a diagonal, got shape {fmt_shape(matrix.shape)}")
    size, rows = matrix.shape[-1], rhs.shape[-2]
    if size is not None and rows is not None and size != rows:
        raise InferError(
            f"In[0] mismatch In[1] shape: {size} vs. {rows}: "
            f"{fmt_shape(matrix.shape)} {fmt_shape(rhs.shape)}"
        )
    batch = broadcast_batch(matrix, rhs)
    return Spec((*batch, size if rows is None else rows, rhs.shape[-1]), rhs.dtype)


banded_triangular_solve.broadcasts = "batch"


@banded_triangular_solve.gradient
def _(dz, *, matrix, output, lower, adjoint, needed):
    d_rhs = banded_triangular_solve(matrix, dz, lower=lower, adjoint=not adjoint)
    if not needed[0]:
        return None, d_rhs
    left, right = (output, d_rhs) if adjoint else (d_rhs, output)
    dense = neg(matmul(left, right, adjoint_b=True))
    return _bands_of(dense, shape_of(matrix), lower), d_rhs


def _bands_of(dense: Any, packed_shape: Any, lower: bool) -> Any:
    """Return the diagonals of matrices as rows; those outside of the matrices are zeros."""
    bands, size = get_item(packed_shape, -2), get_item(packed_shape, -1)
    zero, one = scalar_int(0), scalar_int(1)
    inside = minimum(bands, maximum(size, one))
    k = pack([sub(one, inside), zero] if lower else [zero, sub(inside, one)])
    packed = matrix_diag_part_v3(dense, k, scalar(0, dense), align="LEFT_RIGHT")
    batch = get_item(shape_of(dense), slice(None, -2))
    # A single diagonal has no axis of diagonals.
    packed = reshape(packed, concat_v2([batch, pack([inside, size])], zero))
    rest = concat_v2([batch, pack([sub(bands, inside), size])], zero)
    outside = fill(rest, scalar(0, dense))
    return concat_v2([packed, outside] if lower else [outside, packed], scalar_int(-2))
