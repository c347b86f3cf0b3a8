"""Size and batch shape arguments of operators."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.dimension import Dimension
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.shape import TensorShape, as_dims, broadcast_shapes
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.broadcasting import broadcast_args
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.slicing import get_item


def row_count(value: Any, name: str, proper: bool) -> int:
    """Return a number of rows or columns after checking it."""
    tensor = convert(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    if tensor.static_value is None:
        raise ValueError(f"Argument {name} must be known when the operator is made.")
    if tensor.shape.rank != 0:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {value}")
    count = int(tensor.static_value)
    if count < 0:
        if proper:
            raise InvalidArgumentError(
                None, None, f"Argument {name} must be non-negative, got {count}."
            )
        raise ValueError(f"Argument {name} must be non-negative.  Found: {count}")
    return count


def batch_sizes(batch_shape: Any) -> list[int]:
    """Read a batch shape: a list, a `TensorShape`, a tensor, or None."""
    if batch_shape is None:
        return []
    if isinstance(batch_shape, TensorShape):
        return require_static_sizes(batch_shape)
    if isinstance(batch_shape, (list, tuple)) and not batch_shape:
        return []
    sizes = convert(batch_shape, None, dtypes.int32)
    if not sizes.dtype.is_integer:
        raise TypeError(
            f"batch_shape must hold integers, received dtype {sizes.dtype.name}: {batch_shape}."
        )
    if sizes.static_value is None:
        raise ValueError("batch_shape must have a static value: it decides the operator's shape.")
    if sizes.shape.rank != 1:
        raise ValueError(
            f"batch_shape must be a vector of sizes (rank 1), received shape {sizes.shape}: "
            f"{batch_shape}."
        )
    static_sizes = [int(size) for size in sizes.static_value]
    if min(static_sizes, default=0) < 0:
        raise ValueError(
            f"The sizes in batch_shape must be 0 or more (non-negative), received {batch_shape}."
        )
    return static_sizes


def require_static_sizes(shape: TensorShape) -> list[int]:
    """Return the sizes of a shape, all of which must be static."""
    sizes = [size for size in shape if size is not None]
    if len(sizes) != len(shape):
        raise ValueError(f"A batch shape must be known when an operator is made, got {shape}.")
    return sizes


def repeated(x: TensorLike, batch: list[int]) -> Any:
    """Broadcast matrices against a batch shape."""
    if not batch:
        return x
    sizes = shape_of(x)
    target = broadcast_args(get_item(sizes, slice(None, -2)), static_ints(tuple(batch)))
    return broadcast_to(x, concat_v2([target, get_item(sizes, slice(-2, None))], scalar_int(0)))


def joint_sizes(*batches: TensorShape) -> list[int | None]:
    """Return the static shape that batch shapes are broadcast to."""
    joint: Any = ()
    for batch in batches:
        joint = broadcast_shapes(joint, as_dims(batch))
    if joint is None:
        raise ValueError("The ranks of the batches of an operator must be known.")
    return list(joint)


def with_one_batch(*tensors: Any, inner: int = 2) -> tuple[Any, ...]:
    """Broadcast tensors to one batch shape; their last `inner` axes are no batch."""
    first = tensors[0].shape[:-inner]
    if first.is_fully_defined() and all(t.shape[:-inner] == first for t in tensors):
        return tensors
    sizes = [shape_of(t) for t in tensors]
    batch = reduce(broadcast_args, [get_item(s, slice(None, -inner)) for s in sizes])
    return tuple(
        broadcast_to(t, concat_v2([batch, get_item(s, slice(-inner, None))], scalar_int(0)))
        for t, s in zip(tensors, sizes, strict=True)
    )


def require_static_size(dimension: Dimension, operator: Any) -> int:
    """Return the size of an operator, which must be static to build a larger one."""
    if dimension.value is None:
        raise ValueError(
            f"The matrices of {operator.name} must be of known size here, got shape "
            f"{operator.shape}; set it with tf.ensure_shape."
        )
    return dimension.value
