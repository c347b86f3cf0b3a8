"""What parts below `distribute` ask about replicas: how many there are, and which one runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from tapeflow._src.core import dispatch
from tapeflow._src.core.resource import Cell


class _Replicas:
    """The functions are set by `distribute`, once that is loaded.

    `count`: how many replicas compute a step together. `strategy`: the strategy in force, None for
    the default one. `index`: the index of the replica that runs, None across replicas. `parts`: the
    variables that a change of a variable changes: that of the replica that runs, or of all.
    """

    def __init__(self) -> None:
        self.count: Callable[[], int] = lambda: 1
        self.strategy: Callable[[], Any] = lambda: None
        self.index: Callable[[], Any] = lambda: None
        self.parts: Callable[[Any], tuple[Any, ...]] = lambda variable: (variable,)


replicas = _Replicas()

# The values of all replicas but the first, of variables that are synchronized on read. Files have
# that of the first.
values_of_others: WeakSet[Cell] = WeakSet()
# The place of functions that are traced for a file.
_IN_FILE = "in a file"


@contextmanager
def as_in_file() -> Iterator[None]:
    """Trace functions for a file in the block: variables have the value of the first replica."""
    outer = dispatch.state.replica
    dispatch.state.replica = _IN_FILE
    try:
        yield
    finally:
        dispatch.state.replica = outer


def in_file() -> bool:
    """Whether a function is traced for a file."""
    return dispatch.state.replica is _IN_FILE
