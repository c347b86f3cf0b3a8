"""The history of a function: one entry per trace, with the call that caused it and the cause."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import ref

from tapeflow._src.core.source import Location
from tapeflow._src.function.function_type import FunctionType

# An endless series of literals must not fill memory.
_ENTRIES = 256


class Traced(NamedTuple):
    """A trace: for which types, called from where, why, how long it took.

    `calls_before` is the number of calls since the trace before that needed none.
    """

    types: FunctionType
    location: Location | None
    reason: str | None
    seconds: float
    calls_before: int
    concrete: ref[Any]


class History:
    """The traces of a function, in order; the oldest are dropped when there are many."""

    __slots__ = ("_dropped", "traces")

    def __init__(self) -> None:
        self.traces: list[Traced] = []
        self._dropped = 0

    def add(self, traced: Traced) -> None:
        """Add a trace."""
        self.traces.append(traced)
        if len(self.traces) > _ENTRIES:
            # The first one stays: the others are explained by comparison with it.
            self._dropped += 1 + self.traces.pop(1).calls_before

    def calls(self, since: int) -> int:
        """Return the number of calls of the function; `since` are those after the last trace."""
        return since + self._dropped + sum(1 + traced.calls_before for traced in self.traces)
