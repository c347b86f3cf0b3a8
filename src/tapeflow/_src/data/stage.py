"""A dataset as it runs: `Stage`, which never changes, and `Cursor`, which walks through it.

An element is a tuple of arrays. Cursors give one element at a time, or many at once as rows of
arrays: that is what batches are made of, and where the elements lie in arrays already nothing is
done for each of them. A cursor's state can be taken down and put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape, invalid
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.arguments import UNKNOWN
from tapeflow._src.data.tables import Table

Element = tuple[Any, ...]

# What every op that makes a dataset gives, and why XLA does not run it.
A_DATASET = fixed((), dtypes.variant)
HOST = "datasets run in Python"


class Stage:
    """A dataset that can be run; the value of a variant tensor, so it stands where arrays do."""

    dtype = dtypes.variant
    value_dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def cursor(self) -> Cursor:
        """A new walk through the elements."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is walked through.")

    def cardinality(self) -> int:
        """How many elements there are: UNKNOWN or INFINITE if it cannot be told, or never ends."""
        return UNKNOWN

    def table(self) -> Table | None:
        """All elements as rows of arrays, if they are there already."""
        return None

    def leading(self) -> int | None:
        """The size of every element along its first axis, if all have the same."""
        return None


class Cursor:
    """A place among the elements of a stage. At the end `next` raises StopIteration."""

    def __iter__(self) -> Cursor:
        return self

    def __next__(self) -> Element:
        raise NotImplementedError(f"{type(self).__name__} does not say what comes next.")

    def rows(self, count: int) -> Element | None:
        """The next elements, as many as there are up to `count`, as rows; None at the end."""
        elements = list(islice(self, count))
        return stacked(elements) if elements else None

    def skip(self, count: int) -> None:
        """Go on by so many elements."""
        for _ in islice(self, count):
            pass

    def get_state(self) -> Any:
        """The place, as plain numbers, arrays, tuples and lists."""
        raise NotImplementedError(f"{type(self).__name__} cannot be saved.")

    def set_state(self, state: Any) -> None:
        """Go to a place that `get_state` of a cursor of the same stage has told."""
        raise NotImplementedError(f"{type(self).__name__} cannot be restored.")


class TableCursor(Cursor):
    """Walks through rows that are there already."""

    __slots__ = ("_length", "_position", "_table")

    def __init__(self, table: Table) -> None:
        self._table = table
        self._length = table.length
        self._position = 0

    def __next__(self) -> Element:
        position = self._position
        if position >= self._length:
            raise StopIteration
        self._position = position + 1
        return self._table.element(position)

    def rows(self, count: int) -> Element | None:
        start = self._position
        if start >= self._length:
            return None
        self._position = stop = min(start + count, self._length)
        return self._table.rows(start, stop)

    def skip(self, count: int) -> None:
        self._position = min(self._position + count, self._length)

    def get_state(self) -> int:
        return self._position

    def set_state(self, state: int) -> None:
        self._position = state


def stacked(elements: Sequence[Element]) -> Element:
    """Elements as rows of arrays."""
    return tuple([_stack(arrays, place) for place, arrays in enumerate(zip(*elements))])


def _stack(arrays: tuple[Any, ...], place: int) -> Any:
    first = arrays[0]
    shape = first.shape
    if len({array.shape for array in arrays}) > 1:
        raise misfit([array.shape for array in arrays], place)
    if type(first) is not np.ndarray:
        return VariantArray.stacked(arrays)
    if shape:
        return np.concatenate(arrays).reshape(len(arrays), *shape)
    return np.array([array[()] for array in arrays], first.dtype)


def misfit(shapes: Sequence[tuple[int, ...]], place: int) -> InvalidArgumentError:
    """The error for elements of different shapes that are to be put together."""
    first = shapes[0]
    other = next(i for i, shape in enumerate(shapes) if shape != first)
    return invalid(
        f"Cannot batch tensors with different shapes in component {place}. First element had "
        f"shape {fmt_shape(first)} and element {other} had shape {fmt_shape(shapes[other])}."
    )
