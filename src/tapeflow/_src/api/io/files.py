"""Read and write whole files."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.io import files as ops


def _as_names(value: TensorLike) -> Any:
    """Convert text or path objects to file names."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    elif isinstance(value, (list, tuple)):
        value = [v.__fspath__() if hasattr(v, "__fspath__") else v for v in value]
    return dispatch.convert(value, dtypes.string)


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Read a file into a string tensor.

    Args:
        filename: The name of the file: a string, a path object or a string tensor.

    Returns:
        The bytes of the file, a scalar string.

    Raises:
        tf.errors.NotFoundError: If there is no such file.

    Example:
        >>> tf.io.write_file("note.txt", "hello")
        >>> tf.io.read_file("note.txt").numpy()
        b'hello'
    """
    return ops.read_file(_as_names(filename), name=name)


def write_file(filename: Any, contents: TensorLike, name: str | None = None) -> Any:
    """Write `contents` to a file, creating its folder if needed.

    Args:
        filename: The name of the file: a string, a path object or a string tensor.
        contents: The bytes, a scalar string.

    Returns:
        None eagerly; in a graph, the operation.

    Example:
        >>> tf.io.write_file("folder/note.txt", b"bytes")
        >>> tf.io.gfile.exists("folder/note.txt")
        True
    """
    return ops.write_file(_as_names(filename), dispatch.convert(contents, dtypes.string), name=name)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """List the files that match any of the glob patterns, sorted.

    Args:
        pattern: A pattern, or a vector of patterns.

    Returns:
        A vector of file names.

    Example:
        >>> tf.io.write_file("texts/b.txt", "")
        >>> tf.io.write_file("texts/a.txt", "")
        >>> tf.io.matching_files("texts/*.txt").numpy()
        array([b'texts/a.txt', b'texts/b.txt'], dtype=object)
    """
    return ops.matching_files(_as_names(pattern), name=name)


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Store the files that match in a variable, so that later reads return the same list.

    Args:
        pattern: A pattern, or a vector of patterns.

    Returns:
        A `tf.Variable` of file names.

    Example:
        >>> tf.io.write_file("shards/one.txt", "")
        >>> tf.io.match_filenames_once("shards/*.txt").numpy()
        array([b'shards/one.txt'], dtype=object)
    """
    return Variable(
        matching_files(pattern), trainable=False, name=name or "matching_filenames", shape=[None]
    )
