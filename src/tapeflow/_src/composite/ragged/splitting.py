"""Ragged tensors sorted into parts by number."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged.checks import require_equal
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.indexing import take
from tapeflow._src.composite.ragged.joining import with_levels
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.dynamic_stitch import dynamic_partition
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.shape import reshape, static_ints
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar


@implements(dynamic_partition)
def _(op: Op, data: Any, partitions: Any, *, num_partitions: int) -> Any:
    data, partitions = without_common_axes(data, partitions)
    return tuple(
        take(data, reshape(where(equal(partitions, scalar(part, partitions))), static_ints((-1,))))
        for part in range(num_partitions)
    )


def without_common_axes(data: Any, partitions: Any) -> tuple[Any, Any]:
    """Flatten the axes of `partitions`, which must be axes of `data` too, into one in both."""
    if not is_ragged(partitions):
        partitions = dispatch.convert(partitions, None, dtypes.int32)
    rank = partitions.shape.rank
    if rank is None:
        raise ValueError("partitions must have known rank.")
    if rank < 2:
        return data, partitions
    kind = next(v._row_partition.dtype for v in (data, partitions) if is_ragged(v))
    data = with_levels(data, rank - 1, kind)
    partitions = with_levels(partitions, rank - 1, kind)
    for _ in range(rank - 1):
        rows, other_rows = data._row_partition, partitions._row_partition
        if not rows._same_as(other_rows):
            text = "data and partitions must have the same row lengths"
            require_equal(rows.row_splits(), other_rows.row_splits(), text)
        data, partitions = data.values, partitions.values
    return data, partitions
