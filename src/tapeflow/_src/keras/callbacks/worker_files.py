"""Files that one of several workers writes: the others take part, and keep nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def for_this_worker(path: str, strategy: Any) -> Iterator[str]:
    """Return the path that this worker writes to: its own on the chief, else a temporary one.

    All workers write, because reading variables that are synchronized on read needs all of them.
    """
    if strategy.extended.should_checkpoint:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        yield os.path.join(folder, os.path.basename(path.rstrip("/")))


class WorkerFolder:
    """A folder that all workers write to, each at a path of its own; only the chief's stays.

    The others write, too: what is written may be computed by all workers together.
    """

    def __init__(self, path: str) -> None:
        self._shared = self.path = path
        self._remove: Any = None

    def open(self, strategy: Any) -> None:
        """Choose the path that this worker writes to."""
        self.close()
        if strategy is None or strategy.extended.should_save_summary:
            return
        self.path = tempfile.mkdtemp()
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def close(self) -> None:
        """Remove what no other worker sees."""
        if self._remove is not None:
            self._remove()
        self._remove, self.path = None, self._shared
