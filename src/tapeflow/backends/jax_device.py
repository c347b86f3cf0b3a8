"""Where compiled programs run: on processors through clients of XLA's that run them at once.

JAX's own client hands a program to a pool of threads, whose loops go on by themselves on whichever
thread was last. Waking threads takes 0.05 to 0.3 ms on a virtual machine. And OpenMP keeps a team
for every thread that ever called it: oneDNN, called from a new thread after each loop, has teams
that spin against each other. The clients here run a program on the thread that calls it.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import jax
from jaxlib import xla_client

# How many threads a client splits loops among is read from here, and only when it is made.
_SIZE = "NPROC"
_making = threading.Lock()


def device(threads: int) -> Any:
    """A processor whose programs split their loops among so many threads; or what JAX prefers."""
    with _making:
        return _processor(threads) if on_processors() else jax.devices()[0]


@cache
def on_processors() -> bool:
    """Whether programs run on CPUs here."""
    return jax.default_backend() == "cpu"


@cache
def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _processor(threads: int) -> Any:
    before = os.environ.get(_SIZE)
    os.environ[_SIZE] = str(threads)
    try:
        return xla_client.make_cpu_client(asynchronous=False).local_devices()[0]
    finally:
        if before is None:
            del os.environ[_SIZE]
        else:
            os.environ[_SIZE] = before
