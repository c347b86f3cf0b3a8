"""AutoGraph's exceptions, and how errors in traced code show the user's own lines."""

from __future__ import annotations

import ast
import linecache
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any, Literal

from tapeflow._src.autograph.registry import is_block, is_converted, reason_against
from tapeflow._src.core.errors import OperatorNotAllowedInGraphError, OpError
from tapeflow._src.core.source import is_library_file


class AutoGraphError(Exception):
    """A function cannot be converted."""


class ConversionError(AutoGraphError):
    """The argument is not a function whose code can be converted."""


class SourceNotFound(AutoGraphError):
    """The source code of a function is not available."""


class UnsupportedFeature(AutoGraphError, NotImplementedError):
    """The function uses a part of Python that cannot be staged."""

    def __init__(self, reason: str, node: ast.AST | None = None) -> None:
        line = getattr(node, "lineno", None)
        super().__init__(reason if line is None else f"{reason} (line {line})")


_UNBOUND = re.compile(r"cannot access (?:local|free) variable ('[^']*')")


class explaining:
    """Run converted code in a block whose errors show locations in the user's code.

    The exception keeps its class; its message lists the user's files, lines and code. Frames of
    this library are left out, there and in the traceback.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        if isinstance(error, Exception):
            explained = _explained(error, traceback)
            if explained is not error:
                raise explained from None
        return False


@dataclass(frozen=True)
class _Frame:
    """A line of the user's that was being run."""

    file: str
    line: int
    function: str
    converted: bool

    def show(self, mark: str) -> str:
        code = linecache.getline(self.file, self.line).strip()
        return f'    File "{self.file}", line {self.line}, in {self.function}{mark}\n        {code}'


def _explained(error: Exception, traceback: TracebackType | None) -> Exception:
    """Return the error with a message for the user."""
    codes, frames = _user_frames(traceback)
    inner: tuple[list[_Frame], str] | None = getattr(error, "_autograph_story", None)
    message = _message_with_reason(error, codes) if inner is None else inner[1]
    if inner is not None:
        frames += inner[0]
    if not frames:
        unchanged = message == getattr(error, "message", str(error))
        return error if inner is None and unchanged else _reworded(error, message)
    unbound = _UNBOUND.match(message)
    if unbound and isinstance(error, NameError):
        # In a block, a variable of the function is a free one.
        error = error if isinstance(error, UnboundLocalError) else UnboundLocalError()
        message = f"{unbound[1]} is used before assignment"
    text = _format_frames(frames, f"{type(error).__name__}: {message}")
    error._autograph_story = frames, message  # type: ignore[attr-defined]
    return _reworded(error, text).with_traceback(None)


def _message_with_reason(error: Exception, codes: Sequence[CodeType]) -> str:
    """Return the error's message; with the reason if some code could not be converted."""
    message = error.message if isinstance(error, OpError) else str(error)
    if not isinstance(error, OperatorNotAllowedInGraphError):
        return message
    reasons = {code: reason_against(code) for code in codes}
    refused = [
        f"\n\n{code.co_qualname} was run as it is, because {reason}."
        for code, reason in reasons.items()
        if reason is not None
    ]
    if not refused and any(map(is_converted, codes)) and not is_converted(codes[-1]):
        refused = [f"\n\n{codes[-1].co_qualname} was run as it is: {_NOT_CONVERTED}"]
    return message + "".join(refused)


_NOT_CONVERTED = (
    "AutoGraph converts the functions that converted code calls, but not constructors, properties, "
    "functions that a library calls, nor what `do_not_convert` marks."
)


def _user_frames(traceback: TracebackType | None) -> tuple[list[CodeType], list[_Frame]]:
    """Return the user's frames, and their lines from the first converted one on.

    The blocks of a function are functions of their own: only the innermost line counts.
    """
    codes: list[CodeType] = []
    frames: list[_Frame] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_library_file(code.co_filename):
            codes.append(code)
            converted = is_converted(code)
            frame = _Frame(code.co_filename, traceback.tb_lineno, code.co_name, converted)
            if (
                frames
                and frames[-1].converted
                and (is_block(code) or _continues(frames[-1], frame))
            ):
                frames[-1] = _Frame(frame.file, frame.line, frames[-1].function, True)
            elif frames or converted:
                frames.append(frame)
        traceback = traceback.tb_next
    return codes, frames


def _continues(outer: _Frame, inner: _Frame) -> bool:
    """Whether a frame is that of a lambda in the line of the one before it."""
    same_line = (outer.file, outer.line) == (inner.file, inner.line)
    return same_line and inner.converted and inner.function == "<lambda>"


def _format_frames(frames: Sequence[_Frame], ending: str) -> str:
    lines = ["in user code:", ""]
    previous = None
    repeated = 0
    for frame in frames:
        repeated = repeated + 1 if frame == previous else 0
        if repeated < 3:
            lines.append(frame.show(_mark(frame, previous)))
        elif repeated == 3:
            lines.append("    [...]")
        previous = frame
    return "\n".join([*lines, "", textwrap.indent(ending, "    ", lambda line: True), ""])


def _mark(frame: _Frame, previous: _Frame | None) -> str:
    """Return `*` for converted code, `**` where code that is not converted begins."""
    if frame.converted:
        return "  *"
    return "  **" if previous is not None and previous.converted else ""


class _Text(str):
    """A message whose `repr` is its text, as KeyError shows it."""

    __slots__ = ()
    __repr__ = str.__str__


def _reworded(error: Exception, text: str) -> Exception:
    """Return the same error with another message, or with a note if it takes none."""
    if isinstance(error, OpError):
        error._message, error._location = text, None
    arguments = error.args
    simple = not arguments or (len(arguments) == 1 and isinstance(arguments[0], str))
    if simple or isinstance(error, KeyError):
        error.args = (_Text(text),)
        if str(error) == text:
            return error
        error.args = arguments
    if str(error) != text:
        error.add_note(text)
    return error
