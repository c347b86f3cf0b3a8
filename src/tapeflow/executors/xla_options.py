"""What XLA is asked for when it compiles."""

from __future__ import annotations

import os
from functools import cache

# With so few cores, loops are not split: waking the second thread costs 0.1 to 0.3 ms, and element
# by element there is little to win, for one core nearly fills the memory's bandwidth. Products of
# matrices and oneDNN use all cores in any case.
_FEW_CORES = 2


@cache
def options() -> dict[str, bool]:
    """Options by their names, for programs that run on this machine's processor."""
    if cores() <= _FEW_CORES:
        return {"xla_cpu_multi_thread_eigen": False}
    return {}


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
