"""Who may trace: one thread at a time for each function, and no function within itself for ever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# A thread that traces one function and waits for another might wait for a thread that waits for
# it. After so many seconds it traces by itself: one trace too many is better than none.
PATIENCE = 5.0


class _Traced(threading.local):
    """What this thread is tracing, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[tuple[Any, Any]] = []


_traced = _Traced()


@contextmanager
def turn(lock: Any) -> Iterator[None]:
    """Hold the lock of the function to be traced; the thread that has it may take it again."""
    taken = lock.acquire(timeout=PATIENCE if _traced.stack else -1)
    try:
        yield
    finally:
        if taken:
            lock.release()


def refuse_recursion(cache: Any, request: Any, name: str) -> None:
    """RecursionError if this thread is already tracing that function for these types."""
    if any(c is cache and r == request for c, r in _traced.stack):
        raise RecursionError(
            f"tf.function `{name}` calls itself, with arguments of the same types {request}, while "
            f"it is traced: its graph would have no end. Use a loop (tf.while_loop), or recurse on "
            f"a Python value that changes from call to call."
        )


@contextmanager
def tracing(cache: Any, request: Any) -> Iterator[None]:
    """The block traces a function for arguments of these types."""
    _traced.stack.append((cache, request))
    try:
        yield
    finally:
        _traced.stack.pop()
