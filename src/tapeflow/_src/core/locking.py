"""Locks of what can be changed by several threads: one or several at once, without deadlocks.

There is a fixed number of locks, and variables share them: a process that is forked while another
thread holds some can then have them all anew. Whoever needs several takes them in one order.
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

# Two variables made one after the other never share a lock, unrelated ones seldom.
_COUNT = 64
_locks = [threading.RLock() for _ in range(_COUNT)]
_numbers = count()
_Lock: Any = type(_locks[0])
_exhaust = deque[Any](maxlen=0).extend
# A process about to be forked waits so long for other threads to finish with variables.
_PATIENCE = 2.0


def next_lock() -> Any:
    """The lock of a new variable."""
    return _locks[next(_numbers) % _COUNT]


def in_order(owners: Iterable[Any]) -> list[Any]:
    """The locks of `owners` as everybody takes them who needs several. Some may come twice."""
    return sorted([owner.lock for owner in owners], key=id)


@interrupts.finished_first
def holding(locks: Iterable[Any], run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`run(*args, **kwargs)` with `locks` held, which are `in_order`.

    An interrupt at any moment leaves no lock behind: they are taken and released inside C, and the
    interpreter looks for signals only between two calls.
    """
    taken: list[Any] = []
    release = map(_Lock.release, taken)
    try:
        taken.extend(filter(_Lock.acquire, locks))
        return run(*args, **kwargs)
    finally:
        _exhaust(release)


def locked(kernel: Callable[..., Any], count: int) -> Callable[..., Any]:
    """A kernel that holds the locks of its first `count` inputs while it runs."""
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
    """Let other threads finish what they are writing, so that the child has whole values."""
    end = time.monotonic() + _PATIENCE
    for lock in _locks:
        # Asked again and again: who waits at a lock may never get it from a thread that releases
        # and takes it in a loop.
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
