"""Where in the user's code something was created: the innermost frame outside this library.

Code that AutoGraph generates has the line numbers of the original.
"""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from types import FrameType
from typing import NamedTuple

import numpy as np

_SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PACKAGE = os.path.dirname(_SOURCE) + os.sep
_is_library: dict[str, bool] = {}
_is_below: dict[str, bool] = {}
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_PACKAGES = os.path.join(_STANDARD, "site-packages") + os.sep


class Location(NamedTuple):
    """A line of a function in a file, and its text if that cannot be read from the file.

    `note` says what a part of the library made of the line, such as "gradient of Sqrt".
    """

    file: str
    line: int
    function: str
    text: str = ""
    note: str = ""

    def code(self) -> str:
        """Return the text of the line."""
        return self.text or linecache.getline(self.file, self.line).strip()

    def short(self) -> str:
        """Return "file:line", relative to the working directory if the file is below it."""
        try:
            below = os.path.relpath(self.file) if os.path.isabs(self.file) else self.file
        except (OSError, ValueError):  # no working directory, or one on another drive
            below = os.pardir
        return f"{self.file if below.startswith(os.pardir) else below}:{self.line}"

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'

    def brief(self) -> str:
        """Return `FILE:LINE: code`, the form of the last line of an error."""
        code = self.code()
        return f"{self.file}:{self.line}: {code}" if code else f"{self.file}:{self.line}"


def is_library_file(filename: str) -> bool:
    """Whether a file is part of this library."""
    cached = _is_library.get(filename)
    if cached is None:
        cached = _is_library[filename] = filename.startswith(_PACKAGE)
    return cached


def is_not_the_users(filename: str) -> bool:
    """Whether a file belongs to this library, or to what it calls and is called by.

    That is NumPy, the standard library, and the code of graphs: a frame of theirs is never the
    line to look at.
    """
    cached = _is_below.get(filename)
    if cached is None:
        standard = filename.startswith(_STANDARD) and not filename.startswith(_PACKAGES)
        cached = standard or filename.startswith((_PACKAGE, _NUMPY, "<graph of ", "<frozen "))
        _is_below[filename] = cached
    return cached


def user_location() -> Location | None:
    """Return the line of the user's code that is being run."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_not_the_users(code.co_filename):
            return Location(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back
    return None


def raised_by_library(errors_file: str) -> bool:
    """Whether the innermost frame outside of `errors_file` is one of this library."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == errors_file:
        frame = frame.f_back
    return frame is not None and is_not_the_users(frame.f_code.co_filename)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the user's line, however deep in this library it arises."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and is_not_the_users(frame.f_code.co_filename):
        level += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)
