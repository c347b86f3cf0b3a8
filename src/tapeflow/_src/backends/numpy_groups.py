"""Sorting, scanning and grouping beyond NumPy. `jax_groups` has the twins."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np

from tapeflow._src.backends import threads
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import Array

_sparse = LazyModule("tapeflow._src.backends.sparse_rows", "sums over segments")


@cache
def _has_scipy() -> bool:
    """Whether SciPy is installed: it comes with JAX, and not with the light install."""
    try:
        return callable(_sparse.add_rows)
    except ImportError:
        return False


_UFUNCS = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
# From this many elements on, a sparse product beats `ufunc.at` (10,000 rows of 64: 0.17 against 1.5
# ms); below, building the sparse matrix takes longer than all the rest.
_WORTH_A_PRODUCT = 1 << 10
# Below this many elements `ufunc.at` has added up rows before flat indices are computed.
_TINY = 128
# Below this many ids a loop over them takes less time than a call of NumPy.
_FEW_IDS = 16
# Values of a row that one thread looks for at a time.
_SEARCHED = 1 << 16
# Elements that one thread counts at a time: with their bins they fit a cache.
_COUNTED = 1 << 16
# The same for what need not be converted to bins; from a quarter on two threads pay.
_COUNTED_AS_THEY_ARE = 1 << 19
# Below this many elements, and above such a share of them, a full sort is the fastest.
_SMALL = 256
_FEW_SEGMENTS = 64
# The largest of long rows are found one by one: looking for a maximum is a fraction of a sort.
_FEW_LARGEST, _LONG_ROW = 8, 64


def segment_reduce(kind: str, rows: Any, ids: Any, count: int, initial: Any) -> np.ndarray:
    """Reduce `rows` into `count` rows by their ids; rows with invalid ids are left out.

    `kind` is the ufunc's name, `initial` the initial value of a row.
    """
    return reduce_valid(kind, *_valid_segments(ids, rows, count)[::-1], count, initial)


def reduce_valid(kind: str, rows: Any, ids: Any, count: int, initial: Any) -> np.ndarray:
    """Like `segment_reduce`, of ids from 0 to `count`."""
    rest = rows.shape[1:]
    width = math.prod(rest)
    if rows.size < _TINY:
        tiny = _initial(count * width, initial, rows.dtype).reshape(count, *rest)
        numbers = ids.tolist()
        if len(set(numbers)) == len(numbers):
            if len(numbers) < _FEW_IDS // 2:
                for number, row in zip(numbers, rows):
                    tiny[number] = row
            else:
                tiny[ids] = rows
        else:
            _UFUNCS[kind].at(tiny, ids, rows)
        return tiny
    if width > 1 and 0 < len(ids) <= count and np.bincount(ids).max() == 1:
        # No segment has two rows.
        result = _initial(count * width, initial, rows.dtype).reshape(count, *rest)
        result[ids] = rows
        return result
    if kind == "add" and width > 1 and rows.size >= _WORTH_A_PRODUCT and _has_scipy():
        return _sparse.add_rows(rows.reshape(-1, width), ids, count).reshape(count, *rest)
    result = _initial(count * width, initial, rows.dtype)
    index = ids.astype(np.intp, copy=False)
    if width != 1:
        # On flat arrays `ufunc.at` has fast loops, on rows it has none.
        index = (index[:, None] * width + np.arange(width)).reshape(-1)
    _UFUNCS[kind].at(result, index, rows.reshape(-1))
    return result.reshape(count, *rest)


def _initial(size: int, value: Any, dtype: np.dtype[Any]) -> np.ndarray:
    if not value:
        # Zeroed memory is faulted in page by page, when it is written to.
        return np.zeros(size, dtype)
    result = np.empty(size, dtype)
    result.fill(value)
    return result


def segment_count(ids: Any, count: int) -> np.ndarray:
    """Count how often each number below `count` occurs."""
    if count > _COUNTED:
        return np.bincount(_valid_segments(ids, ids, count)[0], minlength=count)
    piece = _COUNTED_AS_THEY_ARE if ids.size >= _COUNTED_AS_THEY_ARE else _COUNTED
    return count_bins(ids, lambda block: _valid_segments(block, block, count)[0], count, piece)


def count_bins(
    values: Any, bins_of: Callable[[Any], Any], count: int, piece: int = _COUNTED
) -> np.ndarray:
    """Count the bins of a vector's elements, from 0 to `count`; of many, by pieces on all cores."""
    if values.size < 2 * _COUNTED:
        return np.bincount(bins_of(values), minlength=count)
    counts: list[np.ndarray] = []
    count_piece = _sparse.count_numbers if _has_scipy() else _count_converted

    def work(start: int) -> None:
        with np.errstate(all="ignore"):
            bins = bins_of(values[start : start + piece])
        counts.append(count_piece(bins, count))

    threads.for_each(work, range(0, values.size, piece))
    return np.asarray(np.add.reduce(counts, dtype=np.intp))


def _count_converted(bins: Any, count: int) -> np.ndarray:
    # `bincount` holds the GIL while it converts.
    return np.bincount(bins.astype(np.intp, copy=False), minlength=count)


def all_valid(ids: Any, count: int) -> bool:
    """Whether all ids are from 0 to `count`."""
    if ids.size < _FEW_IDS:
        return all(0 <= number < count for number in ids.tolist())
    # As unsigned integers negative ids are too large as well: one pass checks both.
    return bool(_unsigned(ids).max() < count)


def _unsigned(ids: Any) -> Any:
    return ids.view(np.uint32 if ids.itemsize == 4 else np.uint64)


def _valid_segments(ids: Any, rows: Any, count: int) -> tuple[Any, Any]:
    """Return the ids from 0 to `count`, and their rows."""
    if all_valid(ids, count):
        return ids, rows
    inside = _unsigned(ids) < count
    return ids[inside], rows[inside]


def cumulative_logsumexp(x: Array, axis: int) -> np.ndarray:
    """Compute the logarithms of the cumulative sums of the exponentials."""
    totals = np.logaddexp.accumulate(x, axis=axis)
    # The first is the logarithm of an exponential too, which is 0 and never -0.
    return np.add(totals, np.zeros((), totals.dtype))


def search_rows(sorted_rows: Any, values: Array, side: Literal["left", "right"]) -> np.ndarray:
    """Apply `np.searchsorted` to each row of `values` in the row of the same index."""
    positions = np.empty(values.shape, np.intp)

    def search(part: tuple[int, int]) -> None:
        row, start = part
        block = slice(start, start + _SEARCHED)
        positions[row, block] = np.searchsorted(sorted_rows[row], values[row, block], side)

    starts = range(0, values.shape[1], _SEARCHED)
    parts = [(row, start) for row in range(len(values)) for start in starts]
    if values.size < 2 * _SEARCHED:
        for part in parts:
            search(part)
    else:
        threads.for_each(search, parts)
    return positions


def top_k(x: Array, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the `k` largest along the last axis and their indices; ties by index, NaN first."""
    order = descending_order(x, k)
    if x.ndim == 1:
        return x[order], order
    if x.ndim == 2:  # a third of the time of `take_along_axis`
        return x[np.arange(len(x))[:, None], order], order
    return np.take_along_axis(x, order, axis=-1), order


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
