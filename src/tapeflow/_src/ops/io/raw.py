"""Strings of bytes as numbers, and as other strings: raw memory, base 64, compressed data."""

from __future__ import annotations

import base64
import binascii
import re
import zlib

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import DataLossError, invalid
from tapeflow._src.core.infer import allowed_dtype, same_as
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, PACKS
from tapeflow._src.kernels.strings import base64 as packed_base64
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array, each

_PADDED = frozenset(
    {
        *(dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16),
        *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16),
    }
)
_RAW = _PADDED | {dtypes.complex64, dtypes.complex128, dtypes.bool}


def _numbers(texts: list[bytes], target: dtypes.DType, little_endian: bool) -> np.ndarray:
    joined = b"".join(texts)
    if little_endian or target.size == 1:
        return np.frombuffer(joined, target.np).copy()
    # Of complex numbers each part is turned round.
    unit = target.size // 2 if target.is_complex else target.size
    turned = np.frombuffer(joined, np.uint8).reshape(-1, unit)[:, ::-1]
    return np.frombuffer(turned.tobytes(), target.np).copy()


@op("DecodeRaw", dtypes=STRING, grad=None, host=HOST, checked=True)
def decode_raw(xp, bytes, *, out_type, little_endian=True):
    """Reinterpret the bytes of each string as numbers, along a new last axis."""
    target = as_dtype(out_type)
    texts = bytes.reshape(-1).tolist()
    sizes = set(map(len, texts))
    if len(sizes) > 1:
        raise invalid(
            f"DecodeRaw requires input strings to all be the same size, got {sorted(sizes)}"
        )
    size = sizes.pop() if sizes else 0
    if size % target.size:
        raise invalid(
            f"decode_raw: strings of {size} bytes do not divide into {target.name} values of "
            f"{target.size} bytes each"
        )
    return _numbers(texts, target, little_endian).reshape(*bytes.shape, size // target.size)


@decode_raw.infer
def _(bytes, *, out_type, little_endian):
    target = allowed_dtype("out_type", out_type, _RAW)
    return Spec(None if bytes.shape is None else (*bytes.shape, None), target)


@op("DecodePaddedRaw", dtypes=STRING, grad=None, host=HOST, checked=True)
def decode_padded_raw(xp, input_bytes, fixed_length: Static, *, out_type, little_endian=True):
    """Like `DecodeRaw`; every string is truncated or zero-padded to one length."""
    target, length = as_dtype(out_type), int(fixed_length)
    texts = [text[:length].ljust(length, b"\0") for text in input_bytes.reshape(-1).tolist()]
    numbers = _numbers(texts, target, little_endian)
    return numbers.reshape(*input_bytes.shape, length // target.size)


@decode_padded_raw.infer
def _(input_bytes, fixed_length, *, out_type, little_endian):
    target = allowed_dtype("out_type", out_type, _PADDED)
    length = None if fixed_length.value is None else int(fixed_length.value)
    if length is not None and length <= 0:
        raise InferError(f"fixed_length ({length}) must be greater than zero.")
    if length is not None and length % target.size:
        raise InferError(
            f"fixed_length ({length}) must be divisible by {target.size}, the bytes of one "
            f"out_type value ({target.name})"
        )
    count = None if length is None else length // target.size
    return Spec(None if input_bytes.shape is None else (*input_bytes.shape, count), target)


# -- base 64 -----------------------------------------------------------------------------------

_ALPHABET = re.compile(rb"[A-Za-z0-9_-]*(=|==)?")


@op(
    "EncodeBase64",
    infer=same_as("input"),
    dtypes=STRING,
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE, PACKS),
)
def encode_base64(xp, input, *, pad=False):
    """Encode strings in URL-safe base64, without padding unless requested."""
    texts = input.reshape(-1).tolist()
    # Line breaks end each, none contains one; the other two changes are made in all at once.
    encoded = b"".join(map(binascii.b2a_base64, texts)).translate(_URL_SAFE, b"" if pad else b"=")
    return bytes_array(encoded.split(b"\n")[: len(texts)]).reshape(input.shape)


_URL_SAFE = bytes.maketrans(b"+/", b"-_")


@encode_base64.kernel("packed")
def _(xp, input, *, pad):
    return packed_base64.encoded(input, pad)


@op(
    "DecodeBase64",
    infer=same_as("input"),
    dtypes=STRING,
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE, PACKS),
)
def decode_base64(xp, input):
    """Decode strings from URL-safe base64, with or without padding."""
    return each(_from_base64, input)


@decode_base64.kernel("packed")
def _(xp, input):
    decoded = packed_base64.decoded(input)
    return NotImplemented if decoded is None else decoded


def _from_base64(text: bytes) -> bytes:
    body = text.rstrip(b"=")
    padded = len(text) > len(body)
    if not _ALPHABET.fullmatch(text) or (padded and len(text) % 4):
        raise invalid("Invalid character found in base64.")
    if len(body) % 4 == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    return base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4))


# -- compression -------------------------------------------------------------------------------

# zlib's parameter for the container of the compressed data.
WINDOW_BITS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


@op("DecodeCompressed", dtypes=STRING, grad=None, host=HOST, checked=True, traits=(ELEMENTWISE,))
def decode_compressed(xp, bytes, *, compression_type=""):
    """Decompress strings."""
    if compression_type in ("", "NONE"):
        return bytes.copy()
    return each(lambda text: inflate(text, compression_type), bytes)


def inflate(text: bytes, compression_type: str) -> bytes:
    """Decompress a string; concatenated streams are joined."""
    parts = []
    while text:
        decoder = zlib.decompressobj(WINDOW_BITS[compression_type])
        try:
            parts.append(decoder.decompress(text))
        except zlib.error as error:
            raise DataLossError(None, None, f"inflate() failed: {error}") from None
        if not decoder.eof:
            raise DataLossError(
                None, None, f"inflate() failed: the {compression_type} data is truncated"
            )
        text = decoder.unused_data
    return b"".join(parts)


@decode_compressed.infer
def _(bytes, *, compression_type):
    if compression_type not in ("", "NONE", *WINDOW_BITS):
        raise InferError(
            f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}"
        )
    return Spec(bytes.shape, dtypes.string)
