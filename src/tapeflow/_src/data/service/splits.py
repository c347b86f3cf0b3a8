"""Sources whose elements are given to workers one by one, each to one of them."""

from __future__ import annotations

from collections.abc import Callable

from tapeflow._src.data.stage import Cursor, Element, Stage

# Returns the index of the next element of a source in one of its repetitions; None at the end.
FetchSplit = Callable[[int, int], "int | None"]


class SplitSource(Stage):
    """The elements of a source that this worker is given."""

    def __init__(self, source: Stage, number: int, fetch: FetchSplit) -> None:
        self._source = source
        self._number = number
        self._fetch = fetch
        self._repetitions = 0

    def cursor(self) -> Cursor:
        repetition, self._repetitions = self._repetitions, self._repetitions + 1
        return _SplitCursor(self._source, lambda: self._fetch(self._number, repetition))

    def cardinality(self) -> int:
        return self._source.cardinality()


class _SplitCursor(Cursor):
    def __init__(self, source: Stage, fetch: Callable[[], int | None]) -> None:
        self._table = source.table()
        self._cursor = source.cursor()
        self._fetch = fetch
        self._position = 0

    def __next__(self) -> Element:
        index = self._fetch()
        if index is None:
            raise StopIteration
        if self._table is not None:
            if index >= self._table.length:
                raise StopIteration
            return self._table.element(index)
        # Indices grow, so that the source is read but once.
        self._cursor.skip(index - self._position)
        self._position = index + 1
        return next(self._cursor)
