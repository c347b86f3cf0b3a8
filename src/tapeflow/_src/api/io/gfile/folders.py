"""Find, copy, move and remove files and folders."""

from __future__ import annotations

import os
import shutil
import stat as stat_bits
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tapeflow._src.core.errors import (
    AlreadyExistsError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
)
from tapeflow._src.core.paths import SCHEMES, as_text, local_path, scheme_of, translated
from tapeflow._src.ops.io.files import match_files


@dataclass(frozen=True)
class FileStatistics:
    """The size and modification time of a file, and whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


def _is_name(path: Any) -> bool:
    return "\0" not in as_text(path)


def exists(path: Any) -> bool:
    """Whether the path exists."""
    return _is_name(path) and os.path.exists(local_path(path))


def isdir(path: Any) -> bool:
    """Whether the path is a directory."""
    return _is_name(path) and os.path.isdir(local_path(path))


def stat(path: Any) -> FileStatistics:
    """Return the size and modification time of a file, and whether it is a directory."""
    local = local_path(path)
    with translated(local):
        status = os.stat(local)
    return FileStatistics(status.st_size, status.st_mtime_ns, stat_bits.S_ISDIR(status.st_mode))


def listdir(path: Any) -> list[str]:
    """List the entries of a directory."""
    local = local_path(path)
    if not os.path.isdir(local):
        raise NotFoundError(None, None, f"Could not find directory {as_text(path)}")
    with translated(local):
        return os.listdir(local)


def glob(pattern: Any) -> list[str]:
    """List the files that match a pattern, or any of several."""
    patterns: Iterable[Any] = [pattern]
    if not isinstance(pattern, str | bytes | os.PathLike):
        patterns = pattern
    return [name for each in patterns for name in match_files(as_text(each))]


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk a directory tree, yielding `(directory, subdirectories, files)`."""
    folder = as_text(top)
    try:
        names = listdir(folder)
    except OpError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(os.path.join(folder, name))]
    files = [name for name in names if name not in set(folders)]
    if topdown:
        yield folder, folders, files
    for name in folders:
        yield from walk(os.path.join(folder, name), topdown, onerror)
    if not topdown:
        yield folder, folders, files


def mkdir(path: Any) -> None:
    """Create a directory whose parent exists; do nothing if it exists."""
    local = local_path(path)
    if not os.path.isdir(local):
        with translated(local):
            os.mkdir(local)


def makedirs(path: Any) -> None:
    """Create a directory and its parents."""
    local = local_path(path)
    with translated(local):
        os.makedirs(local, exist_ok=True)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file; raise AlreadyExistsError if the target exists, unless `overwrite`."""
    source, target = local_path(src), local_path(dst)
    _must_be_free(target, overwrite)
    if os.path.isdir(source):
        raise InvalidArgumentError(None, None, f"{source} is a directory; copy takes a file")
    if not os.path.exists(source):
        raise NotFoundError(None, None, f"{source}; No such file or directory")
    with translated(target):
        shutil.copyfile(source, target)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or directory; raise AlreadyExistsError if the target
    exists, unless `overwrite`.
    """
    source, target = local_path(src), local_path(dst)
    _must_be_free(target, overwrite)
    with translated(source):
        os.replace(source, target)


def _must_be_free(target: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(target):
        raise AlreadyExistsError(
            None, None, f"file already exists: {target}; pass overwrite=True to replace it"
        )


def remove(path: Any) -> None:
    """Delete a file."""
    local = local_path(path)
    with translated(local):
        os.remove(local)


def rmtree(path: Any) -> None:
    """Delete a directory and its contents, or a file."""
    local = local_path(path)
    if not os.path.lexists(local):
        raise NotFoundError(None, None, f"{as_text(path)} not found")
    with translated(local):
        if os.path.isdir(local) and not os.path.islink(local):
            shutil.rmtree(local)
        else:
            os.remove(local)


def join(path: Any, *paths: Any) -> Any:
    """Join parts of a path, also of a URI."""
    parts = [os.fspath(part) for part in (path, *paths)]
    if scheme_of(as_text(parts[0])):
        return (
            as_text(parts[0])
            if len(parts) == 1
            else "/".join(
                [as_text(parts[0]).rstrip("/"), *[as_text(part).strip("/") for part in parts[1:]]]
            )
        )
    return os.path.join(*parts)


def get_registered_schemes() -> list[str]:
    """Return the supported URI schemes: local files, with or without `file://`."""
    return list(SCHEMES)
