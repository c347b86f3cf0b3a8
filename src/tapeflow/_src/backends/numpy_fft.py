"""Fourier transforms, on all cores where arrays are large.

SciPy's copy of pocketfft, or of ducc that followed it, transforms several lines at once with vector
instructions, in half the time of NumPy's. Where SciPy is missing (the light install) or the length
of an axis changes, the loops of NumPy are called, without the 4 µs of `numpy.fft`. Along an axis
other than the last, numbers that are transformed together are far apart: some columns at a time
are then copied to lines, transformed in the cache, and copied back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.fft import _pocketfft_umath as loops  # type: ignore[attr-defined]

from tapeflow._src.backends import threads
from tapeflow._src.core.lazy import LazyExtension
from tapeflow._src.core.types import Array

# Elements from which on the cores divide the work, and elements of a piece.
_LARGE = 1 << 17
_PIECE = 1 << 16
# Columns that are transformed together, at least: a line of the cache has eight complex numbers.
_COLUMNS = 16

Loop = Callable[..., Any]


# Where releases of SciPy have the extension module; all have the same functions.
_extension = LazyExtension("scipy", "fft/_pocketfft/pypocketfft", "fft/_duccfft/pyduccfft")


@cache
def _vectorised() -> Any:
    """Return SciPy's extension module, or None where it is missing."""
    return _extension.load()


# How pocketfft scales: not at all, or by the inverse of the length.
_PLAIN, _BY_LENGTH = 0, 2


def _workers(x: Any) -> int:
    return threads.cores() if x.size >= _LARGE else 1


def fft(x: Array, n: int | None = None, axis: int = -1) -> np.ndarray:
    """Return the transform of the first `n` complex numbers along `axis`, padded by zeros."""
    length = x.shape[axis] if n is None else n
    if length == x.shape[axis]:
        return fftn(x, (axis,))
    return _along(loops.fft, 1.0, x, axis, length, x.dtype)


def ifft(x: Array, n: int | None = None, axis: int = -1) -> np.ndarray:
    """Return the inverse transform."""
    length = x.shape[axis] if n is None else n
    if length == x.shape[axis]:
        return ifftn(x, (axis,))
    return _along(loops.ifft, 1.0 / length, x, axis, length, x.dtype)


def fftn(x: Any, axes: Sequence[int]) -> np.ndarray:
    """Return the transform of complex numbers along several axes."""
    library = _vectorised()
    if library is not None:
        transformed: np.ndarray = library.c2c(x, axes, True, _PLAIN, None, _workers(x))
        return transformed
    for axis in axes:
        x = _along(loops.fft, 1.0, x, axis, x.shape[axis], x.dtype)
    return x


def ifftn(x: Any, axes: Sequence[int]) -> np.ndarray:
    """Return the inverse transform along several axes."""
    library = _vectorised()
    if library is not None:
        transformed: np.ndarray = library.c2c(x, axes, False, _BY_LENGTH, None, _workers(x))
        return transformed
    for axis in axes:
        x = _along(loops.ifft, 1.0 / x.shape[axis], x, axis, x.shape[axis], x.dtype)
    return x


def rfft(x: Array, n: int | None = None, axis: int = -1) -> np.ndarray:
    """Return the first half of the transform of real numbers."""
    length = x.shape[axis] if n is None else n
    library = _vectorised()
    if library is not None and length == x.shape[axis]:
        transformed: np.ndarray = library.r2c(x, (axis,), True, _PLAIN, None, _workers(x))
        return transformed
    loop = loops.rfft_n_odd if length % 2 else loops.rfft_n_even
    return _along(loop, 1.0, x, axis, length // 2 + 1, np.dtype(x.dtype.char.upper()))


def irfft(x: Array, n: int | None = None, axis: int = -1) -> np.ndarray:
    """Return the real numbers whose transform begins with `x`."""
    length = 2 * (x.shape[axis] - 1) if n is None else n
    library = _vectorised()
    if library is not None and length and length // 2 + 1 == x.shape[axis]:
        transformed: np.ndarray = library.c2r(
            x, (axis,), length, False, _BY_LENGTH, None, _workers(x)
        )
        return transformed
    return _along(loops.irfft, 1.0 / length, x, axis, length, np.dtype(x.dtype.char.lower()))


def _along(
    loop: Loop, factor: float, x: Any, axis: int, length: int, dtype: np.dtype[Any]
) -> np.ndarray:
    """Transform along `axis`, which has `length` numbers afterwards."""
    axis %= x.ndim
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    result = np.empty((*before, length, *after), dtype)
    if result.size < _LARGE:
        loop(x, factor, axes=[(axis,), (), (axis,)], out=result)
    elif after and math.prod(after) >= _COLUMNS:
        _by_columns(loop, factor, x, result, axis)
    else:
        lines, target = np.moveaxis(x, axis, -1), np.moveaxis(result, axis, -1)
        _by_lines(loop, factor, lines, target)
    return result


def _by_lines(loop: Loop, factor: float, x: np.ndarray, result: np.ndarray) -> None:
    """Transform along the last axis, some lines at a time."""
    lines, targets = x.reshape(-1, x.shape[-1]), result.reshape(-1, result.shape[-1])
    step = max(1, _PIECE // targets.shape[1])

    def transform(start: int) -> None:
        loop(lines[start : start + step], factor, out=targets[start : start + step])

    threads.for_each(transform, range(0, len(lines), step))


def _by_columns(loop: Loop, factor: float, x: Any, result: np.ndarray, axis: int) -> None:
    """Transform along another axis, some columns at a time."""
    count = math.prod(x.shape[:axis])
    columns = x.reshape(count, x.shape[axis], -1)
    targets = result.reshape(count, result.shape[axis], -1)
    width = targets.shape[2]
    step = max(_COLUMNS, _PIECE // targets.shape[1])
    pieces = [
        (i, slice(start, start + step)) for i in range(count) for start in range(0, width, step)
    ]

    def transform(piece: tuple[int, slice]) -> None:
        index, part = piece
        lines = np.ascontiguousarray(columns[index, :, part].T)
        transformed = np.empty((len(lines), targets.shape[1]), result.dtype)
        loop(lines, factor, out=transformed)
        targets[index, :, part] = transformed.T

    threads.for_each(transform, pieces)
