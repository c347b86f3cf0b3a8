"""File names as TensorFlow writes them, and operating system errors as `tf.errors`."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.core import errors

# The builtin at import time: libraries temporarily replace it by `GFile`, which would open itself.
open_local = open
SCHEMES = ("", "file")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9.]*)://")
_CLASSES: dict[int | None, Any] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.OutOfRangeError,
    errno.ETIMEDOUT: errors.DeadlineExceededError,
    errno.EMFILE: errors.ResourceExhaustedError,
}


def as_text(path: Any) -> str:
    """Return a path given as text, bytes or a path object as text."""
    return os.fsdecode(os.fspath(path))


def scheme_of(path: str) -> str:
    """Return what precedes `://`, or ""."""
    match = _SCHEME.match(path)
    return "" if match is None else match.group(1)


def local_path(path: Any) -> str:
    """Return the path on this machine; UnimplementedError for another file system."""
    text = as_text(path)
    scheme = scheme_of(text)
    if scheme not in SCHEMES:
        raise errors.UnimplementedError(
            None,
            None,
            f"File system scheme '{scheme}' not implemented (file: '{text}'). Only local files "
            f"can be opened: copy it to this machine first.",
        )
    if "\0" in text:
        raise errors.NotFoundError(
            None, None, f"Expected the name of a file, received one with a NUL byte: {text!r}"
        )
    return text[len("file://") :] if scheme else text


@contextmanager
def translated(path: Any) -> Iterator[None]:
    """Raise errors of the operating system as those of `tf.errors`."""
    try:
        yield
    except OSError as error:
        kind = _CLASSES.get(error.errno, errors.UnknownError)
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise kind(None, None, f"{as_text(path)}; {reason}") from error
