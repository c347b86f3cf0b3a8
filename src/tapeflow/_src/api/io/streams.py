"""Files read as streams: compressed data in pieces, and reads of a claimed size.

Memory is bounded by what a file really holds: a stream keeps one buffer, and a read of a claimed
number of bytes allocates them as they arrive.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.ops.io.raw import WINDOW_BITS

_BUFFER = 256 * 1024
_PIECE = 1 << 20


class Inflated(io.RawIOBase):
    """The decompressed bytes of a file.

    Args:
        file: The compressed file, open for reading.
        kind: "GZIP" (one or several members) or "ZLIB" (one stream; what follows is ignored).
        name: The name of the file, for errors.
        whole: Whether a file that ends inside compressed data is an error. Readers of records leave
            this off: records have checksums, and a writer may be adding to the file.
    """

    def __init__(self, file: Any, kind: str, name: str, whole: bool) -> None:
        self._file = file
        self._kind = kind
        self._name = name
        self._whole = whole
        self._decoder: Any = None
        self._left = b""
        self._position = 0
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        """Fill `target` as far as one decompressed piece does; 0 at the end."""
        while not self._ended:
            data = self._left or self._read()
            if self._decoder is None:
                if not data:
                    break
                self._decoder = zlib.decompressobj(WINDOW_BITS[self._kind])
            try:
                piece = self._decoder.decompress(data, len(target))
            except zlib.error as error:
                raise self._data_loss(f"received damaged data ({error})") from None
            self._left = self._decoder.unconsumed_tail
            if self._decoder.eof:
                self._left, self._decoder = self._decoder.unused_data, None
                self._ended = self._kind == "ZLIB"
            if piece:
                target[: len(piece)] = piece
                return len(piece)
            if not data:
                if self._whole:
                    raise self._data_loss("received the end of the file inside the data")
                self._ended = True
        return 0

    def _read(self) -> bytes:
        data: bytes = self._file.read(_BUFFER)
        self._position += len(data)
        return data

    def _data_loss(self, what: str) -> DataLossError:
        return DataLossError(
            None,
            None,
            f"{self._name}: expected {self._kind} data up to byte {self._position} of the file, "
            f"{what}. Check that compression_type is the one the file was written with.",
        )


@contextmanager
def open_stream(path: Any, kind: str, whole: bool = True) -> Iterator[Any]:
    """Open a file for buffered reading, decompressed where `kind` is not empty.

    Errors of the operating system inside the block are raised as those of `tf.errors`.
    """
    name = local_path(path)
    with translated(name), open(name, "rb", _BUFFER) as file:
        yield io.BufferedReader(Inflated(file, kind, name, whole), _BUFFER) if kind else file


def read_up_to(stream: Any, size: int) -> bytes:
    """Read `size` bytes, or fewer at the end; never allocates much more than there is to read."""
    if size <= _PIECE:
        data: bytes = stream.read(size)
        return data
    pieces: list[bytes] = []
    while size > 0:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def size_of(path: Any) -> int:
    """Return the size of a file in bytes."""
    name = local_path(path)
    with translated(name):
        return os.stat(name).st_size
