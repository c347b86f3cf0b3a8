"""Event files, which TensorBoard reads: records of `Event` messages."""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from itertools import count
from typing import Any

import numpy as np

from tapeflow._src.api.arrays import make_tensor_proto
from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.graph.summaries import Events
from tapeflow._src.summary import encoding
from tapeflow.io import TFRecordWriter, gfile

message_module = LazyModule("google.protobuf.message", "graphs and files")


def displayed(graph: Any) -> Any:
    """Return the message of a graph for TensorBoard; a message is returned as it is."""
    make = getattr(graph, "_displayed_graph_def", None)
    return graph if make is None else make()


_numbers = count()
_IMAGES = 3
# Events that wait before they are handed to the operating system, and for how long at most.
_QUEUE = 10
_MILLISECONDS = 120_000


class _Queue:
    """A file, and the records that wait for it. They are written whole, many at a time.

    A process that is killed loses what waits, and leaves a file that can be read.
    """

    def __init__(self, path: str) -> None:
        self._writer = TFRecordWriter(path)
        self._waiting: list[bytes] = []
        self._flushed_at = time.monotonic()

    def add(self, event: Any) -> None:
        event.wall_time = time.time()
        self._waiting.append(event.SerializeToString())

    def is_due(self, records: int, seconds: float) -> bool:
        """Whether as many records wait, or the file was written as long ago."""
        return len(self._waiting) >= records or time.monotonic() - self._flushed_at >= seconds

    def flush(self) -> None:
        self._flushed_at = time.monotonic()
        waiting, self._waiting = self._waiting, []
        for record in waiting:
            self._writer.write(record)
        self._writer.flush()

    def close(self) -> None:
        self.flush()
        self._writer.close()


class EventFile(Events):
    """An event file in a folder; it is created with the first event. Thread-safe.

    An event is handed to the operating system with all before it when `max_queue` of them wait, or
    when the last time was `flush_millis` ago; the rest when the file is flushed or closed, and when
    the program ends.
    """

    def __init__(
        self,
        folder: str,
        max_queue: int | None = None,
        suffix: str = ".v2",
        flush_millis: int | None = None,
    ) -> None:
        self._folder = folder
        self._suffix = suffix
        self._max_queue = _QUEUE if max_queue is None else max_queue
        self._seconds = (_MILLISECONDS if flush_millis is None else flush_millis) / 1000
        self._queue: _Queue | None = None
        self._finalizer: Any = None
        self._lock = threading.RLock()

    def scalar(self, tag: str, value: Any, step: int, description: str | None = None) -> None:
        """Write a number."""
        self.tensor(tag, np.float32(value), step, "scalars", description=description)

    def histogram(
        self,
        tag: str,
        values: TensorLike,
        step: int,
        buckets: int | None = None,
        description: str | None = None,
    ) -> None:
        """Write how values are distributed."""
        rows = encoding.histogram_rows(values, encoding.BUCKETS if buckets is None else buckets)
        self.tensor(tag, rows, step, "histograms", description=description)

    def images(
        self,
        tag: str,
        images: TensorLike,
        step: int,
        count: int = _IMAGES,
        description: str | None = None,
    ) -> None:
        """Write the first few images of a batch: floats from 0 to 1, or integers."""
        pixels = convert_image_dtype(images, dtypes.uint8, saturate=True).numpy()
        blobs = encoding.image_blobs(pixels, count)
        self.tensor(tag, blobs, step, "images", description=description)

    def tensor(
        self,
        tag: str,
        value: Any,
        step: int,
        plugin: str,
        content: bytes = b"",
        description: str | None = None,
    ) -> None:
        """Write a tensor for a plugin of TensorBoard."""
        about = encoding.metadata(plugin, content, description)
        self.write(tag, value, step, about.SerializeToString())

    def graph(self, graph: Any) -> None:
        """Write a graph, or a `GraphDef` message."""
        graph_def = displayed(graph)
        self.event(protos.Event(graph_def=graph_def.SerializeToString()))

    def write(self, tag: str, tensor: TensorLike, step: int, metadata: bytes) -> None:
        event = protos.Event(step=int(step))
        entry = event.summary.value.add(tag=tag)
        if metadata:
            entry.metadata.MergeFromString(metadata)
        entry.tensor.MergeFromString(make_tensor_proto(tensor).SerializeToString())
        self.event(event)

    def write_summary(self, summary: bytes, step: int) -> None:
        event = protos.Event(step=int(step))
        try:
            event.summary.MergeFromString(summary)
        except message_module.DecodeError as error:
            raise DataLossError(
                None,
                None,
                f"Expected a serialized Summary message, received {len(summary)} bytes that are "
                f"none: {error}",
            ) from error
        self.event(event)

    def open(self) -> None:
        """Create the file, with the event that begins it, unless it is open."""
        with self._lock:
            if self._queue is not None:
                return
            gfile.makedirs(self._folder)
            name = f"{time.time():.0f}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
            path = os.path.join(self._folder, f"events.out.tfevents.{name}{self._suffix}")
            self._queue = _Queue(path)
            self._finalizer = weakref.finalize(self, self._queue.close)
            self._queue.add(protos.Event(file_version="brain.Event:2"))
            self._queue.flush()

    def event(self, event: Any) -> None:
        """Write an `Event` message."""
        with self._lock:
            self.open()
            queue: Any = self._queue
            queue.add(event)
            if queue.is_due(self._max_queue, self._seconds):
                queue.flush()

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        with self._lock:
            if self._queue is not None:
                self._queue.flush()

    def close(self) -> None:
        """End the file; another event begins a new one."""
        with self._lock:
            if self._queue is not None:
                self._finalizer.detach()
                self._queue.close()
                self._queue = None
