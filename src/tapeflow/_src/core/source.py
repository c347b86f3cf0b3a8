"""Where in the user's code something was created: the innermost frame outside this library.

Code that AutoGraph generates has the line numbers of the original.
"""

from __future__ import annotations

import linecache
import os
import sys
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_is_library: dict[str, bool] = {}


class Location(NamedTuple):
    """A line of a function in a file, and its text if that cannot be read from the file."""

    file: str
    line: int
    function: str
    text: str = ""

    def code(self) -> str:
        """Return the text of the line."""
        return self.text or linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'


def is_library_file(filename: str) -> bool:
    """Whether a file is part of this library."""
    cached = _is_library.get(filename)
    if cached is None:
        cached = _is_library[filename] = filename.startswith(_PACKAGE)
    return cached


def user_location() -> Location | None:
    """Return the line of the user's code that is being run."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_library_file(code.co_filename):
            return Location(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None
