"""How many threads NumPy's BLAS uses for one product.

OpenBLAS threads wait for each other by spinning. When another program needs a core, a product of
middling size then takes 50 times longer (measured: a training step of 1.4 ms became 72 ms), while
with the cores to itself two threads gained nothing on it. So such products get one thread; large
ones keep what the user has set, and so does every product that is not ours.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# Multiplications in a product. Below the first OpenBLAS uses one thread by itself; above the
# second the work is long enough to be worth the waiting.
_SPREAD = 262_144
_LARGE = 128_000_000

_Controls = tuple[Callable[[], int], Callable[[int], None]]


@functools.cache
def _controls() -> _Controls | None:
    """Reading and setting the number of threads, where NumPy carries its OpenBLAS with it."""
    root = Path(np.__file__).parent
    for folder in (root.parent / "numpy.libs", root / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library: Any = ctypes.CDLL(str(path))
                get = library.scipy_openblas_get_num_threads64_
                set_ = library.scipy_openblas_set_num_threads64_
            except (OSError, AttributeError):
                continue
            get.restype, set_.argtypes = ctypes.c_int, [ctypes.c_int]
            return get, set_
    return None


def dot(a: Any, b: Any) -> Any:
    """`np.dot` of two matrices, on one thread if it is of middling size."""
    work = a.shape[0] * a.shape[1] * b.shape[-1]
    if not _SPREAD < work < _LARGE:
        return np.dot(a, b)
    controls = _controls()
    threads = controls[0]() if controls else 1
    if controls is None or threads == 1:
        return np.dot(a, b)
    controls[1](1)
    try:
        return np.dot(a, b)
    finally:
        controls[1](threads)
