"""Calls of jaxlib's LAPACK kernels, which loop over the matrices of a batch without the GIL.

They are targets of XLA's foreign function interface, here called without XLA: a frame with the
addresses of the arrays is all that they read. Loading them takes 0.2 s, as they use SciPy's LAPACK.
Where jaxlib is missing or has another version of the interface, `available` returns False.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from tapeflow._src.backends.ffi_structures import (
    API_SIZE,
    ATTRIBUTES_SIZE,
    BUFFER,
    BUFFER_DATA_OFFSET,
    BYTE_SPAN,
    CAPSULE,
    ERROR_CREATE_OFFSET,
    EXECUTE,
    EXTENSION,
    FRAME,
    HANDLER,
    METADATA,
    OPERANDS_SIZE,
    SCALAR,
    THREAD_COUNT_OFFSET,
    VERSION,
    ErrorArguments,
    Metadata,
    ThreadCountArguments,
)
from tapeflow._src.backends.memory import address
from tapeflow._src.core.lazy import LazyModule

_module = LazyModule("jaxlib.cpu._lapack", "batches of matrices", "jax")

# Letters of routines and numbers of dtypes in the interface, by NumPy's letters.
LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_DTYPES = {"i": 4, "f": 11, "d": 12, "F": 15, "D": 18}
_BYTE, _BUFFER, _SCALAR = 6, 1, 3
_FAILED = 1
_errors: list[str] = []


@HANDLER
def _keep_error(arguments: int) -> int:
    message = ErrorArguments.from_address(arguments).message
    _errors.append((message or b"").decode())
    return _FAILED


@HANDLER
def _count_threads(arguments: int) -> None:
    """Report one thread: batches are divided before."""
    ThreadCountArguments.from_address(arguments).count[0] = 1


@cache
def _api() -> ctypes.Array[ctypes.c_char]:
    """Return the functions that kernels call: errors and the number of threads."""
    api = ctypes.create_string_buffer(API_SIZE)
    ctypes.c_size_t.from_buffer(api).value = API_SIZE
    for offset, function in (
        (ERROR_CREATE_OFFSET, _keep_error),
        (THREAD_COUNT_OFFSET, _count_threads),
    ):
        pointer = ctypes.cast(function, ctypes.c_void_p).value or 0
        ctypes.c_size_t.from_buffer(api, offset).value = pointer
    return api


@cache
def available() -> bool:
    """Whether the kernels are there, and have the version of the interface that is known."""
    try:
        frame = _Frame("strsm", (), 0, ())
    except ImportError:
        return False
    metadata = Metadata(struct_size=ctypes.sizeof(Metadata), version_struct_size=24)
    extension = ctypes.create_string_buffer(
        EXTENSION.pack(EXTENSION.size + 8, METADATA, 0)
        + ctypes.addressof(metadata).to_bytes(8, "little")
    )
    failed = frame.query(ctypes.addressof(extension))
    return not failed and (metadata.major, metadata.minor) == VERSION


@cache
def _kernels() -> dict[str, Any]:
    _module.initialize()  # it looks up SciPy's routines, without which kernels crash
    kernels: dict[str, Any] = _module.registrations()
    return kernels


@cache
def _kernel(name: str) -> Callable[[int], int | None]:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    kernel: Callable[[int], int | None] = HANDLER(get(_kernels()[f"lapack_{name}_ffi"], CAPSULE))
    return kernel


class _Frame:
    """The arguments of calls of one kernel with matrices of one shape, and any number of them."""

    def __init__(
        self,
        name: str,
        buffers: Sequence[tuple[str, tuple[int, ...]]],
        operands: int,
        options: Sequence[tuple[str, str]],
    ) -> None:
        self._kernel = _kernel(name)
        self._memory: list[Any] = []
        self._shapes = [(ctypes.c_int64 * (1 + len(shape)))(0, *shape) for _, shape in buffers]
        self._buffers = [
            self._bytes(
                BUFFER.pack(
                    BUFFER.size, 0, _DTYPES[char], 0, 1 + len(shape), ctypes.addressof(sizes)
                )
            )
            for (char, shape), sizes in zip(buffers, self._shapes)
        ]
        arguments = self._pointers(self._buffers[:operands], _BUFFER)
        results = self._pointers(self._buffers[operands:], _BUFFER)
        names, values = [], []
        for option, letter in sorted(options):
            text = self._bytes(option.encode())
            names.append(self._bytes(BYTE_SPAN.pack(text, len(option))))
            values.append(self._bytes(SCALAR.pack(_BYTE, self._bytes(letter.encode()))))
        count, kinds, pointers = self._pointers(values, _SCALAR)
        self._frame = self._bytes(
            FRAME.pack(
                *(FRAME.size, 0, ctypes.addressof(_api()), 0, EXECUTE),
                *(OPERANDS_SIZE, 0, *arguments),
                *(OPERANDS_SIZE, 0, *results),
                *(ATTRIBUTES_SIZE, 0, count, kinds, self._pointers(names, 0)[2], pointers),
            )
            + bytes(8)  # an asynchronous result
        )

    def _bytes(self, content: bytes) -> int:
        """Keep bytes in memory, and return their address."""
        memory = ctypes.create_string_buffer(content, len(content))
        self._memory.append(memory)
        return ctypes.addressof(memory)

    def _pointers(self, addresses: Sequence[int], kind: int) -> tuple[int, int, int]:
        """Return a number, and the addresses of arrays of as many kinds and pointers."""
        count = len(addresses)
        kinds = (ctypes.c_int * count)(*[kind] * count)
        pointers = (ctypes.c_size_t * count)(*addresses)
        self._memory += kinds, pointers
        return count, ctypes.addressof(kinds), ctypes.addressof(pointers)

    def run(self, arrays: Sequence[np.ndarray]) -> None:
        count = len(arrays[0])
        for buffer, sizes, array in zip(self._buffers, self._shapes, arrays):
            ctypes.c_size_t.from_address(buffer + BUFFER_DATA_OFFSET).value = address(array)
            sizes[0] = count
        if self._kernel(self._frame):
            raise RuntimeError(f"a LAPACK kernel of jaxlib failed: {_errors.pop()}")

    def query(self, extension: int) -> bool:
        """Ask the kernel for what an extension holds; return whether that failed."""
        ctypes.c_size_t.from_address(self._frame + 8).value = extension
        return bool(self._kernel(self._frame))


# Frames that no call uses now, by kernel and shapes; all are forgotten when there are more.
_frames: dict[Any, deque[_Frame]] = {}
_CACHED_FRAMES = 256


def call(
    name: str, operands: Sequence[np.ndarray], results: Sequence[np.ndarray], **options: str
) -> None:
    """Run a kernel for all matrices along the first axis, on this thread.

    Matrices are stored by columns: operands and results are views of contiguous memory with the
    last two axes swapped. A result may share memory with an operand. Vectors and numbers of each
    matrix are arrays of fewer axes.
    """
    arrays = [*operands, *results]
    buffers = tuple((array.dtype.char, array.shape[1:]) for array in arrays)
    key = (name, buffers, *options.values())
    free = _frames.get(key)
    if free is None:
        if len(_frames) >= _CACHED_FRAMES:
            _frames.clear()
        free = _frames[key] = deque()
    try:
        frame = free.pop()
    except IndexError:
        letter = LETTERS[operands[0].dtype.char]
        frame = _Frame(letter + name, buffers, len(operands), list(options.items()))
    frame.run(arrays)
    free.append(frame)
