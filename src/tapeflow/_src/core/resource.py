"""The mutable cell behind a variable: the one thing in the library whose value changes.

Between two calls of compiled code the value stays where that left it, in an array of JAX's; it
becomes a NumPy array when somebody asks. `np.asarray` does that, so this file needs no JAX.

Whoever changes a cell depending on its value holds the cell's lock meanwhile. Readers take no lock:
an array that is being written into is out of their sight, and they wait for it at the lock.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.locking import next_lock

# An array taken out of its cell is referenced by the cell's `taken`, by the local name and by
# getrefcount's own argument.
UNSHARED_REFERENCES = 3


class Cell:
    """Holds a variable's current array, which nobody changes while anybody else can see it."""

    __slots__ = (
        "__weakref__",
        "array",
        "device",
        "lock",
        "name",
        "shape",
        "taken",
        "value_dtype",
        "view",
    )

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
        self.lock = next_lock()
        # Where compiled code left the value, and that as a NumPy array, once somebody asked.
        self.device: Any = None
        self.view: np.ndarray | None = None
        # The array, while it is written into; `array` is None then.
        self.taken: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<ResourceHandle(name={self.name!r}, dtype={self.value_dtype.name})>"

    def now(self) -> Any:
        """The value as a NumPy array, which `array` is too unless it is written into; or None."""
        array = self.array
        if array is not None:
            return array
        with self.lock:
            array = self.array
            if array is None and self.taken is not None:
                # This thread itself is writing, and a signal handler asks, or was interrupted.
                return np.array(self.taken, order="C")
            return array

    def held(self) -> Any:
        """The value as compiled code takes it: its own array, where that has it."""
        array = self.array
        return self.now() if array is None else array

    def hold(self, device: Any) -> None:
        """Take the value that compiled code has left. The caller has the lock."""
        self.array = self.taken = None
        self.device = device
        self.__class__ = _HeldCell

    def take(self) -> np.ndarray:
        """The array to write into: itself if no tensor shares it, else a copy.

        The caller has the lock, and `put`s it back: until then nobody sees it.
        """
        array: Any = self.array
        if array is None:
            array = self.taken
        self.taken = array
        self.array = None
        shared = sys.getrefcount(array) > UNSHARED_REFERENCES
        if shared or array.base is not None or not array.flags.writeable:
            # Arithmetic on scalars gives NumPy's numbers, which nothing can be written into.
            array = self.taken = np.array(array, order="C")
        return array

    def put(self) -> None:
        """Show the array that was taken, if it was."""
        if self.taken is not None:
            self.array, self.taken = self.taken, None


class _HeldCell(Cell):
    """A cell whose value is with compiled code. It becomes a plain one when it is written to.

    So that plain cells, which eager execution reads and writes all the time, need not ask.
    """

    __slots__ = ()

    @property
    def array(self) -> Any:
        """A view of the value."""
        view = self.view
        if view is not None:
            return view
        with self.lock:
            if type(self) is Cell:
                return self.array  # another thread has just written to it
            view = self.view = np.asarray(self.device)
        return view

    @array.setter
    def array(self, value: Any) -> None:
        self.__class__ = Cell  # type: ignore[assignment]
        self.array = value
        self.device = self.view = None

    def held(self) -> Any:
        device = self.device
        return self.now() if device is None else device

    def hold(self, device: Any) -> None:
        self.view = None
        self.device = device
