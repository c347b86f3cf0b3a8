"""`shuffle`: draw elements at random from a buffer that is refilled.

The order is TensorFlow's for the same seeds: each draw consumes one word of a stream. If the
elements are rows of a table, only their indices are shuffled, and batches are gathered from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import length_hint
from typing import Any

import numpy as np

from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, Resource, Variant
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.data.arguments import UNKNOWN, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.dummy_resources import dummy_seed_generator
from tapeflow._src.data.randomness import Seeds, Words
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage, stacked
from tapeflow._src.data.tables import Table
from tapeflow._src.ops.math.cast import cast

_END = object()


class Shuffle(Stage):
    """The elements of a stage, drawn from a buffer of `size`: UNKNOWN for one that holds all."""

    def __init__(self, source: Stage, size: int, seeds: Seeds) -> None:
        self._source = source
        self._size = size
        self._seeds = seeds

    def cursor(self) -> Cursor:
        return _ShuffleCursor(self._source, self._size, self._seeds.next())

    def cardinality(self) -> int:
        return self._source.cardinality()

    def get_shared(self) -> Any:
        return self._seeds.get_state()

    def set_shared(self, state: Any) -> None:
        self._seeds.set_state(state)


class _Buffer:
    """Draws from items that come in order: elements, or their numbers.

    The slots from `start` to `end`, counted round and round, are taken. A draw leaves its slot to
    the item of the first one.
    """

    def __init__(self, items: Iterator[Any], size: int, seeds: tuple[int, int]) -> None:
        self._items = items
        self._seeds = seeds
        self._words = Words(*seeds)
        self._size = size
        self._slots: list[Any] = []
        self._start = self._end = 0
        self._filling = True

    def draw(self, count: int) -> list[Any]:
        """Draw `count` items, or as many as are left."""
        if not self._end:
            self._fill()
        slots, size, items = self._slots, self._size, self._items
        start, end, filling = self._start, self._end, self._filling
        drawn: list[Any] = []
        for word in self._words.peek(count):
            if filling and end - start < size:
                item = next(items, _END)
                filling = item is not _END
                if filling:
                    slots[end % size] = item
                    end += 1
            if start == end:
                break
            slot, index = start % size, (start + word % (end - start)) % size
            drawn.append(slots[index])
            slots[index] = slots[slot]
            slots[slot] = None
            start += 1
        self._start, self._end, self._filling = start, end, filling
        self._words.position += len(drawn)
        return drawn

    def _fill(self) -> None:
        """Fill the buffer with the first items."""
        for item in self._items:
            self._slots.append(item)
            if len(self._slots) == self._size:
                break
        else:
            self._filling = False
        self._end = len(self._slots)
        if self._size == UNKNOWN or not self._filling:
            self._size = max(self._end, 1)

    def get_state(self) -> Any:
        """Return the state, except for the source of items."""
        return (
            *(self._seeds, self._words.position, self._size),
            *(list(self._slots), self._start, self._end, self._filling),
        )

    def set_state(self, state: Any) -> None:
        """Restore a state that `get_state` returned."""
        self._seeds, position, self._size, slots, self._start, self._end, self._filling = state
        self._slots = list(slots)
        self._words = Words(*self._seeds)
        self._words.position = position


class _ShuffleCursor(Cursor):
    """Elements in random order; if they are rows of a table, their indices are drawn."""

    def __init__(self, source: Stage, size: int, seeds: tuple[int, int]) -> None:
        self._stage = source
        self._size = size
        self._open(source.table(), seeds)

    def _open(self, table: Table | None, seeds: tuple[int, int]) -> None:
        self._table = table
        self._items: Any = self._stage.cursor() if table is None else iter(range(table.length))
        self._buffer = _Buffer(self._items, self._size, seeds)

    def __next__(self) -> Element:
        drawn = self._buffer.draw(1)
        if not drawn:
            raise StopIteration
        element: Element = drawn[0] if self._table is None else self._table.element(drawn[0])
        return element

    def rows(self, count: int) -> Element | None:
        drawn = self._buffer.draw(count)
        if not drawn:
            return None
        return stacked(drawn) if self._table is None else self._table.take(np.array(drawn))

    def skip(self, count: int) -> None:
        self._buffer.draw(count)

    def get_state(self) -> Any:
        if self._table is None:
            return False, self._items.get_state(), self._buffer.get_state()
        position = self._table.length - length_hint(self._items)
        return True, position, self._buffer.get_state()

    def set_state(self, state: Any) -> None:
        by_index, position, buffer = state
        table = self._stage.table() if by_index else None
        self._open(table, buffer[0])
        if table is None:
            self._items.set_state(position)
        else:
            self._items = iter(range(position, table.length))
            self._buffer._items = self._items
        self._buffer.set_state(buffer)


@dataset_op("ShuffleDatasetV3", effect="io")
def shuffle_dataset_v3(
    xp,
    input_dataset: Variant,
    buffer_size: Index,
    seed: Index,
    seed2: Index,
    seed_generator: Resource,
    *,
    output_types,
    output_shapes,
    reshuffle_each_iteration=True,
    metadata="",
):
    """Return a dataset of the same elements in random order."""
    size = int(buffer_size)
    if size < 1 and size != UNKNOWN:
        raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return Shuffle(input_dataset, size, Seeds(int(seed), int(seed2), reshuffle_each_iteration))


def shuffle(
    dataset: DatasetLike,
    buffer_size: Any,
    seed: Any,
    reshuffle_each_iteration: bool | None,
    name: str | None,
) -> Recipe:
    """Shuffle the elements."""
    is_symbolic = isinstance(seed, Tensor) and seed.static_value is None
    seeds = op_seeds(0 if is_symbolic else seed)
    variant = shuffle_dataset_v3(
        dataset._variant_tensor,
        int64(buffer_size),
        int64(int(seeds["seed"])),
        cast(seed, DstT=dtypes.int64) if is_symbolic else int64(int(seeds["seed2"])),
        dummy_seed_generator(),
        reshuffle_each_iteration=reshuffle_each_iteration is not False,
        **described(dataset._layout),
        name=name,
    )
    return unchanged("_ShuffleDataset", dataset, variant)
