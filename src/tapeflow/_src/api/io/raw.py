"""Decode bytes to numbers, base64 and compressed strings."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.io import raw as ops


def decode_raw(
    input_bytes: Any,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    r"""Reinterpret the bytes of each string as numbers.

    Args:
        input_bytes: Strings of equal length, unless `fixed_length` is set.
        out_type: The dtype of the numbers.
        little_endian: The byte order.
        fixed_length: Truncate or zero-pad each string to this many bytes.
        name: Name of the op in a graph.

    Returns:
        A tensor with a further last axis, of the numbers of each string.

    Example:
        >>> tf.io.decode_raw(b"\x01\x00\x02\x00", tf.int16).numpy()
        array([1, 2], dtype=int16)
    """
    tensor = as_strings(input_bytes)
    options = {"out_type": out_type, "little_endian": little_endian, "name": name}
    if fixed_length is None:
        return ops.decode_raw(tensor, **options)
    length = dispatch.convert(fixed_length, dtypes.int32)
    return ops.decode_padded_raw(tensor, length, **options)


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Encode strings as web-safe base64, with padding characters if `pad`.

    Args:
        input: Strings of any shape.
        pad: Whether to pad with `=`.

    Returns:
        Strings in the shape of the input.

    Example:
        >>> tf.io.encode_base64("hello").numpy()
        b'aGVsbG8'
    """
    return ops.encode_base64(as_strings(input), pad=pad, name=name)


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Decode strings from web-safe base64.

    Args:
        input: Strings of any shape, padded or not.

    Returns:
        Strings in the shape of the input.

    Raises:
        tf.errors.InvalidArgumentError: If a string is no base64.

    Example:
        >>> tf.io.decode_base64("aGVsbG8").numpy()
        b'hello'
    """
    return ops.decode_base64(as_strings(input), name=name)


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Decompress strings.

    Args:
        bytes: Strings of any shape.
        compression_type: "GZIP", "ZLIB", or "" for none.

    Returns:
        Strings in the shape of the input.

    Example:
        >>> import zlib
        >>> tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB").numpy()
        b'text'
    """
    return ops.decode_compressed(as_strings(bytes), compression_type=compression_type, name=name)
