"""Sums of rows, and counts of numbers, as SciPy's products of sparse matrices.

Loaded at first use.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

try:
    # Building the matrix takes ten times as long as a small product with it.
    from scipy.sparse._sparsetools import csc_matvec, csc_matvecs
except ImportError:
    csc_matvec = csc_matvecs = None


def add_rows(rows: Any, targets: Any, count: int) -> np.ndarray:
    """Return `count` rows, the sums of the `rows` whose `targets` they are."""
    build = _cached_columns if len(rows) <= _CACHED else _columns
    ones, columns = build(len(rows), rows.dtype, targets.dtype)
    if csc_matvecs is None:
        matrix = sparse.csc_array((ones, targets, columns), shape=(count, len(rows)))
        return np.asarray(matrix @ rows)
    result = np.zeros((count, rows.shape[1]), rows.dtype)
    sizes = count, len(rows), rows.shape[1]
    csc_matvecs(*sizes, columns, targets, ones, rows.reshape(-1), result.reshape(-1))
    return result


def _columns(count: int, dtype: Any, index: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return so many ones, each of which is a column, and where the columns begin."""
    return np.ones(count, dtype), np.arange(count + 1, dtype=index)


_cached_columns = lru_cache(maxsize=16)(_columns)
# Rows up to which these are cached.
_CACHED = 4096


def count_numbers(numbers: np.ndarray, count: int) -> np.ndarray:
    """Return how often each number occurs; all are valid: from 0 to `count`.

    A column of ones at these rows times one. `np.bincount` converts the numbers, checks them again,
    and holds the GIL: it takes two and a half times as long.
    """
    if csc_matvec is None:
        return np.bincount(numbers, minlength=count)
    total = np.zeros(count, np.int32)
    ones = _ones(len(numbers))
    ends = np.array([0, len(numbers)], numbers.dtype)
    csc_matvec(count, 1, ends, numbers, ones, ones[:1], total)
    return total


@lru_cache(4)
def _ones(size: int) -> np.ndarray:
    return np.ones(size, np.int32)
