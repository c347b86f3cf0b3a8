"""Stages and ops of file records: lines, fixed-length records and TFRecords."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.api.io.gfile.folders import glob
from tapeflow._src.api.io.records import read_records
from tapeflow._src.api.io.streams import open_stream, read_up_to, size_of
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import DataLossError, InternalError, invalid
from tapeflow._src.core.paths import as_text
from tapeflow._src.core.registry import Free, Index
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.stage import Cursor, Element, Stage
from tapeflow._src.ops.strings.text import bytes_array

Read = Callable[[bytes], Iterator[bytes]]


class FileRecords(Stage):
    """The records of files, one file after the other; `read` yields those of one file."""

    def __init__(self, names: Sequence[bytes], read: Read) -> None:
        self._names = names
        self._read = read

    def cursor(self) -> Cursor:
        return _FileCursor(self._names, self._read)


class _FileCursor(Cursor):
    def __init__(self, names: Sequence[bytes], read: Read) -> None:
        self._names = names
        self._read = read
        self._file = 0
        self._given = 0  # records of the present file
        self._records: Iterator[bytes] | None = None

    def __next__(self) -> Element:
        while self._file < len(self._names):
            if self._records is None:
                self._records = self._read(self._names[self._file])
            record = next(self._records, None)
            if record is not None:
                self._given += 1
                return (np.array(record, object),)
            self._open(self._file + 1, 0)
        raise StopIteration

    def rows(self, count: int) -> Element | None:
        records: list[bytes] = []
        while self._file < len(self._names):
            if self._records is None:
                self._records = self._read(self._names[self._file])
            for record in islice(self._records, count - len(records)):
                records.append(record)
                self._given += 1
            if len(records) == count:
                break
            self._open(self._file + 1, 0)
        return (bytes_array(records),) if records else None

    def _open(self, file: int, consumed: int) -> None:
        """Open a file and skip the records that were consumed."""
        self._file, self._given, self._records = file, consumed, None
        if consumed:
            self._records = self._read(self._names[file])
            for _ in zip(range(consumed), self._records):
                pass

    def get_state(self) -> Any:
        return self._file, self._given

    def set_state(self, state: Any) -> None:
        self._open(*state)


# -- reading one file ---------------------------------------------------------------------------


def _lines(name: bytes, compression: str) -> Iterator[bytes]:
    with open_stream(name, compression) as stream:
        for line in stream:
            yield line.rstrip(b"\n").replace(b"\r", b"")


def _parts(name: bytes, compression: str, header: int, length: int, footer: int) -> Iterator[bytes]:
    if not compression:
        _check_size(name, header, length, footer)
    with open_stream(name, compression) as stream:
        # The last `footer` bytes are known as such only at the end: they are read ahead.
        start = read_up_to(stream, header + footer)
        if len(start) < header + footer:
            raise InternalError(
                None,
                None,
                f"{as_text(name)}: expected at least {header} bytes of header and {footer} of "
                f"footer, received {len(start)} bytes.",
            )
        ahead = start[header:]
        at = header
        while data := read_up_to(stream, length):
            if len(data) < length:
                raise DataLossError(
                    None,
                    None,
                    f"{as_text(name)}: expected a record of {length} bytes at offset {at} of the "
                    f"decompressed data, received {len(data)}.",
                )
            joined = ahead + data
            yield joined[:length]
            ahead = joined[length:]
            at += length


def _check_size(name: bytes, header: int, length: int, footer: int) -> None:
    body = size_of(name) - header - footer
    if body < 0 or body % length:
        raise invalid(
            f"{as_text(name)}: expected a header of {header} bytes, records of {length} bytes and "
            f"a footer of {footer} bytes, received {size_of(name)} bytes: {body} without header "
            f"and footer, which is not a multiple of {length}."
        )


def matching_files(pattern: Any) -> list[str]:
    """List the files that match any of the glob patterns, sorted."""
    patterns = dispatch.convert(pattern, dtypes.string).numpy()
    matches = {name for each in np.ravel(patterns).tolist() for name in glob(each)}
    if not matches:
        raise invalid(f"No files matched pattern: {pattern}")
    return sorted(matches)


# -- ops --------------------------------------------------------------------------------------


def _names(filenames: Any) -> list[bytes]:
    listed: list[bytes] = filenames.ravel().tolist()
    return listed


def compression_name(compression_type: Any) -> str:
    """Return the name of a compression: of a scalar of strings.

    Raises:
        tf.errors.InvalidArgumentError: if there is no such compression.
    """
    kind: str = compression_type.item().decode(errors="backslashreplace")
    if kind not in ("", "GZIP", "ZLIB"):
        raise invalid(f'compression_type must be "", "GZIP" or "ZLIB", received {kind!r}.')
    return kind


def _check_not_negative(name: str, value: int) -> None:
    if value < 0:
        raise invalid(f"{name} must be >= 0, received {value}.")


@dataset_op("TextLineDataset")
def text_line_dataset(
    xp, filenames: Free, compression_type: Free, buffer_size: Index, *, metadata=""
):
    """Return a dataset of the lines of text files."""
    _check_not_negative("buffer_size", int(buffer_size))
    return FileRecords(
        _names(filenames), partial(_lines, compression=compression_name(compression_type))
    )


text_line_dataset.accesses("files", path="filenames")


@dataset_op("FixedLengthRecordDatasetV2")
def fixed_length_record_dataset_v2(
    xp,
    filenames: Free,
    header_bytes: Index,
    record_bytes: Index,
    footer_bytes: Index,
    buffer_size: Index,
    compression_type: Free,
    *,
    metadata="",
):
    """Return a dataset of the records, all of one length, of files."""
    if record_bytes < 1:
        raise invalid(f"record_bytes must be > 0, received {int(record_bytes)}.")
    for name, size in (
        ("header_bytes", header_bytes),
        ("footer_bytes", footer_bytes),
        ("buffer_size", buffer_size),
    ):
        _check_not_negative(name, int(size))
    return FileRecords(
        _names(filenames),
        partial(
            _parts,
            compression=compression_name(compression_type),
            header=int(header_bytes),
            length=int(record_bytes),
            footer=int(footer_bytes),
        ),
    )


fixed_length_record_dataset_v2.accesses("files", path="filenames")


@dataset_op("TFRecordDataset")
def tf_record_dataset(
    xp, filenames: Free, compression_type: Free, buffer_size: Index, *, metadata=""
):
    """Return a dataset of the records of TFRecord files."""
    return FileRecords(
        _names(filenames),
        partial(read_records, compression_type=compression_name(compression_type)),
    )


tf_record_dataset.accesses("files", path="filenames")
