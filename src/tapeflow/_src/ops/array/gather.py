"""Slices of a tensor gathered by index along one axis, and their sparse gradients."""

from __future__ import annotations

import math
from itertools import chain
from types import ModuleType
from typing import Any

from tapeflow._src.core.batching import Batch
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import KEEPS_FINITE, MOVES
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import rank, reshape, scalar_int, shape_of, size, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


def _bad_index(indices: Any, size: int) -> str:
    flat = indices.reshape(-1)
    first = int(((flat < 0) | (flat >= size)).argmax())
    at = ",".join(str(i) for i in coordinates(first, indices.shape))
    where = f"indices[{at}]" if at else "indices"
    return f"{where} = {int(flat[first])} is not in [0, {size})"


def coordinates(flat: int, shape: tuple[int, ...]) -> list[int]:
    """Return the coordinates of an element from its row-major index."""
    index: list[int] = []
    for n in reversed(shape):
        flat, rest = divmod(flat, n)
        index.insert(0, rest)
    return index


@op("GatherV2", traits=(KEEPS_FINITE, MOVES), ragged_scope="RaggedGather")
def gather_v2(xp, params, indices: Index, axis: Static, *, batch_dims=0):
    """Return the slices of `params` at `indices` along `axis`, after `batch_dims` batch axes."""
    at, batch = _axes(params.shape, indices.shape, axis, batch_dims)
    size = params.shape[at]
    xp.require(xp.all((indices >= 0) & (indices < size)), lambda: _bad_index(indices, size))
    if not params.size or not indices.size:
        # JAX misreads the shapes of empty arrays.
        rest = (*params.shape[:at], *indices.shape[batch:], *params.shape[at + 1 :])
        return xp.zeros(rest, params.dtype)
    if not batch:
        return xp.take(params, indices, axis=at, mode="clip")
    return _gather_batches(xp, params, xp.clip(indices, 0, max(size - 1, 0)), at, batch)


def _gather_batches(xp: ModuleType, params: Any, indices: Any, at: int, batch: int) -> Any:
    # One integer index per batch axis, broadcast against `indices`, picks within each batch.
    grids = [
        xp.arange(n).reshape(tuple(n if i == j else 1 for j in range(indices.ndim)))
        for i, n in enumerate(indices.shape[:batch])
    ]
    picked = xp.moveaxis(params, at, batch)[(*grids, indices)]
    # Axes of `params` between the batch and `axis` precede the gathered ones.
    middle = range(indices.ndim, indices.ndim + at - batch)
    gathered = range(batch, indices.ndim)
    after = range(indices.ndim + at - batch, picked.ndim)
    return picked.transpose((*range(batch), *middle, *gathered, *after))


@gather_v2.kernel("numpy")
def _(xp, params, indices, axis, *, batch_dims):
    at, batch = _axes(params.shape, indices.shape, axis, batch_dims)
    size = params.shape[at]
    # As unsigned, a negative index is too large as well.
    if indices.size and indices.view(f"u{indices.itemsize}").max() >= size:
        raise InvalidArgumentError(None, None, _bad_index(indices, size))
    if batch:
        return _gather_batches(xp, params, indices, at, batch)
    if params.dtype == object:
        return params[(slice(None),) * at + (indices, ...)]
    return params.take(indices, axis=at)


def _axes(dims: Any, index_dims: Any, axis: Any, batch_dims: int) -> tuple[int, int]:
    """Return the axis and the number of batch axes, counted from the front."""
    if axis.ndim:
        raise InferError("axis must be scalar")
    at, rank, batch = axis.item(), len(dims), batch_dims
    if not rank:
        raise InferError("params must be at least 1 dimensional")
    if not -rank <= at < rank:
        needed = at + 1 if at >= 0 else -at
        raise InferError(f"Shape must be at least rank {needed} but is rank {rank}")
    at %= rank
    if batch:
        if not -len(index_dims) <= batch <= len(index_dims):
            raise InferError(
                f"Expected batch_dims in the range [{-len(index_dims)}, {len(index_dims)}], but "
                f"got {batch}"
            )
        batch = batch + len(index_dims) if batch < 0 else batch
        if batch > at:
            raise InferError(
                f"gather: batch_dims ({batch}) must not exceed axis ({at}): the batch axes come "
                "before the gathered axis."
            )
        for i, (a, b) in enumerate(zip(dims[:batch], index_dims[:batch], strict=True)):
            if a is not None and b is not None and a != b:
                raise InferError(
                    f"params.shape[{i}]: {a} should be equal to indices.shape[{i}]: {b}"
                )
    return at, batch


@gather_v2.infer
def _(params, indices, axis, *, batch_dims):
    if params.shape is None or indices.shape is None:
        return Spec(None, params.dtype)
    if axis.value is None:
        batch = batch_dims + len(indices.shape) if batch_dims < 0 else batch_dims
        return Spec((None,) * (len(params.shape) - 1 + len(indices.shape) - batch), params.dtype)
    at, batch = _axes(params.shape, indices.shape, axis.value, batch_dims)
    shape = (*params.shape[:at], *indices.shape[batch:], *params.shape[at + 1 :])
    return Spec(shape, params.dtype)


# -- the gradient -----------------------------------------------------------------------------


@gather_v2.gradient
def _(dz, *, shape_of_params, indices, axis, batch_dims):
    static_axis = axis.static_value
    if batch_dims == 0 and static_axis is not None and static_axis == 0:
        row_shape = _sizes(shape_of_params, 1, None)
        rows = reshape(dz, concat_v2([static_ints((-1,)), row_shape], scalar_int(0)))
        return (
            IndexedSlices(rows, reshape(indices, static_ints((-1,))), shape_of_params),
            None,
            None,
        )
    return _add_back(dz, shape_of_params, indices, axis, batch_dims), None, None


@gather_v2.batch
def _(batch: Batch, params: Any, indices: Any, axis: Any, *, batch_dims: Any) -> Any:
    after = batch.axis(axis, len(params.static_shape))
    if after is None:
        return NotImplemented
    within = batch_dims % max(len(indices.static_shape), 1) if batch_dims < 0 else batch_dims
    if not within and not batch.has(indices):
        return batch.op(batch.values(params), indices, after, batch_dims=0)
    if not within and not batch.has(params):
        # The axes of the indices, including the batch, are where `axis` was.
        gathered = batch.op(params, batch.values(indices), axis)
        return batch.move_axis(gathered, int(after.static_value) - 1, 0)
    return batch.op(batch.values(params), batch.values(indices), after, batch_dims=within + 1)


def _add_back(dz: Any, params_shape: Any, indices: Any, axis: Any, batch: int) -> Any:
    """Accumulate `dz` where it was gathered from. Ranks and axes may be ints or scalar tensors."""
    params_rank = _static_or_computed(params_shape.static_shape[0], size, params_shape)
    index_rank = _static_or_computed(
        None if indices.static_shape is None else len(indices.static_shape), rank, indices
    )
    at = _axis_from_front(axis, params_rank)
    batch = batch + index_rank if batch < 0 else batch
    gathered_end = at + index_rank - batch
    order = _order((0, batch), (at, gathered_end), (batch, at), (gathered_end, _rank_of(dz)))
    count = _sizes(params_shape, at, at + 1)
    ids, segments = _segment_ids(indices, reshape(count, static_ints(())), batch)
    total = unsorted_segment_sum(transpose(dz, order), ids, segments)
    moved_shape = [
        _sizes(params_shape, 0, batch),
        count,
        _sizes(params_shape, batch, at),
        _sizes(params_shape, at + 1, None),
    ]
    total = reshape(total, concat_v2(moved_shape, scalar_int(0)))
    back = _order((0, batch), (batch + 1, at + 1), (batch, batch + 1), (at + 1, params_rank))
    return transpose(total, back)


def _segment_ids(indices: Any, count: Any, batch: Any) -> tuple[Any, Any]:
    """Return indices made unique across batches, and their upper bound."""
    if isinstance(batch, int) and batch == 0:
        return indices, count
    sizes = shape_of(indices)
    batches = _product(_sizes(sizes, 0, batch))
    rows = reshape(indices, pack([batches, _product(_sizes(sizes, batch, None))]))
    first = mul(range_(scalar_int(0), batches, scalar_int(1)), count)
    ids = add_v2(rows, cast(reshape(first, static_ints((-1, 1))), DstT=indices.dtype))
    return reshape(ids, sizes), mul(batches, count)


def _product(sizes: Any) -> Any:
    static_sizes = sizes.static_value
    if static_sizes is None:
        return prod(sizes, static_ints((0,)))
    return scalar_int(math.prod(static_sizes.tolist()))


def _static_or_computed(value: Any, compute: Any, tensor: Any) -> Any:
    return compute(tensor) if value is None else value


def _rank_of(tensor: Any) -> Any:
    return rank(tensor) if tensor.static_shape is None else len(tensor.static_shape)


def _axis_from_front(axis: Any, rank: Any) -> Any:
    static_axis = axis.static_value
    if static_axis is not None:
        return int(static_axis) + rank if static_axis < 0 else int(static_axis)
    axis = cast(axis, DstT="int32")
    return add_v2(axis, mul(cast(less(axis, 0), DstT="int32"), rank))


def _order(*spans: tuple[Any, Any]) -> Any:
    """Return the axes in these spans, concatenated."""
    if all(isinstance(end, int) for span in spans for end in span):
        return static_ints(tuple(chain.from_iterable(range(*span) for span in spans)))
    return concat_v2([range_(a, b, scalar_int(1)) for a, b in spans], scalar_int(0))


def _sizes(shape: Any, start: Any, stop: Any) -> Any:
    """Return a part of a shape."""
    static_shape = shape.static_value
    if (
        static_shape is not None
        and isinstance(start, int)
        and (stop is None or isinstance(stop, int))
    ):
        return static_ints(tuple(static_shape[start:stop].tolist()))
    return strided_slice(
        shape,
        pack([start]),
        pack([0 if stop is None else stop]),
        static_ints((1,)),
        end_mask=1 if stop is None else 0,
    )
