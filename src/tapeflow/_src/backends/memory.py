"""Buffers aligned for vector code.

oneDNN runs fastest on memory that starts on a cache line, and XLA takes a NumPy array without a
copy only when it does; NumPy itself promises 16 bytes.
"""

from __future__ import annotations

import ctypes
import math
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tapeflow._src.backends import heap

ALIGNMENT = 64

# Arrays of some megabytes are allocated and freed with every step.
heap.keep(0)

# NumPy's C structure of an array begins, after the object header, with the address of the data.
# `array.ctypes.data` returns it too, but takes ten times as long: 3% of a training step.
_HEAD = object.__basicsize__
_word_at = ctypes.c_size_t.from_address


def address(array: npt.NDArray[Any]) -> int:
    """Return the address of the first element of `array`."""
    return _word_at(id(array) + _HEAD).value


def slow_address(array: npt.NDArray[Any]) -> int:
    """Like `address`, in the way that NumPy documents."""
    return array.ctypes.data


_probe = np.empty(8)[1:]
if address(_probe) != slow_address(_probe):
    address = slow_address


def aligned_empty(shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised C-contiguous array that starts on a 64-byte boundary.

    One of objects starts anywhere: only NumPy can make it.
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        return np.empty(tuple(shape), dtype)
    size = math.prod(shape) * dtype.itemsize + ALIGNMENT
    if size <= heap.MAPPED_BYTES:
        raw = np.empty(size, np.uint8)
    else:
        with heap.reuse(size):
            raw = np.empty(size, np.uint8)
    return np.ndarray(tuple(shape), dtype, raw, -address(raw) % ALIGNMENT)


def passing_array(shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a C-contiguous array of zeros; its memory goes back to the system when it is freed."""
    dtype = np.dtype(dtype)
    size = math.prod(shape)
    pages = mmap.mmap(-1, max(size * dtype.itemsize, 1))
    return np.frombuffer(pages, dtype, size).reshape(shape)
