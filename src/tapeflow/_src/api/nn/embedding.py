"""`tf.nn`: embedding lookup."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.clipping import clip_by_norm
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import INDEX
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    range_,
    reshape,
    scalar_int,
    shape_of,
    size,
    static_ints,
)
from tapeflow._src.ops.array.dynamic_stitch import dynamic_partition, parallel_dynamic_stitch
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import identity, rank
from tapeflow._src.ops.math.arithmetic import floor_div, floor_mod
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum


def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """Look up embeddings by id.

    Of a variable, only the rows that are looked up are read, and its gradient is
    `tf.IndexedSlices`.

    Args:
        params: A table, or a list of tables partitioned by rows into contiguous, nearly equal
            parts.
        ids: Integers of any shape, or ragged.
        max_norm: Clip embeddings to this L2 norm; not by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[*ids.shape, *params.shape[1:]]`; ragged for ragged ids.

    Raises:
        ValueError: `params` is None or empty.
        InvalidArgumentError: An id is out of range.

    Example:

        >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> tf.nn.embedding_lookup(table, [2, 0]).numpy().tolist()
        [[5.0, 6.0], [1.0, 2.0]]
    """
    if params is None:
        raise ValueError("embedding_lookup: params must be specified")
    tables = list(params) if isinstance(params, (list, tuple)) else [params]
    if not tables:
        raise ValueError(
            "embedding_lookup needs one table or more in `params`, received an empty list."
        )
    find = _lookup_ragged if isinstance(ids, RaggedTensor) else _lookup
    return find(tables, ids, max_norm, name)


@scoped("embedding_lookup_ragged")
def _lookup_ragged(tables: list[Any], ids: Any, max_norm: Any, name: str | None) -> Any:
    if ids.dtype not in INDEX:
        raise ValueError(
            f"tf.nn.embedding_lookup: ragged ids must be int32 or int64, got {ids.dtype!r}"
        )
    flat = _lookup(tables, ids.flat_values, max_norm, None)
    return RaggedTensor.from_nested_row_splits(flat, ids.nested_row_splits, validate=False)


@scoped("embedding_lookup", names_result=True)
def _lookup(tables: list[Any], ids: TensorLike, max_norm: Any, name: str | None) -> Any:
    ids = dispatch.convert(ids)
    if len(tables) > 1:
        return _clipped(_take_parts(tables, ids, name), ids, max_norm)
    rows = _clipped(_take(tables[0], ids, name), ids, max_norm)
    # In a graph the scope's name is that of the op which finds the rows, and not of the result.
    return rows if name is None else identity(rows)


def _clipped(rows: Any, ids: TensorLike, max_norm: Any) -> Any:
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, range_(rank(ids), rank(rows), scalar_int(1)))


def _take(table: Any, ids: TensorLike, name: str | None = None) -> Any:
    """Gather rows of one table; only these rows of a variable are read."""
    if hasattr(table, "sparse_read"):
        return table.sparse_read(ids, name=name)
    return gather_v2(table, ids, scalar_int(0), name=name)


def _take_parts(tables: list[Any], ids: TensorLike, name: str | None) -> Any:
    """Gather rows of a table partitioned into contiguous, nearly equal parts."""
    count = len(tables)
    tables = [t if hasattr(t, "sparse_read") else dispatch.convert(t) for t in tables]
    if any(t.shape.rank == 0 for t in tables):
        raise ValueError(
            f"embedding_lookup: each of `params` must be a table with rows. Received: shapes "
            f"{[tuple(t.shape) for t in tables]}"
        )
    each, longer = divmod(sum(t.shape[0] for t in tables), count)
    flat = reshape(ids, static_ints((-1,)))
    # The first `longer` parts have one row more than the others.
    wide, narrow, extra = scalar(each + 1, flat), scalar(max(each, 1), flat), scalar(longer, flat)
    part = maximum(floor_div(flat, wide), floor_div(flat - extra, narrow))
    local = select_v2(less(part, extra), floor_mod(flat, wide), floor_mod(flat - extra, narrow))
    part = cast(part, DstT="int32")
    local_ids = dynamic_partition(local, part, num_partitions=count)
    positions = dynamic_partition(_positions(flat), part, num_partitions=count)
    gathered = [_take(table, at) for table, at in zip(tables, local_ids, strict=True)]
    rows = parallel_dynamic_stitch(list(positions), gathered, name=name)
    return reshape(rows, concat_v2([shape_of(ids), shape_of(rows)[1:]], scalar_int(0)))


def _positions(vector: Any) -> Any:
    return range_(scalar_int(0), size(vector), scalar_int(1))
