"""Taking strings apart and reading numbers in them. Strings are bytes in object arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.infer import dtype_attr, require_rank, same_as
from tapeflow.core.registry import Free, InferError, op
from tapeflow.core.spec import Spec

_STRING = frozenset({dtypes.string})
_NUMBERS = frozenset(
    {dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64}
)
_HOST = "strings"


def bytes_array(items: list[bytes]) -> np.ndarray:
    """An object array of those strings."""
    result = np.empty(len(items), object)
    result[:] = items
    return result


def _sparse_rows(rows: list[list[bytes]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    longest = max((len(row) for row in rows), default=0)
    return (
        np.array(places, np.int64).reshape(-1, 2),
        bytes_array([part for row in rows for part in row]),
        np.array([len(rows), longest], np.int64),
    )


def _infer_parts(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, ...]:
    require_rank(specs[0], 1, "input")
    require_rank(specs[1], 0, op.input_names[1])
    return Spec((None, 2), dtypes.int64), Spec((None,), dtypes.string), Spec((2,), dtypes.int64)


@op(
    "StringSplitV2",
    infer=_infer_parts,
    dtypes=_STRING,
    outputs=("indices", "values", "shape"),
    grad=None,
    host=_HOST,
    checked=True,
)
def string_split_v2(xp, input, sep, *, maxsplit=-1):
    """Each string split at `sep`, at white space if that is empty, as a sparse matrix."""
    separator = sep.item() or None
    limit = -1 if maxsplit is None else maxsplit
    rows = [text.split(separator, limit) for text in input.tolist()]
    if separator is None and limit >= 0:
        # Python leaves white space at the end of the last part only when it stops early.
        rows = [[part.rstrip() if i == limit else part for i, part in enumerate(r)] for r in rows]
    return _sparse_rows(rows)


@op(
    "StringSplit",
    infer=_infer_parts,
    dtypes=_STRING,
    outputs=("indices", "values", "shape"),
    grad=None,
    host=_HOST,
    checked=True,
)
def string_split(xp, input, delimiter, *, skip_empty=True):
    """Each string split at any byte of `delimiter`, or into its bytes if that is empty."""
    marks = set(delimiter.item())
    rows = []
    for text in input.tolist():
        parts, part = [], bytearray()
        for byte in text:
            if byte in marks or not marks:
                parts.append(bytes([byte]) if not marks else bytes(part))
                part = bytearray()
            else:
                part.append(byte)
        if marks:
            parts.append(bytes(part))
        rows.append([p for p in parts if p or not skip_empty])
    return _sparse_rows(rows)


@op(
    "StringToNumber",
    infer=dtype_attr("out_type", same_as("string_tensor")),
    dtypes=_STRING,
    grad=None,
    host=_HOST,
)
def string_to_number(xp, string_tensor, *, out_type=dtypes.float32):
    """The numbers that strings spell."""
    target = as_dtype(out_type)
    if target not in _NUMBERS:
        raise InferError(
            f"Value for attr 'out_type' of {target.name} is not in the list of allowed values: "
            f"{', '.join(sorted(d.name for d in _NUMBERS))}"
        )
    read = _read_integer(target) if target.is_integer else _read_float
    flat = [read(text) for text in string_tensor.reshape(-1).tolist()]
    return np.array(flat, target.np).reshape(string_tensor.shape)


def _unreadable(text: bytes) -> InferError:
    shown = text.decode(errors="replace")
    return InferError(f"StringToNumberOp could not correctly convert string: {shown}")


def _read_float(text: bytes) -> float:
    try:
        return float(text) if not text.strip().lower().startswith(b"0x") else float(int(text, 16))
    except ValueError:
        raise _unreadable(text) from None


def _read_integer(target: dtypes.DType) -> Callable[[bytes], int]:
    def read(text: bytes) -> int:
        try:
            value = int(text)
        except ValueError:
            raise _unreadable(text) from None
        if not target.min <= value <= target.max or b"_" in text:
            raise _unreadable(text)
        return value

    return read


# -- Unicode -----------------------------------------------------------------------------------

_ERRORS = ("replace", "ignore", "strict")


def _codec(encoding: str) -> str:
    try:
        "".encode(encoding)
    except LookupError:
        raise InferError(f"Could not create converter for encoding: {encoding}") from None
    return encoding


def _check_errors(errors: str) -> None:
    if errors not in _ERRORS:
        raise InferError(f"errors must be one of {', '.join(_ERRORS)}, got {errors!r}")


def _decode(text: bytes, encoding: str, errors: str, replacement: int) -> list[int]:
    """The code points of a string; what is malformed is replaced, left out, or an error."""
    if errors == "strict":
        try:
            return [ord(c) for c in text.decode(encoding)]
        except UnicodeDecodeError:
            raise InferError("Invalid formatting on input string") from None
    points = [ord(c) for c in text.decode(encoding, errors=errors)]
    return [replacement if p == 0xFFFD else p for p in points]


@op(
    "UnicodeDecode",
    dtypes=_STRING,
    outputs=("row_splits", "char_values"),
    grad=None,
    host=_HOST,
)
def unicode_decode(
    xp,
    input,
    *,
    input_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
    Tsplits=dtypes.int64,
):
    """The code points of each string, all in one row, and where each string's begin."""
    encoding = _codec(input_encoding)
    rows = [_decode(t, encoding, errors, replacement_char) for t in input.reshape(-1).tolist()]
    if replace_control_characters:
        rows = [[replacement_char if p < 32 or p == 127 else p for p in row] for row in rows]
    splits = np.cumsum([0, *[len(row) for row in rows]]).astype(as_dtype(Tsplits).np)
    return splits, np.array([p for row in rows for p in row], np.int32)


@unicode_decode.infer
def _(input, *, input_encoding, errors, replacement_char, replace_control_characters, Tsplits):
    _codec(input_encoding)
    _check_errors(errors)
    count = None
    if input.known:
        count = int(np.prod(input.shape)) + 1
    return Spec((count,), as_dtype(Tsplits)), Spec((None,), dtypes.int32)


@op("UnicodeEncode", grad=None, host=_HOST, checked=True)
def unicode_encode(
    xp,
    input_values: Free,
    input_splits: Free,
    *,
    output_encoding,
    errors="replace",
    replacement_char=65533,
):
    """Strings from rows of code points."""
    encoding = _codec(output_encoding)
    splits = input_splits.tolist()
    if splits[0] != 0 or splits[-1] != input_values.size or np.any(np.diff(input_splits) < 0):
        raise InferError(f"input_splits must go from 0 to {input_values.size}, got {splits}")
    points = [_encodable(p, errors, replacement_char) for p in input_values.tolist()]
    rows = ["".join(points[a:b]) for a, b in pairwise(splits)]
    return bytes_array([row.encode(encoding, errors="surrogatepass") for row in rows])


def _encodable(point: int, errors: str, replacement: int) -> str:
    if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:
        return chr(point)
    if errors == "strict":
        raise InferError(f"Code point is out of range for Unicode, or a noncharacter: {point}")
    return "" if errors == "ignore" else chr(replacement)


@unicode_encode.infer
def _(input_values, input_splits, *, output_encoding, errors, replacement_char):
    _codec(output_encoding)
    _check_errors(errors)
    require_rank(input_values, 1, "input_values")
    require_rank(input_splits, 1, "input_splits")
    if input_values.dtype is not dtypes.int32:
        raise InferError(f"input_values must be int32, got {input_values.dtype.name}")
    if input_splits.dtype not in dtypes.INDEX:
        raise InferError(f"input_splits must be int32 or int64, got {input_splits.dtype.name}")
    rows = input_splits.shape[0] if input_splits.shape else None
    if rows == 0:
        raise InferError("input_splits must not be empty")
    return Spec((None if rows is None else rows - 1,), dtypes.string)


# -- raw bytes ---------------------------------------------------------------------------------


@op("DecodeRaw", dtypes=_STRING, grad=None, host=_HOST)
def decode_raw(xp, bytes, *, out_type, little_endian=True):
    """The bytes of each string as numbers, along a new last axis."""
    target = as_dtype(out_type)
    texts = bytes.reshape(-1).tolist()
    sizes = {len(t) for t in texts}
    if len(sizes) > 1:
        raise InferError(f"DecodeRaw requires input strings of one size, got {sorted(sizes)}")
    size = sizes.pop() if sizes else 0
    if size % target.size:
        raise InferError(
            f"Input to DecodeRaw has length {size} that is not a multiple of {target.size}, "
            f"the size of {target.name}"
        )
    stored = target.np.newbyteorder("<" if little_endian else ">")
    flat = np.frombuffer(b"".join(texts), stored).astype(target.np)
    return flat.reshape(*bytes.shape, size // target.size)


@decode_raw.infer
def _(bytes, *, out_type, little_endian):
    target = as_dtype(out_type)
    if not (target.is_numpy_compatible and target.size) or target is dtypes.string:
        raise InferError(f"DecodeRaw does not read {target.name}")
    return Spec(None if bytes.shape is None else (*bytes.shape, None), target)
