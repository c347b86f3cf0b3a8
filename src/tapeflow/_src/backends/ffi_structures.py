"""C structures of XLA's foreign function interface, as in `xla/ffi/api/c_api.h` of jaxlib.

Targets written in Python read them (`jax_ffi`), and calls of jaxlib's own targets fill them in
(`jaxlib_lapack`).
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import c_char_p, c_int, c_size_t, c_void_p

VERSION = (0, 3)
METADATA = 1
EXECUTE = 3
CAPSULE = b"xla._CUSTOM_CALL_TARGET"

# `XLA_FFI_CallFrame`: size, extension, api, context, stage; then size, extension, count, types and
# pointers of the arguments and of the results, and those of the attributes with their names.
FRAME = struct.Struct("@QQQQi4xQQqQQQQqQQQQqQQQ")
EXTENSION = struct.Struct("@Qi4xQ")  # `XLA_FFI_Extension_Base`: size, type, next
BYTE_SPAN = struct.Struct("@QQ")  # a pointer and a length
SCALAR = struct.Struct("@i4xQ")  # a dtype and a pointer
BUFFER = struct.Struct("@QQi4xQqQ")  # size, extension, dtype, data, rank and a pointer to the shape
BUFFER_DATA_OFFSET = 24
# Sizes of the parts of a frame, which begin with them.
OPERANDS_SIZE, ATTRIBUTES_SIZE = 40, 48
# `XLA_FFI_Api` is an array of pointers to functions behind its size and version.
ERROR_CREATE_OFFSET = 48
THREAD_COUNT_OFFSET = 144
API_SIZE = 192
HANDLER = ctypes.CFUNCTYPE(c_void_p, c_void_p)


class ErrorArguments(ctypes.Structure):
    """`XLA_FFI_Error_Create_Args`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("message", c_char_p),
        ("code", c_int),
    ]


class ThreadCountArguments(ctypes.Structure):
    """`XLA_FFI_ThreadPool_NumThreads_Args`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("extension", c_void_p),
        ("context", c_void_p),
        ("count", ctypes.POINTER(ctypes.c_int64)),
    ]


class Metadata(ctypes.Structure):
    """`XLA_FFI_Metadata`."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("version_struct_size", c_size_t),
        ("version_extension", c_void_p),
        ("major", c_int),
        ("minor", c_int),
        ("traits", ctypes.c_uint32),
        ("state_type", ctypes.c_int64),
    ]
