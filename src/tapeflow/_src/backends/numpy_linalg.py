"""Factorisations and solvers of the NumPy backend: results of TF's kernels, also on failure.

`jax_linalg` has twins of the same names. All take matrices in the last two axes. LAPACK has no
16-bit floats: they are computed in float32. A result that may not exist comes with a flag.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from tapeflow._src.backends.lapack import by_matrices
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

_scipy = LazyModule("scipy.linalg", "LU factors, triangular systems and functions of matrices")


def in_float32(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Compute 16-bit floats in float32."""

    @wraps(compute)
    def wide(first: Any, *rest: Any) -> Any:
        kind = first.dtype
        if kind.itemsize != 2:
            return compute(first, *rest)
        widened = [
            a.astype(np.float32) if getattr(a, "dtype", None) == kind else a for a in (first, *rest)
        ]
        result = compute(*widened)
        parts = result if isinstance(result, tuple) else (result,)
        narrowed = tuple(
            p.astype(kind) if getattr(p, "dtype", None) == np.float32 else p for p in parts
        )
        return narrowed if isinstance(result, tuple) else narrowed[0]

    return wide


def _adjoint(a: np.ndarray) -> np.ndarray:
    return np.swapaxes(a.conj() if a.dtype.kind == "c" else a, -1, -2)


def _as_batch(a: np.ndarray) -> np.ndarray:
    """Return the matrices of a batch, along one axis."""
    return a.reshape(-1, *a.shape[-2:]) if a.size else a.reshape(0, *a.shape[-2:])


def anchors(xp: ModuleType, vectors: Any) -> Any:
    """Return signs (phases) for columns that are determined up to one, so that all backends agree.

    A weighted sum of each column, whose terms hardly ever cancel, becomes positive.
    """
    weights = 1 / xp.arange(1, vectors.shape[-2] + 1, dtype=vectors.real.dtype)[:, None]
    total = (vectors * weights).sum(-2, keepdims=True)
    if vectors.dtype.kind != "c":
        return xp.where(total < 0, -1, 1).astype(vectors.dtype)
    size = xp.abs(total)
    return xp.where(size > 0, total.conj() / xp.where(size > 0, size, 1), 1).astype(vectors.dtype)


def paired_anchors(xp: ModuleType, u: Any, v: Any, rank: int) -> tuple[Any, Any]:
    """Like `anchors`, for singular vectors: the first `rank` on both sides turn together."""
    of_u, of_v = anchors(xp, u), anchors(xp, v)
    return of_u, xp.concatenate([of_u[..., :rank], of_v[..., rank:]], axis=-1)


# -- factorisations ----------------------------------------------------------------------------


@in_float32
@by_matrices
def cholesky(a: Array) -> np.ndarray:
    """Return the lower Cholesky factor; NaN where a matrix is not positive definite."""
    try:
        return np.linalg.cholesky(a)
    except LinAlgError:
        return np.stack([_cholesky_or_nan(m) for m in _as_batch(a)]).reshape(a.shape)


def _cholesky_or_nan(a: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(a)
    except LinAlgError:
        return np.tril(np.full_like(a, np.nan))


@in_float32
@by_matrices
def qr(a: Array, full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal and an upper triangular factor, by Householder reflections."""
    q, r = np.linalg.qr(a, "complete" if full else "reduced")
    return q, r


@in_float32
@by_matrices
def svd(a: Any, full: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return singular values, left and right singular vectors; NaN for a matrix with NaN or inf."""
    try:
        u, s, vh = np.linalg.svd(a, full_matrices=full)
        bad = np.isnan(s).any(-1)
    except LinAlgError:
        bad = ~np.isfinite(a).all((-2, -1))
        finite = np.where(bad[..., None, None], np.zeros((), a.dtype), a)
        u, s, vh = np.linalg.svd(finite, full_matrices=full)
    if bad.any():
        for part in (u, s, vh):
            part[bad] = np.nan
    v = _adjoint(vh)
    of_u, of_v = paired_anchors(np, u, v, s.shape[-1])
    return s, u * of_u, v * of_v


@in_float32
@by_matrices
def singular_values(a: Array) -> np.ndarray:
    """Return the singular values alone."""
    try:
        return np.linalg.svd(a, compute_uv=False)
    except LinAlgError:
        return svd(a, False)[0]


@in_float32
@by_matrices
def eigh(a: Array) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return eigenvalues and eigenvectors of self-adjoint matrices (lower triangle), and a flag."""
    try:
        e, v = np.linalg.eigh(a)
    except LinAlgError:
        return a[..., 0], a, False
    return e, v * anchors(np, v), not np.isnan(v).any()


@in_float32
@by_matrices
def eigvalsh(a: Array) -> tuple[np.ndarray, Any]:
    """Like `eigh`, without the vectors."""
    try:
        return np.linalg.eigvalsh(a), not np.isnan(a).any()
    except LinAlgError:
        return a[..., 0], False


@by_matrices
def eig(a: Array) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return eigenvalues and eigenvectors of square matrices, complex, and a flag."""
    kind = np.result_type(a.dtype, np.complex64)
    try:
        e, v = np.linalg.eig(a)
    except LinAlgError:
        return a[..., 0], a, False
    v = v.astype(kind, copy=False)
    return e.astype(kind, copy=False), v * anchors(np, v), True


@by_matrices
def eigvals(a: Array) -> tuple[np.ndarray, Any]:
    """Like `eig`, without the vectors."""
    kind = np.result_type(a.dtype, np.complex64)
    try:
        return np.linalg.eigvals(a).astype(kind, copy=False), True
    except LinAlgError:
        return a[..., 0], False


@in_float32
@by_matrices
def lu(a: Array) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return both factors in one matrix, the row permutation, and whether it is regular."""
    if a.size == 0:
        return a, np.zeros(a.shape[:-1], np.int64), True
    rows, lower, upper = _scipy.lu(a, p_indices=True, check_finite=False)
    packed = np.tril(lower, -1) + upper
    pivots = np.abs(np.diagonal(packed, axis1=-2, axis2=-1))
    return packed, np.argsort(rows, axis=-1), (pivots > 0).all()


# -- determinants and systems of equations -----------------------------------------------------


@in_float32
@by_matrices
def det(a: Array) -> np.ndarray:
    """Return the determinants."""
    return _with_nan(np.asarray(np.linalg.det(a)), a)


@in_float32
@by_matrices
def slogdet(a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the signs of the determinants, and the logarithms of their absolute values."""
    sign, logarithm = np.linalg.slogdet(a)
    return _with_nan(np.asarray(sign), a), _with_nan(np.asarray(logarithm), a)


def _with_nan(result: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return NaN where a matrix has one: LAPACK treats it as singular."""
    bad = np.isnan(a).any((-2, -1))
    return np.where(bad, result.dtype.type(np.nan), result) if bad.any() else result


@in_float32
@by_matrices
def inverse(a: Array) -> tuple[np.ndarray, Any]:
    """Return the inverses, and whether they exist."""
    try:
        return np.linalg.inv(a), not np.isnan(a).any()
    except LinAlgError:
        return a, False


@in_float32
@by_matrices
def solve(a: Array, b: Array) -> tuple[np.ndarray, Any]:
    """Solve `a @ x = b`; return `x` and whether it exists."""
    try:
        return np.linalg.solve(a, b), not np.isnan(a).any()
    except LinAlgError:
        return b, False


@in_float32
@by_matrices
def least_squares(a: Array, b: Array) -> np.ndarray:
    """Return the minimum-norm `x` that minimises `|a @ x - b|`."""
    rcond = np.finfo(a.dtype).eps * max(*a.shape[-2:], 1)
    return np.matmul(np.linalg.pinv(a, rcond=rcond), b).astype(a.dtype, copy=False)


@in_float32
@by_matrices
def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve `a @ x = b` for the lower or the upper triangle of `a`; batches are broadcast."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, columns = b.shape[-2:]
    count = int(np.prod(batch, dtype=np.int64))
    if a.ndim == 2 and count > 1:
        # One matrix: its many right-hand sides are put side by side.
        wide = np.moveaxis(b, -2, 0).reshape(rows, -1)
        solved = triangular_solve(a, wide, lower, adjoint).reshape(rows, *batch, columns)
        return np.moveaxis(solved, 0, -2)
    if count * rows * columns == 0:
        return np.zeros((*batch, rows, columns), b.dtype)
    if count > 1 and count * 8 >= rows:
        return _substitute(_adjoint(a) if adjoint else a, b, lower != adjoint)
    a = np.broadcast_to(a, (*batch, rows, rows))
    b = np.broadcast_to(b, (*batch, rows, columns))
    solved = [_trsm(m, r, lower, adjoint) for m, r in zip(_as_batch(a), _as_batch(b), strict=True)]
    return np.stack(solved).reshape(b.shape)


def _substitute(a: np.ndarray, b: np.ndarray, lower: bool) -> np.ndarray:
    """Substitute row by row, for all matrices at once: BLAS would be called for each."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, columns = b.shape[-2:]
    x = np.empty((*batch, rows, columns), b.dtype)
    for i in range(rows) if lower else range(rows - 1, -1, -1):
        solved = slice(0, i) if lower else slice(i + 1, rows)
        done = np.matmul(a[..., i : i + 1, solved], x[..., solved, :])[..., 0, :]
        x[..., i, :] = (b[..., i, :] - done) / a[..., i, i, None]
    return x


@cache
def _trsm_of(dtype: np.dtype[Any]) -> Callable[..., np.ndarray]:
    """Return BLAS's solver of triangular systems: looking it up takes longer than a small one."""
    (trsm,) = _scipy.get_blas_funcs(("trsm",), dtype=dtype)
    solver: Callable[..., np.ndarray] = trsm
    return solver


def _trsm(a: np.ndarray, b: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray:
    trsm = _trsm_of(a.dtype)
    # BLAS is column-major: to it, `a` is transposed already.
    transposed = a.T.conj() if adjoint and a.dtype.kind == "c" else a.T
    return trsm(1.0, transposed, b, lower=not lower, trans_a=0 if adjoint else 1)


def tridiagonal_solve(upper: Any, main: Any, lower: Any, b: Array, perturb: bool) -> np.ndarray:
    """Solve `a @ x = b` for three diagonals of one length; NaN if `a` is singular.

    The last element of `upper` and the first of `lower` are outside the matrix. `perturb`: pivots
    that are too small are enlarged, so that there is always a result.
    """
    size = main.shape[-1]
    if b.size == 0:
        return b
    if perturb or size == 1:
        x = _eliminate(upper, main, lower, b, perturb)
        return np.where(np.isfinite(x).all((-2, -1), keepdims=True), x, x.dtype.type(np.nan))
    (gtsv,) = _scipy.get_lapack_funcs(("gtsv",), (main, b))
    solved = []
    lines = (d.reshape(-1, size) for d in (lower, main, upper))
    for below, middle, above, right in zip(*lines, _as_batch(b), strict=True):
        *_, x, info = gtsv(below[1:], middle, above[:-1], right)
        solved.append(np.full_like(x, np.nan) if info else x)
    return np.stack(solved).reshape(b.shape)


def _eliminate(upper: Any, main: Any, lower: Any, b: Array, perturb: bool) -> np.ndarray:
    """Run Gaussian elimination with pivoting, step by step for all systems at once."""
    size = main.shape[-1]
    x = b.copy()
    # The rows of the upper factor: its diagonal and the two above it.
    factor = np.stack([main, upper, np.zeros_like(main)])
    factor[1, ..., -1] = 0
    for i in range(size - 1):
        below = np.stack([lower[..., i + 1], factor[0, ..., i + 1], factor[1, ..., i + 1]])
        swap = np.abs(below[0]) > np.abs(factor[0, ..., i])
        row, rest = np.where(swap, below, factor[..., i]), np.where(swap, factor[..., i], below)
        scale = np.where(rest[0] == 0, 0, rest[0] / row[0])
        factor[..., i] = row
        factor[0, ..., i + 1] = rest[1] - scale * row[1]
        factor[1, ..., i + 1] = rest[2] - scale * row[2]
        first, second = x[..., i, :].copy(), x[..., i + 1, :].copy()
        x[..., i, :] = np.where(swap[..., None], second, first)
        other = np.where(swap[..., None], first, second)
        x[..., i + 1, :] = other - scale[..., None] * x[..., i, :]
    pivots = _perturbed(factor) if perturb else factor[0]
    for i in range(size - 1, -1, -1):
        for step in range(1, min(3, size - i)):
            x[..., i, :] -= factor[step, ..., i, None] * x[..., i + step, :]
        x[..., i, :] /= pivots[..., i, None]
    return x


def _perturbed(factor: np.ndarray) -> np.ndarray:
    """Return the diagonal of an upper factor, with no element negligible beside the largest."""
    limits = np.finfo(factor.dtype)
    largest = np.abs(factor).max((0, -1), keepdims=True)[0]
    least = np.maximum(largest * limits.eps, limits.tiny)
    pivots = factor[0]
    return np.where(np.abs(pivots) >= least, pivots, np.where(pivots.real < 0, -least, least))


@in_float32
def banded_solve(bands: Any, b: Array, lower: bool, adjoint: bool) -> tuple[np.ndarray, Any]:
    """Solve `a @ x = b` for a triangular `a` given by its diagonals; and whether `x` exists."""
    batch = np.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
    bands = np.broadcast_to(bands, (*batch, *bands.shape[-2:]))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    if b.size == 0:
        return np.zeros(b.shape, b.dtype), True
    (tbtrs,) = _scipy.get_lapack_funcs(("tbtrs",), (bands, b))
    how = {"uplo": "L" if lower else "U", "trans": "C" if adjoint else "N"}
    solved = []
    for band, right in zip(_as_batch(bands), _as_batch(b), strict=True):
        x, info = tbtrs(_by_columns(band, lower), right, **how)
        if info:
            return b, False
        solved.append(x)
    return np.stack(solved).reshape(b.shape), True


def _by_columns(bands: np.ndarray, lower: bool) -> np.ndarray:
    """Pack diagonals as LAPACK expects them: an element at the index of its column."""
    moved = np.zeros_like(bands)
    count, size = bands.shape
    for i in range(min(count, size)):
        if lower:
            moved[i, : size - i] = bands[i, i:]
        else:
            moved[count - 1 - i, i:] = bands[count - 1 - i, : size - i]
    return moved


# -- functions of matrices ---------------------------------------------------------------------


@in_float32
def sqrtm(a: Array) -> np.ndarray:
    """Return the principal square roots; NaN for a real matrix that has no real one."""
    roots = [_scipy.sqrtm(m) for m in _as_batch(a)]
    if a.dtype.kind != "c":
        roots = [np.full(r.shape, np.nan) if np.iscomplexobj(r) else r for r in roots]
    return np.stack(roots).reshape(a.shape).astype(a.dtype) if roots else a


def logm(a: Array) -> np.ndarray:
    """Return the principal logarithms."""
    if a.size == 0:
        return a
    with warnings.catch_warnings():
        # SciPy warns of matrices that are nearly singular; TF does not.
        warnings.simplefilter("ignore")
        logarithms = [_scipy.logm(m.astype(np.complex128)) for m in _as_batch(a)]
    return np.stack(logarithms).reshape(a.shape).astype(a.dtype)
