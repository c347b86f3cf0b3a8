"""The threads of OpenMP, which oneDNN divides its work among.

Each thread that calls oneDNN has a team of its own, and waits for all of it. Before a call, the
others of the team are kept off the caller's core: after a pause of some milliseconds they sleep,
and one that wakes behind its caller delays the call by 4 ms. In a program that rests for 10 ms
between calls, a convolution of 0.3 ms took 4.5 ms, and takes 0.5 ms with its threads apart.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import NamedTuple

from tapeflow._src.backends.onednn_library import library
from tapeflow._src.backends.separation import separation
from tapeflow._src.backends.signal_mask import without_signals

# Settings of the user that bind threads to cores.
_BINDINGS = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY")
_REMEMBERED = 64
_Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Team(NamedTuple):
    """The size of a team, and the function that keeps it off its caller's core."""

    size: int
    keep_off: Callable[[], bool]


# Teams by the number that the system gave to the thread that calls them.
_teams: dict[int, _Team] = {}


def keep_off(size: int) -> None:
    """Keep the others of this thread's team, of `size` threads, off the caller's core."""
    caller = threading.get_native_id()
    team = _teams.get(caller)
    if team is None or team.size != size or not team.keep_off():
        if len(_teams) >= _REMEMBERED:
            _teams.clear()
        _teams[caller] = team = _Team(size, _separation(caller, size))
        team.keep_off()


def _separation(caller: int, size: int) -> Callable[[], bool]:
    run = library().run_on_team
    if run is None or any(name in os.environ for name in _BINDINGS):
        return lambda: True
    members: list[int] = []
    body = _Body(lambda _: members.append(threading.get_native_id()))
    # The threads that this starts have the signal mask of this one.
    without_signals(run)(body, None, size, 0)
    return separation([member for member in members if member != caller], "sched_setaffinity")


os.register_at_fork(after_in_child=_teams.clear)
