"""Rows of CSV files: a quoted field may hold line breaks, so a record is not always a line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.api.io.streams import open_stream
from tapeflow._src.core.errors import InvalidArgumentError, invalid
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.registry import Free, Index, ManyFree
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.files import compression_name
from tapeflow._src.data.stage import Cursor, Element, Stage, joined, stacked
from tapeflow._src.ops.io.csv import CsvStyle, parsed_columns

_QUOTE = b'"'
_PIECE = 1 << 20


class CsvRows(Stage):
    """The records of files, parsed into one scalar a column."""

    def __init__(
        self,
        names: Sequence[bytes],
        compression: str,
        header: bool,
        style: CsvStyle,
        defaults: Sequence[np.ndarray],
    ) -> None:
        self.names = names
        self._compression = compression
        self._header = header
        self._style = style
        self._defaults = defaults

    def cursor(self) -> Cursor:
        return _CsvCursor(self)

    def records(self, name: bytes) -> Iterator[bytes]:
        """Yield the records of a file, without its header."""
        records = _records(name, self._compression, self._style)
        if self._header and next(records, None) is None:
            raise invalid(f"{as_text(name)} is empty, and can't have the header that is expected.")
        return records

    def parse(self, records: list[bytes]) -> Element:
        """Return records as rows of arrays."""
        return tuple(parsed_columns(records, self._defaults, self._style))


class _CsvCursor(Cursor):
    """Parses many records at once; one by one if one of them is wrong."""

    def __init__(self, stage: CsvRows) -> None:
        self._stage = stage
        self._file = 0
        self._count = 0  # records that were read of the present file
        self._records: Iterator[bytes] | None = None
        # Records that were read together with a wrong one, of the present file.
        self._unparsed: deque[bytes] = deque()

    def __next__(self) -> Element:
        record = self._unparsed.popleft() if self._unparsed else next(iter(self._read(1)), None)
        if record is None:
            raise StopIteration
        try:
            rows = self._stage.parse([record])
        except InvalidArgumentError as error:
            index = self._count - len(self._unparsed) - 1
            name = as_text(self._stage.names[self._file])
            raise invalid(
                f"{error.message} ({name}, record {index}, counted from 0): {record!r}"
            ) from None
        return tuple([column[0, ...] for column in rows])

    def rows(self, count: int) -> Element | None:
        parts = []
        while count > 0:
            if self._unparsed:
                elements = list(islice(self, count))
                parts.append(stacked(elements))
                count -= len(elements)
                continue
            records = self._read(count)
            if not records:
                break
            try:
                parts.append(self._stage.parse(records))
            except InvalidArgumentError:
                self._unparsed.extend(records)
            else:
                count -= len(records)
        return joined(parts) if parts else None

    def _read(self, count: int) -> list[bytes]:
        """Return up to `count` records of one file; none at the end of all files."""
        while self._file < len(self._stage.names):
            if self._records is None:
                self._records = self._stage.records(self._stage.names[self._file])
            records = list(islice(self._records, count))
            if records:
                self._count += len(records)
                return records
            self._open(self._file + 1, 0)
        return []

    def _open(self, file: int, count: int) -> None:
        """Open a file, and skip the records that were read."""
        self._file, self._count, self._records = file, count, None
        if count:
            self._records = self._stage.records(self._stage.names[file])
            for _ in islice(self._records, count):
                pass

    def get_state(self) -> Any:
        return self._file, self._count, list(self._unparsed)

    def set_state(self, state: Any) -> None:
        file, count, unparsed = state
        self._open(file, count)
        self._unparsed = deque(unparsed)


# -- reading one file ------------------------------------------------------------------------------


def _records(name: bytes, compression: str, style: CsvStyle) -> Iterator[bytes]:
    """Yield the records of a file; lines end in LF, CR or both."""
    with open_stream(name, compression) as stream:
        rest = b""
        while piece := stream.read(_PIECE):
            records, rest = _split(rest + piece, style)
            yield from records
        # What looks like the last line may have been the start of a line break of two bytes.
        records, rest = _split(rest + b"\n", style) if rest else ([], b"")
        yield from records
        if rest:
            yield rest.rstrip(b"\r\n")


def _split(text: bytes, style: CsvStyle) -> tuple[list[bytes], bytes]:
    """Return the complete records of a text, and the rest of it."""
    if not style.quoting or _QUOTE not in text:
        if b"\r" not in text:
            *records, rest = text.split(b"\n")
            return records, rest
        lines = text.splitlines(keepends=True)
    else:
        lines = _closed(text.splitlines(keepends=True), style.delimiter)
    # A CR at the very end may be one half of a line break.
    rest = b"" if lines[-1].endswith(b"\n") and not _is_open(lines[-1], style) else lines.pop()
    return [_without_break(line) for line in lines], rest


def _without_break(line: bytes) -> bytes:
    return line[:-2] if line.endswith(b"\r\n") else line[:-1]


def _closed(lines: list[bytes], delimiter: int) -> list[bytes]:
    """Join lines that a quoted field holds together."""
    records: list[bytes] = []
    start: list[bytes] = []
    for line in lines:
        start.append(line)
        if _QUOTE not in line and len(start) == 1:
            records.append(line)
            start = []
        elif _QUOTE in line:
            record = b"".join(start)
            if not _ends_in_quotes(record, delimiter):
                records.append(record)
                start = []
    if start:
        records.append(b"".join(start))
    return records


def _is_open(record: bytes, style: CsvStyle) -> bool:
    return style.quoting and _QUOTE in record and _ends_in_quotes(record, style.delimiter)


def _ends_in_quotes(record: bytes, delimiter: int) -> bool:
    """Whether a record ends inside a quoted field; a record with an error ends with its line."""
    at, size = 0, len(record.rstrip(b"\r\n"))
    while at < size:
        if record[at : at + 1] != _QUOTE:
            end = record.find(delimiter, at)
            if end < 0:
                return False
            at = end + 1
            continue
        at += 1
        while True:
            at = record.find(_QUOTE, at)
            if at < 0:
                return True
            if record[at + 1 : at + 2] != _QUOTE:
                break
            at += 2
        if at + 1 < size and record[at + 1] != delimiter:
            return False
        at += 2
    return False


# -- op --------------------------------------------------------------------------------------------


@dataset_op("CSVDatasetV2")
def csv_dataset(
    xp,
    filenames: Free,
    compression_type: Free,
    buffer_size: Index,
    header: Free,
    field_delim: Free,
    use_quote_delim: Free,
    na_value: Free,
    select_cols: Index,
    record_defaults: ManyFree,
    exclude_cols: Index,
    *,
    output_shapes,
):
    """Return a dataset of the rows of CSV files."""
    if buffer_size < 1:
        raise invalid(f"buffer_size must be > 0, received {int(buffer_size)}.")
    selected = frozenset(select_cols.ravel().tolist())
    excluded = frozenset(exclude_cols.ravel().tolist())
    if selected and excluded:
        raise invalid(
            f"Pass either `select_cols` or `exclude_cols`. Received: select_cols="
            f"{sorted(selected)}, exclude_cols={sorted(excluded)}"
        )
    delimiter: bytes = field_delim.item()
    if len(delimiter) != 1:
        raise invalid(f"field_delim must be one byte, received {delimiter!r}.")
    for column, default in enumerate(record_defaults):
        if default.ndim > 1 or default.size > 1:
            raise invalid(
                f"Expected one default or none for column {column}, received an array of shape "
                f"{default.shape}."
            )
    style = CsvStyle(
        delimiter[0],
        bool(use_quote_delim),
        na_value.item(),
        selected,
        excluded,
        empty_is_field=True,
    )
    compression = compression_name(compression_type)
    names: list[bytes] = filenames.ravel().tolist()
    return CsvRows(names, compression, bool(header), style, record_defaults)


csv_dataset.accesses("files", path="filenames")
