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
    """Return whether the path exists.

    Args:
        path: A file or directory.

    Returns:
        A bool.

    Example:
        >>> tf.io.gfile.exists("missing.txt")
        False
    """
    return _is_name(path) and os.path.exists(local_path(path))


def isdir(path: Any) -> bool:
    """Return whether the path is a directory.

    Args:
        path: A path.

    Returns:
        A bool.

    Example:
        >>> tf.io.gfile.mkdir("folder")
        >>> tf.io.gfile.isdir("folder")
        True
    """
    return _is_name(path) and os.path.isdir(local_path(path))


def stat(path: Any) -> FileStatistics:
    """Return the size and modification time of a file, and whether it is a directory.

    Args:
        path: A file or directory.

    Returns:
        An object with `length`, `mtime_nsec` and `is_directory`.

    Raises:
        tf.errors.NotFoundError: If it does not exist.

    Example:
        >>> tf.io.write_file("five.txt", "12345")
        >>> tf.io.gfile.stat("five.txt").length
        5
    """
    local = local_path(path)
    with translated(local):
        status = os.stat(local)
    return FileStatistics(status.st_size, status.st_mtime_ns, stat_bits.S_ISDIR(status.st_mode))


def listdir(path: Any) -> list[str]:
    """List the entries of a directory.

    Args:
        path: The directory.

    Returns:
        A list of names, in no particular order.

    Raises:
        tf.errors.NotFoundError: If there is no such directory.

    Example:
        >>> tf.io.write_file("folder/a.txt", "")
        >>> tf.io.gfile.listdir("folder")
        ['a.txt']
    """
    local = local_path(path)
    if not os.path.isdir(local):
        raise NotFoundError(None, None, f"Could not find directory {as_text(path)}")
    with translated(local):
        return os.listdir(local)


def glob(pattern: Any) -> list[str]:
    """List the files that match a pattern, or any of several.

    Args:
        pattern: A glob pattern, or a list of them.

    Returns:
        A list of paths.

    Example:
        >>> tf.io.write_file("folder/a.txt", "")
        >>> tf.io.gfile.glob("folder/*.txt")
        ['folder/a.txt']
    """
    patterns: Iterable[Any] = [pattern]
    if not isinstance(pattern, str | bytes | os.PathLike):
        patterns = pattern
    return [name for each in patterns for name in match_files(as_text(each))]


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk a directory tree, yielding `(directory, subdirectories, files)`.

    Args:
        top: The directory to begin with.
        topdown: Whether a directory comes before its subdirectories.
        onerror: Function that is called with the error of a directory that cannot be listed.

    Returns:
        An iterator.

    Example:
        >>> tf.io.write_file("tree/branch/leaf.txt", "")
        >>> list(tf.io.gfile.walk("tree"))
        [('tree', ['branch'], []), ('tree/branch', [], ['leaf.txt'])]
    """
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
    """Create a directory whose parent exists; do nothing if it exists.

    Args:
        path: The directory.

    Returns:
        None.

    Raises:
        tf.errors.NotFoundError: If the parent does not exist.

    Example:
        >>> tf.io.gfile.mkdir("new_folder")
        >>> tf.io.gfile.isdir("new_folder")
        True
    """
    local = local_path(path)
    if not os.path.isdir(local):
        with translated(local):
            os.mkdir(local)


def makedirs(path: Any) -> None:
    """Create a directory and its parents; do nothing if it exists.

    Args:
        path: The directory.

    Returns:
        None.

    Example:
        >>> tf.io.gfile.makedirs("a/b/c")
        >>> tf.io.gfile.isdir("a/b/c")
        True
    """
    local = local_path(path)
    with translated(local):
        os.makedirs(local, exist_ok=True)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file.

    Args:
        src: The file.
        dst: The path of the copy.
        overwrite: Whether to replace a file there.

    Returns:
        None.

    Raises:
        tf.errors.AlreadyExistsError: If the target exists, unless `overwrite`.
        tf.errors.NotFoundError: If there is no such file.
        tf.errors.InvalidArgumentError: If `src` is a directory.

    Example:
        >>> tf.io.write_file("one.txt", "text")
        >>> tf.io.gfile.copy("one.txt", "two.txt")
        >>> tf.io.read_file("two.txt").numpy()
        b'text'
    """
    source, target = local_path(src), local_path(dst)
    _must_be_free(target, overwrite)
    if os.path.isdir(source):
        raise InvalidArgumentError(None, None, f"{source} is a directory; copy takes a file")
    if not os.path.exists(source):
        raise NotFoundError(None, None, f"{source}; No such file or directory")
    with translated(target):
        shutil.copyfile(source, target)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or directory.

    Args:
        src: The file or directory.
        dst: Its new path.
        overwrite: Whether to replace a file there.

    Returns:
        None.

    Raises:
        tf.errors.AlreadyExistsError: If the target exists, unless `overwrite`.
        tf.errors.NotFoundError: If `src` does not exist.

    Example:
        >>> tf.io.write_file("old.txt", "text")
        >>> tf.io.gfile.rename("old.txt", "new.txt")
        >>> tf.io.gfile.exists("old.txt"), tf.io.gfile.exists("new.txt")
        (False, True)
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
    """Delete a file.

    Args:
        path: The file.

    Returns:
        None.

    Raises:
        tf.errors.NotFoundError: If there is no such file.

    Example:
        >>> tf.io.write_file("unused.txt", "")
        >>> tf.io.gfile.remove("unused.txt")
        >>> tf.io.gfile.exists("unused.txt")
        False
    """
    local = local_path(path)
    with translated(local):
        os.remove(local)


def rmtree(path: Any) -> None:
    """Delete a directory and its contents, or a file; a link is deleted, not its target.

    Args:
        path: The directory.

    Returns:
        None.

    Raises:
        tf.errors.NotFoundError: If it does not exist.

    Example:
        >>> tf.io.write_file("unused/a/b.txt", "")
        >>> tf.io.gfile.rmtree("unused")
        >>> tf.io.gfile.exists("unused")
        False
    """
    local = local_path(path)
    if not os.path.lexists(local):
        raise NotFoundError(None, None, f"{as_text(path)} not found")
    with translated(local):
        if os.path.isdir(local) and not os.path.islink(local):
            shutil.rmtree(local)
        else:
            os.remove(local)


def join(path: Any, *paths: Any) -> Any:
    """Join parts of a path, also of a URI.

    Args:
        path: The first part.
        *paths: Further parts.

    Returns:
        The path.

    Example:
        >>> tf.io.gfile.join("folder", "file.txt")
        'folder/file.txt'
    """
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
    """Return the supported URI schemes: local files, with or without `file://`.

    Returns:
        A list of strings.

    Example:
        >>> "" in tf.io.gfile.get_registered_schemes()
        True
    """
    return list(SCHEMES)
