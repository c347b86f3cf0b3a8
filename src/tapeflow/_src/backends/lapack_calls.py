"""Routines of BLAS and LAPACK that NumPy has no function for, in the library that it bundles.

They are called by `ctypes` on matrices stored by rows, in place. SciPy has wrappers too; these
store matrices by columns, so that operands and results are copied, and looking one up takes longer
than a small system. Where NumPy uses another library, `has` is False.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.backends import blas
from tapeflow._src.backends.memory import address
from tapeflow._src.core.types import Array

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_INTEGER, _ENUM, _POINTER = ctypes.c_int64, ctypes.c_int, ctypes.c_void_p
# Values of the enumerations of CBLAS, and of LAPACKE.
_BY_ROWS, _LEFT, _NON_UNIT = 101, 141, 131
_UPPER, _LOWER = 121, 122
_PLAIN, _ADJOINT = 111, 113


def has(dtype: np.dtype[Any]) -> bool:
    """Whether there are routines for matrices of `dtype`."""
    return dtype.char in _LETTERS and blas.library() is not None


@functools.cache
def _trsm(char: str) -> Callable[..., None]:
    routine = getattr(blas.library(), f"scipy_cblas_{_LETTERS[char]}trsm64_")
    scale = {"f": ctypes.c_float, "d": ctypes.c_double}.get(char, _POINTER)
    routine.argtypes = [
        *[_ENUM] * 5,
        *[_INTEGER] * 2,
        scale,
        *[_POINTER, _INTEGER] * 2,
    ]
    routine.restype = None
    one: Any = 1.0
    if scale is _POINTER:
        one = np.ones(1, char).ctypes.data_as(_POINTER)
    return functools.partial(_solve_in_place, routine, one)


def _solve_in_place(
    routine: Any, one: Any, a: int, b: int, rows: int, columns: int, lower: bool, adjoint: bool
) -> None:
    routine(
        _BY_ROWS,
        _LEFT,
        _LOWER if lower else _UPPER,
        _ADJOINT if adjoint else _PLAIN,
        _NON_UNIT,
        rows,
        columns,
        one,
        a,
        rows,
        b,
        columns,
    )


def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve `a @ x = b` for one triangle of each matrix of two equal, non-empty batches."""
    a = np.ascontiguousarray(a)
    x = np.array(b, order="C")
    rows, columns = x.shape[-2:]
    solve = _trsm(a.dtype.char)
    first, result = address(a), address(x)
    step, result_step = rows * rows * a.itemsize, rows * columns * x.itemsize
    for _ in range(x.size // (rows * columns)):
        solve(first, result, rows, columns, lower, adjoint)
        first += step
        result += result_step
    return x


@functools.cache
def _getrf(char: str) -> Callable[..., int]:
    routine = getattr(blas.library(), f"scipy_LAPACKE_{_LETTERS[char]}getrf_work64_")
    routine.argtypes = [_ENUM, _INTEGER, _INTEGER, _POINTER, _INTEGER, _POINTER]
    routine.restype = _INTEGER
    factorise: Callable[..., int] = routine
    return factorise


def lu(a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the LU factors of square matrices, packed, and the order of their rows."""
    packed = np.array(a, order="C")
    size = packed.shape[-1]
    swaps = np.empty(packed.shape[:-1], np.int64)
    factorise = _getrf(packed.dtype.char)
    matrix, swap = address(packed), address(swaps)
    step, swap_step = size * size * packed.itemsize, 8 * size
    for _ in range(swaps.size // size):
        factorise(_BY_ROWS, size, size, matrix, size, swap)
        matrix += step
        swap += swap_step
    return packed, _order(swaps)


def _order(swaps: np.ndarray) -> np.ndarray:
    """Return where the rows of LU factors come from: row `i` was swapped with `swaps[i] - 1`."""
    size = swaps.shape[-1]
    count = swaps.size // size
    if count > size:
        every = np.arange(count)
        order = np.tile(np.arange(size), (count, 1))
        for i, other in enumerate(swaps.reshape(-1, size).T - 1):
            moved = order[every, other]
            order[every, other] = order[:, i]
            order[:, i] = moved
        return order.reshape(swaps.shape)
    orders = []
    for row in swaps.reshape(-1, size).tolist():
        indices = list(range(size))
        for i, other in enumerate(row):
            indices[i], indices[other - 1] = indices[other - 1], indices[i]
        orders.append(indices)
    return np.array(orders).reshape(swaps.shape)


# LAPACK's routines by the size of the elements that they move.
_SWAPS = {4: "s", 8: "d", 16: "z"}


def can_swap(dtype: np.dtype[Any]) -> bool:
    """Whether `swap` moves elements of `dtype`."""
    return dtype.itemsize in _SWAPS and dtype.kind in "iufc" and blas.library() is not None


@functools.cache
def _laswp(itemsize: int) -> Callable[..., None]:
    routine = getattr(blas.library(), f"scipy_{_SWAPS[itemsize]}laswp_64_")
    routine.argtypes = [_POINTER] * 7
    routine.restype = None
    swap: Callable[..., None] = routine
    return swap


def swap(elements: Array, partners: Array) -> None:
    """Swap each element, from the first on, with the one at its partner, an int64 from 1 on.

    It is how LAPACK applies pivots to a matrix, here of one column.
    """
    numbers = (ctypes.c_int64 * 4)(1, len(elements), len(partners), 1)
    one, length, last, step = range(ctypes.addressof(numbers), ctypes.addressof(numbers) + 32, 8)
    _laswp(elements.itemsize)(one, address(elements), length, one, last, address(partners), step)
