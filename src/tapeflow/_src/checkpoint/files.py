"""Files of checkpoints and SavedModels: replaced whole and durably, with errors of `tf.errors`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from tapeflow._src.core import atomic_files
from tapeflow._src.core.paths import translated


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Return a file to write, which replaces `path` on success."""
    with translated(path), atomic_files.replacing(path) as file:
        yield file


def write_file(path: str, data: bytes) -> None:
    """Write a whole file at once."""
    with replacing(path) as file:
        file.write(data)


def read_file(path: str) -> bytes:
    """Return the bytes of a file."""
    with translated(path), open(path, "rb") as file:
        return file.read()
