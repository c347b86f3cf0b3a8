"""Elements that are written to files while they are first read, and read from there afterwards.

    INDEX                     a JSON text: the run that is complete, its shards and their sizes
    DATA(run, shard)          a file of elements (`element_files.py`)

Each run has files of its own. The index is replaced when a run is complete: readers see all of its
elements or none. The position of an iterator in an incomplete run refers to the elements that were
written so far; a restored iterator copies them to a run of its own and goes on from there.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow._src.core.atomic_files import write_file
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.paths import translated
from tapeflow._src.data.element_files import ElementFile, ElementWriter
from tapeflow._src.data.stage import Cursor, Element, Stage, get_position, set_position


class Location(NamedTuple):
    """The names of the files; `data` returns the folder and the name of one of them."""

    index_path: str
    data: Callable[[str, int], tuple[str, str]]
    compressed: bool


class Recording(Stage):
    """The elements of a stage, from files once they have been written.

    Args:
        source: The stage.
        location: The files.
        shard: Maps an element to the number of the file that it is written to.
        joined: Makes one stage of those of the files.
    """

    def __init__(
        self,
        source: Stage,
        location: Location,
        shard: Callable[[Element], int],
        joined: Callable[[Sequence[Stage]], Stage],
    ) -> None:
        self.source = source
        self.location = location
        self.shard = shard
        self._joined = joined

    def cursor(self) -> Cursor:
        return _RecordingCursor(self)

    def cardinality(self) -> int:
        return self.source.cardinality()

    def complete_run(self) -> tuple[str, list[list[int]]] | None:
        """Return the run that is complete, with pairs of a shard and its size; None without one."""
        path = self.location.index_path
        if not os.path.exists(path):
            return None
        with translated(path), open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            index = json.loads(text)
            run, shards = str(index["run"]), [[int(n) for n in pair] for pair in index["shards"]]
        except (ValueError, LookupError, TypeError) as error:
            raise DataLossError(None, None, f"{path} is damaged: {error}") from error
        if not run.isalnum() or any(len(pair) != 2 for pair in shards):
            raise DataLossError(None, None, f"{path} is damaged: it names the run {run!r}.")
        return run, shards

    def files(self, run: str, shards: Sequence[Sequence[int]]) -> Stage:
        """Return the stage of the elements of a run."""
        stages = []
        for shard, count in shards:
            _, path = self.location.data(run, shard)
            stages.append(ElementFile(path, self.location.compressed, count))
        return self._joined(stages)


class _RecordingCursor(Cursor):
    def __init__(self, stage: Recording) -> None:
        self._stage = stage
        complete = stage.complete_run()
        self._mode: _Reading | _Writing
        self._mode = _Writing(stage) if complete is None else _Reading(stage, *complete)

    def __next__(self) -> Element:
        return self._mode.next()

    def get_state(self) -> Any:
        return isinstance(self._mode, _Writing), self._mode.get_state()

    def set_state(self, state: Any) -> None:
        writing, inner = state
        self._mode = (_Writing if writing else _Reading).restored(self._stage, inner)


class _Reading:
    """A position in the files of a complete run."""

    def __init__(self, stage: Recording, run: str, shards: list[list[int]]) -> None:
        self._run = run
        self._shards = shards
        self._files = stage.files(run, shards)
        self._cursor = self._files.cursor()

    def next(self) -> Element:
        """Return the next element."""
        return next(self._cursor)

    def get_state(self) -> Any:
        """Return the position."""
        return self._run, self._shards, get_position(self._files, self._cursor)

    @staticmethod
    def restored(stage: Recording, state: Any) -> _Reading:
        """Return the mode at a position that `get_state` returned."""
        run, shards, position = state
        reading = _Reading(stage, run, shards)
        set_position(reading._files, reading._cursor, position)
        return reading


class _Writing:
    """A position in the source, whose elements are written to a run of their own."""

    def __init__(self, stage: Recording) -> None:
        self._stage = stage
        self._run = secrets.token_hex(8)
        self._cursor = stage.source.cursor()
        self._writers: dict[int, ElementWriter] = {}
        self._complete = False

    def _writer(self, shard: int) -> ElementWriter:
        if shard not in self._writers:
            location = self._stage.location
            folder, path = location.data(self._run, shard)
            self._writers[shard] = ElementWriter(folder, path, location.compressed)
        return self._writers[shard]

    def next(self) -> Element:
        """Return the next element of the source and write it."""
        try:
            element = next(self._cursor)
        except StopIteration:
            if not self._complete:
                self._finish()
            raise
        self._writer(self._stage.shard(element)).append(element)
        return element

    def _finish(self) -> None:
        for writer in self._writers.values():
            writer.close()
        index = {"run": self._run, "shards": self._counts()}
        write_file(self._stage.location.index_path, json.dumps(index).encode())
        self._complete = True

    def _counts(self) -> list[list[int]]:
        return [[shard, writer.count] for shard, writer in sorted(self._writers.items())]

    def get_state(self) -> Any:
        """Return the position, and which elements have been written."""
        if not self._complete:
            for writer in self._writers.values():
                writer.flush()
        return self._run, self._counts(), self._complete, self._cursor.get_state()

    @staticmethod
    def restored(stage: Recording, state: Any) -> _Writing:
        """Return the mode at a position that `get_state` returned, in a run of its own."""
        run, counts, complete, position = state
        writing = _Writing(stage)
        writing._cursor.set_state(position)
        for shard, count in counts:
            _, path = stage.location.data(run, shard)
            writer = writing._writer(shard)
            for record in ElementFile(path, stage.location.compressed, count).records():
                writer.append_record(record)
        if complete:
            writing._finish()
        return writing
