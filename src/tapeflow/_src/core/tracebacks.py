"""Tracebacks without the frames of this library, unless the user requests them."""

from __future__ import annotations

import os
from types import TracebackType

import numpy as np

from tapeflow._src.core.errors import OpError
from tapeflow._src.core.source import is_library_file


class _Filtering:
    """Whether frames of this library are left out."""

    enabled = True


filtering = _Filtering()

# The origin of third-party code below this library: arrays, and what runs graphs.
_NOT_THE_USERS = (os.path.dirname(np.__file__), "<graph of ")


def fold(error: BaseException) -> None:
    """Remove the frames of this library from an error's traceback, and from its causes'."""
    chain: BaseException | None = error if filtering.enabled else None
    if chain is not None and isinstance(error, OpError):
        error.__cause__ = shown_cause(error.__cause__)
    while chain is not None:
        chain.__traceback__ = _without_library(chain.__traceback__)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


def shown_cause(cause: BaseException | None) -> BaseException | None:
    """Return the cause of an op's error, if it is more informative than the error.

    The cause is redundant if it is the same error without op and line, or NumPy's error about the
    same arrays. An error raised by the user's own code is shown.
    """
    if cause is None or not filtering.enabled or _through_user_code(cause.__traceback__):
        return cause
    return None


def _through_user_code(traceback: TracebackType | None) -> bool:
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if not is_library_file(filename) and not filename.startswith(_NOT_THE_USERS):
            return True
        traceback = traceback.tb_next
    return False


def _without_library(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of this library, except the innermost.

    That is where the error was raised: without it, a debugger would have nothing to show.
    """
    frames: list[TracebackType] = []
    while traceback is not None:
        last = traceback.tb_next is None
        filename = traceback.tb_frame.f_code.co_filename
        if last or not (is_library_file(filename) or filename.startswith("<graph of ")):
            frames.append(traceback)
        traceback = traceback.tb_next
    following = None
    for entry in reversed(frames):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
