"""Files that several processes have in common: all take part in writing, and one keeps them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from tapeflow._src.core import process_group
from tapeflow._src.core.atomic_files import file_transaction, make_folder
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.distribute import clients
from tapeflow._src.eager.dtensor import lies_in_several_processes

# With which the files of a folder are replaced together, as of a SavedModel.
_JOURNAL = "saved_model"
_numbers = count()


def lie_in_several_processes(values: Iterable[Any]) -> bool:
    """Return whether a variable or tensor among these is on a mesh of several processes."""
    tensors = (getattr(value, "_handle", value) for value in values)
    return any(map(lies_in_several_processes, tensors))


@contextmanager
def written_once(path: str, values: Iterable[Any], overwrite: bool = True) -> Iterator[str]:
    """Return where this process writes a file, or a folder, with values of tensors.

    If they lie on a mesh of several processes, all write, because values are divided among them:
    each to a temporary folder, so that what one cannot do at `path` does not stop the others. Then
    the first moves its files to `path`, and the others wait for it.

    Raises:
        FileExistsError: It exists, and `overwrite` is False.
        RuntimeError: The first process could not write it.
    """
    group = clients.joined() if lie_in_several_processes(values) else None
    first = group is None or group.rank == 0
    problem = ""
    if first and not overwrite and os.path.exists(path):
        problem = f"{path} exists already, and `overwrite` is False."
    if group is None:
        if problem:
            raise FileExistsError(problem)
        yield path
        return
    key = f"file/{next(_numbers)}"
    problem = group.shared(f"{key}/start", problem)
    if problem:
        raise FileExistsError(problem)
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, os.path.basename(path.rstrip("/")))
        try:
            yield own
        except BaseException as error:
            process_group.first_failed(key, error)
            raise
        process_group.by_first(key, lambda: _move(folder, own, path))


def _move(folder: str, own: str, path: str) -> None:
    """Move the files of a temporary folder; `own`, which is one of them, becomes `path`."""
    target = local_path(path).rstrip("/")
    journal = os.path.join(target, _JOURNAL) if os.path.isdir(own) else target
    with translated(path):
        make_folder(os.path.dirname(journal) or ".")
        with file_transaction(journal) as files:
            for parent, _, names in os.walk(folder):
                parent_target = os.path.join(
                    os.path.dirname(target), os.path.relpath(parent, folder)
                )
                make_folder(os.path.normpath(parent_target))
                for name in names:
                    with (
                        open(os.path.join(parent, name), "rb") as content,
                        files.replacing(
                            os.path.normpath(os.path.join(parent_target, name))
                        ) as file,
                    ):
                        shutil.copyfileobj(content, file)
