"""`tf.ragged`: tensors with rows of different lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.core.dtypes import as_dtype
from tapeflow.ops.ragged_tensor import RaggedTensor


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Nested Python lists as a ragged tensor; a plain tensor if they are not nested."""
    if inner_shape is not None and ragged_rank is None:
        ragged_rank = max(0, _depth(pylist) - len(inner_shape) - 1)
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        if ragged_rank or inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank > 0")
        return dispatch.convert(pylist, dtype)
    depth = _depth(pylist)
    levels = max(0, depth - 1) if ragged_rank is None else ragged_rank
    if levels > max(0, depth - 1):
        raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
    kind = as_dtype(row_splits_dtype)
    splits = []
    rows: Any = list(pylist)
    for _ in range(levels):
        lengths = [len(row) for row in rows]
        splits.append(np.cumsum([0, *lengths]).astype(kind.np))
        rows = [item for row in rows for item in row]
    values = dispatch.convert(rows, dtype)
    return RaggedTensor.from_nested_row_splits(values, splits) if splits else values


def _depth(value: Any) -> int:
    """How deeply `value` is nested; every scalar must be equally deep."""
    if isinstance(value, np.ndarray):
        return value.ndim
    if not isinstance(value, (list, tuple)):
        return 0
    depths = {_depth(item) for item in value if not _is_empty(item)}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    empty = max((_depth(item) for item in value if _is_empty(item)), default=0)
    return 1 + max(depths | {empty})


def _is_empty(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(_is_empty(item) for item in value)
