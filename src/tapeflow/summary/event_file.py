"""Event files, which TensorBoard reads: records of `Event` messages."""

from __future__ import annotations

import os
import socket
import time
from itertools import count
from typing import Any

import numpy as np

from tapeflow.arrays import make_tensor_proto
from tapeflow.core import protos
from tapeflow.image.coding import encode_png
from tapeflow.io import TFRecordWriter, gfile

_numbers = count()
# What TensorBoard knows of the kinds of data: scalars, tensors, sequences of bytes.
_SCALAR, _TENSOR, _BLOBS = 1, 2, 3
_BUCKETS = 30
_IMAGES = 3
# Events that wait before they are handed to the operating system.
_QUEUE = 10


class EventFile:
    """An event file in a folder; it is created with the first event."""

    def __init__(self, folder: str, max_queue: int | None = None, suffix: str = ".v2") -> None:
        self._folder = folder
        self._suffix = suffix
        self._max_queue = _QUEUE if max_queue is None else max_queue
        self._waiting = 0
        self._writer: Any = None

    def scalar(self, tag: str, value: Any, step: int, description: str | None = None) -> None:
        """Write a number."""
        self.tensor(tag, np.float32(value), step, "scalars", _SCALAR, description=description)

    def histogram(
        self,
        tag: str,
        values: Any,
        step: int,
        buckets: int | None = None,
        description: str | None = None,
    ) -> None:
        """Write how values are distributed: the borders of buckets, and how many are in each."""
        values = np.asarray(values, "float64").reshape(-1)
        values = values[np.isfinite(values)]
        rows = np.zeros((0, 3))
        if values.size:
            counts, edges = np.histogram(values, bins=_BUCKETS if buckets is None else buckets)
            rows = np.stack([edges[:-1], edges[1:], counts], axis=1)
        self.tensor(tag, rows, step, "histograms", _TENSOR, description=description)

    def images(
        self,
        tag: str,
        images: Any,
        step: int,
        count: int = _IMAGES,
        description: str | None = None,
    ) -> None:
        """Write the first few images of a batch: bytes, or values from 0 to 1."""
        images = np.asarray(images)
        pixels = images[:count]
        if images.dtype != np.uint8:
            pixels = np.clip(pixels * 255.5, 0, 255).astype("uint8")
        encoded = [encode_png(each).numpy() for each in pixels]
        sizes = [str(size).encode() for size in (images.shape[2], images.shape[1])]
        blobs = np.array([*sizes, *encoded], object)
        self.tensor(tag, blobs, step, "images", _BLOBS, description=description)

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
        event = protos.Event(step=int(step))
        entry = event.summary.value.add(tag=tag)
        entry.metadata.plugin_data.plugin_name = plugin
        entry.metadata.plugin_data.content = content
        entry.metadata.data_class = kind
        if description is not None:
            entry.metadata.summary_description = description
        entry.tensor.MergeFromString(make_tensor_proto(value).SerializeToString())
        self._write(event)

    def _write(self, event: Any) -> None:
        if self._writer is None:
            gfile.makedirs(self._folder)
            name = f"{time.time():.0f}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
            path = os.path.join(self._folder, f"events.out.tfevents.{name}{self._suffix}")
            self._writer = TFRecordWriter(path)
            self._put(protos.Event(file_version="brain.Event:2"))
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
