"""Sums of rows into others, as SciPy's products of sparse matrices. Loaded at first use."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

try:
    # Building the matrix takes ten times as long as a small product with it.
    from scipy.sparse._sparsetools import csc_matvecs
except ImportError:
    csc_matvecs = None


def add_rows(rows: Any, targets: Any, count: int) -> np.ndarray:
    """Return `count` rows, the sums of the `rows` whose `targets` they are."""
    ones, columns = np.ones(len(rows), rows.dtype), np.arange(len(rows) + 1, dtype=targets.dtype)
    if csc_matvecs is None:
        matrix = sparse.csc_array((ones, targets, columns), shape=(count, len(rows)))
        return np.asarray(matrix @ rows)
    result = np.zeros((count, rows.shape[1]), rows.dtype)
    sizes = count, len(rows), rows.shape[1]
    csc_matvecs(*sizes, columns, targets, ones, rows.reshape(-1), result.reshape(-1))
    return result
