"""Temporary files and folders of a test, gone when it has ended."""

from __future__ import annotations

import atexit
import enum
import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any


class TempFileCleanup(enum.Enum):
    """When temporary files are removed."""

    ALWAYS = "always"
    SUCCESS = "success"
    OFF = "off"


@functools.cache
def get_temp_dir() -> str:
    """Return a folder for all tests of this process, which is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="tests_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class TempFile:
    """A temporary file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """Where it is."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """The content as text."""
        return self._path.read_text(encoding, errors)

    def read_bytes(self) -> bytes:
        """The content."""
        return self._path.read_bytes()

    def write_text(
        self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict"
    ) -> None:
        """Write text."""
        with open(self._path, mode, encoding=encoding, errors=errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        """Write bytes."""
        with open(self._path, mode) as file:
            file.write(data)

    def open_text(self, mode: str = "rt", encoding: str = "utf8", errors: str = "strict") -> Any:
        """The file, open for text."""
        return open(self._path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = "rb") -> Any:
        """The file, open for bytes."""
        return open(self._path, mode)

    def exists(self) -> bool:
        """Whether it is there."""
        return self._path.exists()


class TempDir:
    """A temporary folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """Where it is."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path

    def create_file(
        self,
        file_path: str | None = None,
        content: Any = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
    ) -> TempFile:
        """A file in it."""
        return make_file(self._path, file_path, content, mode, encoding, errors)

    def mkdir(self, dir_path: str | None = None) -> TempDir:
        """A folder in it."""
        path = self._path / (dir_path or _free(self._path, "dir"))
        path.mkdir(parents=True, exist_ok=True)
        return TempDir(path)


def make_file(
    folder: Path, file_path: str | None, content: Any, mode: str, encoding: str, errors: str
) -> TempFile:
    """A file in `folder`, with this content if there is any."""
    path = folder / (file_path or _free(folder, "file"))
    path.parent.mkdir(parents=True, exist_ok=True)
    made = TempFile(path)
    if isinstance(content, bytes):
        made.write_bytes(content, mode if "b" in mode else f"{mode}b")
    else:
        made.write_text(content or "", mode, encoding, errors)
    return made


def _free(folder: Path, stem: str) -> str:
    """A name that nothing in the folder has."""
    number = 0
    while (folder / f"{stem}{number}").exists():
        number += 1
    return f"{stem}{number}"
