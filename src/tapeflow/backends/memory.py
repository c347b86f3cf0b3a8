"""Buffers aligned for vector code.

oneDNN runs fastest on memory that starts on a cache line, and XLA takes a NumPy array without a
copy only when it does; NumPy itself promises 16 bytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

ALIGNMENT = 64


def address(array: npt.NDArray[Any]) -> int:
    """Where the first element of `array` is stored."""
    return array.ctypes.data


def aligned_empty(shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A C-contiguous array of unset values that starts on a 64-byte boundary."""
    dtype = np.dtype(dtype)
    raw = np.empty(math.prod(shape) * dtype.itemsize + ALIGNMENT, np.uint8)
    return np.ndarray(tuple(shape), dtype, raw, -address(raw) % ALIGNMENT)
