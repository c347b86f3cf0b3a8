"""Which strategy is in force, and whether code runs in a replica or across all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.replicas import in_file
from tapeflow._src.core.thread_state import inherited


class _Contexts(threading.local):
    """The contexts of a thread: pairs of a strategy and a replica context, or None."""

    def __init__(self) -> None:
        self.stack: list[tuple[Any, Any]] = []


_contexts = inherited(_Contexts())


@contextmanager
def entered(strategy: Any, replica: Any) -> Iterator[Any]:
    """Put a strategy in force; `replica` is None across replicas."""
    outer = dispatch.state.replica
    _contexts.stack.append((strategy, replica))
    if replica is not None or not in_file():
        dispatch.state.replica = None if replica is None else replica._trace_key
    try:
        yield strategy
    finally:
        _contexts.stack.pop()
        dispatch.state.replica = outer


def current() -> tuple[Any, Any] | None:
    """Return the strategy in force and the replica context; None if no scope was entered."""
    return _contexts.stack[-1] if _contexts.stack else None
