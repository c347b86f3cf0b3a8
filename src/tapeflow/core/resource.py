"""The mutable cell behind a variable: the one thing in the library whose value changes.

Between two calls of compiled code the value stays where that left it, in an array of JAX's; it
becomes a NumPy array when somebody asks. `np.asarray` does that, so this file needs no JAX.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from tapeflow.core import dtypes

# A cell's array is referenced by the cell, by the local name and by getrefcount's own argument.
_UNSHARED_REFERENCES = 3


# Held by compiled code from when it takes the values of variables that it changes until it has put
# the new ones back: in between the old ones are gone.
updating = threading.RLock()


class Cell:
    """Holds a variable's current array, which nobody changes while anybody else can see it."""

    __slots__ = ("__weakref__", "array", "device", "name", "shape", "value_dtype", "view")

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
        # Where compiled code left the value, and that as a NumPy array, once somebody asked.
        self.device: Any = None
        self.view: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<ResourceHandle(name={self.name!r}, dtype={self.value_dtype.name})>"

    def held(self) -> Any:
        """The value as compiled code takes it: its own array, where that has it."""
        return self.array

    def hold(self, device: Any) -> None:
        """Take the value that compiled code has left."""
        self.array = None
        self.device = device
        self.__class__ = _HeldCell

    def exclusive(self) -> np.ndarray:
        """The array to write into: itself if no tensor shares it, else a copy put in its place."""
        array: Any = self.array
        shared = sys.getrefcount(array) > _UNSHARED_REFERENCES
        if shared or array.base is not None or not array.flags.writeable:
            # Arithmetic on scalars gives NumPy's numbers, which nothing can be written into.
            array = self.array = np.array(array, order="C")
        return array


class _HeldCell(Cell):
    """A cell whose value is with compiled code. It becomes a plain one when it is written to.

    So that plain cells, which eager execution reads and writes all the time, need not ask.
    """

    __slots__ = ()

    @property
    def array(self) -> Any:
        """A view of the value."""
        view = self.view
        if view is None:
            with updating:
                view = self.view = np.asarray(self.device)
        return view

    @array.setter
    def array(self, value: Any) -> None:
        self.device = self.view = None
        self.__class__ = Cell  # type: ignore[assignment]
        self.array = value

    def held(self) -> Any:
        return self.device

    def hold(self, device: Any) -> None:
        self.view = None
        self.device = device
