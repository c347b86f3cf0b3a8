"""Between ragged tensors and tensors: rows cut out of a tensor, or filled up to one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.indexing import take
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.padding import ragged_tensor_to_tensor
from tapeflow._src.composite.ragged.ranges import ragged_range
from tapeflow._src.composite.ragged.row_partition import RowPartition, as_partition
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.reduction import any_, max_


def to_tensor(rows: Any, default_value: Any, size: Any) -> Any:
    """Convert rows to a dense tensor, padded with `default_value` or cut to `size`.

    `size` may be a list with None or -1 for open sizes, a shape, a tensor, or None: then the
    longest
    rows fit.
    """
    values = rows.flat_values
    if default_value is None:
        empty: Any = {dtypes.string: "", dtypes.bool: False}.get(values.dtype, 0)
        default = dispatch.convert(empty, values.dtype)
    else:
        default = dispatch.convert(default_value, values.dtype)
    splits = rows.nested_row_splits
    result = ragged_tensor_to_tensor(
        _requested_shape(size, splits[0].dtype),
        values,
        default,
        list(splits),
        row_partition_types=("ROW_SPLITS",) * len(splits),
    )
    result.set_shape(_static_result_shape(rows, size))
    return result


def _requested_shape(size: Any, dtype: Any) -> Any:
    if size is None:
        return dispatch.convert(-1, dtype)
    if isinstance(size, Tensor):
        return size if size.dtype in dtypes.INDEX else cast(size, DstT=dtype)
    static_shape = TensorShape(_open(size))
    if static_shape.rank is None:
        return dispatch.convert(-1, dtype)
    return dispatch.convert([-1 if n is None else n for n in static_shape], dtype)


def _open(size: Any) -> Any:
    """Replace -1 by None in a list of sizes."""
    if isinstance(size, (list, tuple)):
        return [None if n is None or (isinstance(n, int) and n < 0) else n for n in size]
    return size


def _static_result_shape(rows: Any, size: Any) -> TensorShape:
    """Return the static sizes of the result that follow from the row partitions."""
    static_shape = rows.shape
    if size is None or static_shape.rank is None:
        return static_shape
    if isinstance(size, Tensor):
        return TensorShape(None)
    requested = TensorShape(_open(size))
    if requested.rank is None:
        return static_shape
    return TensorShape(
        [
            static_size if requested_size is None else requested_size
            for static_size, requested_size in zip(static_shape, requested)
        ]
    )


# -- rows of a tensor -------------------------------------------------------------------------


def from_tensor(
    cls: Any, tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    """Convert `tensor` to a ragged tensor with `ragged_rank` ragged axes."""
    dtype = as_dtype(row_splits_dtype)
    if lengths is not None and padding is not None:
        raise ValueError("`lengths` and `padding` exclude each other: pass one of them.")
    if isinstance(ragged_rank, bool) or not isinstance(ragged_rank, int):
        raise TypeError(
            f"ragged_rank must be an int, received {ragged_rank!r} of type "
            f"{type(ragged_rank).__name__}."
        )
    if ragged_rank <= 0:
        raise ValueError(f"ragged_rank must be 1 or more, received {ragged_rank}.")
    tensor = dispatch.convert(tensor)
    if is_ragged(tensor):
        return tensor
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if lengths is not None and _are_nested(lengths):
        return _cut_by_levels(cls, tensor, list(lengths), ragged_rank, dtype)
    dims = shape(tensor, out_type=dtype)
    if ragged_rank > 1:
        return _inner_rows(cls, tensor, dims, lengths, padding, ragged_rank, dtype)
    count, width = get_item(dims, 0), get_item(dims, 1)
    flat = _merged(tensor, dims, 2)
    if lengths is None and padding is None:
        return cls.from_uniform_row_length(flat, width, count, validate=False)
    if padding is not None:
        row_lengths = _lengths_before_padding(tensor, padding, dtype)
    else:
        row_lengths = sizes.as_dtype_of(as_partition(lengths, "lengths", None, dtype), dtype)
        row_lengths.shape.assert_has_rank(1)
        row_lengths = minimum(maximum(row_lengths, scalar(0, row_lengths)), width)
    starts = mul(sizes.numbers_below(count), width)
    splits, positions = ragged_range(
        starts, add_v2(starts, row_lengths), scalar(1, starts), Tsplits=dtype
    )
    rows = RowPartition(splits, nvals=sizes.count(positions, dtype), internal=True)
    return cls(take(flat, positions), rows, internal=True)


def _are_nested(lengths: Any) -> bool:
    """Whether there are lengths for several levels."""
    if not isinstance(lengths, (list, tuple)) or not lengths:
        return False
    return all(isinstance(item, (Tensor, Sequence)) and _is_vector(item) for item in lengths)


def _is_vector(item: Any) -> bool:
    return item.shape.rank != 0 if isinstance(item, Tensor) else not isinstance(item, str)


def _cut_by_levels(cls: Any, tensor: Any, lengths: list[Any], ragged_rank: int, dtype: Any) -> Any:
    """Cut nested rows: each level by its own lengths."""
    if ragged_rank not in (1, len(lengths)):
        raise ValueError(
            f"`lengths` lists row lengths for {len(lengths)} ragged dimensions, so ragged_rank "
            f"must be {len(lengths)}, received {ragged_rank}."
        )
    levels: list[RowPartition] = []
    values = tensor
    for each in lengths:
        level = from_tensor(cls, values, each, None, 1, dtype)
        levels.append(level._row_partition)
        values = level.values
    for partition in reversed(levels):
        values = cls(values, partition, internal=True)
    return values


def _inner_rows(
    cls: Any, tensor: Any, dims: Any, lengths: Any, padding: Any, ragged_rank: int, dtype: Any
) -> Any:
    """Cut the innermost rows; the levels around them are uniform."""
    rows = from_tensor(cls, _merged(tensor, dims, ragged_rank), lengths, padding, 1, dtype)
    for axis in range(ragged_rank - 1, 0, -1):
        outer = prod(get_item(dims, slice(None, axis)), static_ints((0,)))
        length = get_item(dims, axis)
        partition = RowPartition.from_uniform_row_length(length, None, outer, validate=False)
        rows = cls(rows, partition, internal=True)
    return rows


def _merged(tensor: Any, dims: Any, axes: int) -> Any:
    """Merge the first `axes` axes of `tensor` into one."""
    static_dims = tensor.static_shape
    if static_dims is not None and None not in static_dims[axes:]:
        return reshape(tensor, static_ints((-1, *static_dims[axes:])))
    first = dispatch.convert([-1], dims.dtype)
    return reshape(tensor, concat_v2([first, get_item(dims, slice(axes, None))], scalar_int(0)))


def _lengths_before_padding(tensor: Any, padding: Any, dtype: Any) -> Any:
    """Compute the length of each row without trailing padding."""
    value = dispatch.convert(padding, tensor.dtype)
    tensor.shape[2:].assert_is_compatible_with(value.shape)
    differs = not_equal(tensor, value)
    rank = len(tensor.shape)
    if rank > 2:
        differs = any_(differs, static_ints(tuple(range(2, rank))))
    width = get_item(shape(differs, out_type=dtype), 1)
    ends = add_v2(sizes.numbers_below(width), scalar(1, width))
    marked = mul(cast(differs, DstT=dtype), ends)
    return maximum(max_(marked, static_ints((1,))), scalar(0, marked))
