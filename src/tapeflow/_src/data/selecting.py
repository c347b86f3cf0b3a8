"""`take`, `skip`, `shard` and `repeat`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, Variant
from tapeflow._src.data.arguments import INFINITE, UNKNOWN, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage, joined
from tapeflow._src.data.tables import Table

# Stands for the number of shards and for the index, see `tf.data.experimental.SHARD_HINT`.
_SHARD_HINT = -1


class Part(Stage):
    """The elements with indices `start:stop:step`."""

    def __init__(self, source: Stage, start: int, stop: int | None, step: int = 1) -> None:
        self._source = source
        self._start = start
        self._stop = stop
        self._step = step

    def cursor(self) -> Cursor:
        return _PartCursor(self._source.cursor(), self._start, self._stop, self._step)

    def cardinality(self) -> int:
        count = self._source.cardinality()
        if count == UNKNOWN:
            return UNKNOWN
        if count == INFINITE and self._stop is None:
            return INFINITE
        end = count if self._stop is None else self._stop
        if count != INFINITE:
            end = min(end, count)
        return len(range(self._start, end, self._step))

    def table(self) -> Table | None:
        table = self._source.table()
        part = slice(self._start, self._stop, self._step)
        return None if table is None else table.sliced(part)

    def leading(self) -> int | None:
        return self._source.leading()


class _PartCursor(Cursor):
    def __init__(self, source: Cursor, start: int, stop: int | None, step: int) -> None:
        self._source = source
        self._next = start  # the number of the element that comes next
        self._place = 0  # the number of the one that the source gives next
        self._stop = stop
        self._step = step

    def _go(self, count: int) -> int:
        """Advance the source to the next element; return how many of `count` may be read."""
        if self._stop is not None:
            count = min(count, len(range(self._next, self._stop, self._step)))
        if count and self._place < self._next:
            self._source.skip(self._next - self._place)
            self._place = self._next
        return count

    def __next__(self) -> Element:
        if not self._go(1):
            raise StopIteration
        element = next(self._source)
        self._place += 1
        self._next += self._step
        return element

    def rows(self, count: int) -> Element | None:
        if self._step != 1:
            return super().rows(count)
        count = self._go(count)
        rows = self._source.rows(count) if count else None
        if rows is not None:
            self._place += rows[0].shape[0]
            self._next = self._place
        return rows

    def skip(self, count: int) -> None:
        self._next += count * self._step

    def get_state(self) -> Any:
        return self._source.get_state(), self._next, self._place

    def set_state(self, state: Any) -> None:
        position, self._next, self._place = state
        self._source.set_state(position)


class ShardHint(Stage):
    """All elements, until the number of shards and the index are known to a service."""

    def __init__(self, source: Stage) -> None:
        self.source = source

    def cursor(self) -> Cursor:
        return self.source.cursor()

    def cardinality(self) -> int:
        return UNKNOWN


class Repeat(Stage):
    """All elements, `count` times; without end if it is negative."""

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count

    def cursor(self) -> Cursor:
        return _RepeatCursor(self._source, self._count)

    def cardinality(self) -> int:
        count = self._source.cardinality()
        if self._count == 0 or count == 0:
            return 0
        if self._count < 0 or count == INFINITE:
            return INFINITE
        return UNKNOWN if count == UNKNOWN else count * self._count

    def leading(self) -> int | None:
        return self._source.leading()


class _RepeatCursor(Cursor):
    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count
        self._round = 0
        self._cursor: Cursor | None = None
        self._any = True  # whether the present round has had an element

    def _present(self) -> Cursor:
        """Return the cursor of the current repetition."""
        if self._cursor is None:
            # Nothing is not repeated for ever.
            if self._round == self._count or (self._count < 0 and not self._any):
                raise StopIteration
            self._cursor = self._source.cursor()
            self._any = False
        return self._cursor

    def _end_round(self) -> None:
        self._cursor = None
        self._round += 1

    def __next__(self) -> Element:
        while True:
            cursor = self._present()
            try:
                element = next(cursor)
            except StopIteration:
                self._end_round()
            else:
                self._any = True
                return element

    def rows(self, count: int) -> Element | None:
        parts: list[Element] = []
        while count:
            try:
                cursor = self._present()
            except StopIteration:
                break
            rows = cursor.rows(count)
            if rows is None:
                self._end_round()
                continue
            self._any = True
            parts.append(rows)
            count -= rows[0].shape[0]
        return joined(parts) if parts else None

    def get_state(self) -> Any:
        try:
            position = self._present().get_state()
        except StopIteration:
            position = None
        return self._round, self._any, position

    def set_state(self, state: Any) -> None:
        self._round, self._any, position = state
        self._cursor = None
        if position is not None:
            self._cursor = self._source.cursor()
            self._cursor.set_state(position)


@dataset_op("TakeDataset")
def take_dataset(
    xp, input_dataset: Variant, count: Index, *, output_types, output_shapes, metadata=""
):
    """Return a dataset of the first elements; of all if `count` is negative."""
    return Part(input_dataset, 0, int(count) if count >= 0 else None)


@dataset_op("SkipDataset")
def skip_dataset(
    xp, input_dataset: Variant, count: Index, *, output_types, output_shapes, metadata=""
):
    """Return a dataset without the first elements; of none if `count` is negative."""
    return Part(input_dataset, max(int(count), 0), 0 if count < 0 else None)


@dataset_op("ShardDataset")
def shard_dataset(
    xp,
    input_dataset: Variant,
    num_shards: Index,
    index: Index,
    *,
    output_types,
    output_shapes,
    require_non_empty=False,
    metadata="",
):
    """Return a dataset of every `num_shards`-th element, from number `index` on."""
    if num_shards == index == _SHARD_HINT:
        return ShardHint(input_dataset)
    if num_shards < 1:
        raise invalid(
            f"Number of shards must be greater than zero (currently num_shards = {num_shards})."
        )
    if not 0 <= index < num_shards:
        raise invalid(f"Index must be between 0 and {num_shards - 1} (currently index = {index}).")
    return Part(input_dataset, int(index), None, int(num_shards))


@dataset_op("RepeatDataset")
def repeat_dataset(
    xp, input_dataset: Variant, count: Index, *, output_types, output_shapes, metadata=""
):
    """Return a dataset of the elements `count` times over; for ever if it is negative."""
    return Repeat(input_dataset, int(count))


def take(dataset: DatasetLike, count: Any, name: str | None) -> Recipe:
    """Keep the first `count` elements."""
    attributes = described(dataset._layout)
    variant = take_dataset(dataset._variant_tensor, int64(count), **attributes, name=name)
    return unchanged("_TakeDataset", dataset, variant)


def skip(dataset: DatasetLike, count: Any, name: str | None) -> Recipe:
    """Skip the first `count` elements."""
    attributes = described(dataset._layout)
    variant = skip_dataset(dataset._variant_tensor, int64(count), **attributes, name=name)
    return unchanged("_SkipDataset", dataset, variant)


def shard(dataset: DatasetLike, num_shards: Any, index: Any, name: str | None) -> Recipe:
    """Keep the elements whose index modulo `num_shards` is `index`."""
    attributes = described(dataset._layout)
    shards, first = int64(num_shards), int64(index)
    variant = shard_dataset(dataset._variant_tensor, shards, first, **attributes, name=name)
    return unchanged("_ShardDataset", dataset, variant)


def repeat(dataset: DatasetLike, count: Any, name: str | None) -> Recipe:
    """Repeat the dataset `count` times."""
    attributes = described(dataset._layout)
    times = int64(-1 if count is None else count)
    variant = repeat_dataset(dataset._variant_tensor, times, **attributes, name=name)
    return unchanged("_RepeatDataset", dataset, variant)
