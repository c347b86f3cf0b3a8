"""Reading and writing parts of a variable."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.registry import Free, Index, Resource, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import concat_v2, reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.strided import check_computed, numpy_key, strided_slice, written
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.state.variables import (
    changed_in_place,
    checked_rows,
    current,
    must_be_of_dtype,
    set_items,
)


@op("ResourceGather", effect="reads", display="Gather")
def resource_gather(
    xp, resource: Resource, indices: Index, *, dtype, batch_dims=0, validate_indices=True
):
    """Return rows of the variable."""
    _without_batch_dims(batch_dims)
    return np.take(current(resource), checked_rows(resource, indices), axis=0)


@resource_gather.kernel("jax")
def _(xp, resource, indices, *, dtype, batch_dims=0, validate_indices=True):
    _without_batch_dims(batch_dims)
    array = current(resource)
    xp.require(((indices >= 0) & (indices < array.shape[0])).all(), "indices out of range")
    return array[indices]


def _without_batch_dims(batch_dims: int) -> None:
    if batch_dims:
        raise InvalidArgumentError(None, None, "batch_dims is not supported: gather the value.")


@resource_gather.infer
def _(resource, indices, *, dtype, batch_dims, validate_indices):
    if resource.shape is None or indices.shape is None:
        return Spec(None, as_dtype(dtype))
    return Spec((*indices.shape, *resource.shape[1:]), as_dtype(dtype))


@resource_gather.gradient
def _(dz, *, shape_of_resource, indices):
    # The slices keep their shape; the axes of the indices become one.
    rank = len(indices.shape)
    row_shape = strided_slice(
        shape_of(dz), static_ints((rank,)), static_ints((0,)), static_ints((1,)), end_mask=1
    )
    rows = reshape(dz, concat_v2([static_ints((-1,)), row_shape], scalar_int(0)))
    return IndexedSlices(rows, reshape(indices, static_ints((-1,))), shape_of_resource), None


@resource_gather.batch
def _(batch: Batch, resource: Any, indices: Any, *, batch_dims: Any, **attrs: Any) -> Any:
    if batch_dims:
        return NotImplemented
    return batch.op(resource, batch.values(indices), batch_dims=0, **attrs)


@op("ResourceStridedSliceAssign", outputs=(), effect="writes", grad=None)
def resource_strided_slice_assign(
    xp,
    ref: Resource,
    begin: Static,
    end: Static,
    strides: Static,
    value: Free,
    *,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """Assign a new value to a slice of the variable."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    key, value = _fitted(ref, begin, end, strides, masks, value)
    changed_in_place(ref, set_items, key, value)


@resource_strided_slice_assign.kernel("jax")
def _(xp, ref, begin, end, strides, value, **masks):
    ordered = [masks[name] for name in resource_strided_slice_assign.attr_names]
    dims = current(ref).shape
    if isinstance(begin, np.ndarray):
        key, value = _fitted(ref, begin, end, strides, ordered, value)
    else:
        key = numpy_key(dims, begin, end, strides, tuple(ordered))
        check_computed(xp, dims, key)
        must_be_of_dtype(ref, value)
    ref.array = written(xp, current(ref), key, value)


resource_strided_slice_assign.computes("begin", "end")


def _fitted(ref: Any, begin: Any, end: Any, strides: Any, masks: Any, value: Any) -> Any:
    """Return the slice as a NumPy key, and a value that broadcasts to it."""
    dims = current(ref).shape
    key = numpy_key(dims, begin, end, strides, masks)
    must_be_of_dtype(ref, value)
    expected = np.broadcast_to(np.empty(()), dims)[tuple(key)].shape
    extra = max(0, value.ndim - len(expected))
    received = value.shape[extra:]
    spreads = all(n in (1, m) for n, m in zip(reversed(received), reversed(expected), strict=False))
    if not spreads or any(n != 1 for n in value.shape[:extra]):
        raise InvalidArgumentError(
            None,
            None,
            f"Cannot broadcast input shape {fmt_shape(value.shape)} into final shape "
            f"{fmt_shape(expected)}",
        )
    return tuple(key), value.reshape(received) if extra else value


@resource_strided_slice_assign.infer
def _(ref, begin, end, strides, value, **masks):
    return ()
