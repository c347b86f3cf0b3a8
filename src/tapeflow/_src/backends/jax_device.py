"""The devices of compiled programs: two clients of our own, with and without split loops.

JAX's CPU client hands a program to a pool of threads, and after each split loop it continues on the
thread that finished last. Waking threads takes 0.05 to 0.3 ms on a virtual machine. And OpenMP
keeps a team for every thread that ever called it: oneDNN, called from one thread after the other,
has teams that spin against each other. Of the clients created here, one splits nothing and runs a
program on the calling thread; the other splits long loops, and still allocates a program's memory
on the calling thread, where the heap keeps it (see `backends.heap`).
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

import jax
from jaxlib import xla_client

# The number of threads for split loops is read from here, only when a client is created.
_SIZE = "NPROC"
_client_lock = threading.Lock()


def device(split: bool) -> Any:
    """Return the device for programs with split loops, or for those on the calling thread."""
    if not on_processors():
        return jax.devices()[0]
    with _client_lock:
        return _split() if split else _at_once()


@cache
def on_processors() -> bool:
    """Whether programs run on CPUs here."""
    return jax.default_backend() == "cpu"


@cache
def _split() -> Any:
    return xla_client.make_cpu_client(asynchronous=False).local_devices()[0]


@cache
def _at_once() -> Any:
    before = os.environ.get(_SIZE)
    os.environ[_SIZE] = "1"
    try:
        return xla_client.make_cpu_client(asynchronous=False).local_devices()[0]
    finally:
        if before is None:
            del os.environ[_SIZE]
        else:
            os.environ[_SIZE] = before
