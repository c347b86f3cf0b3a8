"""Records of files: lines, parts of a fixed length, and TFRecords; as stages and their ops."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.core.paths import local_path, translated
from tapeflow.core.registry import Free, Index, op
from tapeflow.data.arguments import invalid
from tapeflow.data.stage import A_DATASET, HOST, Cursor, Element, Stage
from tapeflow.io.gfile.folders import glob
from tapeflow.io.records import read_records

Read = Callable[[bytes], Iterator[bytes]]


class FileRecords(Stage):
    """The records of files, one file after the other; `read` gives those of one."""

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

    def _open(self, file: int, given: int) -> None:
        """Go to a file, and pass over so many of its records."""
        self._file, self._given, self._records = file, given, None
        if given:
            self._records = self._read(self._names[file])
            for _ in zip(range(given), self._records):
                pass

    def get_state(self) -> Any:
        return self._file, self._given

    def set_state(self, state: Any) -> None:
        self._open(*state)


# -- reading one file ---------------------------------------------------------------------------


def _opened(name: bytes, compression: str) -> Any:
    path = local_path(name)
    with translated(path):
        if compression == "GZIP":
            return gzip.open(path, "rb")
        return open(path, "rb")


def _content(name: bytes, compression: str) -> bytes:
    with _opened(name, compression) as file:
        data: bytes = file.read()
    return zlib.decompress(data) if compression == "ZLIB" else data


def _lines(name: bytes, compression: str) -> Iterator[bytes]:
    if compression == "ZLIB":
        for line in _content(name, compression).splitlines():
            yield line
        return
    with _opened(name, compression) as file:
        for line in file:
            yield line.rstrip(b"\n").replace(b"\r", b"")


def _parts(name: bytes, compression: str, header: int, length: int, footer: int) -> Iterator[bytes]:
    data = _content(name, compression)
    body = data[header : len(data) - footer]
    if len(body) % length:
        raise invalid(
            f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
            f"{name.decode()!r} has body length {len(body)} bytes, which is not an exact multiple "
            f"of the record length ({length} bytes)."
        )
    for start in range(0, len(body), length):
        yield body[start : start + length]


def matching_files(pattern: Any) -> list[str]:
    """The names of the files that match a pattern, or any of several, sorted."""
    patterns = dispatch.convert(pattern, dtypes.string).numpy()
    found = {name for each in np.ravel(patterns).tolist() for name in glob(each)}
    if not found:
        raise invalid(f"No files matched pattern: {pattern}")
    return sorted(found)


# -- ops --------------------------------------------------------------------------------------


def _names(filenames: Any) -> list[bytes]:
    found: list[bytes] = filenames.ravel().tolist()
    return found


def _compression(compression_type: Any) -> str:
    kind: str = compression_type.item().decode()
    if kind not in ("", "GZIP", "ZLIB"):
        raise invalid(f"Unsupported compression_type: {kind}.")
    return kind


@op("TextLineDataset", infer=A_DATASET, grad=None, host=HOST)
def text_line_dataset(
    xp, filenames: Free, compression_type: Free, buffer_size: Index, *, metadata=""
):
    """A dataset of the lines of text files."""
    return FileRecords(
        _names(filenames), partial(_lines, compression=_compression(compression_type))
    )


text_line_dataset.accesses("files", path="filenames")


@op("FixedLengthRecordDatasetV2", infer=A_DATASET, grad=None, host=HOST)
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
    """A dataset of the records, all of one length, of files."""
    if record_bytes < 1:
        raise invalid("`record_bytes` must be > 0")
    return FileRecords(
        _names(filenames),
        partial(
            _parts,
            compression=_compression(compression_type),
            header=int(header_bytes),
            length=int(record_bytes),
            footer=int(footer_bytes),
        ),
    )


fixed_length_record_dataset_v2.accesses("files", path="filenames")


@op("TFRecordDataset", infer=A_DATASET, grad=None, host=HOST)
def tf_record_dataset(
    xp, filenames: Free, compression_type: Free, buffer_size: Index, *, metadata=""
):
    """A dataset of the records of TFRecord files."""
    return FileRecords(
        _names(filenames), partial(read_records, compression_type=_compression(compression_type))
    )


tf_record_dataset.accesses("files", path="filenames")
