"""The mutable cell behind a variable: the one thing in the library whose value changes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapeflow.core import dtypes

# A cell's array is referenced by the cell, by the local name and by getrefcount's own argument.
_UNSHARED_REFERENCES = 3


class Cell:
    """Holds a variable's current array, which nobody changes while anybody else can see it."""

    __slots__ = ("__weakref__", "array", "name", "shape", "value_dtype")

    dtype = dtypes.resource
    ndim = 0

    def __init__(
        self,
        array: np.ndarray | None,
        value_dtype: dtypes.DType,
        shape: tuple[int | None, ...] | None,
        name: str,
    ) -> None:
        self.array = array
        self.value_dtype = value_dtype
        self.shape = shape
        self.name = name

    def __repr__(self) -> str:
        return f"<ResourceHandle(name={self.name!r}, dtype={self.value_dtype.name})>"

    def exclusive(self) -> np.ndarray:
        """The array to write into: itself if no tensor shares it, else a copy put in its place."""
        array: Any = self.array
        shared = sys.getrefcount(array) > _UNSHARED_REFERENCES
        if shared or array.base is not None or not array.flags.writeable:
            array = self.array = array.copy()
        return array
