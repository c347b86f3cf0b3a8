"""Ctrl-C while something runs that must not be cut short: it is raised at the end of that.

A function that changes variables runs to its end, so that a training step is applied whole or not
at all, and a module is imported whole. The handler below looks at the frames of the main thread
when the signal comes: calls themselves cost nothing more. A second Ctrl-C interrupts a function at
once. A handler of the user's own is left alone, and does what it does.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, TypeVar

# A global name of generated code that changes state.
MARK = "__changes_state__"
# Whether a Ctrl-C waits to be raised, and whether there is nothing more to install.
pending = False
installed = False

_Function = TypeVar("_Function", bound=Callable[..., Any])
_finished_first: set[CodeType] = set()
_never_cut: set[CodeType] = set()
_NOTHING, _CHANGE, _IMPORT = range(3)


def finished_first(function: _Function) -> _Function:
    """Have a first Ctrl-C wait for the end of `function`, whose caller then calls `deliver`."""
    _finished_first.add(function.__code__)
    return function


def never_cut(function: _Function) -> _Function:
    """Have any Ctrl-C wait for the end of `function`, whose caller then calls `deliver`."""
    _never_cut.add(function.__code__)
    return function


def install() -> None:
    """Handle Ctrl-C from now on, unless the user does. Nothing happens but on the main thread."""
    global installed
    if installed or threading.current_thread() is not threading.main_thread():
        return
    installed = True
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # interpreters beside the main one get no signals
            signal.signal(signal.SIGINT, _handle)


def deliver() -> None:
    """Raise a Ctrl-C that waits, unless something around the caller is to be finished first."""
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
    """What the frame is in that must not be cut short."""
    kind = _NOTHING
    while frame is not None:
        if frame.f_code in _never_cut:
            return _IMPORT
        if frame.f_code in _finished_first or MARK in frame.f_globals:
            kind = _CHANGE
        frame = frame.f_back
    return kind
