"""Elements of ragged tensors, and by ragged indices: by number, by coordinates and by a mask."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.checks import every, require, require_equal
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.indexing import take
from tapeflow._src.composite.ragged.joining import tile_rows, with_levels
from tapeflow._src.composite.ragged.kinds import as_values, is_ragged
from tapeflow._src.composite.ragged.reshaping import with_axis, without_axis
from tapeflow._src.composite.ragged.sparse import ragged_tensor_to_sparse
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.filling import one_hot
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.masking import boolean_mask as dense_mask
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater_equal, less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum
from tapeflow._src.ops.state.slices import resource_gather


@implements(gather_v2)
def _(op: Op, params: Any, indices: Any, axis: Any, *, batch_dims: int = 0) -> Any:
    params = as_values(params)
    indices = as_values(indices, None, dtypes.int32)
    if indices.dtype not in dtypes.INDEX:
        text = f"tf.gather: indices must be int32 or int64, got {indices.dtype!r}"
        raise InvalidArgumentError(None, None, text)
    at = positive_axis(axis, params.shape.rank)
    batch = batch_dims
    if batch < 0:
        batch = positive_axis(batch, indices.shape.rank, "batch_dims")
    if at < batch:
        raise ValueError(
            f"gather: axis ({at}) must not be below batch_dims ({batch}): the batch axes come "
            "first."
        )
    return gather(params, indices, at, batch)


@implements(resource_gather)
def _(op: Op, resource: Any, indices: Any, **attributes: Any) -> Any:
    return indices.with_flat_values(resource_gather(resource, indices.flat_values, **attributes))


def gather(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Gather slices of `params` along `axis` at `indices`, with `batch` batch axes."""
    if axis > batch:
        # The same indices for every element of the axes between.
        if batch == 0:
            return gather(params, _for_each(params, indices, axis), axis, axis)
        return gather(params, _for_each_in_rows(params, indices, batch), axis, batch + 1)
    if batch:
        return _within_batches(params, indices, batch)
    if is_ragged(indices):
        return indices.with_values(gather(params, indices.values, 0, 0))
    rank = indices.shape.rank
    if rank == 0:
        return params[indices]
    if not is_ragged(params):
        return gather_v2(params, indices, scalar_int(0))
    if rank == 1:
        return take(params, indices)
    kind = params._row_partition.dtype
    rows = with_levels(indices, rank - 1, kind)
    return rows.with_flat_values(take(params, rows.flat_values))


def _for_each_in_rows(params: Any, indices: Any, batch: int) -> Any:
    """Repeat `indices`, which share the first `batch` axes, along the axis after these."""
    kind = next((v._row_partition.dtype for v in (params, indices) if is_ragged(v)), dtypes.int64)
    params = with_levels(params, 1, kind)
    rows = params._row_partition
    if batch == 1:
        return params._like(gather(indices, rows.value_rowids(), 0, 0), rows)
    indices = with_levels(indices, 1, kind)
    return params._like(_for_each_in_rows(params.values, indices.values, batch - 1), rows)


def _for_each(params: Any, indices: Any, axis: int) -> Any:
    """Repeat `indices` along the axes of `params` before `axis`."""
    if axis > 1:
        params = with_levels(params, 1, dtypes.int64)
        return params._like(_for_each(params.values, indices, axis - 1), params._row_partition)
    if is_ragged(params):
        count = params._row_partition.nrows()
    else:
        count = sizes.count(params, dtypes.int64)
    ones = [sizes.vector(scalar(1, count))] * indices.shape.rank
    times = concat_v2([sizes.vector(count), *ones], scalar_int(0))
    return tile_rows(with_axis(indices, 0), times)


def _within_batches(params: Any, indices: Any, batch: int) -> Any:
    """Gather row by row of the first `batch` axes, which both share."""
    if not is_ragged(indices) and indices.shape.rank == batch:
        # One index for each row.
        return without_axis(gather(params, with_axis(indices, batch), batch, batch), batch)
    received = indices
    kind = next(v._row_partition.dtype for v in (params, indices) if is_ragged(v))
    params, indices = with_levels(params, 1, kind), with_levels(indices, 1, kind)
    outer, chosen = params._row_partition, indices._row_partition
    text = "tf.gather: params and indices must have the same batches"
    if batch == 1:
        require_equal(outer.nrows(), chosen.nrows(), text)
        values = _in_rows(params, indices)
    else:
        if not outer._same_as(chosen):
            require_equal(outer.row_splits(), chosen.row_splits(), text)
        values = _within_plain_batches(params.values, indices.values, batch - 1)
    if is_ragged(received) or is_ragged(values):
        return indices.with_values(values)
    return _in_shape(values, get_item(shape(received), slice(None, 2)))


def _in_shape(values: Any, outer: Any) -> Any:
    """Replace the first axis of `values` by the axes `outer`."""
    inner = get_item(shape(values), slice(1, None))
    return reshape(values, concat_v2([outer, inner], scalar_int(0)))


def _within_plain_batches(params: Any, indices: Any, batch: int) -> Any:
    if not is_ragged(params) and not is_ragged(indices):
        return gather_v2(params, indices, scalar_int(batch), batch_dims=batch)
    return _within_batches(params, indices, batch)


def _in_rows(params: Any, indices: Any) -> Any:
    """Gather values of the rows of `params` at the indices in the rows of `indices`."""
    values = indices.values
    flat = values.flat_values if is_ragged(values) else values
    ids = indices._row_partition.value_rowids()
    if is_ragged(values):
        for partition in values._nested_row_partitions:
            ids = gather_v2(ids, partition.value_rowids(), scalar_int(0))
    kind = params._row_partition.dtype
    rank = len(flat.shape)
    column = reshape(ids, static_ints((-1, *[1] * (rank - 1))))
    typed = sizes.as_dtype_of(flat, kind)
    starts = gather_v2(params._row_partition.row_starts(), column, scalar_int(0))
    lengths = gather_v2(params._row_partition.row_lengths(), column, scalar_int(0))
    inside = logical_and(greater_equal(typed, scalar(0, typed)), less(typed, lengths))
    inside = reshape(inside, static_ints((-1,)))
    require(every(inside), "tf.gather: indices must be within the rows of params", flat)
    positions = add_v2(starts, typed)
    at = values.with_flat_values(positions) if is_ragged(values) else positions
    return gather(params.values, at, 0, 0)


# -- by coordinates ---------------------------------------------------------------------------


@implements(gather_nd)
def _(op: Op, params: Any, indices: Any, *, bad_indices_policy: str = "") -> Any:
    params = as_values(params)
    indices = as_values(indices, None, dtypes.int32)
    if is_ragged(indices):
        if indices.shape.rank == indices.ragged_rank + 1:
            indices = _with_dense_coordinates(indices)
        return _gather_nd_ragged(params, indices)
    return _gather_nd(params, indices)


def _with_dense_coordinates(indices: Any) -> Any:
    """Convert uniform innermost rows of coordinates to a dense axis."""
    length = indices.shape[-1]
    if length is None:
        raise ValueError(
            "gather_nd: the last axis of `indices` must have one known size (not be ragged), "
            f"received shape {indices.shape}."
        )
    if indices.ragged_rank == 1:
        return reshape(indices.values, static_ints((-1, length)))
    return indices.with_values(_with_dense_coordinates(indices.values))


def _gather_nd_ragged(params: Any, indices: Any) -> Any:
    if not is_ragged(indices):
        return _gather_nd(params, indices)
    return indices.with_values(_gather_nd_ragged(params, indices.values))


def _gather_nd(params: Any, indices: Any) -> Any:
    """Return `params[indices[..., :]]` for coordinates in the last axis of a tensor."""
    if not is_ragged(params):
        return gather_nd(params, indices)
    if indices.shape.rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    depth = indices.shape[-1]
    if depth is None:
        raise ValueError("indices.shape[-1] must be statically known.")
    rank = indices.shape.rank
    if rank > 2:
        kind = params._row_partition.dtype
        rows = with_levels(indices, rank - 2, kind)
        gathered = _gather_nd(params, rows.flat_values)
        if is_ragged(gathered):
            return rows.with_flat_values(gathered)
        return _in_shape(gathered, get_item(shape(indices), slice(None, -1)))
    if rank == 1:
        return _gather_nd(params, with_axis(indices, 0))[0]
    if depth == 0:
        count = sizes.count(indices, params._row_partition.dtype)
        repeated = with_axis(params, 0)
        ones = [sizes.vector(scalar(1, count))] * params.shape.rank
        return tile_rows(repeated, concat_v2([sizes.vector(count), *ones], scalar_int(0)))
    kind = params._row_partition.dtype
    columns = [sizes.as_dtype_of(get_item(indices, (slice(None), i)), kind) for i in range(depth)]
    positions, rest = columns[0], columns[1:]
    while rest and is_ragged(params):
        partition = params._row_partition
        starts = gather_v2(partition.row_starts(), positions, scalar_int(0))
        lengths = gather_v2(partition.row_lengths(), positions, scalar_int(0))
        inside = logical_and(greater_equal(rest[0], scalar(0, lengths)), less(rest[0], lengths))
        require(every(inside), "tf.gather_nd: indices must be within the rows of params", indices)
        positions, rest, params = add_v2(starts, rest[0]), rest[1:], params.values
    if not rest:
        return take(params, positions)
    at = concat_v2([reshape(c, static_ints((-1, 1))) for c in (positions, *rest)], scalar_int(1))
    return gather_nd(params, at)


@implements(where)
def _(op: Op, rows: Any) -> Any:
    indices, _, _ = ragged_tensor_to_sparse(list(rows.nested_row_splits), rows.flat_values)
    flat = reshape(rows.flat_values, static_ints((-1,)))
    return dense_mask(indices, flat if flat.dtype is dtypes.bool else flat != 0)


@implements(one_hot)
def _(op: Op, indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: int) -> Any:
    at = axis
    if axis != -1:
        rank = indices.shape.rank
        at = positive_axis(axis, None if rank is None else rank + 1)
        if at <= indices.ragged_rank:
            raise ValueError(
                f"axis ({at}) must be greater than indices.ragged_rank ({indices.ragged_rank})."
            )
        at -= indices.ragged_rank
    flat = one_hot(indices.flat_values, depth, on_value, off_value, axis=at)
    return indices.with_flat_values(flat)


# -- by a mask --------------------------------------------------------------------------------


def boolean_mask(data: Any, mask: Any) -> Any:
    """Return the elements of `data` where `mask` is true; both may be ragged."""
    depth = mask.shape.rank
    if depth is None:
        raise ValueError(
            "The rank of `mask` must be known; set it with mask.set_shape or tf.ensure_shape."
        )
    if depth == 0:
        raise ValueError("mask cannot be scalar.")
    data.shape[:depth].assert_is_compatible_with(mask.shape)
    if depth == 1:
        return _masked(data, mask)
    if not is_ragged(data) and not is_ragged(mask):
        kind = dtypes.int64
    else:
        kind = next(v._row_partition.dtype for v in (data, mask) if is_ragged(v))
    levels = max([depth - 1] + [v.ragged_rank for v in (data, mask) if is_ragged(v)])
    mask = with_levels(mask, min(levels, depth - 1), kind)
    data = with_levels(data, min(levels, data.shape.rank - 1), kind)
    return _masked_rows(data, mask)


def _masked_rows(data: Any, mask: Any) -> Any:
    rows, chosen = data._row_partition, mask._row_partition
    if not rows._same_as(chosen):
        text = "boolean_mask: data and mask must have the same rows"
        require_equal(rows.row_splits(), chosen.row_splits(), text)
    if is_ragged(mask.values):
        return data.with_values(_masked_rows(data.values, mask.values))
    mask_values = mask.values
    counted = cast(mask_values, DstT=rows.dtype)
    lengths = unsorted_segment_sum(counted, rows.value_rowids(), rows.nrows())
    return type(data).from_row_lengths(_masked(data.values, mask_values), lengths, validate=False)


@scoped("boolean_mask")
def _masked(values: Any, mask: Any) -> Any:
    """Return the values along the first axis where a boolean vector is true."""
    return take(values, cast(_true_positions(mask), DstT=dtypes.int64))


def _true_positions(mask: Any) -> Any:
    return reshape(where(mask), static_ints((-1,)))
