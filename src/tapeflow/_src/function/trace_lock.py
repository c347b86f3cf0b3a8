"""Tracing is exclusive: one thread at a time per function, and no endless recursion."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core.thread_state import inherited

# Two threads that trace one function and wait for the other's could deadlock. After this many
# seconds a thread traces by itself: one trace too many is better than none.
PATIENCE = 5.0


class _TracingStack(threading.local):
    """The functions that this thread is tracing, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[tuple[Any, Any]] = []


_traced = inherited(_TracingStack())


@contextmanager
def turn(lock: Any) -> Iterator[None]:
    """Hold the lock of the function to be traced, which is reentrant."""
    acquired = lock.acquire(timeout=PATIENCE if _traced.stack else -1)
    try:
        yield
    finally:
        if acquired:
            lock.release()


def refuse_recursion(cache: Any, request: Any, name: str) -> None:
    """Raise RecursionError if this thread is already tracing that function for these types."""
    if any(c is cache and r == request for c, r in _traced.stack):
        raise RecursionError(
            f"tf.function `{name}` calls itself, with arguments of the same types {request}, while "
            f"it is traced: its graph would have no end. Use a loop (tf.while_loop), or recurse on "
            f"a Python value that changes from call to call."
        )


@contextmanager
def tracing(cache: Any, request: Any) -> Iterator[None]:
    """Mark the block as tracing a function for arguments of these types."""
    _traced.stack.append((cache, request))
    try:
        yield
    finally:
        _traced.stack.pop()
