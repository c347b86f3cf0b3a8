"""The files of the program cache: location, ownership and integrity.

Entries are in a folder of their own inside the one that the user chose, and nothing that does not
have one of the two names below is ever counted, read or removed. An entry is loaded only if it and
its folder belong to the user who runs the process, if nobody else can replace a folder on the path,
and if its checksum is right: it holds machine code. The content of entries is opaque here.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import re
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path

from tapeflow._src.core.log import logger

VARIABLE = "TAPEFLOW_CACHE_DIR"
# The version is part of the name: a later format has a folder of its own.
SUBFOLDER = "xla-programs-v1"
# The capacity of the folder; the least recently used entries are removed first.
MOST_BYTES = 512 << 20

# The part of the free capacity that a process fills before it looks at the folder again.
_SHARE = 16

# An entry is these 16 bytes, the SHA-256 of its key and its content, and the content.
_MAGIC = b"tapeflow-xla-v1\n"
_CHECKED_FROM = len(_MAGIC) + hashlib.sha256().digest_size
_ENTRY = re.compile(r"[0-9a-f]{64}\.program")
# While it is written: the key, a tag of the machine, the process, and a random part.
_PARTIAL = re.compile(r"[0-9a-f]{64}\.([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}\.partial")
# No writer takes so long: older files were left by a process that died, on any machine.
_ABANDONED_SECONDS = 86_400.0

# How many bytes may be written to a folder until it is looked at again.
_room: dict[Path, int] = {}


def folder() -> Path | None:
    """Return the folder of the entries, created if needed; None if there is none to use."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    try:
        outer = Path(chosen or os.path.join(base, "tapeflow"))
        outer.mkdir(mode=0o700, parents=True, exist_ok=True)
        outer = outer.resolve()
        unsafe = next((p for p in (outer, *outer.parents) if not _is_protected(p)), None)
        inner = outer / SUBFOLDER
        if unsafe is None:
            inner.mkdir(mode=0o700, exist_ok=True)
            unsafe = None if _is_ours(inner.lstat()) else inner
    except OSError as error:
        logger.debug("No cache of compiled programs: %s", error)
        return None
    if unsafe is not None:
        logger.debug("No cache of compiled programs: other users can write to %s", unsafe)
        return None
    return inner


def read(path: Path) -> bytes | None:
    """Return the content of an entry, or None. Damaged ones are removed."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, "rb") as file:
            if not _is_ours(os.fstat(handle)):
                return None
            data = file.read()
    except OSError:
        return None
    content = memoryview(data)[_CHECKED_FROM:]
    if hmac.compare_digest(data[:_CHECKED_FROM], _MAGIC + _checksum(path, content)):
        with suppress(OSError):
            os.utime(path)
        return bytes(content)
    logger.debug("The compiled program %s is damaged and is compiled again", path)
    remove(path)
    return None


def write(path: Path, content: bytes) -> None:
    """Create an entry atomically, and keep the folder within its capacity."""
    partial = path.with_name(
        f"{path.stem}.{_machine_tag()}-{os.getpid()}-{secrets.token_hex(4)}.partial"
    )
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as file:
            file.write(_MAGIC + _checksum(path, memoryview(content)))
            file.write(content)
        os.replace(partial, path)
    except BaseException:
        remove(partial)
        raise
    room = _room.get(path.parent, 0) - len(content)
    _room[path.parent] = room if room > 0 else _evict(path.parent)


def entry(folder: Path, key: str) -> Path:
    """Return the path of the entry of a key, 64 hexadecimal digits."""
    return folder / f"{key}.program"


def remove(path: Path) -> None:
    """Remove an entry, if it still exists."""
    with suppress(OSError):
        path.unlink()


def _checksum(path: Path, content: memoryview) -> bytes:
    """Return the checksum of key and content: an entry is valid under its own name only."""
    digest = hashlib.sha256(path.stem.encode())
    digest.update(content)
    return digest.digest()


def _is_ours(status: os.stat_result) -> bool:
    """Whether only the user can have written it."""
    if stat.S_ISLNK(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o022
    )


def _is_protected(outer: Path) -> bool:
    """Whether nobody but the user and root can replace files in a folder."""
    if not hasattr(os, "getuid"):
        return True
    status = outer.stat()
    if status.st_uid not in (0, os.getuid()):
        return False
    if status.st_mode & stat.S_ISVTX:
        return True
    # A group with the id of its user contains that user alone, as many systems set it up.
    own_group = status.st_gid == status.st_uid
    return not status.st_mode & (0o002 if own_group else 0o022)


def _evict(folder: Path) -> int:
    """Remove files of dead writers, and least recently used entries beyond the capacity.

    Returns how many bytes this process may write until then: other processes write, too.
    """
    entries: list[tuple[float, int, str]] = []
    with os.scandir(folder) as items:
        for item in items:
            with suppress(OSError):
                if not item.is_file(follow_symlinks=False):
                    continue
                status = item.stat(follow_symlinks=False)
                if _ENTRY.fullmatch(item.name):
                    entries.append((status.st_mtime, status.st_size, item.path))
                elif _is_abandoned(item.name, status.st_mtime):
                    os.unlink(item.path)
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= MOST_BYTES:
            break
        with suppress(OSError):
            os.unlink(path)
        total -= size
    return max(MOST_BYTES - total, 0) // _SHARE


def _is_abandoned(name: str, written: float) -> bool:
    partial = _PARTIAL.fullmatch(name)
    if partial is None:
        return False
    if time.time() - written > _ABANDONED_SECONDS:
        return True
    tag, process = partial.groups()
    return tag == _machine_tag() and not _is_alive(int(process))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it belongs to another user, or cannot be inspected
    return True


def _machine_tag() -> str:
    """Return a tag for machines that share the folder: process ids mean nothing across machines."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
