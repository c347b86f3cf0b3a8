"""Large work outside of Python, divided among the cores.

Worth it only for pieces that release the GIL for half a millisecond or more: NumPy calls on arrays
that fit a cache are so short that two threads take twice the time of one, as they wait for the GIL.
The calling thread takes part.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Piece = TypeVar("Piece")

_creating = threading.Lock()
_pool: ThreadPoolExecutor | None = None


@cache
def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def for_each(work: Callable[[Piece], object], pieces: Iterable[Piece]) -> None:
    """Call `work` once per piece, on as many threads as there are cores; raise its first error."""
    waiting = deque(pieces)
    helpers = min(cores(), len(waiting)) - 1

    def take_pieces() -> None:
        while True:
            try:
                piece = waiting.popleft()
            except IndexError:
                return
            try:
                work(piece)
            except BaseException:
                waiting.clear()
                raise

    futures: list[Future[None]] = [_threads().submit(take_pieces) for _ in range(max(helpers, 0))]
    try:
        take_pieces()
    finally:
        # A helper that has not started has nothing left to do: it need not be waited for.
        running = [future for future in futures if not future.cancel()]
        errors = [future.exception() for future in running]
    for error in errors:
        if error is not None:
            raise error


def _threads() -> ThreadPoolExecutor:
    global _pool
    with _creating:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(cores() - 1, 1), "tapeflow_cores")
        return _pool


def _in_child() -> None:
    """Reset in a forked process, which has none of its parent's threads."""
    global _pool, _creating
    _pool, _creating = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
