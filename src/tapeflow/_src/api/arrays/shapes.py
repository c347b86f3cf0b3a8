"""Shapes of tensors, and the same elements in another shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape, as_dims, broadcast_shapes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array import broadcasting
from tapeflow._src.ops.array import shape as ops
from tapeflow._src.ops.indexed_slices import IndexedSlices


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Reshape a tensor; one size may be -1 and is inferred."""
    return ops.reshape(tensor, int_vector(shape), name=name)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the shape of a tensor as a 1-D tensor."""
    out_type = dtypes.int32 if out_type is None else out_type
    if isinstance(input, IndexedSlices) and input.dense_shape is not None:
        return ops.identity(input.dense_shape, name=name or "Shape")
    dims = _static_dims(input)
    if dims is not None:
        return _constant(dims, out_type, name or "Shape")
    return ops.shape(input, out_type=out_type, name=name)


def _static_dims(input: Any) -> tuple[int, ...] | None:
    """Return the static sizes of a symbolic tensor if all are known, else None."""
    if dispatch.state.mode is dispatch.base_mode() or not isinstance(input, Tensor):
        return None
    dims = input.static_shape
    return None if dims is None or None in dims else dims  # type: ignore[return-value]


def _constant(value: Any, dtype: Any, name: str) -> Any:
    return convert(np.array(value, as_dtype(dtype).as_numpy_dtype), None, None, name)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """Return the shapes of several tensors of one dtype."""
    return list(ops.shape_n(list(input), out_type=out_type, name=name))


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the number of elements of a tensor."""
    out_type = dtypes.int32 if out_type is None else out_type
    dims = _static_dims(input)
    if dims is not None:
        return _constant(math.prod(dims), out_type, name or "Size")
    return ops.size(input, out_type=out_type, name=name)


def rank(input: Any, name: str | None = None) -> Tensor:
    """Return the number of axes of a tensor."""
    if dispatch.state.mode is dispatch.base_mode() or not isinstance(input, Tensor):
        return ops.rank(input, name=name)
    dims = input.static_shape
    if dims is None:
        return ops.rank(input, name=name)
    return _constant(len(dims), dtypes.int32, name or "Rank")


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Insert an axis of size 1 at position `axis`."""
    return ops.expand_dims(
        input, convert(axis, None if hasattr(axis, "dtype") else dtypes.int32), name=name
    )


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Remove the axes of size 1, or those listed in `axis`."""
    if axis is None:
        axes: tuple[int, ...] = ()
    elif isinstance(axis, (list, tuple)):
        axes = tuple(as_int(at, "axis") for at in axis)
    else:
        axes = (as_int(axis, "axis"),)
    return ops.squeeze(input, axis=axes, name=name)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return `x` after checking that its shape is compatible with `shape`.

    Raises:
        ValueError: The static shape is incompatible.
        InvalidArgumentError: The shape is incompatible when the graph runs.
    """
    return ops.ensure_shape(x, shape=TensorShape(shape), name=name)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Broadcast a tensor to a shape."""
    return broadcasting.broadcast_to(input, int_vector(shape), name=name)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Return the static shape that two shapes broadcast to."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape(broadcast_shapes(as_dims(x), as_dims(y)))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes {x} and {y}: aligned at the right, sizes must be equal or 1."
        ) from None


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Return the shape, as a tensor, that two shape tensors broadcast to."""
    hint = next((s.dtype for s in (shape_x, shape_y) if hasattr(s, "dtype")), dtypes.int32)
    x, y = (
        each if isinstance(each, Dispatchable) else convert(each, None, hint)
        for each in (shape_x, shape_y)
    )
    return broadcasting.broadcast_args(x, y)


def identity(input: Any, name: str | None = None) -> Any:
    """Return a tensor with the same value."""
    if isinstance(input, IndexedSlices):
        parts = (input.values, input.indices, input.dense_shape)
        return IndexedSlices(*(None if part is None else ops.identity(part) for part in parts))
    return ops.identity(input, name=name)


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Return tensors with the same values."""
    return list(ops.identity_n(list(input), name=name))


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """Return the same value, through which no gradient flows."""
    return ops.stop_gradient(input, name=name)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Return the same value, marked as never changing."""
    return ops.guarantee_const(input, name=name)
