"""Tables: elements that lie in arrays already, one a row. Any of them is found at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.core.dtypes import DType

# A batch of at least so many bytes is put where compiled code takes it without a copy.
_ALIGNED_BYTES = 1 << 15


class Table(Protocol):
    """Rows of elements."""

    length: int

    def element(self, index: int) -> tuple[Any, ...]:
        """One element."""

    def rows(self, start: int, stop: int) -> tuple[Any, ...]:
        """Return the elements from `start` to before `stop`, as rows of arrays."""

    def take(self, indices: np.ndarray) -> tuple[Any, ...]:
        """Return the elements with these numbers, as rows of arrays."""

    def sliced(self, part: slice) -> Table:
        """Return a table of some of the elements."""


class Arrays:
    """Rows of arrays of one length."""

    __slots__ = ("_columns", "length")

    def __init__(self, columns: Sequence[Any]) -> None:
        self._columns = tuple(columns)
        self.length = self._columns[0].shape[0]

    def element(self, index: int) -> tuple[Any, ...]:
        # The dots make it an array for a scalar, too.
        return tuple([column[index, ...] for column in self._columns])

    def rows(self, start: int, stop: int) -> tuple[Any, ...]:
        return tuple([column[start:stop] for column in self._columns])

    def take(self, indices: np.ndarray) -> tuple[Any, ...]:
        return tuple([_rows(column, indices) for column in self._columns])

    def sliced(self, part: slice) -> Arrays:
        return Arrays([column[part] for column in self._columns])


def _rows(column: Any, indices: np.ndarray) -> Any:
    dims = (indices.size, *column.shape[1:])
    if type(column) is not np.ndarray or column.dtype.hasobject:
        return column.take(indices, axis=0)
    if column.itemsize * _count(dims) < _ALIGNED_BYTES:
        return column.take(indices, axis=0)
    # The indices are in range; "clip" lets NumPy write into `out` without a copy of its own.
    return column.take(indices, axis=0, out=aligned_empty(dims, column.dtype), mode="clip")


def _count(dims: tuple[int, ...]) -> int:
    count = 1
    for size in dims:
        count *= size
    return count


class Numbers:
    """The numbers of a range, which are computed when asked for."""

    __slots__ = ("_dtype", "_range", "length")

    def __init__(self, numbers: range, dtype: DType) -> None:
        self._range = numbers
        self._dtype = dtype
        # `len` refuses ranges that reach farther than memory.
        self.length = max(0, -((numbers.start - numbers.stop) // numbers.step))

    def element(self, index: int) -> tuple[Any, ...]:
        return (np.array(self._range[index], self._dtype.np),)

    def rows(self, start: int, stop: int) -> tuple[Any, ...]:
        part = self._range[start:stop]
        return (np.arange(part.start, part.stop, part.step).astype(self._dtype.np, copy=False),)

    def take(self, indices: np.ndarray) -> tuple[Any, ...]:
        numbers = indices * self._range.step + self._range.start
        return (numbers.astype(self._dtype.np, copy=False),)

    def sliced(self, part: slice) -> Numbers:
        return Numbers(self._range[part], self._dtype)


class Beside:
    """Tables side by side, as long as the shortest."""

    __slots__ = ("_tables", "length")

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tuple(tables)
        self.length = min(table.length for table in tables)

    def element(self, index: int) -> tuple[Any, ...]:
        return tuple(chain.from_iterable([t.element(index) for t in self._tables]))

    def rows(self, start: int, stop: int) -> tuple[Any, ...]:
        return tuple(chain.from_iterable([t.rows(start, stop) for t in self._tables]))

    def take(self, indices: np.ndarray) -> tuple[Any, ...]:
        return tuple(chain.from_iterable([t.take(indices) for t in self._tables]))

    def sliced(self, part: slice) -> Beside:
        # The slice is one of the shortest: the others are as long where it matters.
        start, stop, step = part.indices(self.length)
        return Beside([t.sliced(slice(start, stop, step)) for t in self._tables])
