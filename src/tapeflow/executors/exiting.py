"""Leaving the process while other threads are inside XLA.

When Python ends, it stops every other thread at the moment that thread returns to Python. Inside
the C++ of XLA that ends the process by SIGABRT, and a program would lose the exit code of its
success. So at exit threads that are about to enter XLA are parked, and those inside get a moment to
come out. If other threads are left (a compilation may take minutes, and releasing an array enters
C++ too), the process ends without them: after Python's own finalisation, before the destructors of
C++, with the exit code that it has.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

# How long threads inside XLA are waited for: a call mostly takes less, a compilation more.
_PATIENCE = 0.5
_PAUSE = 1e-3
# `std::set_terminate`, by the name that it has in the library.
_CPP_LIBRARY, _SET_TERMINATE = "libstdc++.so.6", "_ZSt13set_terminatePFvvE"

_Function = TypeVar("_Function", bound=Callable[..., Any])
_inside: set[CodeType] = set()

# Whether the process is leaving; who enters XLA asks, and calls `park` then.
leaving = False


def enters_xla(function: _Function) -> _Function:
    """Declare that `function` runs C++ code of XLA, and asks for `leaving` first."""
    _inside.add(function.__code__)
    return function


def park() -> None:
    """Stop this thread for good, unless it is the one that ends the process."""
    if threading.current_thread() is threading.main_thread():
        return
    forever = threading.Lock()
    forever.acquire()
    forever.acquire()


def leave() -> None:
    """Have the other threads out of XLA, or the process end without them."""
    global leaving
    if leaving:
        return
    leaving = True
    end = time.monotonic() + _PATIENCE
    while _is_anyone_inside() and time.monotonic() < end:
        time.sleep(_PAUSE)
    if len(sys._current_frames()) > 1:
        _end_without_them()


def _is_anyone_inside() -> bool:
    own = threading.get_ident()
    return any(
        _is_inside(frame) for thread, frame in sys._current_frames().items() if thread != own
    )


def _is_inside(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in _inside:
            # A parked thread is in `park`, and stays there.
            return True
        if frame.f_code is park.__code__:
            return False
        frame = frame.f_back
    return False


def _end_without_them() -> None:
    """Let `exit(status)` become `_exit(status)`, and a thread that aborts meanwhile wait for it.

    The handler of the abort is `sleep`, called with the signal's number: the thread waits 6 seconds
    for the process to end. An abort of the thread that ends the process is only delayed by it.
    """
    library: Any = ctypes.CDLL(None)
    if not hasattr(library, "on_exit"):
        # Not the C library of GNU: there is nothing to do but to wait.
        while _is_anyone_inside():
            time.sleep(_PAUSE)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    library.fflush(None)
    library.on_exit(ctypes.cast(library._exit, ctypes.c_void_p), None)
    library.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    library.signal(signal.SIGABRT, ctypes.cast(library.sleep, ctypes.c_void_p))
    _abort_silently(ctypes.cast(library.abort, ctypes.c_void_p))


def _abort_silently(abort: ctypes.c_void_p) -> None:
    """Have C++ abort without the message that it prints before."""
    try:
        set_terminate = ctypes.CDLL(_CPP_LIBRARY)[_SET_TERMINATE]
    except (OSError, AttributeError):
        # Another library of C++: the message is printed, and the exit code is right all the same.
        return
    set_terminate.argtypes = [ctypes.c_void_p]
    set_terminate(abort)
