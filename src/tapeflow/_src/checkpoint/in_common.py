"""Checkpoints that several processes write together: each the parts of tensors that it has.

Every process writes data files of its own under partial names, and notes what they contain. The
first writes the index, and replaces all files by one transaction. So the folder must be one that
all processes see.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any

from tapeflow._src.checkpoint.bundle import data_files, index_of, journal_of, write_data
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.checkpoint.slices import Content
from tapeflow._src.core import process_group
from tapeflow._src.core.atomic_files import FileTransaction
from tapeflow._src.core.errors import FailedPreconditionError
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.eager.dtensor import lies_in_several_processes

_numbers = count()


def must_be_common(tensors: Iterable[Any]) -> bool:
    """Return whether all processes write a checkpoint of these tensors together."""
    return process_group.joined() is not None and any(map(lies_in_several_processes, tensors))


def once(in_common: bool, action: Callable[[], None]) -> None:
    """Do something with the files of a checkpoint: of several processes, only the first does."""
    if in_common:
        process_group.by_first(f"checkpoint/{next(_numbers)}", action)
    else:
        action()


def write_in_common(prefix: str, values: Mapping[str, Content]) -> str:
    """Write this process's part of a checkpoint, and wait for the others; returns its prefix.

    The prefix is that of the first process.

    Raises:
        RuntimeError: The first process could not complete it, or could not see the others' files.
    """
    group = process_group.joined()
    if group is None:
        raise RuntimeError("A checkpoint in common needs other processes.")
    key = f"checkpoint/{next(_numbers)}"
    prefix = group.shared(f"{key}/prefix", prefix)
    path = local_path(prefix)
    files = data_files(values, group.size)
    with translated(path):
        transaction = FileTransaction(journal_of(path))
        try:
            entries = write_data(transaction, path, files, group.rank)
            note = _note(transaction, path, group.rank, entries) if group.rank else {}
        except BaseException as error:
            transaction.roll_back()
            if group.rank:
                group.set(f"{key}/{group.rank}", {"error": f"{type(error).__name__}: {error}"})
            process_group.first_failed(f"{key}/end", error)
            raise
        if group.rank:
            group.set(f"{key}/{group.rank}", note)

        def complete() -> None:
            try:
                for rank in range(1, group.size):
                    _adopt(transaction, path, rank, group.get(f"{key}/{rank}"), entries)
                transaction.write(*index_of(path, values, entries, len(files)))
                transaction.commit()
            except BaseException:
                transaction.roll_back()
                raise

        try:
            process_group.by_first(f"{key}/end", complete)
        except RuntimeError:
            _discard(path, note)
            raise
    return prefix


def _note(
    transaction: FileTransaction, path: str, rank: int, entries: Mapping[bytes, bytes]
) -> dict[str, Any]:
    """Write what the data files of this process contain to a file, and return its name."""
    partials = transaction.release()
    listed = {key.hex(): entry.hex() for key, entry in entries.items()}
    note = f"{path}.entries-{rank:05}"
    transaction.write(note, json.dumps(listed).encode())
    ((_, name),) = transaction.release().items()
    return {"files": partials, "entries": name}


def _discard(path: str, note: Mapping[str, Any]) -> None:
    """Remove the files of this process that the first one has not adopted."""
    for name in (note["entries"], *note["files"].values()) if note else ():
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(os.path.dirname(path) or ".", name))


def _adopt(
    transaction: FileTransaction,
    path: str,
    rank: int,
    note: Mapping[str, Any],
    entries: dict[bytes, bytes],
) -> None:
    """Make the files of another process part of the transaction, and note their entries."""
    if "error" in note:
        raise FailedPreconditionError(
            None, None, f"Process {rank} could not write its part of {path}: {note['error']}"
        )
    folder = os.path.dirname(path) or "."
    written = os.path.join(folder, note["entries"])
    missing = [
        name
        for name in (note["entries"], *note["files"].values())
        if not os.path.exists(os.path.join(folder, name))
    ]
    if missing:
        raise FailedPreconditionError(
            None,
            None,
            f"Process {rank} has written {missing[0]}, and the first process does not see it in "
            f"{folder}. A checkpoint of tensors on a mesh of several processes needs a folder that "
            f"all of them share, such as a network file system.",
        )
    listed = json.loads(read_file(written))
    entries.update((bytes.fromhex(key), bytes.fromhex(entry)) for key, entry in listed.items())
    transaction.adopt(note["files"])
    os.unlink(written)
