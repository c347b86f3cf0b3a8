"""Merge adjacent axes of a ragged tensor."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import mul


def merge_dims(rows: Any, outer: int, inner: int) -> Any:
    """Merge the axes from `outer` to `inner` of `rows`, ragged or not."""
    if outer == inner:
        return rows
    if not is_ragged(rows):
        return _merge_dense(rows, outer, inner)
    if outer > 1:
        return rows._like(merge_dims(rows.values, outer - 1, inner - 1), rows._row_partition)
    if outer == 0:
        for _ in range(inner):
            rows = rows.values if is_ragged(rows) else _merge_dense(rows, 0, 1)
        return rows
    splits, length = rows._row_partition.row_splits(), rows._row_partition.static_uniform_row_length
    values = rows.values
    for _ in range(inner - outer):
        if is_ragged(values):
            splits = gather_v2(values._row_partition.row_splits(), splits, scalar_int(0))
            each = values._row_partition.static_uniform_row_length
            values = values.values
        else:
            size = get_item(shape(values, out_type=splits.dtype), 1)
            splits = mul(splits, size)
            each = None if size.static_value is None else int(size.static_value)
            values = _merge_dense(values, 0, 1)
        length = None if length is None or each is None else length * each
    partition = RowPartition(splits, internal=True)
    return rows._like(values, partition if length is None else partition._with_length(length))


def _merge_dense(tensor: Any, outer: int, inner: int) -> Any:
    dims = tensor.static_shape
    if (
        dims is not None
        and sum(d is None for i, d in enumerate(dims) if not outer <= i <= inner) == 0
    ):
        return reshape(tensor, static_ints((*dims[:outer], -1, *dims[inner + 1 :])))
    sizes = shape(tensor)
    before, after = get_item(sizes, slice(None, outer)), get_item(sizes, slice(inner + 1, None))
    return reshape(tensor, concat_v2([before, static_ints((-1,)), after], scalar_int(0)))
