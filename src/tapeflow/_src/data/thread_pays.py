"""When threads pay: handing work to a thread and back costs tens of microseconds.

So whatever is quick is done where it is asked for, and nobody waits for threads that save less
than they cost. `Pace` watches how long elements take, until they have proved to be slow.
"""

from __future__ import annotations

import os
from time import perf_counter

from tapeflow._src.data.arguments import AUTOTUNE

# An element that takes longer on average is worth a thread.
SLOW_SECONDS = 1e-3
# Elements that are looked at before it is decided; the first is left out, as much happens once.
_WATCHED = 3


class Pace:
    """The time that elements take.

    The slowest is not counted: the machine may have been at other work.
    """

    __slots__ = ("_count", "_seconds", "_slowest", "_start", "slow")

    def __init__(self) -> None:
        self.slow = False
        self._count = -1
        self._seconds = 0.0
        self._slowest = 0.0
        self._start = 0.0

    def __enter__(self) -> Pace:
        self._start = perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self._count += 1
        if self._count:
            seconds = perf_counter() - self._start
            self._seconds += seconds
            self._slowest = max(self._slowest, seconds)
            counted = self._seconds - self._slowest
            self.slow = self._count >= _WATCHED and counted > SLOW_SECONDS * (self._count - 1)


def workers(asked: int) -> int:
    """Return how many threads to work with."""
    return max(4, os.cpu_count() or 1) if asked == AUTOTUNE else asked
