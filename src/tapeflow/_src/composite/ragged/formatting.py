"""The values of ragged tensors for Python and NumPy, and how they are written."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.kinds import is_ragged


def as_list(rows: Any) -> list[Any]:
    """Return the rows as nested Python lists."""
    if not is_ragged(rows):
        return rows.static_value.tolist()
    values = as_list(rows.values)
    return [values[start:end] for start, end in pairwise(_splits(rows))]


def as_array(rows: Any) -> np.ndarray[Any, Any]:
    """Return the rows as an array of arrays; those of one length make up an array of more axes."""
    if not is_ragged(rows):
        return rows.numpy()
    values = as_array(rows.values)
    parts = [values[start:end] for start, end in pairwise(_splits(rows))]
    if not parts:
        return np.zeros((0, 0, *values.shape[1:]), values.dtype)
    if len({len(part) for part in parts}) == 1:
        return np.stack(parts)
    result = np.empty(len(parts), object)
    result[:] = parts
    return result


def _splits(rows: Any) -> list[int]:
    return rows.row_splits.static_value.tolist()


def text_of(array: Any) -> str:
    """Format an array of arrays as nested lists, shortened if long."""
    if not isinstance(array, np.ndarray):
        return repr(array) if isinstance(array, bytes) else str(array)
    if array.size == 0:
        return str(array.tolist())
    return np.array2string(array, separator=", ", formatter={"all": text_of})
