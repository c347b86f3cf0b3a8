"""Reading and writing of files, and matching of file names."""

from __future__ import annotations

import glob
import os

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.strings.text import STRING, bytes_array


@op("ReadFile", dtypes=STRING, effect="io", grad=None, host="reads a file", checked=True)
def read_file(xp, filename):
    """Return the contents of a file."""
    path = local_path(filename.item())
    with translated(path), open(path, "rb", buffering=0) as file:
        return np.array(file.read(), object)


read_file.accesses("files", path="filename")


@read_file.infer
def _(filename):
    require_rank(filename, 0, "filename")
    return Spec((), dtypes.string)


@op(
    "WriteFile",
    dtypes=STRING,
    outputs=(),
    effect="io",
    grad=None,
    host="writes a file",
    checked=True,
)
def write_file(xp, filename, contents):
    """Make a file that holds `contents`, and the folders it stands in."""
    path = local_path(filename.item())
    with translated(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(contents.item())


write_file.accesses("files")


@write_file.infer
def _(filename, contents):
    require_rank(filename, 0, "filename")
    require_rank(contents, 0, "contents")
    return ()


def match_files(pattern: str) -> list[str]:
    """Return the files that a pattern matches, in order."""
    with translated(pattern):
        return sorted(glob.glob(local_path(pattern)))


@op("MatchingFiles", dtypes=STRING, effect="io", grad=None, host="looks for files", checked=True)
def matching_files(xp, pattern):
    """Return the names of the files that match any of the patterns, in order."""
    patterns = [os.fsdecode(text) for text in pattern.reshape(-1).tolist()]
    names = sorted(name for text in patterns for name in match_files(text))
    return bytes_array([os.fsencode(name) for name in names])


matching_files.accesses("files")


@matching_files.infer
def _(pattern):
    if pattern.shape is not None and len(pattern.shape) > 1:
        raise InferError(f"pattern must be a scalar or vector, got rank {len(pattern.shape)}")
    return Spec((None,), dtypes.string)
