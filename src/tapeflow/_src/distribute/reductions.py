"""How values of replicas are combined: sums, means and concatenations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor
from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.arrays.slicing import gather
from tapeflow._src.api.math.arithmetic import add_n
from tapeflow._src.api.math.reduction import reduce_prod, reduce_sum
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core.dtypes import float32, float64, int32
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
    """Return the sum or the mean of all elements along an axis or axes, over all replicas."""
    tensors = [_as_tensor(value) for value in values]
    total = add_n([reduce_sum(tensor, axis=axis) for tensor in tensors])
    if op is ReduceOp.SUM:
        return total
    return mean_of(total, add_n([length_along(tensor, axis) for tensor in tensors]))


def mean_of(total: Any, count: Any) -> Any:
    """Return a sum divided by the number of its elements; those of integers are fractions."""
    dtype = total.dtype
    if not dtype.is_floating and not dtype.is_complex:
        # As in `tf.truediv`.
        dtype = float64 if dtype.size > 2 else float32
    return cast(total, DstT=dtype) / cast(count, DstT=dtype)


def length_along(value: Any, axis: Any) -> Any:
    """Return the number of elements along an axis or axes."""
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if not isinstance(value, RaggedTensor):
        return reduce_prod(gather(shape_of(value), axes))
    if axes != [0]:
        raise ValueError(
            f"The mean of ragged values of replicas is defined along axis 0, whose length they "
            f"have. Received: axis={axis}"
        )
    return value.nrows(out_type=int32)


def gathered(values: Sequence[Any], axis: int) -> Any:
    """Return the values of all replicas, concatenated."""
    return concat([_as_tensor(value) for value in values], axis=axis)


def _as_tensor(value: Any) -> Any:
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)
