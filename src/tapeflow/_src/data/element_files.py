"""Elements in files: TFRecords, one for each element, as `states` writes it.

`cache(filename)` and `snapshot(path)` use them. Elements are appended while they are read; a file
counts when the description of its run says so (`recording.py`).
"""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Iterator

from tapeflow._src.api.io.records import TFRecordWriter, read_records
from tapeflow._src.core.atomic_files import make_folder
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.paths import translated
from tapeflow._src.data import states
from tapeflow._src.data.stage import Cursor, Element, Stage

# The level at which zlib is as quick as files are.
_LEVEL = 1


@states.register_stage
class ElementFile(Stage):
    """The elements of one file, the first `count` of them if that is not None."""

    def __init__(self, path: str, compressed: bool, count: int | None = None) -> None:
        self._path = path
        self._compressed = compressed
        self._count = count

    def arguments(self) -> tuple[str, bool, int | None]:
        """Return the arguments of the constructor."""
        return self._path, self._compressed, self._count

    def cursor(self) -> Cursor:
        return _ElementFileCursor(self)

    def records(self) -> Iterator[bytes]:
        """Yield the records of the elements."""
        records = read_records(self._path)
        if self._count is None:
            yield from records
            return
        for number in range(self._count):
            record = next(records, None)
            if record is None:
                raise DataLossError(
                    None, None, f"{self._path}: expected {self._count} elements, received {number}."
                )
            yield record

    def elements(self) -> Iterator[Element]:
        """Yield the elements."""
        for record in self.records():
            try:
                element = states.from_bytes(zlib.decompress(record) if self._compressed else record)
            except zlib.error as error:
                raise DataLossError(None, None, f"{self._path} is damaged: {error}") from error
            if not isinstance(element, tuple):
                raise DataLossError(None, None, f"{self._path} holds a record of no element.")
            yield element


class _ElementFileCursor(Cursor):
    def __init__(self, stage: ElementFile) -> None:
        self._stage = stage
        self._elements = stage.elements()
        self._count = 0

    def __next__(self) -> Element:
        element = next(self._elements)
        self._count += 1
        return element

    def get_state(self) -> int:
        return self._count

    def set_state(self, state: int) -> None:
        self._elements, self._count = self._stage.elements(), 0
        self.skip(state)


class ElementWriter:
    """Appends elements to a new file."""

    def __init__(self, folder: str, path: str, compressed: bool) -> None:
        with translated(folder):
            make_folder(folder)
        self.path = path
        self.count = 0
        self._compressed = compressed
        self._writer = TFRecordWriter(path)
        # An iteration that is broken off leaves the file as it is.
        weakref.finalize(self, self._writer.close)

    def append(self, element: Element) -> None:
        """Write an element."""
        data = states.to_bytes(element)
        self.append_record(zlib.compress(data, _LEVEL) if self._compressed else data)

    def append_record(self, record: bytes) -> None:
        """Write the record of an element of a file like this one."""
        self._writer.write(record)
        self.count += 1

    def flush(self) -> None:
        """Let others read what was written so far."""
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
