"""Tracebacks without the frames of this library, unless the user wants to see them."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np

from tapeflow._src.core.errors import OpError
from tapeflow._src.core.source import is_library_file


class _Filtering:
    """Whether frames of this library are left out."""

    enabled = True


filtering = _Filtering()

# Where code that is neither this library's nor the user's comes from: arrays, and what runs graphs.
_NOT_THE_USERS = (str(Path(np.__file__).parent), "<graph of ")


def fold(error: BaseException) -> None:
    """Leave the frames of this library out of an error's traceback, and of what it came from."""
    chain: BaseException | None = error if filtering.enabled else None
    if chain is not None and isinstance(error, OpError):
        error.__cause__ = told_cause(error.__cause__)
    while chain is not None:
        chain.__traceback__ = _without_library(chain.__traceback__)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


def told_cause(cause: BaseException | None) -> BaseException | None:
    """What an op's error came from, if that tells the user more than the error does.

    An error of an op is the same before the op and the user's line were added, and NumPy's says of
    arrays what the op's says of tensors. What the user's own code raised is told.
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
    """A traceback without the frames of this library, but for the innermost.

    That is where the error was raised: without it, a debugger would have nothing to show.
    """
    kept: list[TracebackType] = []
    while traceback is not None:
        last = traceback.tb_next is None
        filename = traceback.tb_frame.f_code.co_filename
        if last or not (is_library_file(filename) or filename.startswith("<graph of ")):
            kept.append(traceback)
        traceback = traceback.tb_next
    following = None
    for entry in reversed(kept):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
