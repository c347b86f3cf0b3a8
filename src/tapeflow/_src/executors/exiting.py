"""Exiting the process while other threads are inside XLA.

When Python ends, it stops every other thread at the moment that thread returns to Python. Inside
the C++ of XLA that ends the process by SIGABRT, and a program would lose the exit code of its
success. So at exit threads that are about to enter XLA are parked, and those inside get a moment to
come out. If other threads are left (a compilation may take minutes, and releasing an array enters
C++ too), the process ends without them: after Python's own finalisation, before the destructors of
C++, with the exit code that it has.

A thread that compiles is in Python half of the time, called from C++: JAX traces and lowers there.
Stopped by Python, it would leave that C++ without the lock of the interpreter, and what C++ then
releases crashes the process. Such a thread is ended before, by an exception. The first import
of JAX is waited for: its extension modules cannot be released while they are half made.
"""

from __future__ import annotations

import ctypes
import functools
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Set
from types import CodeType, FrameType
from typing import Any, ClassVar, TypeVar, cast

# How long to wait for threads inside XLA: a call mostly takes less, a compilation more.
_XLA_TIMEOUT = 0.5
_PAUSE = 1e-3
# When to interrupt a thread again: a finaliser may have swallowed the exception.
_INTERRUPT_INTERVAL = 0.02
# `std::set_terminate`, by its mangled name.
_CPP_LIBRARY, _SET_TERMINATE = "libstdc++.so.6", "_ZSt13set_terminatePFvvE"
# How long to wait for an import of JAX: it takes a second, or many on a busy machine.
_IMPORT_PATIENCE = 60.0
# The packages whose objects must outlive the threads, and must be fully imported.
_PACKAGES = frozenset({"jax", "jaxlib", "tapeflow"})
# Linux: SA_ONSTACK, and addresses below the lowest that a process can map.
_ON_STACK = 0x08000000
_NO_MEMORY, _NO_MEMORY_SIZE = 0x1000, 0xE000

_Function = TypeVar("_Function", bound=Callable[..., Any])
_inside: set[CodeType] = set()
_compiling: set[CodeType] = set()

# Whether the process is exiting; threads check it before they enter XLA, and then call `park`.
leaving = False


def enters_xla(function: _Function) -> _Function:
    """Declare that `function` runs C++ code of XLA, and checks `leaving` first."""
    _inside.add(function.__code__)
    return function


class _ThreadExit(SystemExit):
    """Raised in a thread that compiles when the process ends; its thread stops silently."""


def compiles_by_xla(function: _Function) -> _Function:
    """Park a thread that compiles in `function` when the process exits.

    The exception may arrive just after the function has returned: then it ends the thread.
    """

    def compiling(*args: Any, **kwargs: Any) -> Any:
        try:
            if leaving:
                park()
            return function(*args, **kwargs)
        except _ThreadExit:
            park()
            raise

    _inside.add(compiling.__code__)
    _compiling.add(compiling.__code__)
    return cast(_Function, functools.wraps(function)(compiling))


def park() -> None:
    """Block this thread for good, unless it is the one that ends the process."""
    if threading.current_thread() is threading.main_thread():
        return
    forever = threading.Lock()
    forever.acquire()
    forever.acquire()


def leave() -> None:
    """Get the other threads out of XLA, or end the process without them."""
    global leaving
    if leaving:
        return
    leaving = True
    sys.unraisablehook = functools.partial(_report_others, sys.unraisablehook)
    _wait_for_threads()
    if len(sys._current_frames()) > 1:
        _end_without_them()


def _wait_for_threads() -> None:
    """Wait until no thread is inside XLA, or too long; imports take another time."""
    now = time.monotonic()
    patience, end, interrupted = now + _IMPORT_PATIENCE, now + _XLA_TIMEOUT, -math.inf
    while True:
        if _is_importing() and now < patience:
            # One import may follow another.
            end = now + _XLA_TIMEOUT
        elif not _threads_with(_inside) or now > end:
            return
        elif now - interrupted > _INTERRUPT_INTERVAL:
            _interrupt_compiling()
            interrupted = now
        time.sleep(_PAUSE)
        now = time.monotonic()


def _interrupt_compiling() -> None:
    """Raise `_ThreadExit` in the threads that compile, as soon as they are in Python."""
    if _is_importing():
        return
    for thread in _threads_with(_compiling):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(_ThreadExit)
        )


def _is_importing() -> bool:
    """Whether a thread is importing JAX, or a module that uses it, by the import system's marks."""
    return any(
        name.partition(".")[0] in _PACKAGES
        and getattr(getattr(module, "__spec__", None), "_initializing", False)
        for name, module in sys.modules.copy().items()
    )


def _report_others(report: Callable[[Any], Any], unraisable: Any) -> None:
    """Report an exception that a finaliser or a callback raised, unless it is ours.

    When Python ends, it replaces the globals of modules by None, and still calls this function.
    """
    if _ThreadExit is None or not issubclass(unraisable.exc_type, _ThreadExit):
        report(unraisable)


def _threads_with(codes: Set[CodeType]) -> list[int]:
    """Return the other threads that run one of `codes` and are not parked."""
    own = threading.get_ident()
    frames = sys._current_frames().items()
    return [thread for thread, frame in frames if thread != own and _runs(codes, frame)]


def _runs(codes: Set[CodeType], frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code is park.__code__:
            return False
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def _end_without_them() -> None:
    """Turn `exit(status)` into `_exit(status)`, and block threads that abort meanwhile.

    Python's own finalisation comes in between, and may take long on a busy machine. Meanwhile
    nothing of XLA is destroyed: a destructor may wait for a thread that was stopped.
    """
    library: Any = ctypes.CDLL(None)
    if not hasattr(library, "on_exit"):
        # Not glibc: there is nothing to do but wait.
        while _threads_with(_inside):
            time.sleep(_PAUSE)
        return
    _keep_alive()
    # Not all files: a thread that waits for input holds the lock of its file.
    for stream in ("stdout", "stderr"):
        library.fflush(ctypes.c_void_p.in_dll(library, stream))
    library.on_exit(ctypes.cast(library._exit, ctypes.c_void_p), None)
    _hold_aborting_threads(library)
    _abort_silently(ctypes.cast(library.abort, ctypes.c_void_p))


def _keep_alive() -> None:
    """Keep the objects of XLA's and our modules alive through Python's finalisation."""
    objects = [
        dict(vars(module))
        for name, module in sys.modules.copy().items()
        if name.partition(".")[0] in _PACKAGES and module is not None
    ]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(objects))


class _Action(ctypes.Structure):
    """`struct sigaction` of glibc on Linux."""

    _fields_: ClassVar = [
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_char * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    ]


class _Stack(ctypes.Structure):
    """`stack_t`."""

    _fields_: ClassVar = [
        ("start", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("size", ctypes.c_size_t),
    ]


def _hold_aborting_threads(library: Any) -> None:
    """Block any other thread that aborts until the process ends.

    The handler is `pause`, with all signals blocked. It runs on the alternate stack of a thread
    that has one. That of this thread is memory that does not exist: if this thread aborts, there is
    nothing to wait for, and the process ends by the fault.
    """
    library.sigaltstack(ctypes.byref(_Stack(_NO_MEMORY, 0, _NO_MEMORY_SIZE)), None)
    handler = ctypes.cast(library.pause, ctypes.c_void_p)
    action = _Action(handler, b"\xff" * 128, _ON_STACK, None)
    library.sigaction(signal.SIGABRT, ctypes.byref(action), None)


def _abort_silently(abort: ctypes.c_void_p) -> None:
    """Replace the C++ terminate handler by one that aborts without a message."""
    try:
        set_terminate = ctypes.CDLL(_CPP_LIBRARY)[_SET_TERMINATE]
    except (OSError, AttributeError):
        # Another C++ library: the message is printed, but the exit code is right.
        return
    set_terminate.argtypes = [ctypes.c_void_p]
    set_terminate(abort)
