"""Whether converted code is running in this thread: then callbacks are converted, too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow._src.core.thread_state import inherited


class _Status(threading.local):
    converting: bool = False


_status = inherited(_Status())


def is_converting() -> bool:
    """Whether the running code was converted, or called by converted code."""
    return _status.converting


@contextmanager
def converting(enabled: bool) -> Iterator[None]:
    """Mark the block as running converted code, or code that must not be converted."""
    outer, _status.converting = _status.converting, enabled
    try:
        yield
    finally:
        _status.converting = outer
