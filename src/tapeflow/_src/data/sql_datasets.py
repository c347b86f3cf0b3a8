"""`SqlDataset`: the rows that a query of a SQLite database returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import UnknownError, invalid
from tapeflow._src.core.paths import as_text, local_path
from tapeflow._src.core.registry import Free
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import described
from tapeflow._src.data.stage import Cursor, Element, Stage

_SQLITE = "sqlite"


class SqlRows(Stage):
    """The rows of a query, as one scalar a column."""

    def __init__(self, path: str, query: str, types: Sequence[Any]) -> None:
        self._path = path
        self._query = query
        self._types = types

    def cursor(self) -> Cursor:
        return _SqlCursor(self)

    def elements(self) -> Iterator[Element]:
        """Run the query and yield its rows."""
        try:
            with closing(sqlite3.connect(self._path)) as connection:
                connection.text_factory = bytes
                for row in connection.execute(self._query):
                    yield self._element(row)
        except sqlite3.Error as error:
            raise UnknownError(None, None, f"{self._path}: {self._query}: {error}") from error

    def _element(self, row: tuple[Any, ...]) -> Element:
        if len(row) != len(self._types):
            raise invalid(
                f"The query returns {len(row)} columns. Received `output_types` of "
                f"{len(self._types)}: {self._query}"
            )
        return tuple([_as_array(value, dtype) for value, dtype in zip(row, self._types)])


def _as_array(value: Any, dtype: Any) -> np.ndarray:
    """Convert a value as SQLite does: NULL is zero or empty, text counts by its number."""
    if dtype is dtypes.string:
        text = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
        return np.array(text, object)
    if isinstance(value, bytes):
        value = _number(value)
    number = 0 if value is None else value
    if dtype is dtypes.bool:
        return np.array(bool(number))
    if dtype.is_integer:
        return np.array(int(number)).astype(dtype.np)
    return np.array(number, dtype.np)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


class _SqlCursor(Cursor):
    def __init__(self, stage: SqlRows) -> None:
        self._stage = stage
        self._rows = stage.elements()
        self._count = 0

    def __next__(self) -> Element:
        row = next(self._rows)
        self._count += 1
        return row

    def get_state(self) -> int:
        return self._count

    def set_state(self, state: int) -> None:
        self._rows, self._count = self._stage.elements(), 0
        self.skip(state)


@dataset_op("SqlDataset", effect="io")
def sql_dataset(
    xp, driver_name: Free, data_source_name: Free, query: Free, *, output_types, output_shapes
):
    """Return a dataset of the rows that a query returns."""
    driver = as_text(driver_name.item())
    if driver != _SQLITE:
        raise invalid(
            f"`driver_name` must be {_SQLITE!r}, the database there is. Received: {driver!r}"
        )
    types = [as_dtype(each) for each in output_types]
    return SqlRows(local_path(data_source_name.item()), as_text(query.item()), types)


sql_dataset.accesses("files")


class SqlDataset(Dataset):
    """The rows of a SQL query, as tuples of one scalar a column.

    Args:
        driver_name: "sqlite".
        data_source_name: The file of the database.
        query: The query.
        output_types: The dtypes of the columns, in a tuple.
    """

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        spec = nest.map_structure(lambda dtype: TensorSpec([], as_dtype(dtype)), output_types)
        layout = Layout(spec)
        texts = [dispatch.convert(t, dtypes.string) for t in (driver_name, data_source_name, query)]
        super().__init__(sql_dataset(*texts, **described(layout)))
        self._layout = layout
