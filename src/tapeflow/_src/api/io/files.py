"""Read and write whole files."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.io import files as ops


def _as_names(value: Any) -> Any:
    """Convert text or path objects to file names."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    elif isinstance(value, (list, tuple)):
        value = [v.__fspath__() if hasattr(v, "__fspath__") else v for v in value]
    return dispatch.convert(value, dtypes.string)


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Read a file into a string tensor."""
    return ops.read_file(_as_names(filename), name=name)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Write `contents` to a file, creating its folder if needed."""
    return ops.write_file(_as_names(filename), dispatch.convert(contents, dtypes.string), name=name)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """List the files that match any of the glob patterns, sorted."""
    return ops.matching_files(_as_names(pattern), name=name)


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Store the files that match in a variable, so that later reads return the same list."""
    return Variable(
        matching_files(pattern), trainable=False, name=name or "matching_filenames", shape=[None]
    )
