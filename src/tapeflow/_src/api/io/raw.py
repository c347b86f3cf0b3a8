"""Strings of bytes as numbers, and as other strings."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.io import raw as ops


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of each string as numbers; with `fixed_length`, cut or filled up with zeros."""
    tensor = as_strings(input_bytes)
    options = {"out_type": out_type, "little_endian": little_endian, "name": name}
    if fixed_length is None:
        return ops.decode_raw(tensor, **options)
    length = dispatch.convert(fixed_length, dtypes.int32)
    return ops.decode_padded_raw(tensor, length, **options)


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in the base 64 that is safe in addresses, without padding unless asked for."""
    return ops.encode_base64(as_strings(input), pad=pad, name=name)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """Strings out of the base 64 that is safe in addresses."""
    return ops.decode_base64(as_strings(input), name=name)


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings decompressed; `compression_type` is "GZIP", "ZLIB" or ""."""
    return ops.decode_compressed(as_strings(bytes), compression_type=compression_type, name=name)
