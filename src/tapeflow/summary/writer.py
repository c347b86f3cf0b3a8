"""Writers of summaries, and the functions that write with the one in force."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.summary.event_file import EventFile


class _InForce(threading.local):
    """The writers of the blocks that a thread is in, each with its step, the innermost last."""

    def __init__(self) -> None:
        self.writers: list[tuple[SummaryWriter, Any]] = []


_in_force = _InForce()


class _Block:
    """A block in which a writer and a step are in force."""

    def __init__(self, writer: SummaryWriter, step: Any) -> None:
        self._writer = writer
        self._step = step

    def __enter__(self) -> SummaryWriter:
        self._writer._check_open()
        _in_force.writers.append((self._writer, self._step))
        return self._writer

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        _in_force.writers.pop()
        self._writer.flush()


class SummaryWriter:
    """Writes summaries for TensorBoard; `create_file_writer` creates one."""

    _file: EventFile
    _closed = False

    def set_as_default(self, step: Any = None) -> None:
        """Have this writer in force from now on.

        Args:
            step: The step of summaries that are written without one.
        """
        self._check_open()
        _in_force.writers[:] = [(self, step)]

    def as_default(self, step: Any = None) -> _Block:
        """Return a block in which this writer is in force.

        Args:
            step: The step of summaries that are written in the block without one.
        """
        return _Block(self, step)

    def _check_open(self) -> None:
        """Raise RuntimeError if the writer was closed."""
        if self._closed:
            raise RuntimeError("The SummaryWriter is closed: create another one.")

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """End the file; the writer cannot be used any more."""
        self._closed = True
        self._file.close()


class _FileWriter(SummaryWriter):
    def __init__(self, file: EventFile) -> None:
        self._file = file


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
        logdir: The folder, which is created with the first summary.
        max_queue: How many summaries wait before they are handed to the operating system; 10 by
            default. They are also handed over at the end of a block.
        flush_millis: Accepted, without effect: nothing waits for a time here.
        filename_suffix: The end of the name of the file; ".v2" by default.
        name: Accepted, without effect: there is no op to name.
        experimental_trackable: Accepted, without effect: the writer has no state to save.
        experimental_mesh: Must be None.

    Example:
        >>> import tempfile
        >>> import tapeflow as tf
        >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
        ...     tf.summary.scalar("loss", 0.5, step=1)
        True
    """
    if experimental_mesh is not None:
        raise NotImplementedError(
            "create_file_writer: expected no `experimental_mesh`; summaries are written by one "
            "process."
        )
    suffix = ".v2" if filename_suffix is None else filename_suffix
    return _FileWriter(EventFile(str(logdir), max_queue, suffix))


def _in_force_for(function: str, step: Any) -> tuple[EventFile, int] | None:
    """The file to write to and the step; None if no writer is in force."""
    if not _in_force.writers:
        return None
    if dispatch.state.mode is not dispatch.base_mode():
        raise NotImplementedError(
            f"tf.summary.{function} writes where ops run eagerly. Return the value from the "
            "function, and write it outside."
        )
    writer, default = _in_force.writers[-1]
    step = default if step is None else step
    if step is None:
        raise ValueError(
            f"tf.summary.{function}: expected a step, received None. Pass `step`, here or to "
            "`as_default`."
        )
    writer._check_open()
    return writer._file, int(step)


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write a number with the writer in force; returns whether there is one."""
    target = _in_force_for("scalar", step)
    if target is None:
        return False
    file, step = target
    file.scalar(name, np.asarray(data), step, description)
    return True


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: Any = None
) -> bool:
    """Write how values are distributed; returns whether there is a writer in force."""
    target = _in_force_for("histogram", step)
    if target is None:
        return False
    file, step = target
    file.histogram(name, np.asarray(data), step, buckets, description)
    return True


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> bool:
    """Write the first images of a batch; returns whether there is a writer in force."""
    target = _in_force_for("image", step)
    if target is None:
        return False
    file, step = target
    file.images(name, np.asarray(data), step, max_outputs, description)
    return True
