"""Temporary files and folders of a test."""

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
        """The path of the file."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """Read the file as text."""
        return self._path.read_text(encoding, errors)

    def read_bytes(self) -> bytes:
        """Read the file as bytes."""
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
        """Open the file as text."""
        return open(self._path, mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = "rb") -> Any:
        """Open the file as bytes."""
        return open(self._path, mode)

    def exists(self) -> bool:
        """Whether the file exists."""
        return self._path.exists()


class TempDir:
    """A temporary folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """The path of the folder."""
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
        """Create a file in the folder."""
        return make_file(self._path, file_path, content, mode, encoding, errors)

    def mkdir(self, dir_path: str | None = None) -> TempDir:
        """Create a folder in the folder."""
        path = self._path / (dir_path or _free(self._path, "dir"))
        path.mkdir(parents=True, exist_ok=True)
        return TempDir(path)


def make_file(
    folder: Path, file_path: str | None, content: Any, mode: str, encoding: str, errors: str
) -> TempFile:
    """Create a file in `folder`, with optional content."""
    path = folder / (file_path or _free(folder, "file"))
    path.parent.mkdir(parents=True, exist_ok=True)
    file = TempFile(path)
    if isinstance(content, bytes):
        file.write_bytes(content, mode if "b" in mode else f"{mode}b")
    else:
        file.write_text(content or "", mode, encoding, errors)
    return file


def _free(folder: Path, stem: str) -> str:
    """Return an unused name in the folder."""
    number = 0
    while (folder / f"{stem}{number}").exists():
        number += 1
    return f"{stem}{number}"
