"""Factors, eigenvectors and triangular systems of large batches, by jaxlib's LAPACK kernels.

Calling LAPACK once a matrix by `ctypes` takes the GIL in between, so that two threads wait for each
other if matrices are small. A batch is cut into pieces that fit the cache that cores share; each
thread takes pieces, and stores what it computes in the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.backends import blas, jaxlib_lapack, threads
from tapeflow._src.backends.jaxlib_lapack import call
from tapeflow._src.core.types import Array

# Multiplications in all, from which loading the kernels pays: calls of some 10 ms.
WORK = 32_000_000
# A matrix of this order takes so long that the GIL does not matter.
_LARGE_ORDER = 256
# Bytes of the matrices of a piece. From 512 KB on it makes no difference; with 32 KB, triangular
# systems of order 16 took 1.6 times as long, as threads wait for the GIL between pieces.
_PIECE = 1 << 21


def pays(*matrices: Array) -> bool:
    """Whether the functions below should compute batches of matrices of one dtype."""
    first = matrices[0]
    if matrices[-1].size * _LARGE_ORDER < WORK or first.ndim == 2:
        return False
    order = max(first.shape[-2:])
    return (
        order * matrices[-1].size >= WORK
        and order <= _LARGE_ORDER
        and first.dtype.char in jaxlib_lapack.LETTERS
        and jaxlib_lapack.available()
    )


def _flat(array: np.ndarray) -> np.ndarray:
    """Return matrices along one axis."""
    return array.reshape(-1, *array.shape[-2:])


def _by_columns(matrices: np.ndarray) -> np.ndarray:
    """Return the transposes of matrices that are stored by rows: they are stored by columns."""
    return np.ascontiguousarray(matrices).swapaxes(-1, -2)


def _in_pieces(work: Callable[[slice], None], matrices: np.ndarray) -> None:
    """Call `work` for pieces of a batch, on all threads."""
    count = len(matrices)
    step = max(1, min(_PIECE * count // matrices.nbytes, -(-count // threads.cores())))

    def run(start: int) -> None:
        # Each thread has its own handling of floating-point errors.
        with np.errstate(all="ignore"):
            work(slice(start, min(start + step, count)))

    with blas.one_thread():
        threads.for_each(run, range(0, count, step))


def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve `a @ x = b` for one triangle of each matrix of two equal batches."""
    x = np.empty(b.shape, b.dtype)
    matrices, rights, solved = _flat(a), _flat(b), _flat(x)

    def work(piece: slice) -> None:
        # By columns the memory holds transposes: `x.T @ a.T = b.T`.
        call(
            "trsm",
            [_by_columns(matrices[piece]), _by_columns(rights[piece])],
            [_by_columns(solved[piece])],
            side="R",
            uplo="U" if lower else "L",
            trans_x="C" if adjoint else "N",
            diag="N",
        )

    _in_pieces(work, rights)
    return x


def cholesky(a: Array) -> np.ndarray:
    """Return the lower Cholesky factors; NaN where a matrix is not positive definite."""
    factor = np.empty(a.shape, a.dtype)
    matrices, factors = _flat(a), _flat(factor)
    size = a.shape[-1]
    lower = np.tri(size, dtype=bool)
    above = ~lower

    def work(piece: slice) -> None:
        # By columns, the memory holds the upper factors of the transposes.
        failures = np.empty(len(matrices[piece]), np.int32)
        columns = _by_columns(matrices[piece])
        call("potrf", [columns], [_by_columns(factors[piece]), failures], uplo="U")
        np.copyto(factors[piece], 0, where=above)
        if failures.any():
            np.copyto(factors[piece], np.nan, where=lower & (failures != 0)[:, None, None])

    _in_pieces(work, matrices)
    return factor


def lu(a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the LU factors of square matrices, packed, and the order of their rows."""
    packed = np.empty(a.shape, a.dtype)
    swaps = np.empty((math.prod(a.shape[:-2]), a.shape[-1]), np.int32)
    matrices, factors = _flat(a), _flat(packed)

    def work(piece: slice) -> None:
        columns = np.array(matrices[piece].swapaxes(-1, -2), order="C").swapaxes(-1, -2)
        swaps[piece] = _factorise(columns, columns)
        factors[piece] = columns

    _in_pieces(work, matrices)
    return packed, row_order(swaps).reshape(a.shape[:-1])


def _factorise(matrices: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Compute LU factors by columns, and return with which row each was swapped, from 1 on."""
    swaps = np.empty(matrices.shape[:-1], np.int32)
    call("getrf", [matrices], [factors, swaps, np.empty(len(matrices), np.int32)])
    return swaps


def row_order(swaps: np.ndarray) -> np.ndarray:
    """Return where the rows of LU factors come from: row `i` was swapped with `swaps[:, i] - 1`."""
    count, size = swaps.shape
    order = np.repeat(np.arange(size), count).reshape(size, count)
    flat = order.reshape(-1)
    for i, others in enumerate((swaps.T - 1) * count + np.arange(count)):
        moved = flat.take(others)
        flat[others] = order[i]
        order[i] = moved
    return order.T


def slogdet(a: Array, kind: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the signs of the determinants, and the logarithms of their absolute values in `kind`.

    Both are NaN for a matrix with NaN: LAPACK may treat it as singular.
    """
    matrices = _flat(a)
    sign = np.empty(len(matrices), a.dtype)
    logarithm = np.empty(len(matrices), kind)
    first = np.arange(1, a.shape[-1] + 1)

    def work(piece: slice) -> None:
        columns = _by_columns(matrices[piece])
        factors = np.empty_like(columns)  # stored as `columns` is
        swapped = (_factorise(columns, factors) != first).sum(-1)
        pivots = factors.diagonal(0, -2, -1)
        sizes = np.abs(pivots)
        signs = np.sign(pivots).prod(-1) * (1 - 2 * (swapped % 2))
        logarithms = np.log(sizes, dtype=kind).sum(-1)
        total = np.add.reduce(columns, axis=None)
        if total != total:
            bad = np.isnan(columns).any((-2, -1))
            signs[bad] = logarithms[bad] = np.nan
        sign[piece], logarithm[piece] = signs, logarithms

    _in_pieces(work, matrices)
    return sign.reshape(a.shape[:-2]), logarithm.reshape(a.shape[:-2])


def qr(a: Array, full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal and an upper triangular factor, by Householder reflections."""
    *batch, rows, columns = a.shape
    inner = min(rows, columns)
    width = rows if full else inner
    matrices = _flat(a)
    q = np.empty((len(matrices), rows, width), a.dtype)
    r = np.empty((len(matrices), width, columns), a.dtype)
    upper = ~np.tri(width, columns, -1, dtype=bool)

    def work(piece: slice) -> None:
        count = len(matrices[piece])
        reflectors = np.empty((count, columns, rows), a.dtype).swapaxes(-1, -2)
        reflectors[...] = matrices[piece]
        scales = np.empty((count, inner), a.dtype)
        call("geqrf", [reflectors], [reflectors, scales])
        r[piece] = np.where(upper, reflectors[:, :width], 0)
        vectors = reflectors
        if width != columns:
            vectors = np.empty((count, width, rows), a.dtype).swapaxes(-1, -2)
            vectors[:, :, :inner] = reflectors[:, :, :inner]
        call("ungqr" if a.dtype.kind == "c" else "orgqr", [vectors, scales], [vectors])
        q[piece] = vectors

    _in_pieces(work, matrices)
    return q.reshape(*batch, rows, width), r.reshape(*batch, width, columns)


def eigh(a: Array, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return eigenvalues and eigenvectors of self-adjoint matrices (lower triangle), and a flag.

    The sum of each vector's elements times `weights` is positive.
    """
    matrices = _flat(a)
    values = np.empty(matrices.shape[:-1], weights.dtype)
    vectors = np.empty(matrices.shape, a.dtype)
    failures = np.empty(len(matrices), np.int32)
    is_complex = a.dtype.kind == "c"

    def work(piece: slice) -> None:
        # By columns, the memory holds the complex conjugates and their upper triangles.
        rows = np.empty(matrices[piece].shape, a.dtype)
        call(
            "heevd" if is_complex else "syevd",
            [_by_columns(matrices[piece])],
            [rows.swapaxes(-1, -2), values[piece], failures[piece]],
            mode="V",
            uplo="U",
        )
        if is_complex:
            np.conjugate(rows, out=rows)
        total = np.matmul(rows, weights)[..., None]
        size = np.abs(total)
        rows *= np.where(size > 0, total.conj() / np.where(size > 0, size, 1), 1)
        if np.isnan(np.add.reduce(rows, axis=None)):
            failures[piece] = 1
        vectors[piece] = rows.swapaxes(-1, -2)

    _in_pieces(work, matrices)
    return values.reshape(a.shape[:-1]), vectors.reshape(a.shape), not failures.any()
