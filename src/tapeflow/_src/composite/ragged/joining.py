"""Ragged tensors joined, stacked, repeated, turned round and cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.checks import require, require_equal, require_not_negative
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow._src.composite.ragged.elementwise import same_splits_dtype
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.indexing import take
from tapeflow._src.composite.ragged.kinds import as_values, is_ragged
from tapeflow._src.composite.ragged.reshaping import with_axis
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.joining import concat_v2, split, split_v
from tapeflow._src.ops.array.padding import tile
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.transpose import reverse_v2, transpose
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, floor_mod, mul
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar


@implements(concat_v2)
def _(op: Op, values: Any, axis: Any) -> Any:
    tensors = [as_values(value) for value in values]
    return concat(tensors, positive_axis(axis, _rank(tensors, "values")))


@implements(pack)
def _(op: Op, values: Any, *, axis: int) -> Any:
    return stack([as_values(value) for value in values], axis)


def _rank(tensors: list[Any], name: str) -> int:
    """Return the number of axes that all of them have."""
    ranks = {tensor.shape.rank for tensor in tensors} - {None}
    if len(ranks) > 1:
        raise ValueError(
            f"All `{name}` must have the same rank. Received: shapes "
            f"{[str(tensor.shape) for tensor in tensors]}"
        )
    if not ranks:
        raise ValueError(f"The rank of one of `{name}` must be known.")
    return ranks.pop()


def concat(tensors: list[Any], axis: int) -> Any:
    """Concatenate tensors, of which some may be ragged, along a non-negative axis."""
    if len(tensors) == 1:
        return tensors[0]
    if not any(is_ragged(tensor) for tensor in tensors):
        if axis > 0 or tensors[0].shape.rank == 1:
            return concat_v2(tensors, scalar_int(axis))
        fits = {str(tensor.shape[1:]) for tensor in tensors}
        if len(fits) == 1:
            return concat_v2(tensors, scalar_int(axis))
    tensors = _with_common_rank(tensors)
    if axis == 0:
        return _rows_after_rows(tensors)
    if axis == 1:
        return _row_by_row(tensors)
    first = tensors[0]._row_partition
    for other in tensors[1:]:
        if not other._row_partition._same_as(first):
            text = "Inputs must have identical ragged splits"
            require_equal(other.row_splits, first.row_splits(), text)
    return RaggedTensor(concat([t.values for t in tensors], axis - 1), first, internal=True)


def _with_common_rank(tensors: list[Any]) -> list[Any]:
    """Convert all to ragged tensors of the same ragged rank."""
    ragged = [tensor for tensor in tensors if is_ragged(tensor)]
    kind = same_splits_dtype(ragged) if ragged else dtypes.int64
    depth = max([1, *(tensor.ragged_rank for tensor in ragged)])
    return [with_levels(tensor, depth, kind) for tensor in tensors]


def with_levels(tensor: Any, depth: int, kind: Any) -> Any:
    """Convert `tensor` to `depth` ragged axes, of which the innermost are uniform."""
    if not is_ragged(tensor):
        return RaggedTensor.from_tensor(tensor, ragged_rank=depth, row_splits_dtype=kind)
    if tensor.ragged_rank >= depth:
        return tensor
    return tensor.with_flat_values(
        RaggedTensor.from_tensor(
            tensor.flat_values, ragged_rank=depth - tensor.ragged_rank, row_splits_dtype=kind
        )
    )


def _rows_after_rows(tensors: list[Any]) -> Any:
    if not all(is_ragged(tensor) for tensor in tensors):
        return concat(tensors, 0)
    values = concat([tensor.values for tensor in tensors], 0)
    partitions = [tensor._row_partition for tensor in tensors]
    lengths = concat_v2([p.row_lengths() for p in partitions], scalar_int(0))
    rows = RowPartition._of_lengths(lengths)
    return RaggedTensor(values, rows, internal=True)


def _row_by_row(tensors: list[Any]) -> Any:
    """Concatenate the corresponding rows of all tensors."""
    partitions = [tensor._row_partition for tensor in tensors]
    count = partitions[0].nrows()
    for other in partitions[1:]:
        text = "The tensors to join must agree in the number of rows"
        require_equal(other.nrows(), count, text)
    number = scalar(len(tensors), count)
    # Rows in the order of the tensors are numbered as a table of one column a tensor.
    table = reshape(sizes.numbers_below(mul(count, number)), static_ints((len(tensors), -1)))
    order = reshape(transpose(table, static_ints((1, 0))), static_ints((-1,)))
    mixed = take(_rows_after_rows(tensors), order)
    columns = pack([p.row_lengths() for p in partitions])
    rows = RowPartition._of_lengths(sum_(columns, static_ints((0,))))
    return RaggedTensor(mixed.values, rows._of(sizes_of(mixed)), internal=True)


def sizes_of(rows: Any) -> Any:
    """Return the number of values in all rows."""
    return rows._row_partition.nvals()


def stack(tensors: list[Any], axis: int) -> Any:
    """Stack tensors, ragged or of different shapes, along a new axis."""
    rank = _rank(tensors, "values")
    at = positive_axis(axis, rank + 1)
    if rank == 0:
        return pack(tensors, axis=0)
    if at > 0:
        return concat([with_axis(tensor, at) for tensor in tensors], at)
    ragged = [tensor for tensor in tensors if is_ragged(tensor)]
    kind = same_splits_dtype(ragged) if ragged else dtypes.int64
    counts = [
        tensor._row_partition.nrows() if is_ragged(tensor) else sizes.count(tensor, kind)
        for tensor in tensors
    ]
    rows = RowPartition._of_lengths(pack(counts))
    # Tensors of more axes than one may differ in all of them: all become rows.
    joined = _rows_after_rows(_with_common_rank(tensors)) if rank > 1 else concat(tensors, 0)
    return RaggedTensor(joined, rows, internal=True)


# -- repeated, turned round, cut ----------------------------------------------------------------


@implements(tile)
def _(op: Op, rows: Any, multiples: Any) -> Any:
    kind = rows._row_partition.dtype
    times = sizes.as_dtype_of(dispatch.convert(multiples, None, kind), kind)
    times.shape.assert_has_rank(1)
    rank = rows.shape.rank
    if rank is not None:
        times.shape.assert_is_compatible_with([rank])
    return tile_rows(rows, times)


def tile_rows(rows: Any, times: Any) -> Any:
    """Repeat `rows`, ragged or not, as a whole along each axis."""
    if not is_ragged(rows):
        return tile(rows, times)
    inner = get_item(times, slice(2, None))
    ones = sizes.vector(scalar(1, times))
    values = rows.values
    if inner.static_value is None or (inner.static_value != 1).any():
        values = tile_rows(values, concat_v2([ones, inner], scalar_int(0)))
    rows = _repeat_within_rows(rows._like(values, rows._row_partition), get_item(times, 1))
    count = rows._row_partition.nrows()
    if get_item(times, 0).static_value == 1:
        return rows
    return take(rows, tile(sizes.numbers_below(count), get_item(times, slice(None, 1))))


def _repeat_within_rows(rows: Any, times: Any) -> Any:
    """Repeat each row `times` times in place."""
    if times.static_value == 1:
        return rows
    partition = rows._row_partition
    count = partition.nrows()
    table = tile(
        reshape(sizes.numbers_below(count), static_ints((-1, 1))),
        concat_v2([sizes.vector(scalar(1, times)), sizes.vector(times)], scalar_int(0)),
    )
    repeated = take(rows, reshape(table, static_ints((-1,))))
    lengths = mul(partition.row_lengths(), times)
    result = RowPartition._of_lengths(lengths)
    static_length = partition.static_uniform_row_length
    if static_length is not None and times.static_value is not None:
        result = result._with_length(static_length * int(times.static_value))
    return rows._like(repeated.values, result._of(sizes_of(repeated)))


@implements(reverse_v2)
def _(op: Op, rows: Any, axis: Any) -> Any:
    if axis is None:
        raise TypeError("`axis` must be an int, a list of ints or a constant, received None.")
    tensor = axis if isinstance(axis, Tensor) else dispatch.convert(axis, None, dtypes.int32)
    if tensor.static_value is None:
        raise ValueError(
            "`axis` must have a static value: it decides the rank of the result. Pass a Python int."
        )
    axes_to_expand = {
        positive_axis(each, rows.shape.rank) for each in np.ravel(tensor.static_value).tolist()
    }
    if not axes_to_expand:
        return rows
    turned = slice(None, None, -1)
    key = [turned if i in axes_to_expand else slice(None) for i in range(max(axes_to_expand) + 1)]
    return rows[tuple(key)]


@implements(split)
def _(op: Op, axis: Any, rows: Any, *, num_split: int) -> Any:
    if num_split == 1:
        # The one part is all of it, whatever the lengths along the axis.
        return [rows]
    if num_split < 1:
        raise ValueError(f"num_or_size_splits must be 1 or more, received {num_split}.")
    at = positive_axis(axis, rows.shape.rank)
    size = _one_size(rows, at)
    parts = scalar(num_split, size)
    text = f"tf.split: axis {at} cannot be cut into {num_split} equal parts"
    require(equal(floor_mod(size, parts), scalar(0, size)), text, size)
    each = floor_div(size, parts)
    return _split_at_sizes(rows, [each] * num_split, at)


@implements(split_v)
def _(op: Op, rows: Any, size_splits: Any, axis: Any, *, num_split: int) -> Any:
    at = positive_axis(axis, rows.shape.rank)
    size = _one_size(rows, at)
    split_sizes = sizes.as_dtype_of(dispatch.convert(size_splits), size.dtype)
    if split_sizes.shape.rank not in (None, 1):
        raise TypeError(
            "num_or_size_splits must be an int or a vector of sizes, received shape "
            f"{split_sizes.shape}: {size_splits}."
        )
    if split_sizes.shape.rank and split_sizes.shape[0] not in (None, num_split):
        raise ValueError(
            f"num={num_split} contradicts num_or_size_splits, which lists "
            f"{split_sizes.shape[0]} sizes."
        )
    require_not_negative(split_sizes, "`num_or_size_splits` must be non-negative")
    text = f"tf.split: the sizes do not add up to that of axis {at}"
    require(equal(sum_(split_sizes, static_ints((0,))), size), text, split_sizes, size)
    return _split_at_sizes(rows, [get_item(split_sizes, i) for i in range(num_split)], at)


def _one_size(rows: Any, axis: int) -> Any:
    """Return the size of an axis along which all rows have one length."""
    sizes_of_axes = DynamicRaggedShape.from_tensor(rows)
    if not sizes_of_axes.is_uniform(axis):
        raise ValueError(
            f"split needs a uniform axis, but axis {axis} of `value` is ragged; its shape is "
            f"{sizes_of_axes}."
        )
    return sizes_of_axes[axis]


def _split_at_sizes(rows: Any, parts: list[Any], axis: int) -> list[Any]:
    """Split along an axis into consecutive slices of these sizes."""
    pieces, start = [], scalar(0, parts[0])
    for size in parts:
        end = add_v2(start, size)
        pieces.append(rows[(*[slice(None)] * axis, slice(start, end))])
        start = end
    return pieces
