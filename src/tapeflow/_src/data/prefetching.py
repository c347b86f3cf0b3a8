"""`prefetch`: produce the next elements while the current one is used, if they are slow."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, Variant
from tapeflow._src.data.arguments import AUTOTUNE, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage
from tapeflow._src.data.tables import Table
from tapeflow._src.data.thread_pays import Pace

# Elements that are made ahead if the user leaves their number to us.
_AHEAD = 4


class Prefetch(Stage):
    """The elements of a stage, up to `size` of which a thread produces ahead."""

    def __init__(self, source: Stage, size: int) -> None:
        self._source = source
        self._size = _AHEAD if size == AUTOTUNE else size

    def cursor(self) -> Cursor:
        if not self._size:
            return self._source.cursor()
        return _PrefetchCursor(self._source.cursor(), self._size)

    def cardinality(self) -> int:
        return self._source.cardinality()

    def table(self) -> Table | None:
        return self._source.table()

    def leading(self) -> int | None:
        return self._source.leading()


class _PrefetchCursor(Cursor):
    def __init__(self, source: Cursor, size: int) -> None:
        self._source = source
        self._size = size
        self._pace = Pace()
        self._ready: deque[Element | Exception] = deque()  # from a restored state
        self._producer: _Producer | None = None

    def __next__(self) -> Element:
        if self._ready:
            return produced_or_raised(self._ready.popleft())
        if self._producer is not None:
            return self._producer.take()
        with self._pace:
            element = next(self._source)
        if self._pace.slow:
            self._producer = _Producer(self._source, self._size)
            weakref.finalize(self, self._producer.stop)
        return element

    def rows(self, count: int) -> Element | None:
        if self._ready or self._producer is not None:
            return super().rows(count)
        return self._source.rows(count)

    def get_state(self) -> Any:
        if self._producer is not None:
            self._ready.extend(self._producer.drain())
            self._producer = None
            self._pace = Pace()
        return self._source.get_state(), list(self._ready)

    def set_state(self, state: Any) -> None:
        if self._producer is not None:
            self._producer.drain()
            self._producer = None
        position, ahead = state
        self._source.set_state(position)
        self._ready = deque(ahead)


class _Producer:
    """A thread that produces elements until `size` of them are waiting."""

    def __init__(self, source: Cursor, size: int) -> None:
        self._source = source
        self._size = size
        # An element, or the error that came instead of it.
        self._made: deque[Element | Exception] = deque()
        self._changed = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="tapeflow_prefetch", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or len(self._made) < self._size)
                if self._stopped:
                    return
            try:
                produced: Element | Exception = next(self._source)
            except Exception as error:
                produced = error
            with self._changed:
                self._made.append(produced)
                self._changed.notify_all()
                if isinstance(produced, StopIteration):
                    return

    def take(self) -> Element:
        """Return the next element, or raise the error of producing it."""
        with self._changed:
            self._changed.wait_for(lambda: self._made)
            produced = self._made[0]
            if isinstance(produced, StopIteration):  # it stays: every call reports the end
                raise StopIteration
            self._made.popleft()
            self._changed.notify_all()
        return produced_or_raised(produced)

    def stop(self) -> None:
        """Stop producing elements."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def drain(self) -> list[Element | Exception]:
        """Stop, and return the elements produced so far, with errors where they occurred."""
        self.stop()
        self._thread.join()
        return [produced for produced in self._made if not isinstance(produced, StopIteration)]


def produced_or_raised(produced: Element | Exception) -> Element:
    """Return an element, or raise the error of producing it."""
    if isinstance(produced, Exception):
        raise produced
    return produced


@dataset_op("PrefetchDataset")
def prefetch_dataset(
    xp,
    input_dataset: Variant,
    buffer_size: Index,
    *,
    output_types,
    output_shapes,
    slack_period=0,
    legacy_autotune=True,
    buffer_size_min=0,
    metadata="",
):
    """Return a dataset of the same elements, made ahead."""
    size = int(buffer_size)
    if size < 0 and size != AUTOTUNE:
        raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    return Prefetch(input_dataset, size)


def prefetch(dataset: DatasetLike, buffer_size: Any, name: str | None) -> Recipe:
    """Produce up to `buffer_size` elements ahead."""
    size = int64(AUTOTUNE if buffer_size is None else buffer_size)
    attributes = described(dataset._layout)
    variant = prefetch_dataset(dataset._variant_tensor, size, **attributes, name=name)
    return unchanged("_PrefetchDataset", dataset, variant)
