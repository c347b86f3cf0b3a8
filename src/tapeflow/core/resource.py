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
    """Holds a variable's current array, which nobody changes while anybody else can see it.

    `array` is unset while only `device`, an array of compiled code, has the value; asking for it
    sets it to a view of that, `view`. An `array` other than `view` is newer than `device`.
    """

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
        self.device: Any = None
        self.view: np.ndarray | None = None
        self.value_dtype = value_dtype
        self.shape = shape
        self.name = name

    def __repr__(self) -> str:
        return f"<ResourceHandle(name={self.name!r}, dtype={self.value_dtype.name})>"

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what is unset.
        if name != "array" or self.device is None:
            raise AttributeError(f"'Cell' object has no attribute {name!r}")
        with updating:
            try:
                return _stored_array(self)
            except AttributeError:
                self.view = self.array = np.asarray(self.device)
                return self.view

    def held(self) -> Any:
        """The value as compiled code takes it: its own array, where that is the newest."""
        device = self.device
        if device is not None:
            try:
                array = _stored_array(self)
            except AttributeError:
                return device
            if array is self.view:
                return device
            self.device = self.view = None
        return self.array

    def hold(self, device: Any) -> None:
        """Take the value that compiled code has left."""
        self.device = device
        self.view = None
        try:
            del self.array
        except AttributeError:
            return

    def exclusive(self) -> np.ndarray:
        """The array to write into: itself if no tensor shares it, else a copy put in its place."""
        array: Any = self.array
        shared = sys.getrefcount(array) > _UNSHARED_REFERENCES
        if shared or array.base is not None or not array.flags.writeable:
            array = self.array = array.copy()
        return array


_stored_array: Any = vars(Cell)["array"].__get__
