"""The ragged shapes of structured tensors: that of their fields, as far as these have one.

All but the last axis of a structured tensor are rows, so a shape of rank `n` has `n - 1` row
partitions here. Knows nothing of fields but that they have shapes.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.array.slicing import get_item


def is_plain(value: Any) -> bool:
    """Whether a field is a tensor, ragged or not, rather than a structured one."""
    return isinstance(value, Tensor) or is_ragged(value)


def rank_of(value: Any) -> int:
    """Return the rank of a field, which must be known."""
    rank: int | None = value.shape.rank
    if rank is None:
        raise ValueError(f"A field of a StructuredTensor must have a known rank. Received: {value}")
    return rank


def shape_of_field(value: Any, dtype: DType) -> DynamicRaggedShape:
    """Return the full shape of a field."""
    if is_plain(value):
        return DynamicRaggedShape.from_tensor(value, dtype)
    shape: DynamicRaggedShape = value._ragged_shape.with_dtype(dtype)
    return shape


def static_shape(shape: DynamicRaggedShape) -> TensorShape:
    """Return the static shape."""
    return TensorShape(shape.static_lengths(ragged_lengths=False))


def leading(shape: DynamicRaggedShape, rank: int) -> DynamicRaggedShape:
    """Return the sizes of the first `rank` axes, all but the last of them as rows."""
    if rank == 0:
        return DynamicRaggedShape((), static_ints(()), shape.dtype)
    rows = shape._with_levels(rank - 1).row_partitions[: rank - 1]
    if rows:
        return of_rows(rows, shape.dtype)
    static_count = shape.static_lengths(ragged_lengths=False)[0]
    return of_count(shape[0] if static_count is None else static_count, shape.dtype)


def of_rows(rows: Any, dtype: DType) -> DynamicRaggedShape:
    """Return the shape of scalars in rows of rows."""
    rows = [row.with_dtype(dtype) for row in rows]
    total = sizes.vector(rows[-1].nvals())
    return DynamicRaggedShape(rows, total, dtype, False, [rows[-1].static_nvals])


def of_count(count: Any, dtype: DType) -> DynamicRaggedShape:
    """Return the shape of so many scalars."""
    if isinstance(count, int):
        return DynamicRaggedShape((), dispatch.convert([count], dtype), dtype)
    tensor = sizes.as_dtype_of(dispatch.convert(count, None, dtype), dtype)
    tensor.shape.assert_has_rank(0)
    return DynamicRaggedShape((), sizes.vector(tensor), dtype, False, [None])


def with_static_shape(shape: DynamicRaggedShape, expected: TensorShape) -> DynamicRaggedShape:
    """Return `shape` with a static shape; raise ValueError if they are incompatible."""
    static = static_shape(shape)
    if not expected.is_compatible_with(static):
        raise ValueError(f"Shapes {expected} and {static} are not compatible")
    if expected.rank == 1 and static[0] is None and expected[0] is not None:
        return of_count(expected[0], shape.dtype)
    return shape


# -- two of one shape -------------------------------------------------------------------------


def merged(a: DynamicRaggedShape, b: DynamicRaggedShape, validate: bool) -> DynamicRaggedShape:
    """Merge two static shapes; raise ValueError if they differ.

    Rows that are only known when the graph runs are compared then; numbers of values without
    rows only with `validate`.
    """
    if not static_shape(a).is_compatible_with(static_shape(b)):
        raise ValueError(f"Shapes {static_shape(a)} and {static_shape(b)} are not compatible")
    if a.rank == 0:
        return a
    if not a.row_partitions:
        if validate:
            text = "The fields of a StructuredTensor have different numbers of rows"
            require_equal(get_item(a.inner_shape, 0), get_item(b.inner_shape, 0), text)
        return b if static_shape(a)[0] is None else a
    rows = [_merged_rows(x, y) for x, y in zip(a.row_partitions, b.row_partitions)]
    return of_rows(rows, a.dtype)


def _merged_rows(a: RowPartition, b: RowPartition) -> RowPartition:
    if not a._same_as(b):
        left, right = a.row_splits(), b.row_splits()
        if left.static_value is not None and right.static_value is not None:
            first, second = left.static_value.tolist(), right.static_value.tolist()
            raise ValueError(f"Rows differ: row_splits={first} and {second}")
        require_equal(left, right, "The fields of a StructuredTensor must have the same rows")
    return b if _static_score(b) > _static_score(a) else a


def _static_score(row: RowPartition) -> tuple[bool, ...]:
    """Return how much is static about rows."""
    lengths = row.static_uniform_row_length is not None, row.is_uniform()
    return (*lengths, row.static_nrows is not None, row.static_nvals is not None)
