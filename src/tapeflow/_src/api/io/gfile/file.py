"""`GFile`: a file that is opened when it is first used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from tapeflow._src.core.errors import InvalidArgumentError, OutOfRangeError, PermissionDeniedError
from tapeflow._src.core.paths import local_path, open_local, translated

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    r"""A file of text, or of bytes if the mode contains `b`; the modes are those of `open`.

    The file is opened when it is first used.

    Args:
        name: The path, a string or a path object, with or without `file://`.
        mode: "r", "w" or "a", with "+" for reading and writing and "b" for bytes.

    Raises:
        tf.errors.InvalidArgumentError: If the mode is another.

    Example:
        >>> with tf.io.gfile.GFile("lines.txt", "w") as file:
        ...     file.write("one\ntwo\n")
        >>> with tf.io.gfile.GFile("lines.txt") as file:
        ...     print(file.readlines())
        ['one\n', 'two\n']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        self._plain = mode.replace("b", "")
        if self._plain not in _MODES:
            raise InvalidArgumentError(
                None, None, f"mode is not {' or '.join(map(repr, _MODES))}, got {mode!r}"
            )
        self._reads = self._plain == "r" or "+" in self._plain
        self._writes = self._plain != "r"
        self._file: Any = None

    @property
    def name(self) -> Any:
        """The name of the file."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode of the file."""
        return self._mode

    def _open(self) -> Any:
        if self._file is None:
            path = local_path(self._name)
            with translated(path):
                self._file = open_local(path, f"{self._plain}b")  # closed by `close`
        return self._file

    def _reader(self) -> Any:
        if not self._reads:
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        return self._open()

    def _content(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    # -- reading -----------------------------------------------------------------------------

    def read(self, n: int = -1) -> Any:
        """Read `n` bytes, or to the end.

        Args:
            n: Number of bytes; -1 for all.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for reading.
            tf.errors.NotFoundError: If there is no such file.

        Example:
            >>> tf.io.write_file("notes.txt", "one two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     file.read(3)
            'one'
        """
        file = self._reader()
        with translated(self._name):
            return self._content(file.read(n))

    def readline(self) -> Any:
        """Read a line including its newline; empty at the end of the file.

        Example:
            >>> tf.io.write_file("notes.txt", "one" + chr(10) + "two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     file.readline().strip()
            'one'
        """
        file = self._reader()
        with translated(self._name):
            return self._content(file.readline())

    def readlines(self) -> list[Any]:
        """Read the remaining lines.

        Example:
            >>> tf.io.write_file("notes.txt", "one" + chr(10) + "two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     len(file.readlines())
            2
        """
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.readline, self._content(b""))

    def __next__(self) -> Any:
        """Return the next line, including its newline."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def size(self) -> int:
        """Return the size of the file in bytes.

        Example:
            >>> tf.io.write_file("notes.txt", "one two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     file.size()
            7
        """
        path = local_path(self._name)
        with translated(path):
            return os.stat(path).st_size

    # -- moving ------------------------------------------------------------------------------

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Set the position to `offset` from the start (0), the current position (1) or the end (2).

        Args:
            offset: Number of bytes.
            whence: What to count from.
            position: Former name of `offset`.

        Raises:
            TypeError: If there is no offset.
            tf.errors.InvalidArgumentError: If `whence` is another number.
            tf.errors.OutOfRangeError: If the position lies before the file.

        Example:
            >>> tf.io.write_file("notes.txt", "one two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     file.seek(4)
            ...     file.read()
            'two'
        """
        target = position if offset is None else offset
        if target is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                None,
                None,
                f"`whence` must be 0 (start), 1 (current position) or 2 (end). Received: {whence}",
            )
        file = self._open()
        start = (0, file.tell(), self.size())[whence]
        if start + target < 0:
            raise OutOfRangeError(None, None, f"seek(): {start + target} lies before the file")
        file.seek(start + target)

    def seekable(self) -> bool:
        """Return True: local files are seekable."""
        return True

    def tell(self) -> int:
        """Return the current position.

        Example:
            >>> tf.io.write_file("notes.txt", "one two")
            >>> with tf.io.gfile.GFile("notes.txt") as file:
            ...     text = file.read(3)
            ...     file.tell()
            3
        """
        position: int = self._open().tell()
        return position

    # -- writing -----------------------------------------------------------------------------

    def write(self, file_content: Any) -> None:
        """Write text or bytes.

        Args:
            file_content: A string, which is encoded as UTF-8, or bytes.

        Raises:
            tf.errors.PermissionDeniedError: If the file is not open for writing.

        Example:
            >>> with tf.io.gfile.GFile("notes.txt", "w") as file:
            ...     file.write("one two")
            >>> tf.io.read_file("notes.txt").numpy()
            b'one two'
        """
        if not self._writes:
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        file = self._open()
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with translated(self._name):
            file.write(data)

    def flush(self) -> None:
        """Flush buffered data to the operating system."""
        if self._file is not None:
            with translated(self._name):
                self._file.flush()

    def close(self) -> None:
        """Close the file; further use opens it again."""
        file, self._file = self._file, None
        if file is not None:
            with translated(self._name):
                file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._file.close()
