"""What XLA is asked for when it compiles."""

from __future__ import annotations

import os
from functools import cache

from tapeflow.backends.jax_onednn import TARGET

# With so few cores, loops are not split: waking the second thread costs 0.1 to 0.3 ms, and element
# by element there is little to win, for one core nearly fills the memory's bandwidth. Products of
# matrices and oneDNN use all cores in any case.
_FEW_CORES = 2
_WHOLE_LOOPS = {"xla_cpu_multi_thread_eigen": False}
# XLA's own library reduces faster on threads of its own, but writes out the zeros that a rectifier
# compares with, and has to wake its threads where oneDNN's were at work.
_NO_LIBRARY = {"xla_cpu_experimental_ynn_fusion_type": ""}

Options = dict[str, bool | str]


def options(program: str) -> Options:
    """Options by their names, for a program given as text to run on this machine's processor."""
    if cores() > _FEW_CORES:
        return {}
    return {**_WHOLE_LOOPS, **_NO_LIBRARY} if TARGET in program else {**_WHOLE_LOOPS}


@cache
def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
