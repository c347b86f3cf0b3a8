"""Taking slices of a tensor by index, and the sparse gradients that gives."""

from __future__ import annotations

from typing import Any

from tapeflow.core.errors import fmt_shape
from tapeflow.core.infer import merge_shape, normalize_axis, require_rank, require_rank_at_least
from tapeflow.core.registry import Index, InferError, Static, op
from tapeflow.core.spec import Spec
from tapeflow.ops.array import reshape, static_ints
from tapeflow.ops.indexed_slices import IndexedSlices


def _bad_index(indices: Any, size: int) -> str:
    flat = indices.reshape(-1)
    first = int(((flat < 0) | (flat >= size)).argmax())
    at = ",".join(str(int(i)) for i in _coordinates(first, indices.shape))
    where = f"indices[{at}]" if at else "indices"
    return f"{where} = {int(flat[first])} is not in [0, {size})"


def _coordinates(flat: int, shape: tuple[int, ...]) -> list[int]:
    coordinates: list[int] = []
    for size in reversed(shape):
        flat, rest = divmod(flat, size)
        coordinates.insert(0, rest)
    return coordinates


@op("GatherV2", checked=True)
def gather_v2(xp, params, indices: Index, axis: Static, *, batch_dims=0):
    """The slices of `params` at `indices` along `axis`, within the first `batch_dims` axes."""
    at = int(axis) % params.ndim
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    size = params.shape[at]
    xp.require(xp.all((indices >= 0) & (indices < size)), lambda: _bad_index(indices, size))
    if not batch:
        return xp.take(params, indices, axis=at, mode="clip")
    # One integer index per batch axis, broadcast against `indices`, picks within each batch.
    grids = [
        xp.arange(n).reshape(tuple(n if i == j else 1 for j in range(indices.ndim)))
        for i, n in enumerate(indices.shape[:batch])
    ]
    moved = xp.moveaxis(params, at, batch)
    picked = moved[(*grids, xp.clip(indices, 0, max(size - 1, 0)))]
    # Axes of `params` between the batch and `axis` stand before the gathered ones.
    order = _gather_order(batch, at, indices.ndim, picked.ndim)
    return xp.transpose(picked, order)


def _gather_order(batch: int, axis: int, index_rank: int, rank: int) -> tuple[int, ...]:
    between = axis - batch
    gathered = range(batch, index_rank)
    middle = range(index_rank, index_rank + between)
    return (*range(batch), *middle, *gathered, *range(index_rank + between, rank))


@gather_v2.infer
def _(params, indices, axis, *, batch_dims):
    require_rank(axis, 0, "axis")
    require_rank_at_least(params, 1, "params")
    if params.shape is None or indices.shape is None or axis.value is None:
        return Spec(None, params.dtype)
    at = normalize_axis(int(axis.value), len(params.shape))
    batch = batch_dims + len(indices.shape) if batch_dims < 0 else batch_dims
    if not 0 <= batch <= min(len(indices.shape), at):
        raise InferError(
            f"batch_dims ({batch_dims}) must be at most the rank of indices "
            f"({fmt_shape(indices.shape)}) and at most axis ({at})"
        )
    merge_shape(params.shape[:batch], indices.shape[:batch], "batch axes must agree")
    shape = (*params.shape[:at], *indices.shape[batch:], *params.shape[at + 1 :])
    return Spec(shape, params.dtype)


@gather_v2.gradient
def _(dz, *, shape_of_params, indices, axis, batch_dims):
    if batch_dims == 0 and axis._static is not None and int(axis._static) == 0:
        rest = shape_of_params._static[1:].tolist()
        rows = reshape(dz, static_ints((-1, *rest)))
        flat = reshape(indices, static_ints((-1,)))
        return IndexedSlices(rows, flat, shape_of_params), None, None
    raise NotImplementedError
