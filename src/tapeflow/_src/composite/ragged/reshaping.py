"""Insertion and removal of axes of size 1 of ragged tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.checks import every, require
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core.registry import Op
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.shape import expand_dims, scalar_int, squeeze
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar


def with_axis(rows: Any, axis: int) -> Any:
    """Insert an axis of size 1 at a non-negative position."""
    if not is_ragged(rows):
        return expand_dims(rows, scalar_int(axis))
    partition = rows._row_partition
    count = partition.nrows()
    one = scalar(1, count)
    if axis == 0:
        return rows._like(rows, RowPartition.from_uniform_row_length(count, count, one))
    if axis == 1:
        return rows._like(rows, RowPartition.from_uniform_row_length(one, count, count))
    return rows._like(with_axis(rows.values, axis - 1), partition)


@implements(expand_dims)
def _(op: Op, rows: Any, axis: Any) -> Any:
    if isinstance(axis, Tensor) and axis.static_value is not None:
        axis = int(axis.static_value)
    rank = rows.shape.rank
    return with_axis(rows, positive_axis(axis, None if rank is None else rank + 1))


@implements(squeeze)
def _(op: Op, rows: Any, *, axis: Any) -> Any:
    if not axis:
        raise ValueError(
            "squeeze of a ragged tensor needs `axis`: which sizes are 1 is not known from its "
            "shape."
        )
    axes_to_remove = {positive_axis(each, rows.shape.rank) for each in axis}
    for axis_index in sorted(axes_to_remove, reverse=True):
        rows = without_axis(rows, axis_index)
    return rows


def without_axis(rows: Any, axis: int) -> Any:
    """Remove an axis that must have size 1."""
    if not is_ragged(rows):
        return squeeze(rows, axis=(axis,))
    partition = rows._row_partition
    if axis > 1:
        return rows._like(without_axis(rows.values, axis - 1), partition)
    if axis == 0:
        text = "squeeze: the first axis must have size 1"
        require(equal(partition.nrows(), scalar(1, partition.nrows())), text, partition.nrows())
    else:
        lengths = partition.row_lengths()
        text = "squeeze: every row must have length 1"
        require(every(equal(lengths, scalar(1, lengths))), text, lengths)
    return rows.values
