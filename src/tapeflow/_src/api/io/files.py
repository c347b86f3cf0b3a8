"""Files read and written as a whole."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.io import files as ops


def _as_names(value: Any) -> Any:
    """Names of files: text, or path objects."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    elif isinstance(value, (list, tuple)):
        value = [v.__fspath__() if hasattr(v, "__fspath__") else v for v in value]
    return dispatch.convert(value, dtypes.string)


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """All that a file holds, as a string."""
    return ops.read_file(_as_names(filename), name=name)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Make a file that holds `contents`, and the folders it stands in."""
    return ops.write_file(_as_names(filename), dispatch.convert(contents, dtypes.string), name=name)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match any of the patterns, in order."""
    return ops.matching_files(_as_names(pattern), name=name)


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """The names of the files that match now, in a variable: later calls do not look again."""
    return Variable(
        matching_files(pattern), trainable=False, name=name or "matching_filenames", shape=[None]
    )
