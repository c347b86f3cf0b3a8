"""`Token`: the identity of a tensor for tapes.

A token lives as long as its tensor, or as a record that used the tensor. An entry stored weakly
under a token is therefore freed as soon as nothing that can be requested depends on it.
"""

from __future__ import annotations

import threading
from typing import Any
from weakref import ref


class Token:
    """The identity of one tensor: a value that was computed once.

    `ledgers` are those in which it is the result of a recorded call. There is no `__init__`,
    because a token is created for every op call on a tape, and it would take most of the time.
    """

    __slots__ = ("__weakref__", "ledgers")

    ledgers: tuple[Any, ...]


class PartToken(Token):
    """The identity of one of the results of a call that has several."""

    __slots__ = ("call", "index")

    call: Call
    index: int


class Call:
    """A call with several results: it lives as long as one of them does.

    A result that was freed may still be needed, if the gradient of the call names it. It then gets
    a token again, under which tapes recognise it.
    """

    __slots__ = ("__weakref__", "_parts", "ledgers")

    def __init__(self, outputs: tuple[Any, ...]) -> None:
        self.ledgers: tuple[Any, ...] = ()
        self._parts: list[Any] = [None] * len(outputs)
        for index, output in enumerate(outputs):
            output._id = self._part(index)

    @classmethod
    def of(cls, tokens: list[Any]) -> Call:
        """Return the call with these results, which already have tokens that do not refer to it."""
        call = cls(())
        call._parts = [ref(token) for token in tokens]
        return call

    def has_results(self, count: int) -> bool:
        """Whether the call has this number of results."""
        return len(self._parts) == count

    def _part(self, index: int) -> PartToken:
        token = PartToken()
        token.call, token.index, token.ledgers = self, index, self.ledgers
        self._parts[index] = ref(token)
        return token

    def living(self) -> list[PartToken | None]:
        """Return the tokens of the results that are alive, None for the others."""
        return [part() for part in self._parts]

    def all(self) -> list[PartToken]:
        """Return the tokens of all results."""
        return [part() or self._part(index) for index, part in enumerate(self._parts)]


_lock = threading.Lock()


def token_of(tensor: Any) -> Token:
    """Return the token of `tensor`, created if it has none."""
    token: Token | None = tensor._id
    if token is None:
        # Threads that start to follow the same tensor at the same time must agree on its token.
        with _lock:
            token = tensor._id
            if token is None:
                token = Token()
                token.ledgers = ()
                tensor._id = token
    return token


def tokens_of_results(outputs: tuple[Any, ...]) -> list[Any]:
    """Return the tokens of all the results of one call, created if they have none."""
    if len(outputs) == 1:
        return [token_of(outputs[0])]
    if outputs and outputs[0]._id is None:
        Call(outputs)
    return [output._id or token_of(output) for output in outputs]
