"""Files that are there whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from tapeflow.core.paths import translated


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when all went well."""
    partial = f"{path}.{uuid.uuid4().hex}.partial"
    with translated(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    try:
        with translated(path), open(partial, "wb") as file:
            yield file
        with translated(path):
            os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise


def write_file(path: str, data: bytes) -> None:
    """Write a whole file at once."""
    with replacing(path) as file:
        file.write(data)


def read_file(path: str) -> bytes:
    """The bytes of a file."""
    with translated(path), open(path, "rb") as file:
        return file.read()
