"""Tensors of a ragged shape: filled, reshaped and broadcast; and the shapes of ragged tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.broadcasting import Operand, align, flat
from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape, implements_for_shape
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.kinds import as_values, is_ragged
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.broadcasting import broadcast_args, broadcast_to
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import rank as rank_op
from tapeflow._src.ops.array.shape import reshape, scalar_int, size
from tapeflow._src.ops.array.shape import shape as shape_op
from tapeflow._src.ops.array.slicing import get_item


def in_rows(values: Any, partitions: Any) -> Any:
    """Wrap `values` in nested row partitions, the outermost first."""
    for partition in reversed(partitions):
        values = RaggedTensor(values, partition, internal=True)
    return values


@implements_for_shape(fill)
def _(dims: DynamicRaggedShape, value: Any) -> Any:
    return in_rows(fill(dims.inner_shape, value), dims.row_partitions)


@implements_for_shape(reshape)
def reshape_ragged(tensor: Any, shape: Any) -> Any:
    """Reshape to other row partitions, or to a dense tensor."""
    tensor = as_values(tensor)
    values = tensor.flat_values if is_ragged(tensor) else tensor
    if isinstance(shape, DynamicRaggedShape):
        return in_rows(reshape(values, shape.inner_shape), shape.row_partitions)
    return reshape(values, shape)


@implements(reshape)
def _(op: Op, tensor: Any, shape: Any) -> Any:
    return reshape_ragged(tensor, shape)


@implements_for_shape(broadcast_to)
def _(value: Any, shape: DynamicRaggedShape) -> Any:
    value = as_values(value)
    if is_ragged(value):
        value = value.with_row_splits_dtype(shape.dtype)
    operands = [Operand.of(value, shape.dtype), _operand_of(shape)]
    rank = operands[1].rank
    if operands[0].rank > rank:
        raise ValueError(f"Cannot broadcast {value!r} to the shape {shape}")
    if len(operands[0].partitions) > len(operands[1].partitions):
        text = f"Cannot broadcast {value!r}, which has more ragged axes, to the shape {shape}"
        raise InvalidArgumentError(None, None, text)
    partitions = align(operands, shape.dtype)
    text = "Cannot broadcast: a ragged shape is not repeated"
    for partition, expected in zip(partitions, shape.row_partitions):
        if not partition._same_as(expected):
            require_equal(partition.row_splits(), expected.row_splits(), text)
    values = flat(operands[0], len(partitions), rank)
    return in_rows(broadcast_to(values, shape.inner_shape), shape.row_partitions)


@implements(broadcast_to)
def _(op: Op, value: Any, shape: Any) -> Any:
    if isinstance(shape, DynamicRaggedShape):
        return NotImplemented
    raise ValueError(f"Cannot broadcast {value!r}, which is ragged, to the shape {shape}")


@implements_for_shape(broadcast_args)
def broadcast_shapes(a: Any, b: Any) -> DynamicRaggedShape:
    """Return the shape that two ragged shapes broadcast to."""
    dtypes_used = {s.dtype for s in (a, b) if isinstance(s, DynamicRaggedShape)}
    kind = dtypes_used.pop() if len(dtypes_used) == 1 else dtypes.int64
    a, b = (_as_shape(s, kind) for s in (a, b))
    operands = [_operand_of(a), _operand_of(b)]
    partitions = align(operands, kind)
    levels = len(partitions)
    rank = max(operand.rank for operand in operands)
    below = [_sizes_below(operand, levels, rank) for operand in operands]
    inner = broadcast_args(*below)
    if not partitions:
        return DynamicRaggedShape((), inner, kind)
    total = sizes.vector(partitions[-1].nvals())
    return DynamicRaggedShape(partitions, concat_v2([total, inner], scalar_int(0)), kind)


def _as_shape(value: Any, kind: Any) -> DynamicRaggedShape:
    if isinstance(value, DynamicRaggedShape):
        return value.with_dtype(kind)
    plain = dispatch.convert(value, None, kind)
    return DynamicRaggedShape((), sizes.as_dtype_of(plain, kind), kind)


def _operand_of(shape: DynamicRaggedShape) -> Operand:
    if shape.rank is None:
        raise ValueError(f"The rank of a shape must be known to broadcast it. Received: {shape}")
    return Operand(shape.row_partitions, shape.inner_shape, shape.rank)


def _sizes_below(operand: Operand, levels: int, rank: int) -> Any:
    """Return the sizes of the axes below all rows of the result."""
    if not levels:
        return operand.dims
    first = levels + 1 - (rank - operand.rank) - len(operand.partitions)
    return get_item(operand.dims, slice(max(first, 0), None))


# -- of ragged tensors ------------------------------------------------------------------------


@implements(shape_op)
def _(op: Op, rows: Any, *, out_type: Any) -> DynamicRaggedShape:
    return DynamicRaggedShape.from_tensor(rows, out_type)


@implements(rank_op)
def _(op: Op, rows: Any) -> Any:
    static_rank = rows.shape.rank
    if static_rank is None:
        raise ValueError("The rank of a ragged tensor must be known.")
    return scalar_int(static_rank)


@implements(size)
def _(op: Op, rows: Any, *, out_type: Any, name: str | None = None) -> Any:
    return size(rows.flat_values, out_type=as_dtype(out_type), name=name)
