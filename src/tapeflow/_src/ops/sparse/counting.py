"""How often each number occurs, as sparse tensors: only numbers that do take up room."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import Free, Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.sparse.parts import HOST, check_parts, distinct, known_dims

_COUNTED = ("output_indices", "output_values", "output_dense_shape")
_WEIGHTS = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})


def _counted(
    rows: Any, row_count: int | None, values: Any, weights: Any, limits: tuple[int, int, bool]
) -> tuple[Any, Any, Any]:
    """Count the values of each row, as a sparse tensor; all values if `rows` is None."""
    least, most, binary = limits
    # A longest result is how long the result is: numbers beyond it are left out.
    length = most if most >= 0 else max(int(values.max(initial=0)) + 1, least)
    inside = values < length
    coordinates = values[:, None] if rows is None else np.stack([rows, values], axis=1)
    unique_rows, which = distinct(coordinates[inside].astype(np.int64))
    if binary:
        totals = np.ones(len(unique_rows), weights.dtype)
    elif weights.size:
        totals = np.zeros(len(unique_rows), weights.dtype)
        np.add.at(totals, which, weights.reshape(-1)[inside])
    else:
        totals = np.bincount(which, minlength=len(unique_rows)).astype(weights.dtype)
    dims = [length] if rows is None else [row_count, length]
    return unique_rows, totals, np.array(dims, np.int64)


def _require_counts(
    xp: ModuleType, values: Any, weights: Any, weights_shape: tuple[int, ...]
) -> None:
    xp.require(not (values < 0).any(), "Input values must all be non-negative")
    xp.require(
        not weights.size or weights.shape == weights_shape,
        lambda: (
            f"weights must be empty or have the shape of the values, {fmt_shape(weights_shape)}; "
            f"received shape {fmt_shape(weights.shape)}"
        ),
    )


def _infer_counted(values: Spec, weights: Spec, rank: int | None) -> tuple[Spec, Spec, Spec]:
    if values.dtype not in dtypes.INDEX:
        raise InferError(f"values must be int32 or int64, got {values.dtype.name}")
    if weights.dtype not in _WEIGHTS:
        raise InferError(
            f"weights must be one of {', '.join(sorted(d.name for d in _WEIGHTS))}, got "
            f"{weights.dtype.name}"
        )
    return (
        Spec((None, rank), dtypes.int64),
        Spec((None,), weights.dtype),
        Spec((rank,), dtypes.int64),
    )


@op("DenseCountSparseOutput", grad=None, host=HOST, checked=True, outputs=_COUNTED)
def dense_count_sparse_output(
    xp, values: Index, weights: Free, *, minlength=-1, maxlength=-1, binary_output
):
    """Count each number in a vector, or in each row of a matrix."""
    _require_counts(xp, values, weights, values.shape)
    rows, count = None, None
    if values.ndim == 2:
        count = values.shape[0]
        rows = np.repeat(np.arange(count), values.shape[1])
    limits = (minlength, maxlength, binary_output)
    return _counted(rows, count, values.reshape(-1), weights, limits)


@dense_count_sparse_output.infer
def _(values, weights, *, minlength, maxlength, binary_output):
    if values.shape is not None and len(values.shape) not in (1, 2):
        raise InferError(
            f"Input must be a 1 or 2-dimensional tensor. Got: {fmt_shape(values.shape)}"
        )
    return _infer_counted(values, weights, values.rank)


@op("SparseCountSparseOutput", grad=None, host=HOST, checked=True, outputs=_COUNTED)
def sparse_count_sparse_output(
    xp,
    indices: Index,
    values: Index,
    dense_shape: Static,
    weights: Free,
    *,
    minlength=-1,
    maxlength=-1,
    binary_output,
):
    """Count each number in a sparse vector, or in each row of a sparse matrix."""
    _require_counts(xp, values, weights, values.shape)
    rows, count = (None, None) if len(dense_shape) == 1 else (indices[:, 0], int(dense_shape[0]))
    return _counted(rows, count, values, weights, (minlength, maxlength, binary_output))


@sparse_count_sparse_output.infer
def _(indices, values, dense_shape, weights, *, minlength, maxlength, binary_output):
    _, rank = check_parts(indices, values, dense_shape)
    if rank not in (None, 1, 2):
        raise InferError(f"Input must be a 1 or 2-dimensional sparse tensor. Got: {rank} axes")
    return _infer_counted(values, weights, rank)


@op("RaggedCountSparseOutput", grad=None, host=HOST, checked=True, outputs=_COUNTED)
def ragged_count_sparse_output(
    xp, splits: Index, values: Index, weights: Free, *, minlength=-1, maxlength=-1, binary_output
):
    """Count each number in each row of a ragged matrix."""
    xp.require(splits.size and splits[0] == 0, "Splits must start with 0")
    xp.require(splits[-1] == len(values), "Splits must end with the number of values")
    _require_counts(xp, values, weights, values.shape)
    count = len(splits) - 1
    rows = np.repeat(np.arange(count), np.diff(splits))
    return _counted(rows, count, values, weights, (minlength, maxlength, binary_output))


@ragged_count_sparse_output.infer
def _(splits, values, weights, *, minlength, maxlength, binary_output):
    require_rank(splits, 1, "splits")
    require_rank(values, 1, "values")
    return _infer_counted(values, weights, 2)


# -- in dense tensors --------------------------------------------------------------------------


@op("SparseBincount", grad=None, checked=True)
def sparse_bincount(
    xp,
    indices: Index,
    values: Index,
    dense_shape: Static,
    size: Static,
    weights: Free,
    *,
    binary_output=False,
):
    """Count each number below `size`, in a sparse vector or each row of a matrix."""
    xp.require(xp.all(values >= 0), "Input must be non-negative")
    bins, by_row = int(size), len(dense_shape) == 2
    rows = indices[:, 0] if by_row else xp.zeros(values.shape, indices.dtype)
    count = int(dense_shape[0]) if by_row else 1
    cells = xp.where(values < bins, rows * bins + values, -1)
    weighted = weights if weights.shape[0] else xp.ones(values.shape, weights.dtype)
    if binary_output:
        hits = xp.groups.segment_count(cells, count * bins)
        totals = (hits > 0).astype(weights.dtype)
    else:
        totals = xp.groups.segment_reduce("add", weighted, cells, count * bins, 0)
    return totals.reshape((count, bins) if by_row else (bins,))


@sparse_bincount.infer
def _(indices, values, dense_shape, size, weights, *, binary_output):
    _, rank = check_parts(indices, values, dense_shape)
    if rank not in (None, 1, 2):
        raise InferError(f"Input must be a 1 or 2-dimensional sparse tensor. Got: {rank} axes")
    require_rank(size, 0, "size")
    _infer_counted(values, weights, rank)
    bins = None if size.value is None else int(size.value)
    if bins is not None and bins < 0:
        raise InferError(f"size ({bins}) must be non-negative")
    if rank is None:
        return Spec(None, weights.dtype)
    rows = known_dims(dense_shape)
    return Spec((bins,) if rank == 1 else (rows[0] if rows else None, bins), weights.dtype)
