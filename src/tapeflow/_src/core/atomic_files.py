"""Files that are replaced whole and durably: one alone, or several together.

A file is written under a partial name in its own folder, synced, and renamed. Several files that
belong together (the index and the data of a checkpoint) are renamed as one: a journal that lists
the renames is the commit point. A new folder with all its files can be one of them. Whoever comes
next, a reader or a writer, completes the renames of a journal whose writer was killed, or reads
through it in a folder that it may not change.

Partial names carry the host and the process of their writer. The next writer in a folder removes
those of dead writers, and nothing else. Errors are those of the operating system.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import socket
import stat
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import BinaryIO

JOURNAL = ".tapeflow-commit"
_PARTIAL = re.compile(r"(.+)\.([0-9a-f]{8})-([0-9]+)-([0-9]+)-[0-9a-f]{12}\.partial", re.DOTALL)
# Whether writers on other hosts are alive is unknown: their files are removed after a day.
_ABANDONED_AFTER = 86400.0
# A lock is held only while files are renamed; a holder that takes longer than this hangs.
_LONGEST_WAIT = 60.0
_LONGEST_NAME = 255


# -- single files ------------------------------------------------------------------------------


@contextmanager
def replacing(path: str, create_folder: bool = True) -> Iterator[BinaryIO]:
    """Open a new file that atomically and durably replaces `path` when the block succeeds.

    The file can be read, written and sought in. If the block raises, `path` is unchanged. Devices
    and pipes are written to and not replaced.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "wb") as stream:
            yield stream
        return
    folder = os.path.dirname(path)
    if create_folder:
        make_folder(folder)
    _sweep(folder)
    partial = _partial_name(path)
    try:
        with _new_file(partial, path) as file:
            yield file
            _sync(file)
        os.replace(partial, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise
    _sync_folder(folder)


@contextmanager
def partial_folder(path: str) -> Iterator[str]:
    """Create a folder beside `path`, which is removed with its contents when the block ends.

    The block can rename it. Those of writers that were killed are removed by the next one.
    """
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    make_folder(folder)
    _sweep(folder)
    partial = _partial_name(path)
    os.mkdir(partial)
    try:
        yield partial
    finally:
        _remove(partial)


def write_file(path: str, data: bytes) -> None:
    """Replace the content of a file, durably and atomically."""
    with replacing(path) as file:
        file.write(data)


def make_folder(folder: str) -> None:
    """Create a folder and its parents; their names are durable when it returns."""
    missing = []
    folder = os.path.abspath(folder)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for name in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(name)
        if not os.path.isdir(name):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        _sync_folder(os.path.dirname(name))


def _new_file(partial: str, path: str) -> BinaryIO:
    """Open the file of a partial name, with the permissions of the one that it replaces."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    file = open(partial, "x+b")  # noqa: SIM115  closed by the caller
    # There may be no such file, and some file systems have no permissions.
    with suppress(OSError):
        os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode))
    return file


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: str) -> None:
    """Make the names in a folder durable."""
    # Some file systems refuse it, and a folder can be writable without being readable.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sync_tree(folder: str) -> None:
    """Make the files of a folder, and of those below it, durable."""
    for folder_path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(folder_path, name), "rb") as file:
                os.fsync(file.fileno())
        _sync_folder(folder_path)


def _remove(partial: str) -> None:
    """Remove what was written under a partial name, a file or a folder."""
    with suppress(FileNotFoundError):
        if os.path.isdir(partial) and not os.path.islink(partial):
            shutil.rmtree(partial)
        else:
            os.unlink(partial)


# -- partial names -----------------------------------------------------------------------------


def _partial_name(path: str) -> str:
    """Return a name beside `path` that identifies its writer."""
    pid = os.getpid()
    ending = f".{_host()}-{pid}-{_start_time(pid)}-{uuid.uuid4().hex[:12]}.partial"
    folder, name = os.path.split(path)
    prefix = os.fsencode(name)[: _LONGEST_NAME - len(ending)]
    return os.path.join(folder, os.fsdecode(prefix) + ending)


@cache
def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def _start_time(pid: int) -> int:
    """Return when a process was started, which detects reused process ids; 0 if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name of the program, in brackets, may hold anything.
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


def _is_abandoned(path: str, host: str, pid: int, start: int) -> bool:
    """Whether the writer of a partial file is dead."""
    if host != _host():
        return time.time() - _last_change(path) > _ABANDONED_AFTER
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return start not in (0, _start_time(pid))


def _last_change(path: str) -> float:
    """Return when a file, or anything in a folder, was last written."""
    inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    return max(os.stat(each).st_mtime for each in (path, *inside))


def _sweep(folder: str) -> None:
    """Complete the committed transactions of killed writers in a folder, and remove the others."""
    try:
        names = os.listdir(folder)
    except PermissionError:
        return
    if any(name.endswith(JOURNAL) for name in names):
        with locked(folder):
            _complete_all(folder)
    abandoned = []
    for name in names:
        match = _PARTIAL.fullmatch(name)
        path = os.path.join(folder, name)
        with suppress(FileNotFoundError):
            if match and _is_abandoned(path, match[2], int(match[3]), int(match[4])):
                abandoned.append(path)
    if not abandoned:
        return
    # Only now: a writer that is known to be dead commits nothing more.
    committed = _committed(folder) | _committed(os.path.dirname(folder))
    for path in abandoned:
        if path not in committed:
            with suppress(PermissionError):
                _remove(path)


# -- locks -------------------------------------------------------------------------------------


@contextmanager
def locked(folder: str, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a folder: exclusive to rename files in it, shared to open several of them.

    It is the operating system's, on the folder itself: it leaves no file, and is released with its
    holder. Folders that cannot be opened or locked are used without.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        _acquire(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, folder)
        try:
            yield
        finally:
            # A forked child has the descriptor, too: closing it here would not be enough.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, kind: int, folder: str) -> None:
    deadline = time.monotonic() + _LONGEST_WAIT
    pause = 0.0005
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(
                    errno.ETIMEDOUT, "another process has held its lock for a minute", folder
                ) from None
        except OSError:
            return
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


# -- several files -----------------------------------------------------------------------------


class FileTransaction:
    """New contents of several files, and new folders, which are committed together.

    They are in the folder of the journal or below it.
    """

    def __init__(self, journal: str) -> None:
        folder, name = os.path.split(journal)
        self._folder = os.path.realpath(folder or ".")
        self._journal = os.path.join(self._folder, name + JOURNAL)
        self._partials: dict[str, str] = {}
        self._swept: set[str] = set()
        self._committed = False

    @contextmanager
    def replacing(self, path: str) -> Iterator[BinaryIO]:
        """Open the new content of a file."""
        path, partial = self._begin(path)
        with _new_file(partial, path) as file:
            yield file
            _sync(file)

    @contextmanager
    def new_folder(self, path: str) -> Iterator[str]:
        """Create a folder that becomes `path`, which must not exist, with its contents."""
        _, partial = self._begin(path)
        os.mkdir(partial)
        yield partial
        _sync_tree(partial)

    def _begin(self, path: str) -> tuple[str, str]:
        """Return the real path of what is to be written, and the partial name to write it under."""
        folder = os.path.realpath(os.path.dirname(path) or ".")
        if folder not in self._swept:
            make_folder(folder)
            _sweep(folder)
            self._swept.add(folder)
        path = os.path.join(folder, os.path.basename(path))
        partial = self._partials[path] = _partial_name(path)
        return path, partial

    def write(self, path: str, data: bytes) -> None:
        """Set the new content of a file."""
        with self.replacing(path) as file:
            file.write(data)

    def release(self) -> dict[str, str]:
        """Leave what was written to another process; returns its partial names by the final ones.

        All are names in the folder of the journal.
        """
        released = {
            os.path.relpath(path, self._folder): os.path.relpath(partial, self._folder)
            for path, partial in self._partials.items()
        }
        self._partials.clear()
        return released

    def adopt(self, released: Mapping[str, str]) -> None:
        """Commit what another process has written and released in the folder of the journal."""
        for path, partial in released.items():
            self._partials[os.path.join(self._folder, path)] = os.path.join(self._folder, partial)

    def commit(self) -> None:
        """Rename the files to their final names, in order of writing."""
        renames = [
            (os.path.relpath(partial, self._folder), os.path.relpath(path, self._folder))
            for path, partial in self._partials.items()
        ]
        data = json.dumps(renames).encode()
        with locked(self._folder):
            _complete(self._journal)
            partial = self._partials[self._journal] = _partial_name(self._journal)
            with open(partial, "xb") as file:
                file.write(b"%08x\n%s" % (zlib.crc32(data), data))
                _sync(file)
            for folder in self._swept:
                _sync_folder(folder)
            self._committed = True
            os.replace(partial, self._journal)
            _sync_folder(self._folder)
            _complete(self._journal)

    def roll_back(self) -> None:
        """Remove what was written, unless it was committed."""
        if not self._committed or not os.path.exists(self._journal):
            for partial in self._partials.values():
                _remove(partial)


@contextmanager
def file_transaction(journal: str) -> Iterator[FileTransaction]:
    """Replace several files together when the block succeeds; otherwise none.

    `journal` is the start of the name of the journal: what the files have in common.
    """
    transaction = FileTransaction(journal)
    try:
        yield transaction
        transaction.commit()
    except BaseException:
        transaction.roll_back()
        raise


def _complete_all(folder: str) -> None:
    for name in os.listdir(folder):
        if name.endswith(JOURNAL):
            # Another user's journal may have to stay.
            with suppress(OSError):
                _complete(os.path.join(folder, name))


def _complete(journal: str) -> None:
    """Perform the renames of a journal, whose folder is locked, and remove it."""
    renames = _renames(journal)
    if renames is None:
        return
    for partial, path in renames:
        with suppress(FileNotFoundError):
            os.replace(partial, path)
    for folder in {os.path.dirname(path) for _, path in renames}:
        _sync_folder(folder)
    os.unlink(journal)


def _renames(journal: str) -> list[tuple[str, str]] | None:
    """Return the renames of a journal; None if it cannot be read, or is not one of ours.

    The folder may come from somebody else: no name in it may lead out of the folder, and each file
    is renamed to what its partial name says.
    """
    try:
        with open(journal, "rb") as file:
            checksum, _, data = file.read().partition(b"\n")
        if checksum != b"%08x" % zlib.crc32(data):
            return None
        listed = json.loads(data)
        folder = os.path.dirname(journal)
        return [_checked(folder, partial, path) for partial, path in listed]
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def _checked(folder: str, partial: str, path: str) -> tuple[str, str]:
    match = _PARTIAL.fullmatch(os.path.basename(partial))
    inside = not os.path.isabs(path) and ".." not in path.split(os.sep) and "\0" not in path
    same_folder = os.path.dirname(partial) == os.path.dirname(path)
    if not (match and inside and same_folder and os.path.basename(path).startswith(match[1])):
        raise ValueError(partial)
    return os.path.join(folder, partial), os.path.join(folder, path)


def _committed(folder: str) -> set[str]:
    """Return the partial files that journals of a folder will rename."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(JOURNAL)]
    except OSError:
        return set()
    listed = (_renames(os.path.join(folder, name)) or [] for name in names)
    return {partial for renames in listed for partial, _ in renames}


def settle(journal: str) -> None:
    """Complete what a killed writer had committed, if this process may write there."""
    folder, name = os.path.split(journal)
    path = os.path.join(folder, name + JOURNAL)
    if os.path.exists(path):
        with suppress(OSError), locked(folder or "."):
            _complete(path)


@contextmanager
def one_generation(journal: str) -> Iterator[Callable[[str], str]]:
    """Block writers while the files of a transaction are opened.

    Yields a function from the path of a file to where its content is: the committed files of a
    killed writer are renamed first, or read where they are if this process may not write.
    """
    settle(journal)
    folder, name = os.path.split(journal)
    folder = os.path.realpath(folder or ".")
    with locked(folder, shared=True):
        renames = _renames(os.path.join(folder, name + JOURNAL)) or []
        pending = {path: partial for partial, path in renames if os.path.exists(partial)}
        yield lambda path: pending.get(
            os.path.join(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path)),
            path,
        )
