"""How values of replicas are combined: sums, means and concatenations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.math.arithmetic import add_n
from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core.dtypes import float64
from tapeflow._src.distribute.values import ReduceOp
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.cast import cast


def combine(op: ReduceOp, values: Sequence[Any]) -> Any:
    """Return the sum or the mean of tensors, or of `tf.IndexedSlices`, one per replica."""
    if isinstance(values[0], IndexedSlices):
        total: Any = IndexedSlices(
            concat([part.values for part in values], axis=0),
            concat([part.indices for part in values], axis=0),
            values[0].dense_shape,
        )
        if op is ReduceOp.SUM:
            return total
        return IndexedSlices(_divided(total.values, len(values)), total.indices, total.dense_shape)
    tensors = [convert_to_tensor(value) for value in values]
    total = add_n(tensors)
    return total if op is ReduceOp.SUM else _divided(total, len(values))


def _divided(total: Any, count: int) -> Any:
    return total / cast(convert_to_tensor(count), DstT=total.dtype)


def combine_along(op: ReduceOp, values: Sequence[Any], axis: Any) -> Any:
    """Return the sum or the mean of all elements along an axis, over all replicas."""
    tensors = [convert_to_tensor(value) for value in values]
    total = add_n([reduce_sum(tensor, axis=axis) for tensor in tensors])
    if op is ReduceOp.SUM:
        return total
    dtype = total.dtype if total.dtype.is_floating or total.dtype.is_complex else float64
    counts = [reduce_sum(shape_of(tensor)[axis]) for tensor in tensors]
    return cast(total, DstT=dtype) / cast(add_n(counts), DstT=dtype)


def gathered(values: Sequence[Any], axis: int) -> Any:
    """Return the values of all replicas, concatenated."""
    return concat([convert_to_tensor(value) for value in values], axis=axis)
