"""Matrix products: by oneDNN where that is fastest, else by NumPy's BLAS.

OpenBLAS threads wait for each other by spinning. When another program needs a core, a medium-sized
product then takes 50 times longer (measured: a training step of 1.4 ms became 72 ms), while with
idle cores two threads gained little. So such products get one thread; large ones keep the user's
setting, and so does every product that is not ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends.onednn_library import available
from tapeflow._src.backends.onednn_product import product
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

# Multiplications in a product. Below the first OpenBLAS uses one thread by itself, and any other
# call takes longer than is gained; above the last the work is worth the waiting.
_glob = LazyModule("glob")

_SPREAD = 262_144
_ONEDNN = 1_000_000
_LARGE = 128_000_000

_FLOAT32 = np.dtype(np.float32)
_Controls = tuple[Callable[[], int], Callable[[int], None]]


_has_onednn = functools.cache(available)


@functools.cache
def _controls() -> _Controls | None:
    """Return the getter and setter of the thread count, where NumPy bundles its OpenBLAS."""
    return _controls_of(np, "64_")


@functools.cache
def _scipy_controls() -> _Controls | None:
    """Return those of SciPy's OpenBLAS, which is another library; SciPy is loaded."""
    return _controls_of(sys.modules["scipy"], "")


def _controls_of(package: ModuleType, suffix: str) -> _Controls | None:
    root = os.path.dirname(package.__file__ or "")
    for folder in (
        os.path.join(os.path.dirname(root), f"{package.__name__}.libs"),
        os.path.join(root, ".dylibs"),
    ):
        for path in sorted(_glob.glob(os.path.join(_glob.escape(folder), "*openblas*"))):
            try:
                library: Any = ctypes.CDLL(path)
                get = getattr(library, f"scipy_openblas_get_num_threads{suffix}")
                set_ = getattr(library, f"scipy_openblas_set_num_threads{suffix}")
            except (OSError, AttributeError):
                continue
            get.restype, set_.argtypes = ctypes.c_int, [ctypes.c_int]
            return get, set_
    return None


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread of NumPy's and SciPy's BLAS inside the block."""
    libraries = [_controls()]
    if "scipy.linalg" in sys.modules:
        libraries.append(_scipy_controls())
    changed = []
    try:
        for controls in libraries:
            if controls is not None and (count := controls[0]()) != 1:
                changed.append((controls[1], count))
                controls[1](1)
        yield
    finally:
        for set_count, count in changed:
            set_count(count)


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
