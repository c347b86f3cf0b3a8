"""Conversions between row splits, row lengths and row ids."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import DType
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.scan import cumsum
from tapeflow._src.ops.math.sorting import upper_bound


def as_dtype_of(tensor: Any, dtype: DType) -> Any:
    """Cast `tensor` to `dtype`, if it has another."""
    return tensor if tensor.dtype is dtype else cast(tensor, DstT=dtype)


def count(tensor: Any, dtype: DType) -> Any:
    """Return the size of the first axis as a scalar, constant if it is static."""
    dims = tensor.static_shape
    if dims and dims[0] is not None:
        return dispatch.convert(dims[0], dtype)
    return get_item(shape(tensor, out_type=dtype), 0)


def numbers_below(limit: Any) -> Any:
    """Return `range(limit)` in the dtype of the scalar `limit`."""
    return range_(scalar(0, limit), limit, scalar(1, limit))


def vector(value: Any) -> Any:
    """Convert a scalar to a vector of one element."""
    return reshape(value, static_ints((1,)))


def as_vector(values: list[Any], dtype: DType) -> Any:
    """Pack sizes, static or scalars of `dtype`, into a vector."""
    if all(isinstance(value, int) for value in values):
        return dispatch.convert(values, dtype)
    return concat_v2([vector(dispatch.convert(value, dtype)) for value in values], scalar_int(0))


def lengths_of(splits: Any) -> Any:
    """Convert row splits to row lengths."""
    return sub(get_item(splits, slice(1, None)), get_item(splits, slice(None, -1)))


def splits_of(lengths: Any) -> Any:
    """Convert row lengths to row splits."""
    return concat_v2([vector(scalar(0, lengths)), cumsum(lengths, scalar_int(0))], scalar_int(0))


def even_splits(rows: Any, length: Any) -> Any:
    """Return the row splits of `rows` uniform rows."""
    return mul(numbers_below(add_v2(rows, scalar(1, rows))), length)


def row_numbers(splits: Any, values: Any) -> Any:
    """Convert row splits to the row index of each value."""
    positions = reshape(numbers_below(values), static_ints((1, -1)))
    ends = reshape(get_item(splits, slice(1, None)), static_ints((1, -1)))
    return reshape(upper_bound(ends, positions, out_type=splits.dtype), static_ints((-1,)))


def even_row_numbers(length: Any, values: Any) -> Any:
    """Return the row index of each value in uniform rows."""
    # Rows of length 0 have no values to number, and nothing is divided by 0.
    return floor_div(numbers_below(values), maximum(length, scalar(1, length)))
