"""`VariantArray`: several handles in one tensor of dtype variant, such as a batch of datasets.

A single handle is the value of a scalar tensor; NumPy has no dtype for an array of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes


class VariantArray:
    """Handles in an array of objects. It takes the place of an array."""

    __slots__ = ("items",)

    dtype = dtypes.variant
    value_dtype = dtypes.variant

    def __init__(self, items: np.ndarray[Any, Any]) -> None:
        self.items = items

    @property
    def shape(self) -> tuple[int, ...]:
        return self.items.shape

    @property
    def ndim(self) -> int:
        return self.items.ndim

    @property
    def size(self) -> int:
        return self.items.size

    def __getitem__(self, key: Any) -> Any:
        item = self.items[key]
        if not isinstance(item, np.ndarray):
            return item
        return VariantArray(item) if item.ndim else item[()]

    def copy(self) -> VariantArray:
        """Return an array of the same handles."""
        return VariantArray(self.items.copy())

    def take(self, indices: Any, axis: int = 0) -> VariantArray:
        """Return the parts at `indices`."""
        return VariantArray(self.items.take(indices, axis=axis))

    @staticmethod
    def stacked(values: Sequence[Any]) -> VariantArray:
        """Stack handles, or arrays of them of one shape, along a new first axis."""
        if isinstance(values[0], VariantArray):
            return VariantArray(np.stack([value.items for value in values]))
        items = np.empty(len(values), object)
        items[:] = values
        return VariantArray(items)

    @staticmethod
    def joined(arrays: Sequence[VariantArray]) -> VariantArray:
        """Concatenate arrays."""
        return VariantArray(np.concatenate([array.items for array in arrays]))
