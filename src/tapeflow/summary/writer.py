"""Writers of summaries, and the functions that write with the one in force."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.summary.event_file import EventFile


class _InForce(threading.local):
    """The writers of the blocks that a thread is in, the innermost last, and the step."""

    def __init__(self) -> None:
        self.writers: list[SummaryWriter] = []


_in_force = _InForce()


class SummaryWriter:
    """Writes summaries to an event file of a folder, for TensorBoard."""

    def __init__(self, logdir: str) -> None:
        self._file = EventFile(logdir)
        self._closed = False

    def set_as_default(self, step: Any = None) -> None:
        """Have this writer in force from now on."""
        _in_force.writers[:] = [self]

    def as_default(self, step: Any = None) -> SummaryWriter:
        """Return a block in which this writer is in force."""
        return self

    def __enter__(self) -> SummaryWriter:
        if self._closed:
            raise RuntimeError("The SummaryWriter is closed: create another one.")
        _in_force.writers.append(self)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        _in_force.writers.remove(self)
        self.flush()

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """End the file; the writer cannot be used any more."""
        self._closed = True
        self._file.close()


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

    Example:
        >>> import tempfile
        >>> import tapeflow as tf
        >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
        ...     tf.summary.scalar("loss", 0.5, step=1)
        True
    """
    return SummaryWriter(str(logdir))


def _file_in_force(function: str, step: Any) -> EventFile | None:
    if not _in_force.writers:
        return None
    if dispatch.state.mode is not dispatch.base_mode():
        raise NotImplementedError(
            f"tf.summary.{function} writes where ops run eagerly. Return the value from the "
            "function, and write it outside."
        )
    if step is None:
        raise ValueError(f"tf.summary.{function}: expected a step, received None.")
    return _in_force.writers[-1]._file


def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> bool:
    """Write a number with the writer in force; returns whether there is one."""
    file = _file_in_force("scalar", step)
    if file is not None:
        file.scalar(name, np.asarray(data), int(step))
    return file is not None


def histogram(
    name: str, data: Any, step: Any = None, buckets: int | None = None, description: Any = None
) -> bool:
    """Write how values are distributed; returns whether there is a writer in force."""
    file = _file_in_force("histogram", step)
    if file is not None:
        file.histogram(name, np.asarray(data), int(step))
    return file is not None


def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> bool:
    """Write the first images of a batch; returns whether there is a writer in force."""
    file = _file_in_force("image", step)
    if file is not None:
        file.images(name, np.asarray(data), int(step), max_outputs)
    return file is not None
