"""The OpenMP runtime of this process: oneDNN runs on its threads, and so do pieces of machine code."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from functools import cache

_LIBRARY = "libgomp.so.1"
# How often OpenMP's threads poll for work before they sleep; 20 ns each time.
_SPIN_VARIABLE, _SPINS = "GOMP_SPINCOUNT", "100000"


@contextlib.contextmanager
def brief_waiting() -> Iterator[None]:
    """While the library is opened, ask OpenMP for threads that spin for about 2 ms.

    Between two calls of a compiled program there is less than that, and waking a thread takes 50 to
    100 µs. By default they spin longer, against the threads of NumPy's BLAS. OpenMP reads its
    variables once, as it is loaded; the user's setting stands, and child processes see the
    environment unchanged.
    """
    chosen = "OMP_WAIT_POLICY" in os.environ or _SPIN_VARIABLE in os.environ
    if chosen:
        yield
        return
    os.environ[_SPIN_VARIABLE] = _SPINS
    try:
        yield
    finally:
        del os.environ[_SPIN_VARIABLE]


@cache
def library() -> ctypes.CDLL | None:
    """Return the runtime by GNU, the one that oneDNN uses, or None if there is none."""
    try:
        with brief_waiting():
            return ctypes.CDLL(_LIBRARY)
    except OSError:
        return None
