"""Python functions that graphs call, by a token: the only part that a graph's file can hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from tapeflow._src.core.errors import InvalidArgumentError

_numbers = count()
_functions: WeakValueDictionary[str, HostFunction] = WeakValueDictionary()


class HostFunction:
    """A function from arrays to arrays, run in Python."""

    def run(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return the results for these arguments."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is run.")

    def gradient(self, received: Sequence[bool], needed: Sequence[bool]) -> Token:
        """Return the function that computes the gradients w.r.t. the needed arguments.

        Its arguments are the last result of the call, the call's arguments, and the upstream
        gradients. Its last result is not a gradient.
        """
        raise NotImplementedError(f"{type(self).__name__} has no gradient.")


class Token(str):
    """The name of a function in this process; it keeps the function alive."""

    function: HostFunction

    def __new__(cls, function: HostFunction) -> Token:
        token = super().__new__(cls, f"pyfunc_{next(_numbers)}")
        token.function = function
        _functions[str(token)] = function
        return token


def find(token: Any) -> HostFunction:
    """Return the function of that token; InvalidArgumentError if this process has none."""
    if isinstance(token, Token):
        return token.function
    name = token.decode() if isinstance(token, bytes) else token
    function = _functions.get(name)
    if function is None:
        raise InvalidArgumentError(
            None,
            None,
            f"callback {name} is not found: the Python function belongs to the process that "
            f"traced it.",
        )
    return function
