"""Python functions as targets of XLA's foreign function interface.

Knows nothing of what the functions compute. Compiled code calls a target with the addresses of its
buffers, which are neither copied nor wrapped: about 10 µs a call. The call may come from any thread
of XLA's, and from several at once; it takes the GIL, which JAX releases while compiled code runs.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from ctypes import c_char_p, c_void_p, string_at
from typing import Any

import jax

from tapeflow._src.backends.ffi_structures import (
    BUFFER_DATA_OFFSET,
    BYTE_SPAN,
    CAPSULE,
    ERROR_CREATE_OFFSET,
    EXTENSION,
    FRAME,
    HANDLER,
    METADATA,
    VERSION,
    ErrorArguments,
    Metadata,
)

# Runs over the buffers at the addresses, operands first, as `spec` says.
Target = Callable[[bytes, list[int]], None]

_INTERNAL = 13
_handlers: list[Any] = []
# Interrupts that arrived during a call; the caller of the program raises them.
interrupts: list[KeyboardInterrupt] = []


def register(name: str, target: Target) -> None:
    """Register `target` as `name` for compiled code on CPUs."""

    def handle(frame: int) -> int | None:
        _, extension, api, _, _, *rest = FRAME.unpack(string_at(frame, FRAME.size))
        try:
            if extension and _answer_metadata(extension):
                return None
            _, _, count, _, arguments, _, _, result_count, _, results, _, _, _, _, _, attrs = rest
            addresses = _buffers(arguments, count) + _buffers(results, result_count)
            (span,) = _pointers(attrs, 1)
            spec = string_at(*BYTE_SPAN.unpack(string_at(span, BYTE_SPAN.size)))
            try:
                target(spec, addresses)
            except KeyboardInterrupt as interrupt:
                # An interrupted step would lose the variables it has taken over: finish it first.
                interrupts.append(interrupt)
                target(spec, addresses)
        except BaseException as error:
            # A C callback may only return errors that XLA knows.
            return _error(api, f"{name}: {type(error).__name__}: {error}")
        return None

    handler = HANDLER(handle)
    _handlers.append(handler)  # XLA keeps the address for ever
    jax.ffi.register_ffi_target(name, _capsule(handler), platform="cpu", api_version=1)


def call(name: str, operands: Sequence[Any], results: Sequence[Any], spec: str) -> list[Any]:
    """Call a target from traced code: row-major operands in, results as described out."""
    called = jax.ffi.ffi_call(name, tuple(results), vmap_method="sequential")
    return list(called(*operands, spec=spec))


def _pointers(address: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"@{count}Q", string_at(address, 8 * count))


def _buffers(address: int, count: int) -> list[int]:
    """Return the data addresses of `XLA_FFI_Buffer`s."""
    return [
        c_void_p.from_address(buffer + BUFFER_DATA_OFFSET).value or 0
        for buffer in _pointers(address, count)
    ]


def _answer_metadata(extension: int) -> bool:
    """Report the handler's version of the interface, if XLA queries it."""
    _, kind, _ = EXTENSION.unpack(string_at(extension, EXTENSION.size))
    if kind != METADATA:
        return False
    (metadata,) = _pointers(extension + EXTENSION.size, 1)
    answer = Metadata.from_address(metadata)
    answer.major, answer.minor = VERSION
    return True


def _error(api: int, message: str) -> int | None:
    create = HANDLER(c_void_p.from_address(api + ERROR_CREATE_OFFSET).value or 0)
    arguments = ErrorArguments(ctypes.sizeof(ErrorArguments), None, message.encode(), _INTERNAL)
    created: int | None = create(ctypes.addressof(arguments))
    return created


def _capsule(handler: Any) -> Any:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
    return make(ctypes.cast(handler, c_void_p), CAPSULE, None)
