"""Joining, cutting and measuring strings. Strings are bytes in object arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, OutOfRangeError, fmt_shape, invalid
from tapeflow._src.core.infer import (
    Shape,
    allowed_dtype,
    broadcast_shape,
    merge_shape,
    reduced_shape,
    same_as,
)
from tapeflow._src.core.registry import Free, Index, InferError, Many, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, PACKS
from tapeflow._src.kernels.strings.packed import (
    PackedStrings,
    as_packed,
    concatenated,
    stripped,
)
from tapeflow._src.kernels.strings.words import byte_sizes, character_counts

STRING = frozenset({dtypes.string})
HOST = "strings"


def bytes_array(items: list[bytes]) -> np.ndarray:
    """Return an object array of those strings."""
    # Assigning a list would inspect every item for nested sequences, at four times the cost.
    return np.fromiter(items, object, len(items))


def each(change: Callable[[bytes], bytes], array: np.ndarray) -> np.ndarray:
    """Apply a function to each string of an array."""
    changed = map(change, array.reshape(-1).tolist())
    return np.fromiter(changed, object, array.size).reshape(array.shape)


def each_byte(array: np.ndarray, table: bytes | None, deleted: bytes = b"") -> np.ndarray:
    """Translate the strings of an array with a table, without the `deleted` bytes.

    All strings are translated as one, between bytes of 0 that stay what they are.
    """
    texts = array.reshape(-1).tolist()
    if len(texts) > 1 and b"\0" not in deleted and (table is None or table[0] == 0):
        parts = b"\0".join(texts).translate(table, deleted).split(b"\0")
        if len(parts) == len(texts):
            return bytes_array(parts).reshape(array.shape)
    return bytes_array([text.translate(table, deleted) for text in texts]).reshape(array.shape)


def one_of(attr: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise InferError unless an attribute has one of the values it may have."""
    if value not in allowed:
        shown = ", ".join(f'"{a}"' for a in allowed)
        raise InferError(
            f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {shown}"
        )


# -- joining -----------------------------------------------------------------------------------


@op("StringJoin", dtypes=STRING, grad=None, host=HOST, checked=True, traits=(PACKS,))
def string_join(xp, inputs: Many, *, separator=""):
    """Concatenate the strings of the inputs element-wise; scalars are broadcast."""
    between = separator.encode()
    arrays: Any = inputs or [np.array(b"", object)]
    if any(array.shape != arrays[0].shape for array in arrays):
        arrays = np.broadcast_arrays(*arrays)
    columns = [array.reshape(-1).tolist() for array in arrays]
    joined = map(between.join, zip(*columns, strict=True))
    return np.fromiter(joined, object, arrays[0].size).reshape(arrays[0].shape)


@string_join.kernel("packed")
def _(xp, inputs, *, separator):
    columns = [as_packed(column) for column in inputs]
    return concatenated(columns, separator.encode())


@string_join.infer
def _(inputs, *, separator):
    shape: Shape = ()
    for spec in inputs:
        if spec.shape == ():
            continue
        shape = spec.shape if shape == () else merge_shape(shape, spec.shape, _SHAPES_DIFFER)
        if spec.shape is None:
            return Spec(None, dtypes.string)
    return Spec(shape, dtypes.string)


_SHAPES_DIFFER = "Input shapes do not match"


@op("ReduceJoin", dtypes=STRING, grad=None, host=HOST, traits=(PACKS,))
def reduce_join(xp, inputs, reduction_indices: Static, *, keep_dims=False, separator=""):
    """Join the strings along some axes, in the order of the axes."""
    rank = inputs.ndim
    axes = [int(axis) for axis in reduction_indices.reshape(-1)]
    for axis in axes:
        if not -rank <= axis < rank:
            raise OutOfRangeError(
                None,
                None,
                f"Invalid reduction dimension {axis} for input with {rank} dimension(s)",
            )
    axes = [axis % rank for axis in axes]
    for position, axis in enumerate(axes):
        if axis in axes[:position]:
            raise invalid(f"Duplicate reduction dimension {axis}")
    remaining_axes = [axis for axis in range(rank) if axis not in axes]
    sizes = [inputs.shape[axis] for axis in remaining_axes]
    count = int(np.prod([inputs.shape[axis] for axis in axes], dtype=np.int64))
    between = separator.encode()
    if inputs.size:
        # The first axis varies fastest: its neighbours are joined first.
        rows = np.transpose(inputs, [*remaining_axes, *reversed(axes)]).reshape(-1, count)
        joined = [between.join(row) for row in rows.tolist()]
    else:
        joined = [b""] * int(np.prod(sizes, dtype=np.int64))
    if keep_dims:
        sizes = [1 if axis in axes else size for axis, size in enumerate(inputs.shape)]
    return bytes_array(joined).reshape(sizes)


@reduce_join.kernel("packed")
def _(xp, inputs, reduction_indices, *, keep_dims, separator):
    if inputs.ndim != 1 or reduction_indices.reshape(-1).tolist() not in ([0], [-1]):
        return NotImplemented
    between = separator.encode()
    if not between:
        joined = inputs.dense().text[: inputs.total]
    elif len(between) == 1:
        joined = inputs.separated(between[0])
    else:
        return NotImplemented
    return bytes_array([joined]).reshape([1] if keep_dims else [])


@reduce_join.infer
def _(inputs, reduction_indices, *, keep_dims, separator):
    return Spec(reduced_shape(inputs.shape, reduction_indices.value, keep_dims), dtypes.string)


@op("UnsortedSegmentJoin", dtypes=STRING, grad=None, host=HOST, checked=True)
def unsorted_segment_join(xp, inputs, segment_ids: Index, num_segments: Static, *, separator=""):
    """Join the strings of each segment, in input order."""
    count = int(num_segments)
    if segment_ids.size and not (segment_ids.min() >= 0 and segment_ids.max() < count):
        raise invalid(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )
    inner = inputs.shape[segment_ids.ndim :]
    width = int(np.prod(inner, dtype=np.int64))
    rows = inputs.reshape(segment_ids.size, width)
    # The rows of one segment after the other; a stable sort keeps the order in each.
    order = np.argsort(segment_ids.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(segment_ids.reshape(-1), minlength=count)).tolist()
    between = separator.encode()
    result = np.empty((count, width), object)
    for column in range(width):
        texts = rows[order, column].tolist()
        joined = [between.join(texts[a:b]) for a, b in pairwise([0, *ends])]
        result[:, column] = bytes_array(joined)
    return result.reshape(count, *inner)


@unsorted_segment_join.infer
def _(inputs, segment_ids, num_segments, *, separator):
    count = None if num_segments.value is None else int(num_segments.value)
    if count is not None and count < 0:
        raise InferError(f"Number of segments must be non-negative but got {count}")
    ids = segment_ids.shape
    if ids == ():
        raise InferError("Segment_id cannot have rank 0")
    if inputs.shape is None or ids is None:
        return Spec(None, dtypes.string)
    if len(ids) > len(inputs.shape):
        raise InferError(
            f"Invalid segment_id rank {len(ids)} for input with {len(inputs.shape)} dimension(s)"
        )
    merge_shape(inputs.shape[: len(ids)], ids, "Segment dimensions and input dimensions differ")
    return Spec((count, *inputs.shape[len(ids) :]), dtypes.string)


# -- letters -----------------------------------------------------------------------------------


def _check_case(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    if attrs["encoding"] not in ("", "utf-8"):
        raise InferError(
            f"only utf-8 or '' (no encoding) is supported, received {attrs['encoding']}"
        )
    return Spec(specs[0].shape, dtypes.string)


@op(
    "StringLower",
    infer=_check_case,
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def string_lower(xp, input, *, encoding=""):
    """Convert to lower case: ASCII letters, or with `utf-8` all."""
    if encoding:
        return each(lambda text: text.decode(errors="replace").lower().encode(), input)
    return each(bytes.lower, input)


@string_lower.kernel("packed")
def _(xp, input, *, encoding):
    return _in_case(input, bytes.lower, encoding)


def _in_case(
    strings: PackedStrings, change: Callable[[bytes], bytes], encoding: str
) -> PackedStrings:
    """Convert all strings as one text: ASCII letters, which are the only ones it may have."""
    strings = strings.trimmed()
    if encoding and not strings.text.isascii():
        return NotImplemented
    return strings.with_text(change(strings.text))


@op(
    "StringUpper",
    infer=_check_case,
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def string_upper(xp, input, *, encoding=""):
    """Convert to upper case: ASCII letters, or with `utf-8` all."""
    if encoding:
        return each(lambda text: text.decode(errors="replace").upper().encode(), input)
    return each(bytes.upper, input)


@string_upper.kernel("packed")
def _(xp, input, *, encoding):
    return _in_case(input, bytes.upper, encoding)


@op(
    "StringStrip",
    infer=same_as("input"),
    dtypes=STRING,
    grad=None,
    host=HOST,
    traits=(ELEMENTWISE, PACKS),
)
def string_strip(xp, input):
    """Strip white space from both ends."""
    return each(bytes.strip, input)


@string_strip.kernel("packed")
def _(xp, input):
    return stripped(input)


# -- parts -------------------------------------------------------------------------------------

_UNITS = ("BYTE", "UTF8_CHAR")


@op("StringLength", dtypes=STRING, grad=None, host=HOST, checked=True, traits=(ELEMENTWISE,))
def string_length(xp, input, *, unit="BYTE"):
    """Return the number of bytes, or of characters of UTF-8."""
    if unit == "BYTE":
        return byte_sizes(input.reshape(-1)).astype(np.int32).reshape(input.shape)
    return character_counts(input.reshape(-1)).astype(np.int32).reshape(input.shape)


@string_length.kernel("packed")
def _(xp, input, *, unit):
    counts = input.sizes if unit == "BYTE" else input.character_counts()
    return counts.astype(np.int32).reshape(input.shape)


@string_length.infer
def _(input, *, unit):
    one_of("unit", unit, _UNITS)
    return Spec(input.shape, dtypes.int32)


@op("Substr", dtypes=STRING, grad=None, host=HOST, checked=True, traits=(ELEMENTWISE, PACKS))
def substr(xp, input, pos: Free, len: Free, *, unit="BYTE"):
    """Return the part of each string that starts at `pos`, from the end if negative."""
    if unit == "BYTE" and not (pos.ndim or len.ndim) and pos >= 0 and len >= 0:
        return _cut_alike(input, pos.item(), len.item())
    texts, starts, counts = np.broadcast_arrays(input, pos, len)
    if unit == "BYTE":
        return _cut_bytes(texts, starts.astype(np.int64), counts.astype(np.int64))
    strings = texts.reshape(-1).tolist()
    if counts.size and counts.min() >= 0 and b"".join(strings).isascii():
        try:
            return _cut_bytes(texts, starts.astype(np.int64), counts.astype(np.int64))
        except InvalidArgumentError:
            pass  # the error of characters is raised below
    triples = zip(strings, starts.reshape(-1).tolist(), counts.reshape(-1).tolist())
    parts = [_cut_characters(*each, i) for i, each in enumerate(triples)]
    return bytes_array(parts).reshape(texts.shape)


@substr.kernel("packed")
def _(xp, input, pos, len, *, unit):
    if type(input) is not PackedStrings:
        return NotImplemented
    if unit != "BYTE" and not (input.text.isascii() and len.min() >= 0):
        return NotImplemented
    shape = input.shape
    if pos.shape and pos.shape != shape:
        return NotImplemented
    if not pos.ndim and pos >= 0 and len >= 0:
        start, count = pos.item(), len.item()
        rest = input.sizes - start
        if rest.min() < 0:
            return NotImplemented  # the error is raised by the kernel for objects
        return PackedStrings(input.text, input.starts + start, np.minimum(rest, count), shape)
    starts, counts = (part.astype(np.int64).reshape(-1) for part in (pos, len))
    outside = (starts < -input.sizes) | (starts > input.sizes)
    if outside.any():
        return NotImplemented  # the error is raised by the kernel for objects
    begins = np.where(starts < 0, starts + input.sizes, starts)
    rest = input.sizes - begins
    sizes = np.where(counts < 0, rest, np.minimum(counts, rest))
    return PackedStrings(input.text, input.starts + begins, sizes, shape)


def _cut_alike(texts: np.ndarray, start: int, count: int) -> np.ndarray:
    """Cut the same bytes out of all strings."""
    strings = texts.reshape(-1)
    if strings.size == 1 and strings[0].__len__() >= start:
        return np.array(strings[0][start : start + count], object).reshape(texts.shape)
    too_short = byte_sizes(strings) < start
    if too_short.any():
        index = int(np.flatnonzero(too_short)[0])
        raise invalid(_outside(strings[index], start, index))
    cut = map(itemgetter(slice(start, start + count)), strings.tolist())
    return np.fromiter(cut, object, strings.size).reshape(texts.shape)


def _outside(text: bytes, start: int, index: int) -> str:
    return f"pos {start} out of range for string {text!r} at index {index}"


def _cut_bytes(texts: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    strings = texts.reshape(-1)
    sizes = byte_sizes(strings).reshape(texts.shape)
    outside = (starts < -sizes) | (starts > sizes)
    if outside.any():
        index = int(np.flatnonzero(outside)[0])
        raise invalid(_outside(strings[index], starts.reshape(-1)[index], index))
    begins = np.where(starts < 0, starts + sizes, starts)
    # A negative length reaches to the end.
    ends = np.where(counts < 0, sizes, np.minimum(begins + counts, sizes))
    triples = zip(strings.tolist(), begins.reshape(-1).tolist(), ends.reshape(-1).tolist())
    return bytes_array([text[begin:end] for text, begin, end in triples]).reshape(texts.shape)


def _cut_characters(text: bytes, start: int, count: int, index: int) -> bytes:
    begins = [i for i, byte in enumerate(text) if not 0x80 <= byte < 0xC0]
    if not -len(begins) <= start <= len(begins):
        raise invalid(f"pos {start} out of range for string at index {index}")
    begins.append(len(text))
    first = start + len(begins) - 1 if start < 0 else start
    last = min(first + max(count, 0), len(begins) - 1)
    return text[begins[first] : begins[last]]


@substr.infer
def _(input, pos, len, *, unit):
    one_of("unit", unit, _UNITS)
    allowed_dtype("T", pos.dtype, dtypes.INDEX)
    if len.dtype is not pos.dtype:
        raise InferError(
            f"cannot compute Substr as input #2(zero-based) was expected to be a {pos.dtype.name} "
            f"tensor but is a {len.dtype.name} tensor"
        )
    static_shape = merge_shape(pos.shape, len.shape, "pos and len should have the same shape, got")
    try:
        return Spec(broadcast_shape(input.shape, static_shape), dtypes.string)
    except InferError:
        shapes = f"{fmt_shape(input.shape)} vs. {fmt_shape(static_shape)}"
        raise InferError(f"Incompatible shapes: {shapes}") from None
