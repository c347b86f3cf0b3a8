"""`tf.strings`: strings of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.ops import strings as ops
from tapeflow.ops.array import reshape, static_ints
from tapeflow.ops.ragged_tensor import RaggedTensor


def _as_rows(input: Any, values: Any, row_splits: Any) -> Any:
    """Parts of strings as rows: of one string, a vector; of several, a ragged tensor."""
    dims = input._dims
    if not dims:
        return values
    rows = RaggedTensor.from_row_splits(values, row_splits, validate=False)
    # Axes of the input before its last become rows of equal length around these.
    for i in range(len(dims) - 1, 0, -1):
        count = int(np.prod(dims[:i]))
        splits = np.arange(count + 1, dtype=np.int64) * dims[i]
        rows = RaggedTensor.from_row_splits(rows, splits, validate=False)
    return rows


def _row_splits(indices: Any, shape: Any) -> Any:
    """Where the rows of a sparse matrix begin."""
    rows = indices._static[:, 0]
    lengths = np.bincount(rows, minlength=int(shape._static[0]))
    return np.cumsum([0, *lengths]).astype(np.int64)


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
    if not len(points.shape):
        raise ValueError("`input`'s rank must be at least 1: its last axis becomes a string.")
    dims = points._dims
    count = int(np.prod(dims[:-1]))
    splits = np.arange(count + 1, dtype=np.int64) * dims[-1]
    flat = ops.unicode_encode(
        reshape(points, static_ints((-1,))), dispatch.convert(splits), name=name, **options
    )
    return reshape(flat, static_ints(tuple(dims[:-1])))


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
    splits = np.arange(points.shape[0] + 1, dtype=np.int64)
    return ops.unicode_encode(points, dispatch.convert(splits), output_encoding=encoding)
