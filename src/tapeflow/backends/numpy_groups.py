"""What NumPy lacks for sorting, scanning and grouping. `jax_groups` has the twins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.core.lazy import LazyModule

_sparse = LazyModule("scipy.sparse", "sums over segments")

_UFUNCS = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
# From so many elements on, a sparse product beats `ufunc.at` (10,000 rows of 64: 0.17 against
# 1.5 ms); below, making the sparse matrix takes longer than all the rest.
_WORTH_A_PRODUCT = 1 << 14


def segment_reduce(kind: str, rows: Any, ids: Any, count: int, initial: Any) -> np.ndarray:
    """`rows` folded into `count` rows by their ids, which are from 0 to `count`; `count` drops one.

    `kind` is the ufunc's name, `initial` what a row starts from.
    """
    rest = rows.shape[1:]
    width = math.prod(rest)
    if kind == "add" and width > 1 and rows.size >= _WORTH_A_PRODUCT:
        places = np.arange(len(rows) + 1, dtype=ids.dtype)
        chosen = (np.ones(len(rows), rows.dtype), ids, places)
        matrix = _sparse.csc_array(chosen, shape=(count + 1, len(rows)))
        result = matrix @ rows.reshape(-1, width)
    else:
        result = np.full((count + 1) * width, initial, rows.dtype)
        index = ids.astype(np.intp, copy=False)
        if width != 1:
            # On flat arrays `ufunc.at` has fast loops, on rows it has none.
            index = (index[:, None] * width + np.arange(width)).reshape(-1)
        _UFUNCS[kind].at(result, index, rows.reshape(-1))
    return result.reshape(count + 1, *rest)[:count]


def cumulative_logsumexp(x: Any, axis: int) -> np.ndarray:
    """The logarithms of the running sums of the exponentials."""
    return np.logaddexp.accumulate(x, axis=axis)


def search_rows(sorted_rows: Any, values: Any, side: str) -> np.ndarray:
    """`np.searchsorted` of each row of `values` in the row of the same number."""
    found = np.empty(values.shape, np.intp)
    for i, row in enumerate(sorted_rows):
        found[i] = np.searchsorted(row, values[i], side)
    return found


def top_k(x: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` largest along the last axis and their places; of equal ones the first, NaN first."""
    order = descending_order(x, k)
    return np.take_along_axis(x, order, axis=-1), order


def descending_order(x: Any, k: int) -> np.ndarray:
    """The places of the `k` largest along the last axis, largest first; equal ones in order."""
    keys = _descending_keys(x)
    if keys.dtype.itemsize == 8:
        return np.argsort(keys, axis=-1, kind="stable")[..., :k]
    # Value and place in one number: no two are equal, so that any sort or partition will do, and
    # those of plain integers are several times faster than a stable argsort.
    size = x.shape[-1]
    joined = (keys.astype(np.int64) << 32) | np.arange(size)
    if k < size:
        joined = np.partition(joined, max(k - 1, 0), axis=-1)[..., :k]
    joined.sort(axis=-1)
    return joined & 0xFFFFFFFF


def _descending_keys(x: Any) -> np.ndarray:
    """Integers of 32 or 64 bits that ascend as `x` descends; NaN comes before all."""
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
