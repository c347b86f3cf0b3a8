"""NumPy's own allocations on 64-byte boundaries, while large ops run.

XLA reads an array without a copy only when it starts on such a boundary; of NumPy's results one in
four does by chance. NumPy takes its memory from a table of C functions, each with a pointer of the
table's owner as first argument: with 64 as that pointer, `aligned_alloc` is its `malloc`. The other
functions are Python's own. Small arrays stay with NumPy's allocator, which caches them.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tapeflow._src.backends import heap
from tapeflow._src.backends.memory import ALIGNMENT, address

_NAME = b"tapeflow_aligned"
_CAPSULE = b"mem_handler"
# `PyDataMem_SetHandler` in NumPy's table of C functions, which only ever grows.
_SET_HANDLER = 304
_RAW_DOMAIN = 0


class _Allocator(ctypes.Structure):
    """`PyMemAllocatorEx`, and with the size as a further argument `PyDataMemAllocator`."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("context", "malloc", "calloc", "realloc", "free")
    ]


class _Handler(ctypes.Structure):
    """`PyDataMem_Handler`."""

    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("allocator", _Allocator),
    ]


def _swap_nothing(handler: Any) -> Any:
    return None


@cache
def _prepared() -> tuple[Callable[[Any], Any], Any]:
    """Return the function that sets NumPy's handler, and ours; without effect if one is missing."""
    try:
        swap, handler = _native()
        before = swap(handler)
        try:
            arrays = [np.empty(size, np.uint8) for size in (1 << 16, 1 << 17)]
        finally:
            swap(before)
    except (AttributeError, OSError, TypeError, ValueError):
        return _swap_nothing, None
    if any(address(array) % ALIGNMENT for array in arrays):
        return _swap_nothing, None
    return swap, handler


def _native() -> tuple[Callable[[Any], Any], Any]:
    python: Any = ctypes.pythonapi
    raw = _Allocator()
    python.PyMem_GetAllocator(ctypes.c_int(_RAW_DOMAIN), ctypes.byref(raw))
    if raw.context:
        raise ValueError("Python's memory is traced: its functions take their own context")
    malloc = ctypes.cast(ctypes.CDLL(None).aligned_alloc, ctypes.c_void_p)
    functions = (raw.calloc, raw.realloc, raw.free)
    handler = _Handler(_NAME, 1, _Allocator(ALIGNMENT, malloc, *functions))
    # Arrays free their memory through it, until the process ends.
    python.Py_IncRef(ctypes.py_object(handler))
    pointer, new = python.PyCapsule_GetPointer, python.PyCapsule_New
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    table = pointer(np._core.multiarray._ARRAY_API, None)  # type: ignore[attr-defined]
    functions_of_numpy = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
    return (
        set_handler(functions_of_numpy[_SET_HANDLER] or 0),
        new(ctypes.addressof(handler), _CAPSULE, None),
    )


def align() -> Any:
    """Align arrays that this thread allocates from now on; return the argument of `restore`."""
    swap, handler = _prepared()
    return swap(handler)


def restore(before: Any) -> None:
    """Allocate as before `align`."""
    _prepared()[0](before)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return a large uninitialised array of NumPy's own, which compiled code reads without a copy.

    Unlike one of `memory.aligned_empty`, it owns its memory, which holds its elements and no more.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    before = align()
    try:
        if size <= heap.MAPPED_BYTES:
            return np.empty(shape, dtype)
        with heap.reuse(size):
            return np.empty(shape, dtype)
    finally:
        restore(before)
