"""Rows partitioned into several tensors by number, and merged again."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import MANY_OUTPUTS, Index, InferError, Many, ManyIndex, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.gather import coordinates, gather_v2
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, size

_HOST = "data-dependent shape"


def _infer_stitch(op, specs, attrs):
    indices, data = specs
    if len(indices) != len(data) or not data:
        raise InferError(
            "dynamic_stitch needs one entry of data per entry of indices, and at least one; "
            f"received {len(indices)} indices and {len(data)} data"
        )
    rest: Any = None
    for k, (where, values) in enumerate(zip(indices, data, strict=True)):
        if where.shape is None or values.shape is None:
            continue
        count = len(where.shape)
        try:
            merge_shape(where.shape, values.shape[:count])
        except InferError:
            raise InferError(
                f"data[{k}].shape = {fmt_shape(values.shape)} does not start with "
                f"indices[{k}].shape = {fmt_shape(where.shape)}"
            ) from None
        try:
            rest = merge_shape(rest, values.shape[count:])
        except InferError:
            raise InferError(
                f"Need data[0].shape[{len(indices[0].shape)}:] = data[{k}].shape[{count}:], got "
                f"data[0].shape = {fmt_shape(data[0].shape)}, data[{k}].shape = "
                f"{fmt_shape(values.shape)}, indices[0].shape = {fmt_shape(indices[0].shape)}, "
                f"indices[{k}].shape = {fmt_shape(where.shape)}"
            ) from None
    return Spec(None if rest is None else (_row_count(indices), *rest), data[0].dtype)


def _row_count(indices: Any) -> int | None:
    if any(where.value is None for where in indices):
        return None
    return max((int(i.value.max()) + 1 for i in indices if i.value.size), default=0)


def _stitch(xp: ModuleType, indices: list[Any], data: list[Any]) -> Any:
    count = max((int(i.max()) + 1 for i in indices if i.size), default=0)
    rest = data[0].shape[indices[0].ndim :]
    blank = b"" if data[0].dtype == object else 0
    result = np.full((max(count, 0), *rest), blank, data[0].dtype)
    for k, (where, values) in enumerate(zip(indices, data, strict=True)):
        xp.require(not where.size or where.min() >= 0, f"indices[{k}] is out of range")
        result[where.reshape(-1)] = values.reshape(where.size, *rest)
    return result


@op("DynamicStitch", infer=_infer_stitch, host=_HOST, checked=True)
def dynamic_stitch(xp, indices: ManyIndex, data: Many):
    """Merge tensors so that `data[k][i]` is at index `indices[k][i]`; later ones win."""
    return _stitch(xp, indices, data)


@op("ParallelDynamicStitch", infer=_infer_stitch, host=_HOST, checked=True)
def parallel_dynamic_stitch(xp, indices: ManyIndex, data: Many):
    """Like `DynamicStitch`, where no index is repeated."""
    return _stitch(xp, indices, data)


def _stitch_gradient(dz, *, indices):
    return [None] * len(indices), [gather_v2(dz, where, scalar_int(0)) for where in indices]


dynamic_stitch.gradient(_stitch_gradient)
parallel_dynamic_stitch.gradient(_stitch_gradient)


@op("DynamicPartition", outputs=MANY_OUTPUTS, host=_HOST, checked=True)
def dynamic_partition(xp, data, partitions: Index, *, num_partitions):
    """Partition the rows of `data` into that many tensors by the numbers in `partitions`."""
    flat = partitions.reshape(-1)
    inside = (flat >= 0) & (flat < num_partitions)
    xp.require(inside.all(), lambda: _no_partition(partitions, inside, num_partitions))
    rows = data.reshape(flat.size, *data.shape[partitions.ndim :])
    return [rows[flat == number] for number in range(num_partitions)]


def _no_partition(partitions: Any, inside: Any, count: int) -> str:
    first = int(inside.argmin())
    at = ",".join(str(i) for i in coordinates(first, partitions.shape))
    where = f"partitions[{at}]" if at else "partitions"
    return f"{where} = {partitions.reshape(-1)[first]} is not in [0, {count})"


@dynamic_partition.infer
def _(data, partitions, *, num_partitions):
    if num_partitions < 1:
        raise InferError(
            f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1"
        )
    if data.shape is None or partitions.shape is None:
        return (Spec(None, data.dtype),) * num_partitions
    count = len(partitions.shape)
    try:
        merge_shape(partitions.shape, data.shape[:count])
    except InferError:
        raise InferError(
            f"dynamic_partition: the shape of data, {fmt_shape(data.shape)}, must begin with the "
            f"shape of partitions, {fmt_shape(partitions.shape)}"
        ) from None
    return (Spec((None, *data.shape[count:]), data.dtype),) * num_partitions


@dynamic_partition.gradient
def _(dzs, *, shape_of_data, partitions, num_partitions):
    every = range_(scalar_int(0), size(partitions), scalar_int(1))
    positions = dynamic_partition(
        reshape(every, shape_of(partitions)), partitions, num_partitions=num_partitions
    )
    return reshape(parallel_dynamic_stitch(list(positions), list(dzs)), shape_of_data), None
