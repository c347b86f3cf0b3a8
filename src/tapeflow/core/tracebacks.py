"""Tracebacks without the frames of this library, unless the user wants to see them."""

from __future__ import annotations

from types import TracebackType

from tapeflow.core.errors import OpError
from tapeflow.core.source import is_library_file


class _Filtering:
    """Whether frames of this library are left out."""

    enabled = True


filtering = _Filtering()


def fold(error: BaseException) -> None:
    """Leave the frames of this library out of an error's traceback, and of what it came from."""
    chain: BaseException | None = error if filtering.enabled else None
    if chain is not None and isinstance(error, OpError) and isinstance(error.__cause__, OpError):
        # The same, before the op and the user's line were added.
        error.__cause__ = None
    while chain is not None:
        chain.__traceback__ = _without_library(chain.__traceback__)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


def _without_library(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this library, but for the innermost.

    That is where the error was raised: without it, a debugger would have nothing to show.
    """
    kept: list[TracebackType] = []
    while traceback is not None:
        last = traceback.tb_next is None
        if last or not is_library_file(traceback.tb_frame.f_code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    following = None
    for entry in reversed(kept):
        following = TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
