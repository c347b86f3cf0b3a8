"""Factorisations and solvers of the NumPy backend: results of TF's kernels, also on failure.

`jax_linalg` has twins of the same names. All take matrices in the last two axes. LAPACK has no
16-bit floats: they are computed in float32. A result that may not exist comes with a flag.

NumPy's public functions take 5 to 25 µs more than the loops over matrices that they call, and
compute float32 in float64. So the loops are called, where their names and signatures are those of
all releases. They return NaN for a matrix without a result, and floating-point errors are ignored
around all kernels.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache, lru_cache, partial, wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.linalg import _umath_linalg as loops

from tapeflow._src.backends import lapack_batches, lapack_calls
from tapeflow._src.backends.lapack import LONG_CALL, WITHOUT_GIL, by_matrices
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

# Rows up to which masks are cached, and triangular systems solved together.
_SMALL = 64
# Order up to which the product of so many numbers from 0.5 to 1 is no subnormal number.
_LONG = 1000
# Numbers up to which Python is faster than a reduction of NumPy's, which takes 0.8 µs.
_FEW = 32
# Numbers up to which BLAS adds their squares on one thread.
_SQUARED = 10_000
# Whether 0 is less than a number.
_IS_LESS = (0.0).__lt__
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


def _loop(name: str, older: str) -> Any:
    """Return a loop that releases of NumPy before 2.3 have under other names."""
    return getattr(loops, name, None) or getattr(loops, older)


def _as_batch(a: np.ndarray) -> np.ndarray:
    """Return the matrices of a batch, along one axis."""
    return a.reshape(-1, *a.shape[-2:]) if a.size else a.reshape(0, *a.shape[-2:])


def anchors(xp: ModuleType, vectors: Any) -> Any:
    """Return signs (phases) for columns that are determined up to one, so that all backends agree.

    A weighted sum of each column, whose terms hardly ever cancel, becomes positive.
    """
    if xp is np and vectors.dtype.kind != "c":
        weights, one = _weights(vectors.shape[-2], vectors.dtype)
        # No column is all zeros, so no sum is a negative zero.
        totals = np.add.reduce(vectors * weights, -2, keepdims=True)
        return np.copysign(one, totals, totals)
    weights, one = _weights(vectors.shape[-2], np.dtype(vectors.real.dtype))
    total = (vectors * weights).sum(-2, keepdims=True)
    if vectors.dtype.kind != "c":
        return xp.where(total < 0, -one, one)
    size = xp.abs(total)
    return xp.where(size > 0, total.conj() / xp.where(size > 0, size, 1), 1).astype(vectors.dtype)


@lru_cache(maxsize=64)
def _weights(rows: int, dtype: np.dtype[Any]) -> tuple[np.ndarray, Any]:
    """Return the weights of the rows of vectors, and 1, in `dtype`."""
    return 1 / np.arange(1, rows + 1, dtype=dtype)[:, None], dtype.type(1)


def paired_anchors(xp: ModuleType, u: Any, v: Any, rank: int) -> tuple[Any, Any]:
    """Like `anchors`, for singular vectors: the first `rank` on both sides turn together."""
    of_u = anchors(xp, u)
    if v.shape[-1] == rank:
        return of_u, of_u[..., :rank]
    of_v = anchors(xp, v)
    return of_u, xp.concatenate([of_u[..., :rank], of_v[..., rank:]], axis=-1)


# -- factorisations ----------------------------------------------------------------------------


@in_float32
def cholesky(a: Array) -> np.ndarray:
    """Return the lower Cholesky factor; NaN where a matrix is not positive definite."""
    return lapack_batches.cholesky(a) if lapack_batches.pays(a) else _cholesky(a)


@by_matrices
def _cholesky(a: np.ndarray) -> np.ndarray:
    factor = loops.cholesky_lo(a)
    if a.shape[-1] > 1 and (factor[..., 0, -1] != 0).any():
        return np.tril(factor)  # a matrix without a factor is NaN above the diagonal, too
    return factor


@in_float32
def qr(a: Array, full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal and an upper triangular factor, by Householder reflections."""
    return lapack_batches.qr(a, full) if lapack_batches.pays(a) else _qr(a, full)


@by_matrices
def _qr(a: np.ndarray, full: bool) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = a.shape[-2:]
    work = a.astype(_double(a.dtype))  # there is no loop for float32
    scales = _qr_loop(rows <= columns)(work)
    complete = full and rows > columns
    q = (loops.qr_complete if complete else loops.qr_reduced)(work, scales)
    count = q.shape[-1]
    r = work[..., :count, :]
    if count <= _SMALL:
        below = _below(count, columns)
        if r.size == below.size:
            np.putmask(r, below, 0)  # half the time of the more general function
        else:
            np.copyto(r, 0, where=below)
    else:
        r = np.triu(r)
    return q.astype(a.dtype, copy=False), r.astype(a.dtype, copy=count < rows)


@cache
def _qr_loop(is_wide: bool) -> Any:
    return _loop("qr_r_raw", "qr_r_raw_m" if is_wide else "qr_r_raw_n")


@lru_cache(maxsize=64)
def _below(rows: int, columns: int) -> np.ndarray:
    """Return a mask of what is below the diagonal."""
    return np.tri(rows, columns, -1, dtype=bool)


@in_float32
@by_matrices
def svd(a: Any, full: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return singular values, left and right singular vectors; NaN for a matrix with NaN or inf."""
    u, s, vh = _svd_loop("_f" if full else "_s", a)(a)
    if _has_nan(s):
        bad = np.isnan(s).any(-1)
        for part in (u, s, vh):
            part[bad] = np.nan
    v = _adjoint(vh)
    of_u, of_v = paired_anchors(np, u, v, s.shape[-1])
    return s, u * of_u, v * of_v


@in_float32
@by_matrices
def singular_values(a: Array) -> np.ndarray:
    """Return the singular values alone."""
    s = _svd_loop("", a)(a)
    if _has_nan(s):
        s[np.isnan(s).any(-1)] = np.nan
    return s


def _svd_loop(suffix: str, a: np.ndarray) -> Any:
    older = "m" if a.shape[-2] < a.shape[-1] else "n"
    return _loop(f"svd{suffix}", f"svd_{older}{suffix}")


@in_float32
def eigh(a: Array) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return eigenvalues and eigenvectors of self-adjoint matrices (lower triangle), and a flag."""
    if lapack_batches.pays(a):
        weights, _ = _weights(a.shape[-1], a.real.dtype)
        return lapack_batches.eigh(a, weights[:, 0])
    return _eigh(a)


@by_matrices
def _eigh(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
    e, v = loops.eigh_lo(a)
    return e, v * anchors(np, v), not _has_nan(v)


@in_float32
@by_matrices
def eigvalsh(a: Array) -> tuple[np.ndarray, Any]:
    """Like `eigh`, without the vectors."""
    e = loops.eigvalsh_lo(a)
    return e, not (_has_nan(e) or _has_nan(a))


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
def lu(a: Array) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return both factors in one matrix, the row permutation, and whether it is regular."""
    if a.size == 0:
        return a, np.zeros(a.shape[:-1], np.int64), True
    packed, order = lapack_batches.lu(a) if lapack_batches.pays(a) else _lu(a)
    return packed, order, _has_pivots(packed)


def _has_pivots(packed: np.ndarray) -> Any:
    """Whether no number on the diagonals is 0 or NaN."""
    diagonals = packed.diagonal(0, -2, -1)
    if diagonals.size <= _FEW:
        return all(map(_IS_LESS, map(abs, diagonals.reshape(-1).tolist())))
    return np.minimum.reduce(np.abs(diagonals), axis=None) > 0


@partial(by_matrices, least_work=LONG_CALL)
def _lu(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if lapack_calls.has(a.dtype):
        return lapack_calls.lu(a)
    rows, lower, upper = _scipy.lu(a, p_indices=True, check_finite=False)
    return np.tril(lower, -1) + upper, np.argsort(rows, axis=-1)


# -- determinants and systems of equations -----------------------------------------------------


@in_float32
def det(a: Array) -> np.ndarray:
    """Return the determinants."""
    if lapack_batches.pays(a):
        sign, logarithm = lapack_batches.slogdet(a, np.float64)
        return (sign * np.exp(logarithm)).astype(a.dtype)
    return _det(a)


@partial(by_matrices, least_count=WITHOUT_GIL)
def _det(a: np.ndarray) -> np.ndarray:
    if a.dtype == np.float32 and _SMALL <= a.shape[-1] <= _LONG and lapack_calls.has(a.dtype):
        return _with_nan(lapack_calls.det(a), a)
    wide = _double(a.dtype)  # it is the exponential of a logarithm
    return _with_nan(loops.det(a.astype(wide, copy=False)).astype(a.dtype, copy=False), a)


@cache
def _double(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of 64-bit floats, real or complex as `dtype`."""
    return np.result_type(dtype, np.float64)


@in_float32
def slogdet(a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the signs of the determinants, and the logarithms of their absolute values."""
    return lapack_batches.slogdet(a, a.real.dtype) if lapack_batches.pays(a) else _slogdet(a)


@partial(by_matrices, least_count=WITHOUT_GIL)
def _slogdet(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sign, logarithm = loops.slogdet(a)
    if not _has_nan(a):
        return sign, logarithm
    return _with_nan(sign, a), _with_nan(logarithm, a)


def _has_nan(a: np.ndarray) -> bool:
    """Whether a number is NaN: first by a sum, which takes one pass and no memory.

    The sum of squares is NaN for no other reason, and BLAS adds it up in a third of the time.
    """
    if a.size <= _FEW:
        total = sum(a.reshape(-1).tolist())
    elif a.size <= _SQUARED and a.dtype.char in "fd":
        flat = a.reshape(-1)
        total = flat.dot(flat)
    else:
        total = np.add.reduce(a, axis=None)
    return bool(total != total and np.isnan(a).any())


def _with_nan(result: Any, a: np.ndarray) -> np.ndarray:
    """Return NaN where a matrix has one: LAPACK treats it as singular."""
    result = np.asarray(result)
    if not _has_nan(a):
        return result
    bad = np.isnan(a).any((-2, -1))
    return np.where(bad, result.dtype.type(np.nan), result)


@in_float32
@by_matrices
def inverse(a: Array) -> tuple[np.ndarray, Any]:
    """Return the inverses, and whether they exist."""
    x = loops.inv(a)
    return x, not _is_singular(a, x)


@in_float32
@by_matrices
def solve(a: Array, b: Array) -> tuple[np.ndarray, Any]:
    """Solve `a @ x = b`; return `x` and whether it exists."""
    x = loops.solve(a, b)
    return x, not _is_singular(a, x)


def _is_singular(a: np.ndarray, x: np.ndarray) -> bool:
    """Whether a matrix has no inverse, or NaN; its result `x` is all NaN then."""
    if _has_nan(a):
        return True
    return _has_nan(x) and bool((loops.slogdet(a)[0] == 0).any())


@in_float32
@by_matrices
def least_squares(a: Array, b: Array) -> np.ndarray:
    """Return the minimum-norm `x` that minimises `|a @ x - b|`."""
    rcond = np.finfo(a.dtype).eps * max(*a.shape[-2:], 1)
    return np.matmul(np.linalg.pinv(a, rcond=rcond), b).astype(a.dtype, copy=False)


@in_float32
def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve `a @ x = b` for the lower or the upper triangle of `a`; batches are broadcast."""
    if a.shape[:-2] == b.shape[:-2]:
        return _triangular_solve(a, b, lower, adjoint)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, columns = b.shape[-2:]
    if a.ndim == 2:
        # One matrix: its many right-hand sides are put side by side.
        wide = np.moveaxis(b, -2, 0).reshape(rows, -1)
        solved = _triangular_solve(a, wide, lower, adjoint).reshape(rows, *batch, columns)
        return np.moveaxis(solved, 0, -2)
    a = np.broadcast_to(a, (*batch, rows, rows))
    b = np.broadcast_to(b, (*batch, rows, columns))
    return _triangular_solve(a, b, lower, adjoint)


def _triangular_solve(a: Any, b: Any, lower: bool, adjoint: bool) -> np.ndarray:
    """Like `triangular_solve`, of equal batches."""
    if b.size == 0:
        return np.zeros(b.shape, b.dtype)
    if lapack_batches.pays(a, b):
        return lapack_batches.triangular_solve(a, b, lower, adjoint)
    count, rows = math.prod(b.shape[:-2]), b.shape[-2]
    # A call of BLAS takes as long as one step for 3 matrices; long rows leave the cache.
    if count > 2 * rows and rows < _SMALL:
        return _substitute(_adjoint(a) if adjoint else a, b, lower != adjoint)
    return _solve_by_blas(a, b, lower, adjoint)


@partial(by_matrices, least_work=LONG_CALL)
def _solve_by_blas(a: np.ndarray, b: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray:
    if lapack_calls.has(a.dtype):
        return lapack_calls.triangular_solve(a, b, lower, adjoint)
    solved = [_trsm(m, r, lower, adjoint) for m, r in zip(_as_batch(a), _as_batch(b), strict=True)]
    return np.stack(solved).reshape(b.shape)


@by_matrices
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
