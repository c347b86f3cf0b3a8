"""`LinedLedger`: a ledger that also keeps the user's line of every call, for explanations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from tapeflow._src.core.registry import Op
from tapeflow._src.core.source import Location, user_location
from tapeflow._src.gradients.ledger import Ledger
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
            location = user_location()
            if location is not None:
                self.lines.setdefault(_key(outputs[0]._id), location)

    def line_of(self, token: Token) -> Location | None:
        """Return the line of the call that computed a tensor."""
        return self.lines.get(_key(token))


def _key(token: Token) -> Any:
    return ref(token.call if type(token) is PartToken else token)
