"""Keeps threads of the system off the core of the thread that wakes them.

Linux may wake a thread on the core of the one that wakes it although another core is idle, above
all on virtual machines, where a core that sleeps counts as taken. If the one that woke it waits
without sleeping, neither gets on before the scheduler's next tick, 4 ms later.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

_WORD = ctypes.c_size_t
_MASK_BYTES = 128
# Functions that bind a thread to cores: by its handle, or by its number in the system.
Binding = Literal["pthread_setaffinity_np", "sched_setaffinity"]


def separation(others: Sequence[int], binding: Binding) -> Callable[[], bool]:
    """Return the function that keeps other threads off the core on which it is called.

    It returns whether all of them still exist; only numbers in the system tell that.
    """
    library: Any = ctypes.PyDLL(None)
    if not others or not hasattr(library, binding) or not hasattr(library, "sched_getcpu"):
        return lambda: True
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        return lambda: True
    current, bind = library.sched_getcpu, getattr(library, binding)
    bind.argtypes = (_WORD, _WORD, ctypes.c_void_p)
    left = -1

    def keep_off() -> bool:
        nonlocal left
        core = current()
        if core == left:
            return True
        left = core
        mask = sum(1 << other for other in allowed if other != core)
        cores = mask.to_bytes(_MASK_BYTES, "little")
        failures = [bind(thread, _MASK_BYTES, cores) for thread in others]
        return not any(failures)

    return keep_off
