"""Event files, which TensorBoard reads: records of `Event` messages."""

from __future__ import annotations

import os
import socket
import time
from itertools import count
from typing import Any

import numpy as np

from tapeflow._src.api.arrays import make_tensor_proto
from tapeflow._src.api.audio import encode_wav
from tapeflow._src.api.image.coding import encode_png
from tapeflow._src.core import protos
from tapeflow._src.ops.graph.summaries import Events
from tapeflow.io import TFRecordWriter, gfile

_numbers = count()
# What TensorBoard knows of the kinds of data: scalars, tensors, sequences of bytes.
SCALAR, TENSOR, BLOBS = 1, 2, 3
# How the audio plugin is told that sounds are WAV files: `encoding=11`.
WAV = b"\x10\x0b"
_BUCKETS = 30
_IMAGES = 3
# Events that wait before they are handed to the operating system.
_QUEUE = 10


def metadata(plugin: str, kind: int, content: bytes = b"", description: str | None = None) -> Any:
    """Return the message that says which plugin of TensorBoard shows a tensor."""
    message = protos.SummaryMetadata(data_class=kind)
    message.plugin_data.plugin_name = plugin
    message.plugin_data.content = content
    if description is not None:
        message.summary_description = description
    return message


def histogram_rows(values: Any, buckets: int | None = None) -> Any:
    """Return one row for each bucket of the finite values: both borders, and how many it has."""
    values = np.asarray(values, "float64").reshape(-1)
    values = values[np.isfinite(values)]
    if not values.size:
        return np.zeros((0, 3))
    counts, edges = np.histogram(values, bins=_BUCKETS if buckets is None else buckets)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


def image_blobs(images: Any, count: int) -> Any:
    """Return the width, the height, and the first images of a batch as PNG files."""
    images = np.asarray(images)
    pixels = images[:count]
    if images.dtype != np.uint8:
        pixels = np.clip(pixels * 255.5, 0, 255).astype("uint8")
    sizes = [str(size).encode() for size in (images.shape[2], images.shape[1])]
    return np.array([*sizes, *(encode_png(each).numpy() for each in pixels)], object)


def audio_blobs(sounds: Any, sample_rate: Any, count: int) -> Any:
    """Return a row for each of the first sounds of a batch: a WAV file, and an empty label."""
    rows = [[encode_wav(each, int(sample_rate)).numpy(), b""] for each in sounds[:count]]
    return np.array(rows, object).reshape(-1, 2)


class EventFile(Events):
    """An event file in a folder; it is created with the first event."""

    def __init__(self, folder: str, max_queue: int | None = None, suffix: str = ".v2") -> None:
        self._folder = folder
        self._suffix = suffix
        self._max_queue = _QUEUE if max_queue is None else max_queue
        self._waiting = 0
        self._writer: Any = None

    def scalar(self, tag: str, value: Any, step: int, description: str | None = None) -> None:
        """Write a number."""
        self.tensor(tag, np.float32(value), step, "scalars", SCALAR, description=description)

    def histogram(
        self,
        tag: str,
        values: Any,
        step: int,
        buckets: int | None = None,
        description: str | None = None,
    ) -> None:
        """Write how values are distributed."""
        rows = histogram_rows(values, buckets)
        self.tensor(tag, rows, step, "histograms", TENSOR, description=description)

    def images(
        self,
        tag: str,
        images: Any,
        step: int,
        count: int = _IMAGES,
        description: str | None = None,
    ) -> None:
        """Write the first few images of a batch: bytes, or values from 0 to 1."""
        blobs = image_blobs(images, count)
        self.tensor(tag, blobs, step, "images", BLOBS, description=description)

    def tensor(
        self,
        tag: str,
        value: Any,
        step: int,
        plugin: str,
        kind: int = 0,
        content: bytes = b"",
        description: str | None = None,
    ) -> None:
        """Write a tensor for a plugin of TensorBoard."""
        about = metadata(plugin, kind, content, description)
        self.write(tag, value, step, about.SerializeToString())

    def write(self, tag: str, tensor: Any, step: int, metadata: bytes) -> None:
        event = protos.Event(step=int(step))
        entry = event.summary.value.add(tag=tag)
        if metadata:
            entry.metadata.MergeFromString(metadata)
        entry.tensor.MergeFromString(make_tensor_proto(tensor).SerializeToString())
        self.event(event)

    def write_summary(self, summary: bytes, step: int) -> None:
        event = protos.Event(step=int(step))
        event.summary.MergeFromString(summary)
        self.event(event)

    def open(self) -> None:
        """Create the file, with the event that begins it, unless it is open."""
        if self._writer is None:
            gfile.makedirs(self._folder)
            name = f"{time.time():.0f}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
            path = os.path.join(self._folder, f"events.out.tfevents.{name}{self._suffix}")
            self._writer = TFRecordWriter(path)
            self._put(protos.Event(file_version="brain.Event:2"))
            self._writer.flush()

    def event(self, event: Any) -> None:
        """Write an `Event` message."""
        self.open()
        self._put(event)
        self._waiting += 1
        if self._waiting >= self._max_queue:
            self.flush()

    def _put(self, event: Any) -> None:
        event.wall_time = time.time()
        self._writer.write(event.SerializeToString())

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._waiting = 0
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """End the file; another event begins a new one."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
