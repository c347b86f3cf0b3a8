"""Scatter updates of a tensor's slices: replace, add, maximum and minimum."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import NUMERIC, REAL
from tapeflow._src.core.registry import Index, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.gather_nd import (
    check_policy,
    check_scatter,
    flat_positions,
    gather_nd,
    scatter_nd,
    zeros,
)
from tapeflow._src.ops.array.shape import shape_of
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.division import div_no_nan

_MISMATCH = (
    "Inner dimensions of output shape must match inner dimensions of updates shape. "
    "Output: {dims} updates: {updates}"
)


def _infer(op, specs, attrs):
    tensor, indices, updates = specs
    check_policy(attrs["bad_indices_policy"])
    check_scatter(indices, updates, tensor.shape, _MISMATCH)
    return Spec(tensor.shape, tensor.dtype)


def _scatter(
    xp: ModuleType, write: Any, tensor: Any, indices: Any, updates: Any, policy: str
) -> Any:
    """Apply `write(rows, indices, values)` to `tensor` as rows of its slices."""
    depth = indices.shape[-1]
    inner = tensor.shape[depth:]
    at = flat_positions(xp, tensor.shape, indices, policy, "shape")
    count = math.prod(tensor.shape[:depth])
    rows = tensor.reshape((count, *inner))
    if policy == "IGNORE":
        # One more row, for what lies outside.
        rows = xp.concatenate([rows, zeros(xp, (1, *inner), tensor.dtype)])
    result = write(rows, at.reshape(-1), updates.reshape((at.size, *inner)))
    return (result[:count] if policy == "IGNORE" else result).reshape(tensor.shape)


def _batch_scatter(batch: Batch, tensor: Any, indices: Any, updates: Any, **attrs: Any) -> Any:
    if batch.has(indices):
        values = batch.values(tensor), batch.member_indices(indices), batch.values(updates)
        return batch.op(*values, **attrs)
    target = batch.move_axis(batch.values(tensor), 0, len(tensor.static_shape))
    moved = batch.move_axis(batch.values(updates), 0, len(updates.static_shape))
    return batch.move_axis(batch.op(target, indices, moved, **attrs), -1, 0)


@op("TensorScatterUpdate", infer=_infer, checked=True, batch=_batch_scatter)
def tensor_scatter_update(xp, tensor, indices: Index, updates, *, bad_indices_policy=""):
    """Return `tensor` with the slices at `indices` replaced by `updates`."""
    return _scatter(xp, xp.index_set, tensor, indices, updates, bad_indices_policy)


@tensor_scatter_update.gradient
def _(dz, *, indices, shape_of_updates, bad_indices_policy, needed):
    policy = {"bad_indices_policy": bad_indices_policy}
    written = gather_nd(dz, indices, **policy)
    tensor_gradient = (
        tensor_scatter_update(dz, indices, zeros_like(written), **policy) if needed[0] else None
    )
    return tensor_gradient, None, written


@op("TensorScatterAdd", infer=_infer, dtypes=NUMERIC, checked=True, batch=_batch_scatter)
def tensor_scatter_add(xp, tensor, indices: Index, updates, *, bad_indices_policy=""):
    """Add `updates` to the slices of `tensor` at `indices`; duplicates accumulate."""
    return _scatter(xp, xp.index_add, tensor, indices, updates, bad_indices_policy)


@tensor_scatter_add.gradient
def _(dz, *, indices, bad_indices_policy, needed):
    if not needed[2]:
        return dz, None, None
    return dz, None, gather_nd(dz, indices, bad_indices_policy=bad_indices_policy)


@op(
    "ScatterNdNonAliasingAdd",
    infer=_infer,
    dtypes=NUMERIC | {dtypes.bool},
    checked=True,
    batch=_batch_scatter,
)
def scatter_nd_non_aliasing_add(xp, input, indices: Index, updates, *, bad_indices_policy=""):
    """Add `updates` to the slices of `input` at `indices`, never in place."""
    return _scatter(xp, xp.index_add, input, indices, updates, bad_indices_policy)


@scatter_nd_non_aliasing_add.gradient
def _(dz, *, indices, bad_indices_policy, needed):
    if not needed[2]:
        return dz, None, None
    return dz, None, gather_nd(dz, indices, bad_indices_policy=bad_indices_policy)


@op("TensorScatterSub", infer=_infer, dtypes=NUMERIC, checked=True, batch=_batch_scatter)
def tensor_scatter_sub(xp, tensor, indices: Index, updates, *, bad_indices_policy=""):
    """Return `tensor` with `updates` subtracted from the slices at `indices`."""
    return _scatter(xp, xp.index_add, tensor, indices, -updates, bad_indices_policy)


@tensor_scatter_sub.gradient
def _(dz, *, indices, bad_indices_policy, needed):
    if not needed[2]:
        return dz, None, None
    return dz, None, neg(gather_nd(dz, indices, bad_indices_policy=bad_indices_policy))


@op("TensorScatterMax", infer=_infer, dtypes=REAL, checked=True, batch=_batch_scatter)
def tensor_scatter_max(xp, tensor, indices: Index, updates, *, bad_indices_policy=""):
    """Compute the maximum of `tensor` and `updates` at the slices at `indices`."""
    return _scatter(xp, xp.index_max, tensor, indices, updates, bad_indices_policy)


@op("TensorScatterMin", infer=_infer, dtypes=REAL, checked=True, batch=_batch_scatter)
def tensor_scatter_min(xp, tensor, indices: Index, updates, *, bad_indices_policy=""):
    """Compute the minimum of `tensor` and `updates` at the slices at `indices`."""
    return _scatter(xp, xp.index_min, tensor, indices, updates, bad_indices_policy)


def _extreme_gradient(dz, *, tensor, indices, updates, output, bad_indices_policy):
    """Divide the gradient evenly among all elements that equal the result."""
    policy = {"bad_indices_policy": bad_indices_policy}
    own = cast(equal(tensor, output), DstT=dz.dtype)
    is_update = cast(equal(updates, gather_nd(output, indices, **policy)), DstT=dz.dtype)
    count = add_v2(own, scatter_nd(indices, is_update, shape_of(tensor), **policy))
    share = div_no_nan(dz, count)
    return mul(share, own), None, mul(gather_nd(share, indices, **policy), is_update)


tensor_scatter_max.gradient(_extreme_gradient)
tensor_scatter_min.gradient(_extreme_gradient)
