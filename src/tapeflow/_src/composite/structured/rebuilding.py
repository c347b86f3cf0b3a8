"""Structured tensors with all their fields changed alike: rows chosen, merged or parted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged import stacking as merging
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.structured import making, shapes
from tapeflow._src.core import dispatch
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape
from tapeflow._src.ops.array.slicing import get_item


def rebuilt(value: Any, change: Callable[[Any], Any], rank: int) -> Any:
    """Return the structured tensor of rank `rank` with `change` applied to each field."""
    fields = {name: change(field) for name, field in value._fields.items()}
    return of_fields(value, fields, lambda: change(stand_in(value)), rank)


def of_fields(like: Any, fields: dict[str, Any], stand: Callable[[], Any], rank: int) -> Any:
    """Return a structured tensor with other fields; without any, the shape of `stand()`."""
    dtype = like._ragged_shape.dtype
    shape = None
    if not fields:
        shape = shapes.leading(shapes.shape_of_field(stand(), dtype), rank)
    static_shape = TensorShape([None] * rank)
    return making.assembled(type(like), fields, static_shape, shape, dtype, False)


def stand_in(value: Any) -> Any:
    """Return a field of the shape of a structured tensor, for one that has no fields."""
    return fill(value._ragged_shape, dispatch.convert(True))


def merge_dims(value: Any, outer_axis: int, inner_axis: int) -> Any:
    """Merge the axes from `outer_axis` to `inner_axis`."""
    outer = positive_axis(outer_axis, value.rank, "outer_axis")
    inner = positive_axis(inner_axis, value.rank, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"`outer_axis` must not be after `inner_axis`. Received: outer_axis={outer_axis}, "
            f"inner_axis={inner_axis}"
        )
    if outer == inner:
        return value
    return rebuilt(
        value, lambda field: merged_axes(field, outer, inner), value.rank - inner + outer
    )


def merged_axes(field: Any, outer: int, inner: int) -> Any:
    """Return a field with neighbouring axes merged."""
    if outer == inner:
        return field
    if shapes.is_plain(field):
        return merging.merge_dims(field, outer, inner)
    return field.merge_dims(outer, inner)


def partition_outer_dimension(value: Any, row_partition: Any) -> Any:
    """Return the first axis parted into rows."""
    if not isinstance(row_partition, RowPartition):
        raise TypeError(f"row_partition must be a RowPartition. Received: {row_partition!r}")
    if value.rank == 0:
        raise ValueError("Shape () must have rank at least 1")
    dtype = value._ragged_shape.dtype
    if row_partition.dtype is not dtype:
        raise ValueError(
            f"row_partition has dtype {row_partition.dtype!r}, but the sizes of the "
            f"StructuredTensor have {dtype!r}: use with_dtype() or with_shape_dtype() first."
        )
    return rebuilt(value, lambda field: _partition_field(field, row_partition), value.rank + 1)


def _partition_field(field: Any, rows: RowPartition) -> Any:
    if not shapes.is_plain(field):
        return partition_outer_dimension(field, rows)
    count = field.nrows() if isinstance(field, RaggedTensor) else sizes.count(field, rows.dtype)
    require_equal(rows.nvals(), count, "row_partition must have one value for each element")
    if isinstance(field, Tensor) and rows.is_uniform():
        outer = [rows.static_nrows, rows.static_uniform_row_length]
        lengths = [rows.nrows() if outer[0] is None else outer[0]]
        lengths.append(rows.uniform_row_length() if outer[1] is None else outer[1])
        inner = get_item(shape(field, out_type=rows.dtype), slice(1, None))
        return reshape(
            field, concat_v2([sizes.as_vector(lengths, rows.dtype), inner], scalar_int(0))
        )
    return RaggedTensor(field, rows._of(count), internal=True)
