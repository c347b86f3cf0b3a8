"""Machine code that was written by hand, for x86-64 processors under Linux.

Every caller has the same function in Python, or does without, on other processors.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from functools import cache

from tapeflow._src.backends.object_code import UnsupportedCode, address_of, make_executable


@cache
def load(code: bytes) -> int:
    """Return where `code`, which does not depend on its address, was loaded. It is never freed.

    It obeys the calling convention of System V.

    Raises:
        UnsupportedCode: It cannot run here, or memory cannot be made executable.
    """
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        raise UnsupportedCode("Expected Linux on a processor of type x86-64.")
    memory = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE)
    memory[:] = code
    make_executable(memory)
    # Threads may run it while Python ends.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
    return address_of(memory)


@cache
def address_of_code(code: bytes) -> int | None:
    """Return where `code` was loaded by `load`; None if that cannot be."""
    try:
        return load(code)
    except UnsupportedCode:
        return None
