"""Reads `.keras` archives that anybody may have written.

Every member is checked by the directory of the archive before one is read: names that lead out of
a folder, duplicates, links, encryption, and sizes beyond the limits are refused. What is read is
held against the size that the directory declares.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from tapeflow._src.internal.files import one_generation
from tapeflow._src.keras.saving import limits

_BLOCK = 2**20
# By which the files of a folder are replaced together.
FOLDER_JOURNAL = ".keras_model.journal"
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, IndexError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError),
)
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


class ModelArchive:
    """The members of a `.keras` file, checked."""

    def __init__(self, path: str, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._archive = archive
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in archive.infolist():
            problem = _problem(info)
            if problem is None and info.filename in self._members:
                problem = "occurs twice"
            if problem is not None:
                raise self._refused(info.filename, problem)
            self._members[info.filename] = info

    def _refused(self, name: str, problem: str) -> ValueError:
        return ValueError(f"The member '{name}' of the archive {self._path} {problem}.")

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self) -> list[str]:
        """The names of all members."""
        return list(self._members)

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a member, of which there may be `limit`."""
        size = self._member(name).file_size
        if size > limit:
            raise self._refused(name, f"has {size:,} bytes; at most {limit:,} are read")
        return b"".join(self._blocks(name))

    def copy(self, name: str, target: IO[bytes]) -> int:
        """Write a member to a file, block by block; returns its size."""
        for block in self._blocks(name):
            target.write(block)
        target.seek(0)
        return self._member(name).file_size

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise ValueError(
                f"The archive {self._path} has no member '{name}', so it is no model in the "
                f"`.keras` format. Its members: {sorted(self._members)[:20]}."
            )
        return self._members[name]

    def _blocks(self, name: str) -> Iterator[bytes]:
        info = self._member(name)
        left = info.file_size
        what = f"the member '{name}' of the archive {self._path}"
        with damage_reported(what), self._archive.open(info) as file:
            while block := file.read(_BLOCK):
                left -= len(block)
                if left < 0:
                    break
                yield block
        if left:
            raise self._refused(
                name, f"does not have the {info.file_size:,} bytes that the archive declares"
            )


def _problem(info: zipfile.ZipInfo) -> str | None:
    """Return why a member is forbidden, as the end of an error message."""
    name = info.filename
    parts = name.replace("\\", "/").split("/")
    if (
        name.startswith(("/", "\\"))
        or ".." in parts
        or ":" in parts[0]
        or "\0" in info.orig_filename
    ):
        return "has a name that leads out of the folder of the model"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a symbolic link"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.compress_type not in _METHODS:
        return f"is compressed by method {info.compress_type}; known are stored and deflated ones"
    if info.file_size > limits.FREE_BYTES:
        bound = info.compress_size * limits.COMPRESSION_RATIO
        if info.file_size > bound:
            return (
                f"declares {info.file_size:,} bytes, more than {limits.COMPRESSION_RATIO} times "
                f"the {info.compress_size:,} that it takes in the archive: store it uncompressed, "
                f"as Keras does, if it is genuine"
            )
    return None


@contextmanager
def damage_reported(what: str) -> Iterator[None]:
    """Turn the exceptions of zip readers into a ValueError that names the file."""
    try:
        yield
    except _DAMAGED as error:
        raise ValueError(f"Could not read {what}, which is damaged: {error!r}") from error


class ModelFolder:
    """The files of a model that is saved without an archive, checked like the members of one."""

    def __init__(self, path: str, place: Callable[[str], str]) -> None:
        self._path = path
        self._place = place
        self._files = {name: os.path.join(path, name) for name in _files_below(path)}

    def names(self) -> list[str]:
        """The names of all files."""
        return list(self._files)

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a file, of which there may be `limit`."""
        with self._opened(name) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise ValueError(f"The file '{name}' in {self._path} has more than {limit:,} bytes.")
        return data

    def copy(self, name: str, target: IO[bytes]) -> int:
        """Write a file to another, block by block; returns its size."""
        size = 0
        with self._opened(name) as file:
            while block := file.read(_BLOCK):
                size += target.write(block)
        target.seek(0)
        return size

    def _opened(self, name: str) -> IO[bytes]:
        if name not in self._files:
            raise ValueError(f"The folder {self._path} has no file '{name}', so it is no model.")
        return open(self._place(self._files[name]), "rb")


def _files_below(path: str) -> Iterator[str]:
    """The files in a folder and in those below; links are not followed."""
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            if os.path.isfile(file) and not os.path.islink(file):
                yield os.path.relpath(file, path).replace(os.sep, "/")


@contextmanager
def open_archive(path: str) -> Iterator[Any]:
    """Open a `.keras` file, or the folder of such a model; ValueError if it is none."""
    if os.path.isdir(path):
        with one_generation(os.path.join(path, FOLDER_JOURNAL)) as place:
            yield ModelFolder(path, place)
        return
    if not os.path.isfile(path):
        raise ValueError(
            f"File not found: filepath={path}. Expected a model in a `.keras` archive or in a "
            f"folder."
        )
    if not zipfile.is_zipfile(path):
        raise ValueError(
            f"Cannot read {path} ({os.path.getsize(path):,} bytes): expected a model in a `.keras` "
            f"archive, which is a zip file. The file is damaged or of another kind."
        )
    with damage_reported(f"the archive {path}"):
        archive: Any = zipfile.ZipFile(path)
    with archive:
        yield ModelArchive(path, archive)
