"""Tuning of the C library's heap: it keeps memory that every step allocates again.

A training step allocates memory and frees it when it ends, an eager program with every call. glibc
returns free memory at the end of the heap to the system, and maps blocks of more than 32 MB for one
use only. Memory from the system is faulted in page by page: a third of the step of a medium-sized
network, and five sixths of a sum of two arrays of 40 MB.

If the user has set glibc's own variables, or the C library is another, nothing is changed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4
# The largest blocks that glibc takes from the heap while it may map them.
MAPPED_BYTES = 32 << 20
_DEFAULT_MMAP_MAX = 65536
# How much of the heap stays allocated when all of it is free.
_SPARE_BYTES = 128 << 20

# The user's own settings of the same.
VARIABLES = [
    f"MALLOC_{name}_" for name in ("TRIM_THRESHOLD", "TOP_PAD", "MMAP_THRESHOLD", "MMAP_MAX")
]

_largest = [-1]


def keep(size: int) -> bool:
    """Expect `size` bytes to be allocated and freed repeatedly.

    Returns whether that works only inside of `unmapped`.
    """
    option = _mallopt()
    if option is None or size > _most_bytes():
        return False
    if size > _largest[0]:
        _largest[0] = size
        option(_MMAP_THRESHOLD, MAPPED_BYTES)
        option(_TRIM_THRESHOLD, _SPARE_BYTES + 2 * size)
    return size > MAPPED_BYTES


@contextlib.contextmanager
def unmapped() -> Iterator[None]:
    """Allocate blocks of all sizes from the heap inside the block."""
    option = _mallopt()
    if option is None:
        yield
        return
    option(_MMAP_MAX, 0)
    try:
        yield
    finally:
        option(_MMAP_MAX, _DEFAULT_MMAP_MAX)


def reuse(size: int) -> contextlib.AbstractContextManager[None]:
    """Return a context to allocate `size` bytes in that are freed soon, and allocated again."""
    return unmapped() if keep(size) else contextlib.nullcontext()


@cache
def _mallopt() -> Callable[[int, int], int] | None:
    """Return glibc's function that sets options, unless the user has set them."""
    if any(name in os.environ for name in VARIABLES):
        return None
    if "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", ""):
        return None
    try:
        library = ctypes.CDLL(None)
    except TypeError:  # Windows has no library of the process
        return None
    if not hasattr(library, "gnu_get_libc_version"):
        return None
    option: Callable[[int, int], int] = library.mallopt
    return option


@cache
def _most_bytes() -> int:
    """Return the part of the machine's memory that may stay allocated."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8
