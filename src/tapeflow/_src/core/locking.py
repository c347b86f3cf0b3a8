"""Locks of mutable state: one or several at once, without deadlocks.

There is a fixed number of locks, which variables share: a process that is forked while another
thread holds some can then recreate them all. Several locks are always acquired in one order.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import count
from typing import Any

from tapeflow._src.core import interrupts

# Two variables created one after the other never share a lock, unrelated ones seldom.
_COUNT = 64
_locks = [threading.RLock() for _ in range(_COUNT)]
_numbers = count()
_Lock: Any = type(_locks[0])
_exhaust = deque[Any](maxlen=0).extend
# How long a process about to be forked waits for other threads to finish with variables.
_FORK_TIMEOUT = 2.0


def next_lock() -> Any:
    """Return the lock of a new variable."""
    return _locks[next(_numbers) % _COUNT]


def in_order(owners: Iterable[Any]) -> list[Any]:
    """Return the locks of `owners` in the order of acquisition, possibly with duplicates."""
    return sorted([owner.lock for owner in owners], key=id)


@interrupts.defers_first_interrupt
def holding(locks: Iterable[Any], run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `run(*args, **kwargs)` with `locks` held, which are `in_order`.

    An interrupt at any moment leaves no lock held: they are acquired and released inside C, and the
    interpreter checks for signals only between two calls.
    """
    acquired: list[Any] = []
    release = map(_Lock.release, acquired)
    try:
        acquired.extend(filter(_Lock.acquire, locks))
        return run(*args, **kwargs)
    finally:
        _exhaust(release)


def locked(kernel: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Wrap a kernel to hold the locks of its first `count` inputs while it runs."""
    if count == 1:

        @wraps(kernel)
        def with_lock(xp: Any, owner: Any, *inputs: Any, **attrs: Any) -> Any:
            with owner.lock:
                return kernel(xp, owner, *inputs, **attrs)

        return with_lock

    @wraps(kernel)
    def with_locks(xp: Any, *inputs: Any, **attrs: Any) -> Any:
        if not interrupts.installed:
            interrupts.install()
        result = holding(in_order(inputs[:count]), kernel, xp, *inputs, **attrs)
        if interrupts.pending:
            interrupts.deliver()
        return result

    return with_locks


_before_fork: list[Any] = []


def _acquire_all() -> None:
    """Wait until other threads finish their writes, so that the child has consistent values."""
    end = time.monotonic() + _FORK_TIMEOUT
    for lock in _locks:
        # Retried: a waiter may never get a lock from a thread that releases and acquires it in a
        # loop.
        while not lock.acquire(blocking=False):
            if time.monotonic() > end:
                return
            time.sleep(1e-4)
        _before_fork.append(lock)


def _release_all() -> None:
    while _before_fork:
        _before_fork.pop().release()


def _renew_all() -> None:
    _before_fork.clear()
    for lock in _locks:
        lock._at_fork_reinit()  # type: ignore[attr-defined]


os.register_at_fork(before=_acquire_all, after_in_parent=_release_all, after_in_child=_renew_all)
