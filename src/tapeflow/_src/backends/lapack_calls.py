"""Routines of BLAS and LAPACK that NumPy has no function for, in the library that it bundles.

They are called by `ctypes` for one matrix after the other, on arrays prepared for the whole batch.
SciPy has wrappers too; these copy operands and results of each call, and looking one up takes
longer than a small system. Where NumPy uses another library, `has` is False.
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
_POINTER = ctypes.c_void_p
# Letters that routines take: right side, upper and lower triangle, not transposed, adjoint.
_OPTIONS = ctypes.create_string_buffer(b"RULNC")
# Where routines report failures, which nothing reads: they show in the results.
_REPORT = ctypes.c_int64()
_INFO = ctypes.addressof(_REPORT)
_RIGHT, _UPPER, _LOWER, _PLAIN, _ADJOINT = range(
    ctypes.addressof(_OPTIONS), ctypes.addressof(_OPTIONS) + 5
)


def has(dtype: np.dtype[Any]) -> bool:
    """Whether there are routines for matrices of `dtype`."""
    return dtype.char in _LETTERS and blas.library() is not None


@functools.cache
def _routine(name: str, arguments: int) -> Callable[..., None]:
    """Return a routine of Fortran's: all arguments are addresses, and matrices are by columns."""
    routine = getattr(blas.library(), f"scipy_{name}_64_")
    routine.argtypes = [_POINTER] * arguments
    routine.restype = None
    call: Callable[..., None] = routine
    return call


@functools.cache
def _one(char: str) -> tuple[np.ndarray, int]:
    """Return the number 1 of a dtype, and its address."""
    one = np.ones(1, char)
    return one, address(one)


def triangular_solve(a: Array, b: Array, lower: bool, adjoint: bool) -> np.ndarray:
    """Solve `a @ x = b` for one triangle of each matrix of two equal, non-empty batches."""
    a = np.ascontiguousarray(a)
    x = np.array(b, order="C")
    rows, columns = x.shape[-2:]
    char = a.dtype.char
    # By columns the memory holds transposes: `x.T @ a.T = b.T`.
    sizes = (ctypes.c_int64 * 2)(rows, columns)
    height = ctypes.addressof(sizes)
    width = height + 8
    solve = functools.partial(
        _routine(f"{_LETTERS[char]}trsm", 11),
        _RIGHT,
        _UPPER if lower else _LOWER,
        _ADJOINT if adjoint else _PLAIN,
        _PLAIN,
        width,
        height,
        _one(char)[1],
    )
    for matrix, result in zip(_addresses(a, rows * rows), _addresses(x, rows * columns)):
        solve(matrix, height, result, width)
    return x


def _addresses(array: np.ndarray, size: int) -> range | tuple[int]:
    """Return the addresses of every `size` elements of a contiguous array."""
    first = address(array)
    if array.size == size:
        return (first,)
    return range(first, first + array.nbytes, size * array.itemsize)


def lu(a: Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the LU factors of square matrices, packed, and the order of their rows."""
    packed = a.swapaxes(-1, -2).copy()
    swaps = _factorise(packed)
    return packed.swapaxes(-1, -2).copy(), _order(swaps)


def det(a: Array) -> np.ndarray:
    """Return the determinants of real square matrices: products of pivots, in 64 bits."""
    packed = a.copy()  # the transposes have the same determinants
    swaps = _factorise(packed)
    # Products of the pivots themselves may leave the range of floats on the way.
    parts, exponents = np.frexp(packed.diagonal(0, -2, -1).astype(np.float64))
    sizes = np.ldexp(np.multiply.reduce(parts, -1), np.add.reduce(exponents, -1))
    is_odd = np.add.reduce(swaps != np.arange(1, swaps.shape[-1] + 1), -1) & 1
    determinants: np.ndarray = np.where(is_odd, -sizes, sizes).astype(a.dtype)
    return determinants


def _factorise(packed: np.ndarray) -> np.ndarray:
    """Compute LU factors of matrices stored by columns, in place, and return the swaps of rows."""
    size = packed.shape[-1]
    swaps = np.empty(packed.shape[:-1], np.int64)
    order = _number(size)[1]
    factorise = _getrf(packed.dtype.char)
    if swaps.size == size:
        factorise(order, order, address(packed), order, address(swaps), _INFO)
        return swaps
    for matrix, swap in zip(_addresses(packed, size * size), _addresses(swaps, size)):
        factorise(order, order, matrix, order, swap, _INFO)
    return swaps


@functools.cache
def _getrf(char: str) -> Callable[..., None]:
    return _routine(f"{_LETTERS[char]}getrf", 6)


@functools.lru_cache(maxsize=256)
def _number(value: int) -> tuple[ctypes.c_int64, int]:
    """Return a number that is never written, and its address."""
    number = ctypes.c_int64(value)
    return number, ctypes.addressof(number)


def _order(swaps: np.ndarray) -> np.ndarray:
    """Return where the rows of LU factors come from: row `i` was swapped with `swaps[i] - 1`.

    The result may be read-only.
    """
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
    if size > _FEW_SWAPS:
        orders = np.empty((count, size), np.int64)
        orders[:] = range(size)
        for indices, partners in zip(orders, swaps.reshape(-1, size), strict=True):
            swap(indices, partners)
        return orders.reshape(swaps.shape)
    if swaps.size <= _CACHED_ORDERS:
        return _few_orders(swaps.tobytes(), swaps.shape)
    return _orders(swaps)


def _orders(swaps: np.ndarray) -> np.ndarray:
    size = swaps.shape[-1]
    lists = []
    for row in swaps.reshape(-1, size).tolist():
        rows = list(range(size))
        for i, other in enumerate(row):
            rows[i], rows[other - 1] = rows[other - 1], rows[i]
        lists.append(rows)
    return np.array(lists).reshape(swaps.shape)


@functools.lru_cache(maxsize=1024)
def _few_orders(swaps: bytes, shape: tuple[int, ...]) -> np.ndarray:
    """Cache the orders of small matrices: few are possible, and most rows are not swapped."""
    orders = _orders(np.frombuffer(swaps, np.int64).reshape(shape))
    orders.flags.writeable = False
    return orders


# Swaps up to which Python is faster than a call of LAPACK.
_FEW_SWAPS = 24
# Swaps of all matrices up to which the orders are cached.
_CACHED_ORDERS = 24
# LAPACK's routines by the size of the elements that they move.
_SWAPS = {4: "s", 8: "d", 16: "z"}


def can_swap(dtype: np.dtype[Any]) -> bool:
    """Whether `swap` moves elements of `dtype`."""
    return dtype.itemsize in _SWAPS and dtype.kind in "iufc" and blas.library() is not None


def swap(elements: Array, partners: Array) -> None:
    """Swap each element, from the first on, with the one at its partner, an int64 from 1 on.

    It is how LAPACK applies pivots to a matrix, here of one column.
    """
    numbers = (ctypes.c_int64 * 4)(1, len(elements), len(partners), 1)
    one, length, last, step = range(ctypes.addressof(numbers), ctypes.addressof(numbers) + 32, 8)
    interchange = _routine(f"{_SWAPS[elements.itemsize]}laswp", 7)
    interchange(one, address(elements), length, one, last, address(partners), step)
