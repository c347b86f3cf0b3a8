"""Short functions of machine code, callable by `ctypes`.

For what takes tens of operations on words, which Python's integers and calls of NumPy are slow at.
Every caller has the same function in Python, for processors other than x86-64.
"""

from __future__ import annotations

import mmap
from functools import cache

from tapeflow._src.backends.object_code import UnsupportedCode, address_of, make_executable
from tapeflow._src.backends.team import require_processor

# Never freed.
_memory: list[mmap.mmap] = []


@cache
def address_of_code(code: bytes) -> int | None:
    """Return where `code`, which does not depend on its address, was loaded; None if it cannot be.

    It obeys the calling convention of System V.
    """
    try:
        require_processor()
        memory = mmap.mmap(-1, len(code), prot=mmap.PROT_READ | mmap.PROT_WRITE)
        memory[:] = code
        make_executable(memory)
    except UnsupportedCode:
        return None
    _memory.append(memory)
    return address_of(memory)
