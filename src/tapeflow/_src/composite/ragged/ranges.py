"""`RaggedRange`: a row of evenly spaced numbers for each start and limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec

_KINDS = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bfloat16})


@op(
    "RaggedRange",
    outputs=("rt_nested_splits", "rt_dense_values"),
    dtypes=_KINDS,
    grad=None,
    host="data-dependent shape",
    checked=True,
)
def ragged_range(xp, starts, limits, deltas, *, Tsplits=dtypes.int64):
    """Return the numbers from `starts` up to but without `limits`, `deltas` apart, as rows."""
    xp.require(xp.all(deltas != 0), "Requires delta != 0")
    shapes = {array.shape for array in (starts, limits, deltas) if array.ndim}
    xp.require(len(shapes) <= 1, "starts, limits, and deltas must have the same shape")
    starts, limits, deltas = np.broadcast_arrays(
        *(np.atleast_1d(array) for array in (starts, limits, deltas))
    )
    lengths = _lengths(xp, starts, limits, deltas)
    splits = np.zeros(len(lengths) + 1, as_dtype(Tsplits).np)
    np.cumsum(lengths, out=splits[1:])
    if starts.dtype.kind not in "iu":
        rows = map(_added_up, starts, deltas, lengths)
        return splits, np.concatenate([*rows, np.zeros(0, starts.dtype)])
    offsets = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    steps = offsets.astype(starts.dtype) * np.repeat(deltas, lengths)
    return splits, np.repeat(starts, lengths) + steps


def _added_up(start: Any, delta: Any, length: int) -> Any:
    """Return a row of numbers each of which is the one before and `delta`, rounded as they are
    added.
    """
    row = np.full(length, delta)
    row[:1] = start
    return np.cumsum(row, dtype=row.dtype)


def _lengths(xp: Any, starts: Any, limits: Any, deltas: Any) -> Any:
    """Return how many numbers there are in each row."""
    if starts.dtype.kind in "iu":
        gaps = limits.astype(np.int64) - starts
        counts = -(-gaps // deltas.astype(np.int64))
    else:
        gaps = np.ceil((limits - starts) / deltas)
        xp.require(np.all(gaps < 2.0**63), f"Requires ((limit - start) / delta) <= {2**63 - 1}")
        counts = gaps.astype(np.int64)
    return np.maximum(counts, 0)


@ragged_range.infer
def _(starts, limits, deltas, *, Tsplits):
    rows: int | None = 1
    is_static = False
    for name, spec in (("starts", starts), ("limits", limits), ("deltas", deltas)):
        if spec.shape is None or spec.shape == (None,):
            rows = rows if is_static else None
            continue
        if spec.shape == ():
            continue
        require_rank(spec, 1, name)
        if is_static and rows not in (None, spec.shape[0]):
            raise InferError("starts, limits, and deltas must have the same shape")
        rows, is_static = spec.shape[0], True
    splits = None if rows is None else rows + 1
    return Spec((splits,), as_dtype(Tsplits)), Spec((None,), starts.dtype)
