"""Where paths of a tape end: at ops without a gradient, at assignments, and in NumPy.

A tape records differentiable calls only. What explains a missing gradient is noted here, and only
where a path ends, so that a tape on which nothing ends pays nothing. No note keeps a record of the
tape, or a tensor, alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import ref

from tapeflow._src.core.registry import Op
from tapeflow._src.core.source import Location, user_location
from tapeflow._src.gradients.record import CallPull
from tapeflow._src.gradients.token import PartToken, Token, tokens_of_results
from tapeflow._src.graph.operation import Operation

# How many records are visited to see from which watched tensors a path comes, how many endings are
# noted for a line and for a tape, and how many of them are followed through the ops after them.
_VISITED = 32
_PER_LINE = 4
_NOTED = 256
_FOLLOWED = 8

INTEGER, NO_GRADIENT, ASSIGNMENT, PYTHON = "integer", "no gradient", "assignment", "python"


class Ending(NamedTuple):
    """A call through which no gradient flows, though its input is followed.

    `origins` are the watched tensors that lead there, each with the ops in between; it may be
    incomplete if `is_complete` is not set. `body` is the graph that was called, if one was.
    """

    kind: str
    op: str
    detail: str
    location: Location | None
    origins: Mapping[Token, tuple[str, ...]]
    is_complete: bool
    body: Any = None

    def starts_at(self, token: Token) -> bool:
        """Whether a path from this watched tensor surely ends here."""
        return token in self.origins


class Endings:
    """The endings of one tape, and which later results depend on them."""

    __slots__ = ("_after", "_by_line", "_forget", "noted")

    def __init__(self) -> None:
        self.noted: list[Ending] = []
        self._by_line: dict[Any, list[Ending]] = {}
        self._after: dict[Any, tuple[Ending, ...]] = {}
        after = self._after
        self._forget = lambda reference: after.pop(reference, None)

    def before(self, token: Token | None) -> tuple[Ending, ...]:
        """Return the endings that a tensor depends on."""
        return () if token is None else self._after.get(ref(token), ())

    def add(
        self,
        ledger: Any,
        kind: str,
        op: str,
        detail: str,
        start: Sequence[Token],
        results: Iterable[Token],
        body: Any = None,
    ) -> None:
        """Note that paths from these followed tensors end here, and that results depend on it."""
        location = user_location()
        of_line = self._by_line.setdefault((op, location), [])
        if len(of_line) >= _PER_LINE or len(self.noted) >= _NOTED:
            # A loop: the first calls of the line speak for all.
            self._mark(results, tuple(of_line))
            return
        origins, is_complete = _origins(ledger, start)
        ending = Ending(kind, op, detail, location, origins, is_complete, body)
        of_line.append(ending)
        self.noted.append(ending)
        self._mark(results, (ending,))

    def follow(self, inputs: Iterable[Token | None], outputs: Sequence[Any]) -> None:
        """Note that the outputs depend on the same endings as the inputs."""
        endings: dict[int, Ending] = {}
        for token in inputs:
            for ending in self.before(token):
                endings[id(ending)] = ending
        if endings and outputs:
            self._mark(tokens_of_results(tuple(outputs)), tuple(endings.values())[:_FOLLOWED])

    def _mark(self, results: Iterable[Token], endings: tuple[Ending, ...]) -> None:
        for token in results:
            previous = self.before(token)
            joined = previous + tuple(e for e in endings if e not in previous)
            self._after[ref(token, self._forget)] = joined[:_FOLLOWED]


def _origins(ledger: Any, start: Sequence[Token]) -> tuple[dict[Token, tuple[str, ...]], bool]:
    """Return the watched tensors that lead to these, with the ops in between."""
    origins: dict[Token, tuple[str, ...]] = {}
    waiting: list[tuple[Token, tuple[str, ...]]] = [(token, ()) for token in start]
    seen: set[Token] = set(start)
    for _ in range(_VISITED):
        if not waiting:
            return origins, True
        token, path = waiting.pop(0)
        if token in ledger.watched:
            origins[token] = path
        record = record_of(ledger, token)
        if record is None:
            continue
        inputs, _, payload = record
        further = (op_name(payload), *path)
        for source in inputs:
            if source not in seen and ledger.follows(source):
                seen.add(source)
                waiting.append((source, further))
    return origins, False


def record_of(ledger: Any, token: Token) -> Any:
    """Return the record of the call that computed a tensor; None if there is none any more."""
    holder: Any = token.call if type(token) is PartToken else token
    return ledger.entries.get(ref(holder))


def op_name(payload: Any) -> str:
    """Return the name of the op in the payload of a record, or of the function it calls."""
    for value in payload:
        if isinstance(value, Op):
            return value.name
        if isinstance(value, Operation):
            return value.type
        if isinstance(value, CallPull):
            return value.label
        if type(value) is tuple:  # the payload of a call in a name scope
            return op_name(value)
    return "a custom gradient"


def body_of(payload: Any) -> Any:
    """Return the graph that a recorded call called; None for other calls."""
    for value in payload:
        if isinstance(value, CallPull):
            return value.graph_body
        if type(value) is tuple:
            return body_of(value)
    return None
