"""The mutable cell behind a variable: the one thing in the library whose value changes.

Between two calls of compiled code the value stays in JAX's array; it is converted to a NumPy array
when it is read. `np.asarray` does that, so this file needs no JAX.

A read-modify-write holds the cell's lock. Readers take no lock: an array that is being written to
is hidden from them, and they wait for it at the lock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.locking import next_lock

# An array borrowed from its cell is referenced by the cell's `borrowed`, by the local name and by
# getrefcount's own argument.
UNSHARED_REFERENCES = 3


def _as_numpy(array: Any) -> np.ndarray:
    return np.asarray(array)


# Returns the global value of an array on a mesh: who knows meshes of several processes replaces it.
read_from_mesh: Callable[[Any], np.ndarray] = _as_numpy


class Cell:
    """Holds a variable's current array, which is never modified while it is visible elsewhere."""

    __slots__ = (
        "__weakref__",
        "array",
        "borrowed",
        "device",
        "lock",
        "name",
        "shape",
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
        # The array of compiled code, and its NumPy conversion, once requested.
        self.device: Any = None
        self.view: np.ndarray | None = None
        # The array while it is being written to; `array` is None then.
        self.borrowed: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<ResourceHandle(name={self.name!r}, dtype={self.value_dtype.name})>"

    def now(self) -> Any:
        """Return the value as a NumPy array, unless it is being written to; or None."""
        array = self.array
        if array is not None:
            return array
        with self.lock:
            array = self.array
            if array is None and self.borrowed is not None:
                # This thread itself is writing, and a signal handler reads, or it was interrupted.
                return np.array(self.borrowed, order="C")
            return array

    def device_value(self) -> Any:
        """Return the value as compiled code takes it: its own array, if there is one."""
        array = self.array
        return self.now() if array is None else array

    def hold(self, device: Any) -> None:
        """Store the value that compiled code returned. The caller holds the lock."""
        self.array = self.borrowed = None
        self.device = device
        self.__class__ = _DeviceCell

    def take(self) -> np.ndarray:
        """Return the array to write to: itself if no tensor shares it, else a copy.

        The caller holds the lock, and calls `put` afterwards: until then the array is hidden.
        """
        array: Any = self.array
        if array is None:
            array = self.borrowed
        self.borrowed = array
        self.array = None
        shared = sys.getrefcount(array) > UNSHARED_REFERENCES
        if shared or array.base is not None or not array.flags.writeable:
            # Arithmetic on scalars returns NumPy scalars, which are immutable.
            array = self.borrowed = np.array(array, order="C")
        return array

    def put(self) -> None:
        """Make the borrowed array visible again."""
        if self.borrowed is not None:
            self.array, self.borrowed = self.borrowed, None


class _DeviceCell(Cell):
    """A cell whose value is held by compiled code. It becomes a plain one when it is written to.

    A subclass, so that plain cells, which eager execution uses all the time, need no check.
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
            view = self.view = self._fetched()
        return view

    @array.setter
    def array(self, value: Any) -> None:
        self.__class__ = Cell  # type: ignore[assignment]
        self.array = value
        self.device = self.view = None

    def _fetched(self) -> np.ndarray:
        return np.asarray(self.device)

    def device_value(self) -> Any:
        device = self.device
        return self.now() if device is None else device

    def hold(self, device: Any) -> None:
        self.__class__ = _DeviceCell
        self.view = None
        self.device = device


class _MeshCell(_DeviceCell):
    """A cell whose value is on all devices of a mesh; programs for one device take a view of it."""

    __slots__ = ()

    def _fetched(self) -> np.ndarray:
        return read_from_mesh(self.device)

    def device_value(self) -> Any:
        return self.now()


def hold_on_device(cell: Any, value: Any) -> None:
    """Store a value that a program for one device returned. The caller holds the lock."""
    cell.hold(value)


def hold_on_mesh(cell: Any, value: Any) -> None:
    """Store a value that a program for a mesh returned. The caller holds the lock."""
    cell.hold(value)
    cell.__class__ = _MeshCell


def mesh_value(cell: Any) -> Any:
    """Return the value as a program for a mesh takes it."""
    device = cell.device if type(cell) is _MeshCell else None
    return cell.now() if device is None else device
