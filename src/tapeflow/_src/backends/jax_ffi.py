"""Python functions as targets of XLA's foreign function interface.

Knows the C structures of `xla/ffi/api/c_api.h` (version 0.3, shipped with jaxlib) and nothing of
what the functions compute. Compiled code calls a target with the addresses of its buffers, which
are neither copied nor wrapped: about 10 µs a call. The call may come from any thread of XLA's, and
from several at once; it takes the GIL, which JAX releases while compiled code runs.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from ctypes import c_char_p, c_int, c_size_t, c_void_p, string_at
from typing import Any

import jax

# Runs over the buffers at the addresses, operands first, as `spec` says.
Target = Callable[[bytes, list[int]], None]

_VERSION = (0, 3)
_METADATA = 1
_INTERNAL = 13
_CAPSULE = b"xla._CUSTOM_CALL_TARGET"
_handlers: list[Any] = []
# Interrupts that arrived during a call; the caller of the program raises them.
interrupts: list[KeyboardInterrupt] = []


class _Error(ctypes.Structure):
    """`XLA_FFI_Error_Create_Args`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("message", c_char_p),
        ("code", c_int),
    ]


class _Metadata(ctypes.Structure):
    """`XLA_FFI_Metadata`, up to the version of the interface."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("version_struct_size", c_size_t),
        ("version_extension", c_void_p),
        ("major", c_int),
        ("minor", c_int),
    ]


# `XLA_FFI_CallFrame`: size, extension, api, context, stage; then size, extension, count, types and
# pointers of the arguments and of the results, and those of the attributes with their names.
_FRAME = struct.Struct("@QQQQi4xQQqQQQQqQQQQqQQQ")
_EXTENSION = struct.Struct("@Qi4xQ")  # `XLA_FFI_Extension_Base`: size, type, next
_BYTE_SPAN = struct.Struct("@QQ")
_BUFFER_DATA_OFFSET = 24
_ERROR_CREATE_OFFSET = 48
_HANDLER = ctypes.CFUNCTYPE(c_void_p, c_void_p)


def register(name: str, target: Target) -> None:
    """Register `target` as `name` for compiled code on CPUs."""

    def handle(frame: int) -> int | None:
        _, extension, api, _, _, *rest = _FRAME.unpack(string_at(frame, _FRAME.size))
        try:
            if extension and _answer_metadata(extension):
                return None
            _, _, count, _, arguments, _, _, result_count, _, results, _, _, _, _, _, attrs = rest
            addresses = _buffers(arguments, count) + _buffers(results, result_count)
            (span,) = _pointers(attrs, 1)
            spec = string_at(*_BYTE_SPAN.unpack(string_at(span, _BYTE_SPAN.size)))
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

    handler = _HANDLER(handle)
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
        c_void_p.from_address(buffer + _BUFFER_DATA_OFFSET).value or 0
        for buffer in _pointers(address, count)
    ]


def _answer_metadata(extension: int) -> bool:
    """Report the handler's version of the interface, if XLA queries it."""
    _, kind, _ = _EXTENSION.unpack(string_at(extension, _EXTENSION.size))
    if kind != _METADATA:
        return False
    (metadata,) = _pointers(extension + _EXTENSION.size, 1)
    answer = _Metadata.from_address(metadata)
    answer.major, answer.minor = _VERSION
    return True


def _error(api: int, message: str) -> int | None:
    create = _HANDLER(c_void_p.from_address(api + _ERROR_CREATE_OFFSET).value or 0)
    arguments = _Error(ctypes.sizeof(_Error), None, message.encode(), _INTERNAL)
    created: int | None = create(ctypes.addressof(arguments))
    return created


def _capsule(handler: Any) -> Any:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
    return make(ctypes.cast(handler, c_void_p), _CAPSULE, None)
