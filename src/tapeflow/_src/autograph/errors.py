"""What AutoGraph raises, and how errors in traced code are told: by the user's own lines."""

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
    """What was given is not a function whose code can be converted."""


class SourceNotFound(AutoGraphError):
    """The source code of a function is not there to be read."""


class UnsupportedFeature(AutoGraphError, NotImplementedError):
    """The function uses a part of Python that cannot be staged."""

    def __init__(self, reason: str, node: ast.AST | None = None) -> None:
        line = getattr(node, "lineno", None)
        super().__init__(reason if line is None else f"{reason} (line {line})")


_UNBOUND = re.compile(r"cannot access (?:local|free) variable ('[^']*')")


class explaining:
    """A block in which converted code runs: errors say where in the user's code they arise.

    The exception keeps its class; its message tells the user's files, lines and code. Frames of
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
    """The error with a message for the user."""
    codes, frames = _user_frames(traceback)
    inner: tuple[list[_Frame], str] | None = getattr(error, "_autograph_story", None)
    message = _own_message(error, codes) if inner is None else inner[1]
    if inner is not None:
        frames += inner[0]
    if not frames:
        return error if inner is None and message == str(error) else _reworded(error, message)
    unbound = _UNBOUND.match(message)
    if unbound and isinstance(error, NameError):
        # In a block, a variable of the function is a free one.
        error = error if isinstance(error, UnboundLocalError) else UnboundLocalError()
        message = f"{unbound[1]} is used before assignment"
    text = _story(frames, f"{type(error).__name__}: {message}")
    error._autograph_story = frames, message  # type: ignore[attr-defined]
    return _reworded(error, text).with_traceback(None)


def _own_message(error: Exception, codes: Sequence[CodeType]) -> str:
    """What the error says; if code was met that could not be converted, the reason for that."""
    message = str(error)
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
    """The user's code on the way, and the lines of it from the first converted one on.

    The blocks of a function are functions of their own: only the innermost line counts.
    """
    codes: list[CodeType] = []
    found: list[_Frame] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_library_file(code.co_filename):
            codes.append(code)
            converted = is_converted(code)
            frame = _Frame(code.co_filename, traceback.tb_lineno, code.co_name, converted)
            if found and found[-1].converted and (is_block(code) or _continues(found[-1], frame)):
                found[-1] = _Frame(frame.file, frame.line, found[-1].function, True)
            elif found or converted:
                found.append(frame)
        traceback = traceback.tb_next
    return codes, found


def _continues(outer: _Frame, inner: _Frame) -> bool:
    """Whether a frame is that of a lambda in the line of the one before it."""
    same_line = (outer.file, outer.line) == (inner.file, inner.line)
    return same_line and inner.converted and inner.function == "<lambda>"


def _story(frames: Sequence[_Frame], ending: str) -> str:
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
    """`*` for converted code, `**` where code that is not converted begins."""
    if frame.converted:
        return "  *"
    return "  **" if previous is not None and previous.converted else ""


class _Text(str):
    """A message that is shown as it is where its `repr` is asked for, as by KeyError."""

    __slots__ = ()
    __repr__ = str.__str__


def _reworded(error: Exception, text: str) -> Exception:
    """The same error with another message, or with a note where it has no place for one."""
    if isinstance(error, OpError):
        error._message = text
    given = error.args
    simple = not given or (len(given) == 1 and isinstance(given[0], str))
    if simple or isinstance(error, KeyError):
        error.args = (_Text(text),)
        if str(error) == text:
            return error
        error.args = given
    if str(error) != text:
        error.add_note(text)
    return error
