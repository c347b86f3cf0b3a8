"""Batching of ragged shapes: several stacked, or one unstacked into those of its rows.

A shape is carried by a ragged tensor of one element for each scalar of that shape, below one more
axis than the shape has: so that even a shape without axes has rows to be put together.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.row_partition import RowPartitionSpec
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int, static_ints
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.reduction import max_


class ShapeEncoder:
    """The batch encoder of `DynamicRaggedShape`; of specs it knows rows, sizes and dtypes."""

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """Return the spec of the shape of `batch_size` values along a new first axis."""
        rows = list(spec._row_partitions)
        sizes_below = spec._static_inner_shape.as_list()
        if rows:
            rows = [RowPartitionSpec(1, rows[0].nrows, rows[0].nrows, spec.dtype), *rows]
        elif sizes_below:
            rows, sizes_below = _as_rows(sizes_below, spec.dtype)
        else:
            return type(spec)((), [batch_size], spec.dtype)
        rows = [_repeated(row, batch_size) for row in rows]
        inner = [_times(sizes_below[0], batch_size), *sizes_below[1:]]
        return type(spec)(tuple(rows), inner, spec.dtype)

    def unbatch(self, spec: Any) -> Any:
        """Return the spec of the shape of one of the values along the first axis."""
        rows = list(spec._row_partitions)
        sizes_below = spec._static_inner_shape.as_list()
        if not rows:
            return type(spec)((), sizes_below[1:], spec.dtype)
        first, *rows = rows
        count = first.uniform_row_length
        within = []
        for row in rows:
            length = row.uniform_row_length
            within.append(RowPartitionSpec(count, _times(length, count), length, spec.dtype))
            count = _times(length, count)
        return type(spec)(tuple(within), [count, *sizes_below[1:]], spec.dtype)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """Return the ragged tensor that carries a shape."""
        one = scalar(1, value.inner_shape)
        inner = concat_v2([value.inner_shape, sizes.vector(one)], scalar_int(0))
        static_shape = value._static_inner_shape.concatenate([1])
        longer = type(value)(value.row_partitions, inner, value.dtype, False, static_shape)
        return fill(longer._with_levels(value.rank), dispatch.convert(True))

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """Return the shape that a ragged tensor carries."""
        if spec.rank == 0:
            return spec.value_type((), static_ints(()), spec.dtype)
        levels = spec.num_row_partitions
        partitions = encoded_value._nested_row_partitions
        rows = [row_spec._filled(row) for row_spec, row in zip(spec._row_partitions, partitions)]
        static_shape = spec._static_inner_shape
        inner = [partitions[levels].nrows()]
        inner += [_length(row, size) for row, size in zip(partitions[levels:-1], static_shape[1:])]
        joined = concat_v2([sizes.vector(size) for size in inner], scalar_int(0))
        return spec.value_type(rows, joined, spec.dtype, False, static_shape)

    def encoding_specs(self, spec: Any) -> RaggedTensorSpec:
        """Return the spec of what carries shapes of a spec."""
        if spec.rank is None:
            raise ValueError(f"Shapes of unknown rank cannot be put together in a batch: {spec}")
        static_shape = TensorShape(spec._static_lengths()).concatenate([1])
        return RaggedTensorSpec(static_shape, dtypes.bool, spec.rank, spec.dtype)


def _as_rows(lengths: list[int | None], dtype: Any) -> tuple[list[Any], list[int | None]]:
    """Return all axes as nested rows of one value, and the number of scalars in these."""
    rows = []
    count: int | None = 1
    for length in lengths:
        within = _times(length, count)
        rows.append(RowPartitionSpec(count, within, length, dtype))
        count = within
    return rows, [count]


def _repeated(row: RowPartitionSpec, times: int | None) -> RowPartitionSpec:
    """Return the rows of so many values one after another."""
    counts = _times(row.nrows, times), _times(row.nvals, times)
    return RowPartitionSpec(*counts, row.uniform_row_length, row.dtype)


def _times(size: int | None, other: int | None) -> int | None:
    return None if size is None or other is None else size * other


def _length(row: Any, static_length: int | None) -> Any:
    """Return the length of rows that are all of one; 0 if there are no rows, unless it is known."""
    if static_length is not None:
        return dispatch.convert(static_length, row.dtype)
    none = sizes.vector(scalar(0, row.row_splits()))
    return max_(concat_v2([row.row_lengths(), none], scalar_int(0)), static_ints((0,)))
