"""Tensors filled with one or two values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, is_static, on_values
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype, element_count, same_as, shape_from_value
from tapeflow._src.core.registry import Free, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import (
    EXACT_IN_BATCHES,
    INHERITS_NUMERICS,
    KEEPS_FINITE,
    KEEPS_WEAK,
    TOTAL,
    TOTAL_ON_SHAPES,
    UNSPECIFIED,
)
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import rank, reshape, scalar_int, static_ints


def _dims(sizes: Any) -> tuple[int, ...]:
    return tuple(sizes.reshape(-1).tolist())


@op("Fill", traits=(EXACT_IN_BATCHES, INHERITS_NUMERICS, TOTAL_ON_SHAPES))
def fill(xp, dims: Static, value):
    """Create a tensor of shape `dims` filled with `value`."""
    return xp.full(_dims(dims), value.reshape(()), dtype=value.dtype)


@fill.kernel("numpy")
def _(xp, dims, value):
    if value.size != 1 or dims.ndim > 1:
        raise InferError("Fill takes a vector of sizes and a scalar.")
    if value.dtype == object or value.dtype.fields:
        return np.full(_dims(dims), value, value.dtype)
    return blocks.filled(_dims(dims), value.reshape(()), value.dtype)


@fill.infer
def _(dims, value):
    if element_count(value.shape) not in (None, 1):
        raise InferError(f"value must be a scalar. Received: {fmt_shape(value.shape)}")
    if dims.rank == 0 and dims.value is not None:
        dims = Spec((1,), dims.dtype, dims.value.reshape(1))
    return Spec(shape_from_value(dims), value.dtype)


@fill.gradient
def _(dz, *, shape_of_value):
    if dz.static_shape is not None:
        axes = static_ints(tuple(range(len(dz.static_shape))))
    else:
        axes = range_(scalar_int(0), rank(dz), scalar_int(1))
    return None, reshape(sum_(dz, axes), shape_of_value)


@fill.batch
def _(batch: Batch, dims: Any, value: Any) -> Any:
    if not is_static(dims):
        return NotImplemented
    sizes = tuple(int(n) for n in dims.static_value)
    values = batch.reshape(batch.values(value), batch.size, *(1,) * len(sizes))
    return batch.broadcast(values, batch.size, *sizes)


@op(
    "ZerosLike",
    infer=same_as("x"),
    grad=None,
    traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL),
    public_name="zeros_like",
    batch=on_values,
)
def zeros_like(xp, x):
    """Zeros of the same shape and dtype; empty strings for strings, zero lists for lists."""
    if x.dtype is dtypes.variant:
        return x.like(lambda item: zeros_like.body(xp, item))
    if x.dtype == object:
        return np.full(x.shape, b"", object)
    return xp.zeros(x.shape, x.dtype)


@zeros_like.kernel("numpy")
def _(xp, x):
    if x.dtype is dtypes.variant or x.dtype.hasobject or x.dtype.fields:
        return zeros_like.body(xp, x)
    return blocks.filled(x.shape, 0, x.dtype)


@op(
    "OnesLike",
    infer=same_as("x"),
    dtypes=dtypes.NUMERIC | {dtypes.bool},
    grad=None,
    traits=(KEEPS_FINITE, KEEPS_WEAK, TOTAL),
    public_name="ones_like",
    batch=on_values,
)
def ones_like(xp, x):
    """Return ones in the shape and dtype of `x`."""
    return xp.ones(x.shape, x.dtype)


@ones_like.kernel("numpy")
def _(xp, x):
    return blocks.filled(x.shape, 1, x.dtype)


@op("Empty", grad=None, checked=True, traits=(UNSPECIFIED,))
def empty(xp, shape: Static, *, dtype, init=False):
    """Create an uninitialised tensor of that shape and dtype."""
    kind = as_dtype(dtype)
    if kind is dtypes.string:
        return np.full(_dims(shape), b"", object)
    return xp.zeros(_dims(shape), kind.np)


@empty.infer
def _(shape, *, dtype, init):
    return Spec(shape_from_value(shape), as_dtype(dtype))


_ONE_HOT_INDEX = frozenset({dtypes.uint8, dtypes.int8, dtypes.int32, dtypes.int64})


@op(
    "OneHot",
    grad=None,
    checked=True,
    display="one_hot",
    ragged_scope="RaggedOneHot",
    traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES),
)
def one_hot(xp, indices: Free, depth: Static, on_value, off_value, *, axis=-1):
    """Return `on_value` at the positions `indices` along a new axis, `off_value` elsewhere."""
    at = indices.ndim if axis == -1 else axis
    sizes = tuple(-1 if i == at else 1 for i in range(indices.ndim + 1))
    positions = np.arange(depth.item()).reshape(sizes)
    hot = xp.expand_dims(indices, at) == positions
    return xp.where(hot, on_value.reshape(()), off_value.reshape(()))


@one_hot.kernel("numpy")
def _(xp, indices, depth, on_value, off_value, *, axis):
    at = indices.ndim if axis == -1 else axis
    count = depth.item()
    shape = (*indices.shape[:at], count, *indices.shape[at:])
    result = blocks.filled(shape, off_value.reshape(())[()], on_value.dtype)
    before, after = math.prod(indices.shape[:at]), math.prod(indices.shape[at:])
    flat = indices.reshape(before, after)
    rows = np.arange(before)[:, None] * (count * after)
    hot = rows + flat.astype(np.intp, copy=False) * after + np.arange(after)
    inside = (flat >= 0) & (flat < count)
    result.reshape(-1)[hot if inside.all() else hot[inside]] = on_value
    return result


@one_hot.infer
def _(indices, depth, on_value, off_value, *, axis):
    allowed_dtype("TI", indices.dtype, _ONE_HOT_INDEX)
    for name, spec in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
        if spec.shape not in (None, ()):
            raise InferError(f"{name} must be a scalar, but got: {fmt_shape(spec.shape)}")
    if depth.value is not None and depth.value < 0:
        raise InferError(f"depth must be non-negative, got: {depth.value}")
    if indices.shape is None:
        return Spec(None, on_value.dtype)
    count = len(indices.shape)
    if axis != -1 and not 0 <= axis <= count:
        raise InferError(
            f"Expected axis to be -1 or between [0, {count + 1}).  But received: {axis}"
        )
    at = count if axis == -1 else axis
    size = None if depth.value is None else int(depth.value)
    return Spec((*indices.shape[:at], size, *indices.shape[at:]), on_value.dtype)


@one_hot.batch
def _(batch: Batch, indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: Any) -> Any:
    if batch.has(on_value) or batch.has(off_value):
        return NotImplemented
    after = axis if axis < 0 else axis + 1
    return batch.op(batch.values(indices), depth, on_value, off_value, axis=after)
