"""Least squares: over- and underdetermined systems of linear equations."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_first_two
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import reshape, shape, static_ints, sum_
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.factor import cholesky
from tapeflow._src.ops.linalg.matrix import adjoint, identity_like, matmul
from tapeflow._src.ops.linalg.solve import (
    LAPACK,
    cholesky_solve,
    outer,
    require_same_batch,
    require_same_rows,
)
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, neg, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater_equal
from tapeflow._src.ops.math.logical import logical_not


def _flip(xp: ModuleType, a: Any) -> Any:
    return xp.swapaxes(a.conj() if a.dtype.kind == "c" else a, -1, -2)


@op("MatrixSolveLs", dtypes=LAPACK, checked=True, batch=on_first_two)
def matrix_solve_ls(xp, matrix, rhs, l2_regularizer: Free, *, fast=True):
    """Compute the `x` that minimises `|matrix @ x - rhs|² + l2_regularizer |x|²`.

    Fast: by the normal equations. Else by an orthogonal factorisation, without the regulariser.
    """
    xp.require(l2_regularizer >= 0, "l2_regularizer must be >= 0.")
    if not fast:
        return xp.linalg.least_squares(matrix, rhs)
    rows, columns = matrix.shape[-2:]
    flipped = _flip(xp, matrix)
    damping = l2_regularizer * xp.eye(min(rows, columns), dtype=matrix.dtype)
    if rows >= columns:
        gram = (xp.matmul(flipped, matrix) + damping).astype(matrix.dtype)
        return _solve_positive(xp, gram, xp.matmul(flipped, rhs))
    gram = (xp.matmul(matrix, flipped) + damping).astype(matrix.dtype)
    return xp.matmul(flipped, _solve_positive(xp, gram, rhs))


def _solve_positive(xp: ModuleType, gram: Any, rhs: Any) -> Any:
    factor = xp.linalg.cholesky(gram)
    half = xp.linalg.triangular_solve(factor, rhs, True, False)
    return xp.linalg.triangular_solve(factor, half, True, True)


@matrix_solve_ls.infer
def _(matrix, rhs, l2_regularizer, *, fast):
    if l2_regularizer.dtype is not dtypes.float64:
        raise InferError(f"l2_regularizer must be float64, got {l2_regularizer.dtype.name}")
    require_rank(l2_regularizer, 0, "l2_regularizer")
    batch = require_same_batch(matrix, rhs)
    if batch is None:
        return Spec(None, matrix.dtype)
    require_same_rows(matrix, rhs)
    return Spec((*batch, matrix.shape[-1], rhs.shape[-1]), matrix.dtype)


@matrix_solve_ls.gradient
def _(dz, *, matrix, rhs, l2_regularizer, output, fast):
    if not fast:
        raise ValueError(
            "MatrixSolveLs: gradient not defined for fast=False; use fast=True, or "
            "tf.linalg.pinv(matrix) @ rhs."
        )
    damping = cast(l2_regularizer, DstT=matrix.dtype)
    rows, columns = (None, None) if matrix.static_shape is None else matrix.static_shape[-2:]
    if rows is None or columns is None:
        return _gradient_of_either(dz, matrix, rhs, output, damping)
    if rows >= columns:
        return _overdetermined(dz, matrix, rhs, output, damping)
    return _underdetermined(dz, matrix, rhs, damping)


def _gradient_of_either(dz, matrix, rhs, output, damping):
    """Compute both ways and select the one that applies, for unknown sizes."""
    sizes = shape(matrix)
    tall = greater_equal(get_item(sizes, -2), get_item(sizes, -1))
    ways = zip(
        _overdetermined(dz, matrix, rhs, output, damping, tall),
        _underdetermined(dz, matrix, rhs, damping, logical_not(tall)),
        strict=True,
    )
    return tuple(select_v2(tall, over, under) for over, under in ways)


def _damped(gram: Any, damping: Any, applies: Any) -> Any:
    identity = identity_like(gram)
    damped = add_v2(gram, mul(damping, identity))
    if applies is not None:
        # The other one must not fail either: its matrix has no full rank.
        damped = select_v2(applies, damped, identity)
    return cholesky(damped)


def _overdetermined(dz, matrix, rhs, output, damping, applies=None):
    factor = _damped(matmul(matrix, matrix, adjoint_a=True), damping, applies)
    z = cholesky_solve(factor, dz)
    xz = outer(output, z)
    d_matrix = sub(outer(rhs, z), matmul(matrix, add_v2(xz, adjoint(xz))))
    return d_matrix, matmul(matrix, z), _by_damping(z, output)


def _underdetermined(dz, matrix, rhs, damping, applies=None):
    factor = _damped(outer(matrix, matrix), damping, applies)
    d_rhs = cholesky_solve(factor, matmul(matrix, dz))
    y = cholesky_solve(factor, rhs)
    residual = sub(dz, matmul(matrix, d_rhs, adjoint_a=True))
    d_matrix = sub(outer(y, residual), matmul(d_rhs, matmul(y, matrix, adjoint_a=True)))
    return d_matrix, d_rhs, _by_damping(d_rhs, y)


def _by_damping(x: Any, y: Any) -> Any:
    """Return minus the real part of the inner product: the derivative w.r.t. the regulariser."""
    products = reshape(mul(conj_of(x), y), static_ints((-1,)))
    total = sum_(products, static_ints((0,)))
    return neg(cast(total, DstT=dtypes.float64))
