"""Where in the user's code something was made: the innermost frame outside this library.

Generated code (AutoGraph's) registers a map from its lines to those of the code it was made from,
which is followed when a location is shown, not when it is taken.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_is_library: dict[str, bool] = {}
_maps: dict[str, Mapping[int, Location]] = {}


class Location(NamedTuple):
    """A line of a function in a file, and its text if that cannot be read from the file."""

    file: str
    line: int
    function: str
    text: str = ""

    def code(self) -> str:
        """The text of the line."""
        return self.text or linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'


def is_library_file(filename: str) -> bool:
    """Whether a file is part of this library."""
    known = _is_library.get(filename)
    if known is None:
        known = _is_library[filename] = filename.startswith(_PACKAGE)
    return known


def user_location() -> Location | None:
    """The line of the user's code that is being run."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not is_library_file(code.co_filename):
            return Location(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def register_source_map(generated_filename: str, lines: Mapping[int, Location]) -> None:
    """Say from which lines of the user's code the lines of a generated file were made."""
    _maps[generated_filename] = lines


def original(location: Location) -> Location:
    """The user's line behind a line of generated code; any other line is itself."""
    lines = _maps.get(location.file)
    if lines is None:
        return location
    return lines.get(location.line, location)
