"""Writers of summaries that sessions have computed, and readers of what they wrote."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from tapeflow._src.compat.v1.graphs import get_default_graph
from tapeflow._src.core import protos
from tapeflow._src.summary.event_file import EventFile, displayed
from tapeflow.compat.v1.io import tf_record_iterator


class FileWriter:
    """Writes summaries, graphs and other events to a file in a folder.

    Args:
        logdir: The folder.
        graph: A graph to write at once, or None.
        max_queue: How many events wait before they are handed to the operating system.
        flush_secs: Accepted, without effect: nothing waits for a time here.
        graph_def: A `GraphDef` message to write at once, or None.
        filename_suffix: The end of the name of the file.
        session: Must be None: writing is no op of a graph.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if session is not None:
            raise NotImplementedError(
                "FileWriter: expected no `session`; `add_summary` writes at once, without an op."
            )
        self._logdir = str(logdir)
        self._file = EventFile(self._logdir, max_queue, filename_suffix or "")
        self._closed = False
        self._described: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Return the folder."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a `Summary`, or the bytes of one.

        What a tag is, its metadata, is written with its first value only.
        """
        message = protos.Summary()
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        message.MergeFromString(data)
        for value in message.value:
            if not value.HasField("metadata"):
                continue
            if value.tag in self._described:
                value.ClearField("metadata")
            self._described.add(value.tag)
        self._add(protos.Event(summary=message), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write that a session began, ended, or saved a checkpoint."""
        event = protos.Event()
        event.session_log.MergeFromString(session_log.SerializeToString())
        self._add(event, global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph, or a `GraphDef` message."""
        message = displayed(graph_def if graph_def is not None else graph)
        self._add(protos.Event(graph_def=message.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a `MetaGraphDef` message."""
        event = protos.Event(meta_graph_def=meta_graph_def.SerializeToString())
        self._add(event, global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write a `RunMetadata` message."""
        event = protos.Event()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = run_metadata.SerializeToString()
        self._add(event, global_step)

    def add_event(self, event: Any) -> None:
        """Write an `Event`; a writer that is closed drops it."""
        if not self._closed:
            self._file.event(event)

    def _add(self, event: Any, global_step: Any) -> None:
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """End the file."""
        self._closed = True
        self._file.close()

    def reopen(self) -> None:
        """Write on, to another file, after `close`."""
        self._closed = False


class FileWriterCache:
    """One writer for each folder."""

    _lock = threading.RLock()
    _writers: dict[str, FileWriter] = {}

    @staticmethod
    def clear() -> None:
        """Forget all writers and end their files; who holds one goes on in another file."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer._file.close()
            FileWriterCache._writers.clear()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """Return the writer of a folder, which begins with the default graph."""
        with FileWriterCache._lock:
            folder = str(logdir)
            if folder not in FileWriterCache._writers:
                FileWriterCache._writers[folder] = FileWriter(folder, graph=get_default_graph())
            return FileWriterCache._writers[folder]


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yield the `Event` messages of a file."""
    for record in tf_record_iterator(str(path)):
        yield protos.Event.FromString(record)
