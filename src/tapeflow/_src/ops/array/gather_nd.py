"""Slices gathered by coordinates and, in reverse, scattered to coordinates.

The last axis of `indices` holds coordinates of the first axes of a tensor. What to do where they
lie outside of it is the `bad_indices_policy`: an error, unless it is "IGNORE".
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, shape_from_value
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.gather import coordinates
from tapeflow._src.ops.array.shape import squeeze
from tapeflow._src.ops.indexed_slices import IndexedSlices

_POLICIES = ("", "DEFAULT", "ERROR", "IGNORE")


def flat_positions(
    xp: ModuleType, dims: tuple[int, ...], indices: Any, policy: str, what: str
) -> Any:
    """Return the row-major index of each row of coordinates; beyond the last if out of range."""
    depth = indices.shape[-1]
    rows = math.prod(dims[:depth])
    if not depth:
        return xp.zeros(indices.shape[:-1], np.int64)
    if xp.name == "numpy":
        try:
            along = tuple([indices[..., axis] for axis in range(depth)])
            return np.ravel_multi_index(along, dims[:depth])
        except ValueError:
            pass  # some are out of range
    flat = indices[..., 0].astype(np.int64)
    inside = (flat >= 0) & (flat < dims[0])
    for axis in range(1, depth):
        along = indices[..., axis]
        inside = inside & (along >= 0) & (along < dims[axis])
        flat = flat * dims[axis] + along
    if policy != "IGNORE":
        xp.require(xp.all(inside), lambda: _out_of_range(indices, inside, dims, what))
    return xp.where(inside, flat, rows)


def _out_of_range(indices: Any, inside: Any, dims: Any, what: str) -> str:
    at = coordinates(int(np.argmin(inside.reshape(-1))), inside.shape)
    where = ",".join(str(i) for i in at)
    values = ", ".join(str(i) for i in indices[tuple(at)].tolist())
    return f"indices[{where}] = [{values}] does not index into {what} {fmt_shape(dims)}"


def check_policy(policy: str) -> None:
    """Raise InferError for an unknown policy."""
    if policy not in _POLICIES:
        raise InferError(f"Unknown bad indices handling attribute: {policy}")


@op("GatherNd", checked=True, ragged_scope="RaggedGatherNd")
def gather_nd(xp, params, indices: Index, *, bad_indices_policy=""):
    """Return the slices of `params` at the coordinates in the last axis of `indices`."""
    depth = indices.shape[-1]
    inner = params.shape[depth:]
    at = flat_positions(xp, params.shape, indices, bad_indices_policy, "param shape")
    rows = params.reshape((math.prod(params.shape[:depth]), *inner))
    # One more row, for what lies outside.
    blank = zeros(xp, (1, *inner), params.dtype)
    return xp.concatenate([rows, blank])[at]


@gather_nd.kernel("numpy")
def _(xp, params, indices, *, bad_indices_policy):
    depth = indices.shape[-1]
    if bad_indices_policy == "IGNORE" or params.dtype == object:
        return gather_nd.body(xp, params, indices, bad_indices_policy=bad_indices_policy)
    at = flat_positions(xp, params.shape, indices, "", "param shape")
    return params.reshape((math.prod(params.shape[:depth]), *params.shape[depth:])).take(at, axis=0)


def zeros(xp: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros; of strings, empty ones."""
    return np.full(shape, b"", object) if np.dtype(dtype).kind == "O" else xp.zeros(shape, dtype)


@gather_nd.infer
def _(params, indices, *, bad_indices_policy):
    check_policy(bad_indices_policy)
    if params.shape is not None and not params.shape:
        raise InferError("params must be at least a vector")
    if indices.shape is not None and not indices.shape:
        raise InferError("indices must be at least a vector")
    if params.shape is None or indices.shape is None or indices.shape[-1] is None:
        return Spec(None, params.dtype)
    depth = indices.shape[-1]
    if depth > len(params.shape):
        raise InferError(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{len(params.shape)}"
        )
    return Spec((*indices.shape[:-1], *params.shape[depth:]), params.dtype)


@gather_nd.gradient
def _(dz, *, shape_of_params, indices, bad_indices_policy):
    dims = indices.static_shape
    if dims is not None and len(dims) == 2 and dims[1] == 1 and bad_indices_policy != "IGNORE":
        return IndexedSlices(dz, squeeze(indices, axis=(1,)), shape_of_params), None
    return scatter_nd(indices, dz, shape_of_params, bad_indices_policy=bad_indices_policy), None


@gather_nd.batch
def _(batch: Batch, params: Any, indices: Any, **attrs: Any) -> Any:
    if not batch.has(params):
        return batch.op(params, batch.values(indices), **attrs)
    if batch.has(indices):
        return batch.op(batch.values(params), batch.member_indices(indices), **attrs)
    gathered = batch.op(
        batch.move_axis(batch.values(params), 0, len(params.static_shape)), indices, **attrs
    )
    return batch.move_axis(gathered, len(gathered.static_shape) - 1, 0)


def check_scatter(indices: Spec, updates: Spec, dims: Shape, message: str) -> None:
    """Raise InferError unless `updates` has one slice of a tensor of shape `dims` per index."""
    for name, spec in (("Indices", indices), ("Updates", updates)):
        if spec.shape is not None and not spec.shape:
            raise InferError(
                f"{name} must have at least one axis (rank >= 1), received a scalar of shape []"
            )
    if indices.shape is None or updates.shape is None:
        return
    outer, depth = indices.shape[:-1], indices.shape[-1]
    if not _agree(updates.shape[: len(outer)], outer):
        raise InferError(
            f"Outer dimensions of indices and update must match. Indices shape: "
            f"{fmt_shape(indices.shape)}, updates shape:{fmt_shape(updates.shape)}"
        )
    if depth is None or dims is None:
        return
    if depth > len(dims) or not _agree(updates.shape[len(outer) :], dims[depth:]):
        raise InferError(
            message.format(
                depth=depth,
                rank=len(dims),
                dims=fmt_shape(dims),
                outer=len(outer),
                updates_rank=len(updates.shape),
                updates=fmt_shape(updates.shape),
            )
        )


def _agree(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(x == y or None in (x, y) for x, y in zip(a, b, strict=True))


_SCATTER_MISMATCH = (
    "Dimensions [{depth},{rank}) of input[shape={dims}] must match dimensions "
    "[{outer},{updates_rank}) of updates[shape={updates}]"
)


@op("ScatterNd", checked=True)
def scatter_nd(xp, indices: Index, updates, shape: Static, *, bad_indices_policy=""):
    """Zeros of `shape` with `updates` added at the coordinates; duplicates accumulate."""
    dims = tuple(shape.tolist())
    at = flat_positions(xp, dims, indices, bad_indices_policy, "shape")
    inner = dims[indices.shape[-1] :]
    rows = math.prod(dims[: indices.shape[-1]])
    slices = updates.reshape((at.size, *inner))
    if updates.dtype == object:
        start = zeros(xp, (rows + 1, *inner), object)
        return xp.index_add(start, at.reshape(-1), slices)[:rows].reshape(dims)
    # The sum of booleans is whether any of them holds.
    fold = "maximum" if updates.dtype == bool else "add"
    return xp.groups.segment_reduce(fold, slices, at.reshape(-1), rows, 0).reshape(dims)


@scatter_nd.infer
def _(indices, updates, shape, *, bad_indices_policy):
    check_policy(bad_indices_policy)
    if shape.shape is not None and len(shape.shape) != 1:
        raise InferError("Shape must be a vector")
    dims = shape_from_value(shape)
    check_scatter(indices, updates, dims, _SCATTER_MISMATCH)
    if dims is not None and 0 in dims and updates.is_static and 0 not in updates.shape:
        raise InferError(
            f"Indices and updates specified for empty output.  indices shape: "
            f"{fmt_shape(indices.shape)}"
        )
    return Spec(dims, updates.dtype)


@scatter_nd.gradient
def _(dz, *, indices, bad_indices_policy):
    return None, gather_nd(dz, indices, bad_indices_policy=bad_indices_policy), None


@scatter_nd.batch
def _(batch: Batch, indices: Any, updates: Any, shape: Any, **attrs: Any) -> Any:
    if not is_static(shape):
        return NotImplemented
    dims = tuple(int(n) for n in shape.static_value)
    if batch.has(indices):
        whole = batch.ints(batch.size, *dims)
        return batch.op(batch.member_indices(indices), batch.values(updates), whole, **attrs)
    moved = batch.move_axis(batch.values(updates), 0, len(updates.static_shape))
    return batch.move_axis(batch.op(indices, moved, batch.ints(*dims, batch.size), **attrs), -1, 0)
