"""`Token`: by what tapes know a tensor.

A token lives as long as its tensor, or as a record that used the tensor. What is filed under a
token weakly is therefore gone as soon as nothing that could be asked for depends on it.
"""

from __future__ import annotations

import threading
from typing import Any


class Token:
    """Stands for one tensor: a value that was computed once.

    `ledgers` are those in which it is the result of a recorded call. There is no `__init__`,
    because tokens are made for every op call on a tape, and it would take most of the time.
    """

    __slots__ = ("__weakref__", "ledgers")

    ledgers: tuple[Any, ...]


class PartToken(Token):
    """Stands for one of the results of a call that has several.

    They share `call`, which so lives as long as one of them does.
    """

    __slots__ = ("call",)

    call: Any


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
