"""Construction of structured tensors: fields converted to one form, and their common shape."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.structured import shapes
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


def converted(fields: Any, structured: type) -> dict[str, Any]:
    """Return the fields as tensors, ragged or structured ones.

    TypeError or ValueError if one is none.
    """
    if not isinstance(fields, Mapping):
        raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
    return {_checked(name): _field(name, value, structured) for name, value in fields.items()}


def _checked(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"Unexpected type for key in `fields`: {name!r}")
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"Field name {name!r} is not currently allowed: names consist of letters, digits and "
            f"underscores, and begin with a letter."
        )
    return name


def _field(name: str, value: Any, structured: type) -> Any:
    if shapes.is_plain(value) or isinstance(value, structured):
        return value
    if isinstance(value, Dispatchable):
        raise TypeError(f"Unexpected type for value in `fields`: {name!r} is {value!r}")
    try:
        return dispatch.convert(value, None, None, "Const")
    except (TypeError, ValueError) as error:
        raise ValueError(f"Field {name!r} cannot be converted to a tensor: {error}") from error


def common_dtype(fields: Mapping[str, Any], *others: Any) -> DType:
    """Return the dtype in which sizes are counted: the one that all have, else int64."""
    dtypes_used = {other.dtype for other in others if isinstance(other, (Tensor, RowPartition))}
    for value in fields.values():
        if is_ragged(value):
            dtypes_used.add(value.row_splits.dtype)
        elif not shapes.is_plain(value):
            dtypes_used.add(value._ragged_shape.dtype)
    return dtypes_used.pop() if len(dtypes_used) == 1 else dtypes.int64


def with_dtype(value: Any, dtype: DType) -> Any:
    """Return a field whose sizes are counted in `dtype`."""
    if isinstance(value, Tensor):
        return value
    if is_ragged(value):
        return value.with_row_splits_dtype(dtype)
    return value.with_shape_dtype(dtype)


@scoped("StructuredTensor")
def from_fields(
    cls: Any, fields: Any, shape: ShapeLike, nrows: Any, row_partitions: Any, validate: bool
) -> Any:
    """Return the structured tensor of `fields` that has this shape."""
    static_shape = as_shape(shape)
    if static_shape.rank is None:
        raise ValueError("StructuredTensor's shape must have known rank.")
    values = converted(fields, cls)
    if static_shape.rank == 0 and nrows is not None:
        raise ValueError(f"A scalar (shape.rank==0) has no `nrows`. Received: nrows={nrows}")
    if static_shape.rank < 2 and row_partitions:
        raise ValueError(
            f"`row_partitions` need a shape of rank 2 or more. Received {len(row_partitions)} of "
            f"them for rank {static_shape.rank}"
        )
    rows = list(row_partitions or ())
    if rows and len(rows) != static_shape.rank - 1:
        raise ValueError(
            f"len(row_partitions) must be shape.rank-1. Received: {len(rows)} row partitions and "
            f"shape {static_shape}"
        )
    dtype = common_dtype(values, nrows, *rows)
    declared = _shape_from_arguments(static_shape, nrows, rows, dtype)
    if declared is None and not values:
        raise ValueError(_TOO_LITTLE[min(static_shape.rank, 2)])
    return assembled(cls, values, static_shape, declared, dtype, validate)


_TOO_LITTLE = {
    1: "The number of rows is unknown: pass `nrows`, a full `shape`, or `fields`.",
    2: "The rows are unknown: pass `row_partitions`, a full `shape`, or `fields`.",
}


def _shape_from_arguments(
    static_shape: TensorShape, nrows: Any, rows: Sequence[RowPartition], dtype: DType
) -> DynamicRaggedShape | None:
    """Return the shape as far as the arguments say it without the fields; None if they do not."""
    rank = static_shape.rank or 0
    if static_shape.is_fully_defined():
        sizes = static_shape.as_list()
        whole = DynamicRaggedShape.from_lengths(sizes, max(0, rank - 1), dtype)
        return shapes.merged(whole, shapes.of_rows(rows, dtype), False) if rows else whole
    if rows:
        return shapes.with_static_shape(shapes.of_rows(rows, dtype), static_shape)
    return shapes.of_count(nrows, dtype) if rank == 1 and nrows is not None else None


def assembled(
    cls: Any,
    values: Mapping[str, Any],
    static_shape: TensorShape,
    declared: DynamicRaggedShape | None,
    dtype: DType,
    validate: bool,
) -> Any:
    """Assemble a structured tensor from converted fields, a static and a declared shape."""
    rank = static_shape.rank or 0
    fields = {name: with_dtype(value, dtype) for name, value in values.items()}
    shape = declared
    for name, value in fields.items():
        own = shapes.rank_of(value)
        if own < rank:
            raise ValueError(
                f"Error in shape of {name}: it has rank {own}, less than the rank {rank} of the "
                f"StructuredTensor. Received: {value}"
            )
        try:
            field_shape = shapes.with_static_shape(
                shapes.leading(shapes.shape_of_field(value, dtype), rank), static_shape
            )
            shape = field_shape if shape is None else shapes.merged(shape, field_shape, validate)
        except ValueError as error:
            raise ValueError(f"Error in shape of {name}: {error}") from error
    return cls(fields, shape)


def from_fields_and_rank(cls: Any, fields: Any, rank: int, validate: bool, dtype: Any) -> Any:
    """Return the structured tensor of `fields` that has that many axes."""
    if rank < 0:
        raise ValueError(f"rank must be nonnegative. Received: {rank}")
    values = converted(fields, cls)
    if not values:
        raise ValueError("Must provide at least one field")
    kind = common_dtype(values) if dtype is None else as_dtype(dtype)
    return assembled(cls, values, TensorShape([None] * rank), None, kind, validate)
