"""Values of replicas where there is only one program: all replicas have the same value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def index() -> Any:
    """Return the number of the replica that runs."""
    return np.array(0, np.int32)


def total(array: Any, count: int) -> Any:
    """Return the sum over all replicas."""
    return array * np.asarray(count).astype(array.dtype)


def gathered(array: Any, count: int) -> Any:
    """Return the values of all replicas, stacked."""
    return np.repeat(np.asarray(array)[None], count, axis=0)


def selected(arrays: Sequence[Any]) -> Any:
    """Return the value of the replica that runs, from those of all."""
    return arrays[0]
