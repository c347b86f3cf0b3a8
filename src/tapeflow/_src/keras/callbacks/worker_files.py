"""Files that one of several workers writes: the others take part, and keep nothing."""

from __future__ import annotations

import os
import tempfile
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
