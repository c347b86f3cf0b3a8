"""Writers of summaries, and which of them is in force, with its step and its condition."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow._src.api.arrays import constant, convert_to_tensor, known_value
from tapeflow._src.api.control_flow import cond
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.scopes import get_current_name_scope, name_scope
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.thread_state import inherited
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.ops.graph import summaries as ops
from tapeflow._src.summary.event_file import EventFile

_NOT_IN_SCOPES = re.compile(r"[^A-Za-z0-9_./-]")


class _InForce(threading.local):
    """State of a thread: the default writer, the default step, and when to write."""

    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: Any = None
        self.condition: Any = True


in_force = inherited(_InForce())


class _Block:
    """A block in which a writer, and a step if there is one, are in force."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer = writer
        self._step = step
        self._outer: list[tuple[SummaryWriter | None, Any]] = []

    def __enter__(self) -> SummaryWriter:
        self._outer.append((in_force.writer, in_force.step))
        self._writer.set_as_default(self._step)
        return self._writer

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        in_force.writer, in_force.step = self._outer.pop()
        self._writer.flush()


class SummaryWriter:
    """Writes summaries for TensorBoard; `create_file_writer` creates one.

    Example:
        >>> writer = tf.summary.create_file_writer("logs")
        >>> with writer.as_default(step=1):
        ...     written = tf.summary.scalar("loss", 0.5)
        >>> writer.close()
    """

    _file: EventFile
    _handle: Any
    _closed = False

    def set_as_default(self, step: Any = None) -> None:
        """Have this writer in force from now on.

        Args:
            step: The step of summaries that are written without one.
        """
        self._check_open()
        in_force.writer = self
        if step is not None:
            in_force.step = step

    def as_default(self, step: Any = None) -> _Block:
        """Return a block in which this writer is in force.

        Args:
            step: The step of summaries that are written in the block without one.
        """
        self._check_open()
        return _Block(self, step)

    def init(self) -> None:
        """Create the file, unless that was done; in a function, the first summary does it."""
        self._check_open()
        if dispatch.state.mode is dispatch.base_mode():
            self._file.open()

    def _check_open(self) -> None:
        """Raise RuntimeError if the writer was closed."""
        if self._closed:
            raise RuntimeError("The SummaryWriter is closed: create another one.")

    def flush(self) -> None:
        """Hand what was written to the operating system; in a function, whenever it runs."""
        if dispatch.state.mode is dispatch.base_mode():
            self._file.flush()
        else:
            ops.flush_summary_writer(self._handle)

    def close(self) -> None:
        """End the file; the writer cannot be used any more."""
        self._closed = True
        self._file.close()


class _FileWriter(SummaryWriter):
    def __init__(self, file: EventFile) -> None:
        self._file = file
        self._handle = EagerTensor(file)  # type: ignore[arg-type]


class _NoWriter(SummaryWriter):
    """A writer that is never in force."""

    def set_as_default(self, step: Any = None) -> None:
        """Leave the writer in force as it is."""

    def init(self) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """Return a writer of summaries to a folder.

    Args:
        logdir: The folder; it and the file are created now, or, if this is called in a function,
            with the first summary.
        max_queue: How many summaries wait before they are handed to the operating system; 10 by
            default. They are also handed over at the end of a block.
        flush_millis: A summary is handed over at once if the last time was longer ago; two minutes
            by default.
        filename_suffix: The end of the name of the file; ".v2" by default.
        name: Accepted, without effect: there is no op to name.
        experimental_trackable: Accepted, without effect: the writer has no state to save.
        experimental_mesh: Must be None.

    Returns:
        A `tf.summary.SummaryWriter`.

    Raises:
        NotImplementedError: If there is a mesh.

    Example:
        >>> with tf.summary.create_file_writer("logs").as_default():
        ...     tf.summary.scalar("loss", 0.5, step=1)
        <tf.Tensor: shape=(), dtype=bool, numpy=True>
    """
    if experimental_mesh is not None:
        raise NotImplementedError(
            "create_file_writer: expected no `experimental_mesh`; summaries are written by one "
            "process."
        )
    suffix = ".v2" if filename_suffix is None else filename_suffix
    writer = _FileWriter(EventFile(os.fspath(logdir), max_queue, suffix, flush_millis))
    writer.init()
    return writer


def create_noop_writer() -> SummaryWriter:
    """Return a writer that writes nothing and leaves the one in force.

    Returns:
        A `tf.summary.SummaryWriter`.

    Example:
        >>> with tf.summary.create_noop_writer().as_default():
        ...     written = tf.summary.scalar("loss", 0.5, step=1)
        >>> bool(written)
        False
    """
    return _NoWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Hand what a writer wrote to the operating system.

    Args:
        writer: The writer; the one in force by default.

    Returns:
        None.

    Example:
        >>> writer = tf.summary.create_file_writer("logs")
        >>> with writer.as_default():
        ...     written = tf.summary.scalar("loss", 0.5, step=1)
        >>> tf.summary.flush(writer)
        >>> len(tf.io.gfile.listdir("logs"))
        1
    """
    writer = in_force.writer if writer is None else writer
    if writer is not None:
        writer.flush()


# -- when and as what ------------------------------------------------------------------------------


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Write the summaries of a block only if `condition` holds.

    Args:
        condition: A boolean, a boolean tensor, or a function that returns one of them and is
            called for each summary.

    Returns:
        A context manager.

    Example:
        >>> with tf.summary.record_if(False):
        ...     tf.summary.scalar("loss", 0.5, step=1)
        <tf.Tensor: shape=(), dtype=bool, numpy=False>
    """
    outer = in_force.condition
    in_force.condition = condition
    try:
        yield
    finally:
        in_force.condition = outer


def recording() -> Any:
    """Whether summaries are written now: a boolean, or a tensor where that is not known yet."""
    if in_force.writer is None:
        return False
    condition = in_force.condition
    condition = condition() if callable(condition) else condition
    if condition is True or condition is False:
        return condition
    condition = convert_to_tensor(condition, dtypes.bool)
    static = known_value(condition)
    return condition if static is None else bool(static)


def should_record_summaries() -> Any:
    """Return whether summaries are written now.

    Returns:
        A boolean tensor.

    Example:
        >>> bool(tf.summary.should_record_summaries())
        False
    """
    return convert_to_tensor(recording())


def get_step() -> Any:
    """Return the step of summaries that are written without one, or None.

    Returns:
        What `set_step` or `as_default` was called with.

    Example:
        >>> tf.summary.experimental.set_step(7)
        >>> tf.summary.experimental.get_step()
        7
        >>> tf.summary.experimental.set_step(None)
    """
    return in_force.step


def set_step(step: Any) -> None:
    """Set the step of summaries that are written without one.

    Args:
        step: A number, or a variable, whose value is read whenever a summary is written.

    Returns:
        None.

    Example:
        >>> tf.summary.experimental.set_step(3)
        >>> tf.summary.experimental.get_step()
        3
        >>> tf.summary.experimental.set_step(None)
    """
    in_force.step = step


@contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: TensorLike | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the tag of a summary, which begins with the name scope in force, and a new scope.

    A tag is any text; the scope has the characters of it that names of operations may have.

    Args:
        name: The name of the summary.
        default_name: The name, where it is empty.
        values: Accepted for compatibility.

    Yields:
        The tag and the scope.

    Example:
        >>> with tf.name_scope("train"):
        ...     with tf.summary.experimental.summary_scope("loss") as (tag, scope):
        ...         print(tag)
        train/loss
    """
    name = name or default_name
    outer = get_current_name_scope()
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield (f"{outer}/{name}" if outer else name), scope


def emit(function: str, step: Any, write: Callable[[Any, Any], Any]) -> Any:
    """Call `write` with the handle of the writer in force and the step, if there is to be one.

    Args:
        function: What the user called, for messages.
        step: The step, or None for the one by default.
        write: Runs the op that writes.

    Returns:
        A boolean tensor: whether a summary is written.
    """
    writer = in_force.writer
    condition = recording()
    if writer is None or condition is False:
        return constant(False)
    step = in_force.step if step is None else step
    if step is None:
        raise ValueError(
            f"tf.summary.{function}: expected a step, received None. Pass `step`, here or to "
            "`as_default`, or call tf.summary.experimental.set_step."
        )
    writer._check_open()
    handle = writer._handle

    def written() -> Any:
        write(handle, _as_step(step))
        return constant(True)

    if condition is True:
        return written()
    return cond(condition, written, lambda: constant(False))


def _as_step(step: Any) -> Any:
    """Return a step as an int64 tensor; it is an integer, or a tensor or variable of one."""
    if not hasattr(step, "dtype"):
        return convert_to_tensor(step, dtypes.int64)
    tensor = convert_to_tensor(step)
    if not tensor.dtype.is_integer:
        raise ValueError(
            f"tf.summary: expected an integer as step, received a tensor of {tensor.dtype.name}. "
            "Cast it with tf.cast(step, tf.int64)."
        )
    return cast(tensor, dtypes.int64)
