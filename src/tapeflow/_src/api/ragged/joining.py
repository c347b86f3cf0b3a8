"""Stack tensors of different shapes, and collect rows by partition."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.sorting import argsort
from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import every, require, require_not_negative
from tapeflow._src.composite.ragged.indexing import take
from tapeflow._src.composite.ragged.joining import stack as stack_values
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.splitting import without_common_axes
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert, operand
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import reshape, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.comparison import less


@scoped("RaggedConcat")
def stack(values: TensorLike, axis: int = 0, name: str | None = None) -> Any:
    """Stack tensors, possibly ragged, along a new axis.

    Args:
        values: A list of tensors of one rank and dtype; shapes may differ.
        axis: The position of the new axis.
        name: Name of the op in a graph.

    Returns:
        A `tf.RaggedTensor`, or a dense tensor for dense values along another axis than 0.

    Raises:
        ValueError: The list is empty.
        TypeError: `axis` is not an int.

    Example:

        >>> tf.ragged.stack([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
    """
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    if not listed:
        raise ValueError("rt_inputs may not be empty.")
    tensors = [operand(value) for value in listed]
    if not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if axis != 0 and not any(is_ragged(tensor) for tensor in tensors):
        return pack(tensors, axis=axis)
    return stack_values(tensors, axis)


@scoped("SegmentStack")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """Collect the elements of partition `i` of `data` in row `i`.

    Args:
        data: A dense or ragged tensor.
        partitions: The row of each element, in `[0, num_partitions)`.
        num_partitions: The number of rows.
        name: Name of the op in a graph.

    Returns:
        A `tf.RaggedTensor`.

    Raises:
        InvalidArgumentError: A partition is out of range.

    Example:

        >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [0, 2, 0], 3).to_list()
        [[b'a', b'c'], [], [b'b']]
    """
    data, partitions = operand(data), operand(partitions, None, dtypes.int64)
    partitions.shape.assert_is_compatible_with(data.shape[: partitions.shape.rank])
    if partitions.shape.rank == 0:
        data = reshape(data, static_ints((1, *data.shape)))
        partitions = reshape(partitions, static_ints((1,)))
    if is_ragged(data) or is_ragged(partitions):
        data, partitions = without_common_axes(data, partitions)
    elif partitions.shape.rank != 1:
        inner = data.shape[partitions.shape.rank :]
        data = reshape(data, static_ints((-1, *inner)))
        partitions = reshape(partitions, static_ints((-1,)))
    count = convert(num_partitions, None, partitions.dtype)
    limit = sizes.as_dtype_of(count, partitions.dtype)
    limit.shape.assert_has_rank(0)
    require_not_negative(partitions, "partitions must be non-negative")
    inside = less(partitions, limit)
    require(every(inside), "partitions must be less than num_partitions", partitions, limit)
    order = argsort(partitions, stable=True)
    numbers = take(partitions, order)
    if is_ragged(data):
        numbers = sizes.as_dtype_of(numbers, data.row_splits.dtype)
    return RaggedTensor.from_value_rowids(take(data, order), numbers, limit, validate=False)
