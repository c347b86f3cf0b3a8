"""Blocking of signals on a thread while it runs code that does not survive them.

On some machines with AVX-512, a signal taken in the middle of oneDNN's `sgemm` corrupts the heap,
whatever its handler does (reported with oneDNN 3.2 on virtual machines; TensorFlow's product dies
there, too). It does not happen with `ONEDNN_MAX_CPU_ISA=AVX2`, nor in oneDNN's convolutions or in
compiled programs. With signals blocked on the calling thread it does not happen either, and a
signal comes when the product is done.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any

from tapeflow._src.backends.processor import features

_BLOCK, _SET = 0, 2  # Linux: SIG_BLOCK, SIG_SETMASK
_Set = ctypes.c_char * 128  # sigset_t


def has_avx512() -> bool:
    """Whether this processor has AVX-512, or its features are unknown."""
    names = features()
    return names is None or "avx512f" in names


def without_signals(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` to block all signals on the calling thread; only Linux needs it."""
    if not sys.platform.startswith("linux"):
        return function
    change: Any = ctypes.PyDLL(None).pthread_sigmask
    change.argtypes, change.restype = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int
    everything = _Set.from_buffer(bytearray(b"\xff" * 128))

    @functools.wraps(function, assigned=())
    def call(*arguments: Any) -> Any:
        before = _Set()
        change(_BLOCK, everything, before)
        try:
            return function(*arguments)
        finally:
            change(_SET, before, None)

    return call
