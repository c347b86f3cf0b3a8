"""`LinedLedger`: a ledger that also keeps the user's line of every call, for explanations."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import ref

from tapeflow._src.core.registry import Op
from tapeflow._src.core.source import Location, user_location
from tapeflow._src.gradients.endings import op_name
from tapeflow._src.gradients.ledger import Ledger, LedgerClass
from tapeflow._src.gradients.token import PartToken, Token


class LinedLedger(Ledger):
    """The records of one tape, with lines. Finding a line takes about as long as a small op."""

    __slots__ = ("lines",)

    def __init__(self, watch_accessed: bool = True) -> None:
        super().__init__(watch_accessed)
        self.lines: dict[Any, Location] = {}

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Record an op call and its line, if one of its inputs is followed."""
        super().record(op, inputs, attrs, outputs)
        self._keep_line(outputs)

    def record_custom(
        self, pull: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> None:
        """Record a call with a custom gradient and its line."""
        super().record_custom(pull, inputs, outputs)
        self._keep_line(outputs)

    def _keep_line(self, outputs: tuple[Any, ...]) -> None:
        if outputs and self.follows(outputs[0]._id):
            key = _key(outputs[0]._id)
            location = None if key in self.lines else user_location()
            if location is not None:
                self.lines[key] = location
                self._note_line(key, location)

    def _note_line(self, key: Any, location: Location) -> None:
        """Let the gradient of a call know the line of the call."""
        record = self.entries.get(key)
        if record is not None:
            inputs, pull, payload = record
            made_by = location._replace(note=f"gradient of {op_name(payload)}")
            self.entries[key] = (inputs, _pull_lined, (made_by, pull, payload))

    def line_of(self, token: Token) -> Location | None:
        """Return the line of the call that computed a tensor."""
        return self.lines.get(_key(token))


def _key(token: Token) -> Any:
    return ref(token.call if type(token) is PartToken else token)


class Backward(threading.local):
    """The line whose gradient this thread is computing, if it is recorded."""

    location: Location | None = None


backward = Backward()


def _pull_lined(payload: Any, gradients: Any, needed: list[bool], tokens: Any) -> Any:
    location, pull, inner = payload
    previous, backward.location = backward.location, location
    try:
        return pull(inner, gradients, needed, tokens)
    finally:
        backward.location = previous


_requests: set[str] = set()


def record_lines(requested_by: str) -> None:
    """Let new tapes keep lines, until all who requested it have no more use for them."""
    _requests.add(requested_by)
    LedgerClass.current = LinedLedger


def stop_lines(requested_by: str) -> None:
    """Take a request back."""
    _requests.discard(requested_by)
    if not _requests:
        LedgerClass.current = Ledger
