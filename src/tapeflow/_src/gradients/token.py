"""`Token`: by what tapes know a tensor.

A token lives as long as its tensor, or as a record that used the tensor. What is filed under a
token weakly is therefore gone as soon as nothing that could be asked for depends on it.
"""

from __future__ import annotations

import threading
from typing import Any
from weakref import ref


class Token:
    """Stands for one tensor: a value that was computed once.

    `ledgers` are those in which it is the result of a recorded call. There is no `__init__`,
    because tokens are made for every op call on a tape, and it would take most of the time.
    """

    __slots__ = ("__weakref__", "ledgers")

    ledgers: tuple[Any, ...]


class PartToken(Token):
    """Stands for one of the results of a call that has several."""

    __slots__ = ("call", "place")

    call: Call
    place: int


class Call:
    """Stands for a call with several results: it lives as long as one of them does.

    A result that nobody holds any more may still be needed, if the gradient of the call names it.
    It then gets a token again, so that tapes know it for what it is.
    """

    __slots__ = ("__weakref__", "_parts", "ledgers")

    def __init__(self, outputs: tuple[Any, ...]) -> None:
        self.ledgers: tuple[Any, ...] = ()
        self._parts: list[Any] = [None] * len(outputs)
        for place, output in enumerate(outputs):
            output._id = self._part(place)

    @classmethod
    def of(cls, tokens: list[Any]) -> Call:
        """The call with these results, which got their tokens elsewhere. They do not hold it."""
        call = cls(())
        call._parts = [ref(token) for token in tokens]
        return call

    def gave(self, count: int) -> bool:
        """Whether there are so many results."""
        return len(self._parts) == count

    def _part(self, place: int) -> PartToken:
        token = PartToken()
        token.call, token.place, token.ledgers = self, place, self.ledgers
        self._parts[place] = ref(token)
        return token

    def living(self) -> list[PartToken | None]:
        """The tokens of the results that something holds."""
        return [part() for part in self._parts]

    def all(self) -> list[PartToken]:
        """The tokens of all results."""
        return [part() or self._part(place) for place, part in enumerate(self._parts)]


_lock = threading.Lock()


def token_of(tensor: Any) -> Token:
    """The token of `tensor`, which is given one if it has none."""
    token: Token | None = tensor._id
    if token is None:
        # Threads that start to follow one tensor at the same time must agree on its token.
        with _lock:
            token = tensor._id
            if token is None:
                token = Token()
                token.ledgers = ()
                tensor._id = token
    return token


def tokens_of_results(outputs: tuple[Any, ...]) -> list[Any]:
    """The tokens of all the results of one call, which are given tokens if they have none."""
    if len(outputs) == 1:
        return [token_of(outputs[0])]
    if outputs and outputs[0]._id is None:
        Call(outputs)
    return [output._id or token_of(output) for output in outputs]
