"""Sums and means of segments of gathered rows."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.sparse import segment as ops


def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sum the rows of `data` at `indices`, per segment."""
    kinds = ops.sparse_segment_sum, ops.sparse_segment_sum_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Compute the mean of the rows of `data` at `indices`, per segment."""
    kinds = ops.sparse_segment_mean, ops.sparse_segment_mean_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Add up rows of `data` by segment, divided by the root of the segment's size."""
    kinds = ops.sparse_segment_sqrt_n, ops.sparse_segment_sqrt_n_with_num_segments
    return _reduce(kinds, data, indices, segment_ids, num_segments, name, sparse_gradient)


def _reduce(
    kinds: tuple[Any, Any],
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any,
    name: str | None,
    sparse_gradient: bool,
) -> Any:
    plain, counted = kinds
    attrs = {"sparse_gradient": bool(sparse_gradient), "name": name}
    if num_segments is None:
        return plain(data, indices, segment_ids, **attrs)
    return counted(data, indices, segment_ids, num_segments, **attrs)
