"""Compiled programs kept on disk, so that the next process need not compile them again.

A program is found by what it was compiled from: its text, the versions of the compiler, and the
processor. `TAPEFLOW_CACHE_DIR` names the folder; set but empty, it turns the cache off. Files are
loaded only if they and the folder belong to the user who runs the process, for they are code.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax.experimental import serialize_executable

from tapeflow.backends import jax_device
from tapeflow.core.log import logger
from tapeflow.executors.xla_options import Options, options

VARIABLE = "TAPEFLOW_CACHE_DIR"
# What the folder may hold; the files used least recently go first.
_MOST_BYTES = 512 << 20


def compiled(lowered: Any, device: Any) -> Any:
    """A program lowered for `device`, compiled: taken from disk if it is there, else put there."""
    folder, text = _folder(), lowered.as_text()
    asked = options(text)
    if folder is None:
        return lowered.compile(asked)
    path = folder / _key(lowered, text, asked, device)
    found = _load(path, lowered, device)
    if found is None:
        found = lowered.compile(asked)
        _store(path, found)
    return found


def _folder() -> Path | None:
    """The folder of the cache, made if need be; None if there is none to use."""
    chosen = os.environ.get(VARIABLE)
    if chosen == "":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(chosen or os.path.join(base, "tapeflow"))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours = _is_ours(folder)
    except OSError as error:
        logger.debug("No cache of compiled programs in %s: %s", folder, error)
        return None
    return folder if ours else None


def _is_ours(path: Path) -> bool:
    """Whether only the user can have written there."""
    status = path.stat()
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o022
    )


def _key(lowered: Any, text: str, asked: Options, device: Any) -> str:
    digest = hashlib.sha256(_machine().encode())
    split = device is jax_device.device(split=True)
    digest.update(f"{split} {asked} {text}".encode())
    # The text leaves out arguments that nothing uses, but a call passes them all the same.
    digest.update(f"{lowered.args_info} {lowered.out_tree}".encode())
    return digest.hexdigest()


@cache
def _machine() -> str:
    """All that compiled code depends on beside the program."""
    flags = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        flags = platform.processor()
    chosen = os.environ.get("XLA_FLAGS", "")
    parts = (jax.__version__, jaxlib.__version__, platform.machine(), flags, chosen)
    return "\n".join((*parts, jax.devices()[0].platform, str(jax.device_count())))


def _load(path: Path, lowered: Any, device: Any) -> Any:
    try:
        if not path.exists() or not _is_ours(path):
            return None
        found = serialize_executable.deserialize_and_load(
            path.read_bytes(), lowered.in_tree, lowered.out_tree, device.client, [device]
        )
        os.utime(path)
        return found
    except Exception as error:
        # Written by another compiler, cut short, or taken away meanwhile: it is made anew.
        logger.debug("Cannot load the compiled program %s: %s", path, error)
        return None


def _store(path: Path, made: Any) -> None:
    try:
        payload, _, _ = serialize_executable.serialize(made)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(payload)
        os.replace(file.name, path)
        _prune(path.parent)
    except Exception as error:
        # A full disk, or a program that the compiler cannot give out: it runs all the same.
        logger.debug("Cannot keep the compiled program %s: %s", path, error)


def _prune(folder: Path) -> None:
    """Remove the files used least recently if there is too much."""
    files = [(entry.stat(), entry.path) for entry in os.scandir(folder) if entry.is_file()]
    total = sum(status.st_size for status, _ in files)
    for status, path in sorted(files, key=lambda item: item[0].st_mtime):
        if total <= _MOST_BYTES:
            break
        os.unlink(path)
        total -= status.st_size
