"""`tf.strings`: strings of bytes."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.ops import strings as ops
from tapeflow.ops.arithmetic import add_v2, mul
from tapeflow.ops.array import (
    concat_v2,
    ones_like,
    range_,
    reshape,
    scalar_int,
    shape_of,
    size,
    static_ints,
)
from tapeflow.ops.cast import cast
from tapeflow.ops.elementwise import scalar
from tapeflow.ops.product import prod
from tapeflow.ops.ragged_tensor import RaggedTensor
from tapeflow.ops.scan import cumsum
from tapeflow.ops.segment_sum import unsorted_segment_sum


def _as_rows(input: Any, values: Any, row_splits: Any) -> Any:
    """Parts of strings as rows: of one string, a vector; of several, a ragged tensor."""
    rank = input.shape.rank
    if rank is None:
        raise ValueError(
            "The rank of the strings must be known when parts of them become rows; set it with "
            "tf.ensure_shape."
        )
    if rank == 0:
        return values
    rows = RaggedTensor.from_row_splits(values, row_splits, validate=False)
    sizes = cast(shape_of(input), DstT=dtypes.int64)
    # Axes of the input before its last become rows of equal length around these.
    for i in range(rank - 1, 0, -1):
        splits = _even_splits(prod(sizes[:i], static_ints((0,))), sizes[i])
        rows = RaggedTensor.from_row_splits(rows, splits, validate=False)
    return rows


def _even_splits(count: Any, length: Any) -> Any:
    """Where `count` rows of one length begin, and where the last ends."""
    return mul(range_(scalar(0, count), add_v2(count, scalar(1, count)), scalar(1, count)), length)


def _row_splits(indices: Any, shape: Any) -> Any:
    """Where the rows of a sparse matrix begin."""
    rows = indices[:, 0]
    lengths = unsorted_segment_sum(ones_like(rows), rows, shape[0])
    ends = cumsum(lengths, scalar_int(0))
    return concat_v2([dispatch.convert([0], dtypes.int64), ends], scalar_int(0))


def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of strings between separators, or between white space."""
    input = dispatch.convert(input, dtypes.string)
    flat = reshape(input, static_ints((-1,)))
    indices, values, shape = ops.string_split_v2(
        flat, dispatch.convert("" if sep is None else sep), maxsplit=maxsplit
    )
    return _as_rows(input, values, _row_splits(indices, shape))


def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of strings, each a string of its own."""
    input = dispatch.convert(input, dtypes.string)
    flat = reshape(input, static_ints((-1,)))
    indices, values, shape = ops.string_split(flat, dispatch.convert(""))
    return _as_rows(input, values, _row_splits(indices, shape))


def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Any:
    """The numbers that strings spell."""
    if isinstance(input, RaggedTensor):
        flat = ops.string_to_number(input.flat_values, out_type=out_type, name=name)
        return RaggedTensor.from_nested_row_splits(flat, input.nested_row_splits)
    return ops.string_to_number(dispatch.convert(input, dtypes.string), out_type=out_type)


def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of strings."""
    input = dispatch.convert(input, dtypes.string)
    splits, values = ops.unicode_decode(
        input,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )
    return _as_rows(input, values, splits)


def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """Strings from code points: the last axis becomes one string."""
    options = {
        "output_encoding": output_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
    }
    if isinstance(input, RaggedTensor):
        if isinstance(input.values, RaggedTensor):
            inner = unicode_encode(input.values, output_encoding, errors, replacement_char)
            return RaggedTensor.from_row_splits(inner, input.row_splits)
        return ops.unicode_encode(input.values, input.row_splits, name=name, **options)
    points = dispatch.convert(input, None, dtypes.int32)
    if points.shape.rank == 0:
        raise ValueError("`input`'s rank must be at least 1: its last axis becomes a string.")
    sizes = shape_of(points)
    wide = cast(sizes, DstT=dtypes.int64)
    splits = _even_splits(prod(wide[:-1], static_ints((0,))), wide[-1])
    flat = ops.unicode_encode(reshape(points, static_ints((-1,))), splits, name=name, **options)
    return reshape(flat, sizes[:-1])


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of strings, each a string of its own."""
    points = unicode_decode(input, input_encoding, errors, replacement_char)
    if isinstance(points, RaggedTensor):
        chars = _characters(points.flat_values, input_encoding)
        return RaggedTensor.from_nested_row_splits(chars, points.nested_row_splits)
    return _characters(points, input_encoding)


def _characters(points: Any, encoding: str) -> Any:
    splits = _even_splits(size(points, out_type=dtypes.int64), dispatch.convert(1, dtypes.int64))
    return ops.unicode_encode(points, splits, output_encoding=encoding)
