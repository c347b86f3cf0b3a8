"""Matrix products: by oneDNN where that is fastest, else by NumPy's BLAS.

OpenBLAS threads wait for each other by spinning. When another program needs a core, a medium-sized
product then takes 50 times longer (measured: a training step of 1.4 ms became 72 ms), while with
idle cores two threads gained little. So such products get one thread; large ones keep the user's
setting, and so does every product that is not ours.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends import threads
from tapeflow._src.backends.onednn_library import available
from tapeflow._src.backends.onednn_product import has_lines, product, product_into
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

# Multiplications in a product. Below the first OpenBLAS uses one thread by itself, and any other
# call takes longer than is gained; above the last the work is worth the waiting.
_glob = LazyModule("glob")

_SPREAD = 262_144
_ONEDNN = 1_000_000
_LARGE = 128_000_000
# Multiplications in all products of a batch, from which it pays to wake other threads.
_TEAM_WORK = 4_000_000

_FLOAT32 = np.dtype(np.float32)
_Controls = tuple[Callable[[], int], Callable[[int], None]]


_has_onednn = functools.cache(available)


@functools.cache
def library() -> Any:
    """Return the OpenBLAS that NumPy bundles, or None where it uses another library."""
    return _library_of(np, "64_")


@functools.cache
def _controls() -> _Controls | None:
    """Return the getter and setter of the thread count of `library`."""
    return _controls_of(library(), "64_")


@functools.cache
def _scipy_controls() -> _Controls | None:
    """Return those of SciPy's OpenBLAS, which is another library; SciPy is loaded."""
    return _controls_of(_library_of(sys.modules["scipy"], ""), "")


def _library_of(package: ModuleType, suffix: str) -> Any:
    root = os.path.dirname(package.__file__ or "")
    for folder in (
        os.path.join(os.path.dirname(root), f"{package.__name__}.libs"),
        os.path.join(root, ".dylibs"),
    ):
        for path in sorted(_glob.glob(os.path.join(_glob.escape(folder), "*openblas*"))):
            try:
                openblas: Any = ctypes.CDLL(path)
                getattr(openblas, f"scipy_openblas_set_num_threads{suffix}")
            except (OSError, AttributeError):
                continue
            return openblas
    return None


def _controls_of(openblas: Any, suffix: str) -> _Controls | None:
    if openblas is None:
        return None
    get = getattr(openblas, f"scipy_openblas_get_num_threads{suffix}")
    set_ = getattr(openblas, f"scipy_openblas_set_num_threads{suffix}")
    get.restype, set_.argtypes = ctypes.c_int, [ctypes.c_int]
    return get, set_


class _OneThread:
    """The block of `one_thread`; that of a generator takes as long as a small factorisation."""

    __slots__ = ("_changed",)

    def __enter__(self) -> None:
        self._changed: list[tuple[Callable[[int], None], int]] = []
        self._change(_controls())
        if "scipy.linalg" in sys.modules:
            self._change(_scipy_controls())

    def _change(self, controls: _Controls | None) -> None:
        if controls is not None and (count := controls[0]()) != 1:
            self._changed.append((controls[1], count))
            controls[1](1)

    def __exit__(self, *raised: object) -> None:
        for set_count, count in self._changed:
            set_count(count)


def one_thread() -> _OneThread:
    """Use one thread of NumPy's and SciPy's BLAS inside the block."""
    return _OneThread()


def set_num_threads(count: int) -> None:
    """Set the number of threads of NumPy's BLAS, where possible."""
    controls = _controls()
    if controls is not None:
        controls[1](count)


def dot(a: Array, b: Array) -> Any:
    """Compute `np.dot` of two matrices."""
    inner = a.shape[1]
    if inner == 1 and b.shape[0] == 1:
        return a * b  # BLAS scales by 0 without a look at NaN
    work = a.shape[0] * inner * b.shape[1]
    if work < _SPREAD:
        return np.dot(a, b)
    if a.shape[0] >= _MANY_ROWS and inner + b.shape[1] <= _NARROW and inner == b.shape[0]:
        return _dot_of_narrow(a, b)
    if work >= _ONEDNN and a.dtype == b.dtype == _FLOAT32 and inner == b.shape[0] and _has_onednn():
        result = product(a, b)
        if result is not None:
            return result
    controls = _controls() if work < _LARGE else None
    threads = controls[0]() if controls else 1
    if controls is None or threads == 1:
        return np.dot(a, b)
    controls[1](1)
    try:
        return np.dot(a, b)
    finally:
        controls[1](threads)


def _dot_of_narrow(a: Array, b: Array) -> Any:
    """Multiply many short rows, on all cores: memory limits that, and no library divides it."""
    result = np.empty((a.shape[0], b.shape[1]), np.result_type(a, b))
    step = -(-len(result) // threads.cores())

    def multiply(start: int) -> None:
        np.matmul(a[start : start + step], b, out=result[start : start + step])

    with one_thread():
        threads.for_each(multiply, range(0, len(result), step))
    return result


# Rows from which on threads pay, and how many numbers of each row are read and written.
_MANY_ROWS, _NARROW = 1 << 16, 32


def batched_dot(a: Array, b: Array) -> Any:
    """Compute `np.matmul` of two batches of equal shape, large ones on all cores."""
    rows, inner = a.shape[-2:]
    columns = b.shape[-1]
    count = math.prod(a.shape[:-2])
    work = rows * inner * columns
    if count * work < _TEAM_WORK or count == 1 or inner != b.shape[-2]:
        return np.matmul(a, b)
    result = np.empty((count, rows, columns), a.dtype)
    first, second = a.reshape(count, rows, inner), b.reshape(count, inner, columns)
    if (
        work >= _ONEDNN
        and a.dtype == b.dtype == _FLOAT32
        and _has_onednn()
        and has_lines(first)
        and has_lines(second)
    ):
        threads.for_each(lambda i: product_into(first[i], second[i], result[i]), range(count))
    else:
        step = -(-count // (4 * threads.cores()))

        def multiply(start: int) -> None:
            piece = slice(start, start + step)
            np.matmul(first[piece], second[piece], out=result[piece])

        with one_thread():
            threads.for_each(multiply, range(0, count, step))
    return result.reshape(*a.shape[:-2], rows, columns)
