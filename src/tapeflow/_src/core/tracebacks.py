"""Tracebacks without the frames of this library, unless the user requests them.

Errors of Python's own classes name the user's line in a note, as those of ops do in their message.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from tapeflow._src.core.errors import OpError
from tapeflow._src.core.source import Location, is_library_file, is_not_the_users, user_location

P = ParamSpec("P")
R = TypeVar("R")
# They steer programs, and are rarely shown.
_NOT_NOTED = (OpError, StopIteration, ImportError, AttributeError)


class _Filtering:
    """Whether frames of this library are left out."""

    enabled = True


filtering = _Filtering()

# The origin of third-party code below this library: arrays, and what runs graphs.
_NOT_THE_USERS = (os.path.dirname(np.__file__), "<graph of ")


def folds_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Fold the tracebacks of the errors that a public function raises: see `fold`."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            fold(error)
            raise

    return cast(Callable[P, R], call)


def fold(error: BaseException) -> None:
    """Remove the frames of this library from an error's traceback, and from its causes'.

    An error that this library raised is noted with the user's line.
    """
    notes = getattr(error, "__notes__", ())
    if not isinstance(error, _NOT_NOTED) and not any(note.startswith("At ") for note in notes):
        location = _line_of(error.__traceback__)
        if location is not None:
            error.add_note(f"At {location.brief()}")
    chain: BaseException | None = error if filtering.enabled else None
    if chain is not None and isinstance(error, OpError):
        error.__cause__ = shown_cause(error.__cause__)
    folded: set[int] = set()  # an error may be the context of its own cause
    while chain is not None and id(chain) not in folded:
        folded.add(id(chain))
        chain.__traceback__ = _without_library(chain.__traceback__)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


def _line_of(traceback: TracebackType | None) -> Location | None:
    """Return the user's line that led to an error; None if the user's code raised it itself."""
    location = None
    is_users = False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        is_users = not is_not_the_users(code.co_filename)
        if is_users:
            location = Location(code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    if is_users:
        return None
    return location or user_location()


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
