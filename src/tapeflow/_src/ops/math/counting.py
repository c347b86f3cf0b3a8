"""Unique values, set differences, bin counts and histograms."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import INDEX, REAL, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype, merge_shape
from tapeflow._src.core.registry import Index, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import FOLDS_ON_HOST
from tapeflow._src.kernels.strings.encoding import MANY_STRINGS, group_strings
from tapeflow._src.ops.math.scan import as_type

_HOST = "data-dependent shape"
# Elements below which a dictionary groups them faster than arrays do.
_FEW = 64
_COMPARED = REAL | {dtypes.bool, dtypes.string}


def _refuse_gradient(of: Op) -> None:
    """Refuse: the results are elements of the inputs, but TF does not differentiate them either."""

    @of.gradient
    def _(*gradients):
        raise LookupError(
            f"No gradient defined for operation {of.name!r}. Wrap the call in tf.stop_gradient if "
            f"its result should be a constant, or gather the elements by the indices it gives."
        )


# -- unique ------------------------------------------------------------------------------------


def _group(xp: ModuleType, values: Any) -> tuple[Any, Any]:
    """Return the first index of each distinct value, in order, and the group of each element."""
    if values.dtype == object:
        grouped = group_strings(values) if len(values) >= MANY_STRINGS else None
        return _group_by_key(values.tolist()) if grouped is None else grouped
    if values.dtype == bool:
        values = values.view(np.uint8)
    if len(values) < _FEW and values.dtype.kind in "iuf":
        return _group_by_key(values.tolist())
    if values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < max(4 * len(values), 1024):
            # The difference of two int8 may not be one; that of two uint64 always is.
            wide = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
            return _group_by_table(wide - wide.dtype.type(low), high - low + 1)
    order = xp.groups.descending_order(values, len(values))
    ranked = values[order]
    starts = np.ones(len(values), bool)
    starts[1:] = ranked[1:] != ranked[:-1]
    # The order is stable, so that a group starts with its first occurrence.
    first = order[starts]
    by_occurrence = np.argsort(first)
    number = np.empty(len(first), np.intp)
    number[by_occurrence] = np.arange(len(first))
    which = np.empty(len(values), np.intp)
    which[order] = number[np.cumsum(starts) - 1]
    return first[by_occurrence], which


def _group_by_table(values: Any, count: int) -> tuple[Any, Any]:
    """Like `_group`, for non-negative integers below `count`, without sorting."""
    indices = values.astype(np.intp, copy=False)
    size = len(indices)
    first = np.full(count, size, np.intp)
    # The last of several assignments stays, which is the first occurrence if they go backwards.
    first[indices[::-1]] = np.arange(size - 1, -1, -1)
    present = np.flatnonzero(first < size)
    present = present[np.argsort(first[present])]
    number = np.empty(count, np.intp)
    number[present] = np.arange(len(present))
    return first[present], number[indices]


def _group_by_key(keys: list[Any]) -> tuple[Any, Any]:
    numbers: dict[Any, int] = {}
    first: list[int] = []
    which: list[int] = []
    for index, key in enumerate(keys):
        number = numbers.setdefault(key, len(first))
        if number == len(first):
            first.append(index)
        which.append(number)
    return np.array(first, np.intp), np.array(which, np.intp)


def _row_keys(rows: Any) -> list[Any]:
    """Return keys that are equal for equal rows; NaN equals nothing."""
    if rows.dtype == object:
        return [tuple(row) for row in rows]
    if rows.dtype.kind in "fV":
        rows = rows + rows.dtype.type(0)  # -0.0 equals 0.0
        odd = (rows != rows).any(axis=1).tolist()
        return [i if odd[i] else row.tobytes() for i, row in enumerate(rows)]
    return [row.tobytes() for row in rows]


def _unique(xp: ModuleType, x: Any, axis: Any, out_idx: Any, counted: bool) -> tuple[Any, ...]:
    """Return the distinct elements (or slices along `axis`), their indices, and maybe counts."""
    if axis.size:
        at = int(axis[0])
        count = x.shape[at]
        # The size of a row is passed: that of no rows cannot be inferred.
        rows = np.moveaxis(x, at, 0).reshape(count, x.size // count if count else 0)
        first, which = _group_by_key(_row_keys(rows))
        y = np.take(x, first, axis=at)
    else:
        first, which = _group(xp, x)
        y = x[first]
    dtype = as_dtype(out_idx).np
    if not counted:
        return y, which.astype(dtype)
    counts = np.bincount(which, minlength=len(first))
    return y, which.astype(dtype), counts.astype(dtype)


def _unique_packed(strings: Any, out_idx: Any) -> Any:
    """Like `_unique`, for a vector of packed strings; NotImplemented if some are too long."""
    grouped = group_strings(strings)
    if grouped is None:
        return NotImplemented
    first, which = grouped
    dtype = as_dtype(out_idx).np
    distinct = strings if len(first) == strings.size else strings[first]
    return distinct, which.astype(dtype)


def _infer_unique(x: Any, axis: Any, out_idx: Any) -> tuple[Spec, Spec, Spec]:
    dtype = allowed_dtype("out_idx", out_idx, INDEX)
    if axis.shape is not None and len(axis.shape) != 1:
        raise InferError("axis expects a 1D vector.")
    if axis.value is None or x.shape is None:
        return (
            Spec(x.shape and (None,) * len(x.shape), x.dtype),
            Spec((None,), dtype),
            Spec((None,), dtype),
        )
    if axis.value.size > 1:
        raise InferError("axis does not support input tensors larger than 1 elements")
    rank = len(x.shape)
    if not axis.value.size and rank != 1:
        raise InferError("unique expects a 1D vector.")
    at = int(axis.value[0]) if axis.value.size else 0
    if not -rank <= at < rank:
        raise InferError(f"axis has to be between [0, {rank})")
    at %= rank
    y = Spec((*x.shape[:at], None, *x.shape[at + 1 :]), x.dtype)
    return y, Spec((x.shape[at],), dtype), Spec((None,), dtype)


_NO_AXIS = np.array([], np.int32)
_NO_AXIS_SPEC = Spec((0,), dtypes.int32, _NO_AXIS)


@op(
    "Unique",
    dtypes=_COMPARED,
    outputs=("y", "idx"),
    host=_HOST,
    checked=True,
    traits=(FOLDS_ON_HOST,),
)
def unique(xp, x, *, out_idx=dtypes.int32):
    """Compute the distinct elements of a vector in order of occurrence, and the index of each
    element.
    """
    return _unique(xp, x, _NO_AXIS, out_idx, counted=False)


@unique.kernel("packed")
def _(xp, x, *, out_idx):
    return _unique_packed(x, out_idx)


@unique.infer
def _(x, *, out_idx):
    return _infer_unique(x, _NO_AXIS_SPEC, out_idx)[:2]


@op(
    "UniqueV2",
    dtypes=_COMPARED,
    outputs=("y", "idx"),
    host=_HOST,
    checked=True,
    traits=(FOLDS_ON_HOST,),
)
def unique_v2(xp, x, axis: Static, *, out_idx=dtypes.int32):
    """Compute the distinct slices along `axis` (a vector of at most one axis), and the index of
    each.
    """
    return _unique(xp, x, axis, out_idx, counted=False)


@unique_v2.infer
def _(x, axis, *, out_idx):
    return _infer_unique(x, axis, out_idx)[:2]


@op(
    "UniqueWithCounts",
    dtypes=_COMPARED,
    outputs=("y", "idx", "count"),
    host=_HOST,
    checked=True,
    traits=(FOLDS_ON_HOST,),
)
def unique_with_counts(xp, x, *, out_idx=dtypes.int32):
    """Like `Unique`, with the count of each element."""
    return _unique(xp, x, _NO_AXIS, out_idx, counted=True)


@unique_with_counts.infer
def _(x, *, out_idx):
    return _infer_unique(x, _NO_AXIS_SPEC, out_idx)


@op(
    "UniqueWithCountsV2",
    dtypes=_COMPARED,
    outputs=("y", "idx", "count"),
    host=_HOST,
    checked=True,
)
def unique_with_counts_v2(xp, x, axis: Static, *, out_idx=dtypes.int32):
    """Like `UniqueV2`, with the count of each slice."""
    return _unique(xp, x, axis, out_idx, counted=True)


@unique_with_counts_v2.infer
def _(x, axis, *, out_idx):
    return _infer_unique(x, axis, out_idx)


@op(
    "ListDiff",
    dtypes=_COMPARED,
    outputs=("out", "idx"),
    host=_HOST,
    checked=True,
    traits=(FOLDS_ON_HOST,),
)
def list_diff(xp, x, y, *, out_idx=dtypes.int32):
    """Compute the elements of `x` that are not in `y`, and their indices."""
    if x.dtype == object:
        others = set(y.tolist())
        mask = np.array([item not in others for item in x.tolist()], bool)
    else:
        mask = np.isin(x, y, invert=True)
    indices = np.flatnonzero(mask)
    return x[indices], indices.astype(as_dtype(out_idx).np)


@list_diff.infer
def _(x, y, *, out_idx):
    dtype = allowed_dtype("out_idx", out_idx, INDEX)
    for name, spec in (("x", x), ("y", y)):
        if spec.shape is not None and len(spec.shape) != 1:
            raise InferError(f"{name} should be a 1D vector.")
    return Spec((None,), x.dtype), Spec((None,), dtype)


# -- bins --------------------------------------------------------------------------------------

_WEIGHTED = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})


def _bin_count(size: Any) -> int | None:
    if size.shape not in (None, ()):
        raise InferError(f"Shape must be rank 0 but is rank {len(size.shape)}")
    count = None if size.value is None else int(size.value)
    if count is not None and count < 0:
        raise InferError(f"size ({count}) must be non-negative")
    return count


def _count_into(xp: ModuleType, bins: Any, size: int, weights: Any, binary: bool) -> Any:
    """Return the sums of the weights in each bin of each row; weights default to 1."""
    xp.require(xp.min(bins, initial=0) >= 0, "Input arr must be non-negative!")
    rows = bins.shape[0]
    total = rows * size
    start = (xp.arange(rows, dtype=bins.dtype) * bins.dtype.type(size))[:, None]
    indices = bins if rows == 1 else xp.where(bins < size, bins + start, total)
    indices = as_type(indices, bins.dtype).reshape(-1)
    if binary or not math.prod(weights.shape):
        flat = xp.groups.segment_count(indices, total)
        flat = as_type(xp.minimum(flat, 1) if binary else flat, weights.dtype)
    else:
        flat = xp.groups.segment_reduce("add", weights.reshape(-1), indices, total, 0)
    return flat.reshape((rows, size))


@op("Bincount", dtypes=_WEIGHTED, outputs=("bins",), checked=True)
def bincount(xp, arr: Index, size: Static, weights):
    """Count each number below `size`, or sum the weights of its occurrences."""
    return _count_into(xp, arr.reshape((1, -1)), int(size), weights, False)[0]


@bincount.infer
def _(arr, size, weights):
    count = _bin_count(size)
    if arr.is_static and weights.is_static:
        weight_count = math.prod(weights.shape)
        if weight_count not in (0, math.prod(arr.shape)):
            raise InferError("Input indices and weights must have the same size.")
    return Spec((count,), weights.dtype)


@op("DenseBincount", dtypes=_WEIGHTED, checked=True)
def dense_bincount(xp, input: Index, size: Static, weights, *, binary_output=False):
    """Like `Bincount`, by rows for a matrix; `binary_output` only marks what occurs."""
    bins = input if input.ndim == 2 else input.reshape((1, -1))
    counts = _count_into(xp, bins, int(size), weights, binary_output)
    return counts if input.ndim == 2 else counts[0]


@dense_bincount.infer
def _(input, size, weights, *, binary_output):
    count = _bin_count(size)
    if input.shape is None:
        return Spec(None, weights.dtype)
    if len(input.shape) > 2:
        raise InferError(f"Shape must be at most rank 2 but is rank {len(input.shape)}")
    if weights.is_static and math.prod(weights.shape):
        try:
            merge_shape(input.shape, weights.shape)
        except InferError:
            raise InferError(
                "weights must be empty (every value counts once) or have the shape of the values, "
                f"{fmt_shape(input.shape)}; received shape {fmt_shape(weights.shape)}"
            ) from None
    return Spec((*input.shape[:-1][:1], count), weights.dtype)


@op("HistogramFixedWidth", dtypes=_WEIGHTED, grad=None, checked=True, outputs=("out",))
def histogram_fixed_width(xp, values, value_range, nbins: Static, *, dtype=dtypes.int32):
    """Count the values in each of `nbins` equal parts of a range; outliers fall in the end bins."""
    low, high = value_range[0].astype(np.float64), value_range[1].astype(np.float64)
    xp.require(
        low < high,
        lambda: (
            f"value_range should satisfy value_range[0] < value_range[1], but got "
            f"'[{value_range[0]}, {value_range[1]}]'"
        ),
    )
    xp.require(xp.all(values == values), "Histogram values must not contain NaN")
    count = int(nbins)
    positions_in_bins = (values.astype(np.float64) - low) / ((high - low) / count)
    bins = xp.clip(positions_in_bins, 0, count - 1).astype(np.int32).reshape(-1)
    return as_type(xp.groups.segment_count(bins, count), as_dtype(dtype).np)


@histogram_fixed_width.kernel("numpy")
def _(xp, values, value_range, nbins, *, dtype):
    low, high = value_range.astype(np.float64)
    count = int(nbins)
    highest = values.max() if low < high and 0 < count < values.size else np.nan
    if highest != highest:
        return histogram_fixed_width.body(xp, values, value_range, nbins, dtype=dtype)
    width = (high - low) / count

    def bins_of(block: Any) -> Any:
        positions = block.astype(np.float64)
        positions -= low
        positions /= width
        np.maximum(positions, 0, out=positions)
        return np.minimum(positions, count - 1, out=positions).astype(np.int32)

    counts = xp.groups.count_bins(values.reshape(-1), bins_of, count)
    return as_type(counts, as_dtype(dtype).np)


@histogram_fixed_width.infer
def _(values, value_range, nbins, *, dtype):
    result = allowed_dtype("dtype", dtype, INDEX)
    if value_range.shape is not None and value_range.shape not in ((2,), (None,)):
        raise InferError("value_range should be a vector of 2 elements.")
    if nbins.shape not in (None, ()):
        raise InferError(f"nbins should be a scalar, got shape {fmt_shape(nbins.shape)}")
    count = None if nbins.value is None else int(nbins.value)
    if count is not None and count <= 0:
        raise InferError(f"nbins should be a positive number, but got '{count}'")
    return Spec((count,), result)


for _op in (
    unique,
    unique_v2,
    unique_with_counts,
    unique_with_counts_v2,
    list_diff,
    bincount,
    dense_bincount,
):
    _refuse_gradient(_op)
