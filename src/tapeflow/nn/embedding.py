"""`tf.nn`: looking rows up in embedding tables."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.ops.array import (
    concat_v2,
    expand_dims,
    ones_like,
    reshape,
    scalar_int,
    static_ints,
    sum_,
)
from tapeflow.ops.cast import cast
from tapeflow.ops.elementwise import scalar, sqrt, square
from tapeflow.ops.extremes import maximum
from tapeflow.ops.gather import gather_v2
from tapeflow.ops.segment import segment_sum
from tapeflow.ops.sparse_tensor import SparseTensor


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows `ids` of `params`, a table or a list of tables split by rows, cut to `max_norm`."""
    tables = list(params) if isinstance(params, (list, tuple)) else [params]
    if not tables:
        raise ValueError("Argument `params` must not be empty.")
    ids = dispatch.convert(ids)
    rows = _rows(tables, ids)
    if max_norm is None:
        return rows
    axes = static_ints(tuple(range(len(ids.shape), len(rows.shape))))
    length = sqrt(sum_(square(rows), axes, keep_dims=True))
    limit = dispatch.convert(max_norm, rows.dtype)
    return rows * limit / maximum(length, limit)


def _rows(tables: list[Any], ids: Any) -> Any:
    if len(tables) == 1:
        table = tables[0]
        if hasattr(table, "sparse_read"):
            return table.sparse_read(ids)
        return gather_v2(table, ids, scalar_int(0))
    # Id `i` is row `i // n` of table `i % n`: interleaved, the tables are one.
    parts = [dispatch.convert(t) for t in tables]
    count = len(parts)
    longest = max(p.shape[0] for p in parts)
    sizes = {p.shape[0] for p in parts}
    if sizes == {longest}:
        rest = parts[0]._dims[1:]
        stacked = concat_v2([expand_dims(p, scalar_int(1)) for p in parts], scalar_int(1))
        return gather_v2(
            reshape(stacked, static_ints((longest * count, *rest))), ids, scalar_int(0)
        )
    starts = [sum(p.shape[0] for p in parts[:i]) for i in range(count)]
    n = scalar(count, ids)
    offsets = gather_v2(dispatch.convert(starts, ids.dtype), ids % n, scalar_int(0))
    return gather_v2(concat_v2(parts, scalar_int(0)), ids // n + offsets, scalar_int(0))


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Rows of embeddings combined for each row of a sparse matrix of ids, weighted if asked for."""
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be a SparseTensor, got {type(sp_ids).__name__}.")
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError(f"sp_weights must be a SparseTensor or None, got {type(sp_weights)}.")
    segments = cast(sp_ids.indices[:, 0], DstT=dtypes.int32)
    rows = embedding_lookup(params, sp_ids.values, max_norm=max_norm)
    weights = ones_like(rows[..., 0]) if sp_weights is None else sp_weights.values
    weights = cast(weights, DstT=rows.dtype)
    spread = reshape(weights, static_ints((-1, *[1] * (len(rows.shape) - 1))))
    total = segment_sum(rows * spread, segments)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return total / segment_sum(spread, segments)
    return total / sqrt(segment_sum(square(spread), segments))
