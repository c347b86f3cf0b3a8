"""Sorting, scanning and grouping beyond NumPy. `jax_groups` has the twins."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

_sparse = LazyModule("scipy.sparse", "sums over segments")

_UFUNCS = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
# From this many elements on, a sparse product beats `ufunc.at` (10,000 rows of 64: 0.17 against 1.5
# ms); below, building the sparse matrix takes longer than all the rest.
_WORTH_A_PRODUCT = 1 << 13
# Below this many elements, and above such a share of them, a full sort is the fastest.
_SMALL = 256
_FEW_SEGMENTS = 64
# The largest of long rows are found one by one: looking for a maximum is a fraction of a sort.
_FEW_LARGEST, _LONG_ROW = 8, 64


def segment_reduce(kind: str, rows: Any, ids: Any, count: int, initial: Any) -> np.ndarray:
    """Reduce `rows` into `count` rows by their ids; rows with invalid ids are left out.

    `kind` is the ufunc's name, `initial` the initial value of a row.
    """
    ids, rows = _valid_segments(ids, rows, count)
    rest = rows.shape[1:]
    width = math.prod(rest)
    if kind == "add" and width > 1 and rows.size >= _WORTH_A_PRODUCT:
        offsets = np.arange(len(rows) + 1, dtype=ids.dtype)
        chosen = (np.ones(len(rows), rows.dtype), ids, offsets)
        matrix = _sparse.csc_array(chosen, shape=(count, len(rows)))
        return (matrix @ rows.reshape(-1, width)).reshape(count, *rest)
    size = count * width
    # Zeroed memory is faulted in page by page, when it is written to.
    result = np.full(size, initial, rows.dtype) if initial else np.zeros(size, rows.dtype)
    index = ids.astype(np.intp, copy=False)
    if width != 1:
        # On flat arrays `ufunc.at` has fast loops, on rows it has none.
        index = (index[:, None] * width + np.arange(width)).reshape(-1)
    _UFUNCS[kind].at(result, index, rows.reshape(-1))
    return result.reshape(count, *rest)


def segment_count(ids: Any, count: int) -> np.ndarray:
    """Count how often each number below `count` occurs."""
    ids, _ = _valid_segments(ids, ids, count)
    return np.bincount(ids, minlength=count)


def _valid_segments(ids: Any, rows: Any, count: int) -> tuple[Any, Any]:
    """Return the ids from 0 to `count`, and their rows."""
    # As unsigned integers negative ids are too large as well: one pass checks both.
    unsigned = ids.view(np.uint32 if ids.itemsize == 4 else np.uint64)
    if unsigned.size and unsigned.max() >= count:
        inside = unsigned < count
        return ids[inside], rows[inside]
    return ids, rows


def cumulative_logsumexp(x: Array, axis: int) -> np.ndarray:
    """Compute the logarithms of the cumulative sums of the exponentials."""
    totals = np.logaddexp.accumulate(x, axis=axis)
    # The first is the logarithm of an exponential too, which is 0 and never -0.
    return np.add(totals, np.zeros((), totals.dtype))


def search_rows(sorted_rows: Any, values: Array, side: Literal["left", "right"]) -> np.ndarray:
    """Apply `np.searchsorted` to each row of `values` in the row of the same index."""
    positions = np.empty(values.shape, np.intp)
    for i, row in enumerate(sorted_rows):
        positions[i] = np.searchsorted(row, values[i], side)
    return positions


def top_k(x: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the `k` largest along the last axis and their indices; ties by index, NaN first."""
    order = descending_order(x, k)
    return x[order] if x.ndim == 1 else np.take_along_axis(x, order, axis=-1), order


def descending_order(x: Array, k: int) -> np.ndarray:
    """Return the indices of the `k` largest along the last axis, descending; ties by index."""
    size = x.shape[-1]
    if x.ndim == 1 and 0 < k * _FEW_SEGMENTS < size:
        # Drop what is below the k-th largest. NaN is not, and if that is NaN nothing is.
        threshold = np.partition(x, size - k)[size - k]
        candidates = np.flatnonzero(~(x < threshold))
        if len(candidates) < size:
            return candidates[descending_order(x[candidates], k)]
    if x.ndim > 1 and 0 < k <= _FEW_LARGEST and size >= _LONG_ROW:
        order = _largest_of_rows(x, k)
        if order is not None:
            return order
    small = x.size < _SMALL and x.dtype.kind in "iuf" and not (x != x).any()
    keys = (-x if x.dtype.kind == "f" else ~x) if small else _descending_keys(x)
    if keys.itemsize == 8 or small:
        return np.argsort(keys, axis=-1, kind="stable")[..., :k]
    # Value and index in one number: no two are equal, so that any sort or partition will do, and
    # those of plain integers are several times faster than a stable argsort.
    joined = (keys.astype(np.int64) << 32) | np.arange(size)
    if k < size:
        joined = np.partition(joined, max(k - 1, 0), axis=-1)[..., :k]
    joined.sort(axis=-1)
    return joined & 0xFFFFFFFF


def _largest_of_rows(x: Array, k: int) -> np.ndarray | None:
    """Return the indices of the `k` largest, one after the other; None if some are the lowest."""
    if x.dtype.kind not in "iuf":
        return None
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    rest, order = x.copy(), np.empty((*x.shape[:-1], k), np.int64)
    for i in range(k):
        at = rest.argmax(axis=-1, keepdims=True)
        if i and (np.take_along_axis(rest, at, axis=-1) == lowest).any():
            return None  # of equal ones, some were found before
        order[..., i : i + 1] = at
        np.put_along_axis(rest, at, lowest, axis=-1)
    return order


def _descending_keys(x: Array) -> np.ndarray:
    """Return integers of 32 or 64 bits that ascend as `x` descends; NaN comes first."""
    if x.dtype.kind in "iu":
        if x.dtype.itemsize == 8:
            return ~x
        # The lower half keeps the order of uint32 too, once its sign bit is turned.
        return ~(x.view(np.int32) ^ np.int32(-(2**31)) if x.dtype == np.uint32 else x.astype("i4"))
    x = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    bits = np.int32 if x.dtype == np.float32 else np.int64
    # Adding 0 makes -0.0 and 0.0 the same; a NaN may have either sign.
    whole = (x + x.dtype.type(0)).view(bits)
    whole = np.where(np.isnan(x), np.iinfo(bits).max, whole)
    return ~(whole ^ ((whole >> (8 * whole.itemsize - 1)) & np.iinfo(bits).max))
