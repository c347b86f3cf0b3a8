"""Deferred Ctrl-C: raised at the end of calls that must not be interrupted.

A function that changes variables runs to its end, so that a training step is applied completely or
not at all, and a module is imported completely. The handler below inspects the frames of the main
thread when the signal arrives: calls themselves have no overhead. A second Ctrl-C interrupts a
function at once. A handler installed by the user is not replaced.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, TypeVar

# A global of generated code that changes state.
MARK = "__changes_state__"
# Whether a Ctrl-C is pending, and whether the handler is installed.
pending = False
installed = False

_Function = TypeVar("_Function", bound=Callable[..., Any])
_finished_first: set[CodeType] = set()
_never_cut: set[CodeType] = set()
_NOTHING, _CHANGE, _IMPORT = range(3)


def defers_first_interrupt(function: _Function) -> _Function:
    """Defer a first Ctrl-C to the end of `function`, whose caller then calls `deliver`."""
    _finished_first.add(function.__code__)
    return function


def defers_interrupts(function: _Function) -> _Function:
    """Defer any Ctrl-C to the end of `function`, whose caller then calls `deliver`."""
    _never_cut.add(function.__code__)
    return function


def install() -> None:
    """Handle Ctrl-C from now on, unless the user does. Does nothing outside the main thread."""
    global installed
    if installed or threading.current_thread() is not threading.main_thread():
        return
    installed = True
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # interpreters beside the main one get no signals
            signal.signal(signal.SIGINT, _handle)


def deliver() -> None:
    """Raise a pending Ctrl-C, unless an enclosing call must be finished first."""
    global pending
    if threading.current_thread() is not threading.main_thread():
        return
    if pending and not _unfinished(sys._getframe(1)):
        pending = False
        raise KeyboardInterrupt


def _handle(number: int, frame: FrameType | None) -> None:
    global pending
    unfinished = _unfinished(frame)
    if unfinished == _IMPORT or (unfinished == _CHANGE and not pending):
        pending = True
        return
    pending = False
    signal.default_int_handler(number, frame)


def _unfinished(frame: FrameType | None) -> int:
    """Return the enclosing call of the frame that must not be interrupted."""
    kind = _NOTHING
    while frame is not None:
        if frame.f_code in _never_cut:
            return _IMPORT
        if frame.f_code in _finished_first or MARK in frame.f_globals:
            kind = _CHANGE
        frame = frame.f_back
    return kind
