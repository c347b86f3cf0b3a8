"""`cache`: elements are produced once and then cached, in memory or in files.

The dataset caches them after the first complete iteration. Where all have the same shapes, they
are cached as a table, so that later stages read whole rows.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.paths import local_path
from tapeflow._src.core.registry import Free, Resource, Variant
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.dummy_resources import dummy_memory_cache
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.recording import Location, Recording
from tapeflow._src.data.sources import Elements, Rows
from tapeflow._src.data.stage import Cursor, Element, Stage, stacked
from tapeflow._src.data.tables import Arrays, Table


class Cache(Stage):
    """The elements of a stage, cached after the first complete iteration."""

    def __init__(self, source: Stage) -> None:
        self.source = source
        self.kept: Stage | None = None

    def cursor(self) -> Cursor:
        return _CacheCursor(self)

    def keep(self, elements: list[Element]) -> None:
        """Cache all elements."""
        if self.kept is None:
            table = _as_table(elements)
            self.kept = Elements(elements) if table is None else Rows(table)

    def cardinality(self) -> int:
        return (self.source if self.kept is None else self.kept).cardinality()

    def table(self) -> Table | None:
        return (self.source if self.kept is None else self.kept).table()

    def leading(self) -> int | None:
        return self.source.leading()

    def get_shared(self) -> Any:
        return None if self.kept is None else list(self.kept.cursor())

    def set_shared(self, state: Any) -> None:
        self.kept = None
        self.keep(list(state))


def _as_table(elements: list[Element]) -> Table | None:
    """Stack elements into arrays if all have the same shapes, else return None."""
    shapes = {tuple([array.shape for array in element]) for element in elements}
    if len(shapes) != 1 or any(array.dtype is dtypes.variant for array in elements[0]):
        return None
    return Arrays(stacked(elements))


class _CacheCursor(Cursor):
    """Reads what the stage has cached; or records the elements of the source that it returns."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._elements: list[Element] = []
        self._open(filling=cache.kept is None)

    def _open(self, filling: bool) -> None:
        self._filling = filling
        source = self._cache.source if filling else self._cache.kept
        if source is None:
            raise invalid("The saved position of an iterator lacks the elements that were cached.")
        self._cursor = source.cursor()

    def __next__(self) -> Element:
        try:
            element = next(self._cursor)
        except StopIteration:
            if self._filling:
                self._cache.keep(self._elements)
            raise
        if self._filling:
            self._elements.append(element)
        return element

    def rows(self, count: int) -> Element | None:
        return super().rows(count) if self._filling else self._cursor.rows(count)

    def skip(self, count: int) -> None:
        if self._filling:
            super().skip(count)
        else:
            self._cursor.skip(count)

    def get_state(self) -> Any:
        return self._filling, self._cursor.get_state(), list(self._elements)

    def set_state(self, state: Any) -> None:
        filling, position, elements = state
        self._open(filling)
        self._cursor.set_state(position)
        self._elements = list(elements)


@dataset_op("CacheDatasetV2", effect="io")
def cache_dataset_v2(
    xp,
    input_dataset: Variant,
    filename: Free,
    cache: Resource,
    *,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the same elements, which are made once."""
    name = local_path(filename.item()) if filename.item() else ""
    if not name:
        return Cache(input_dataset)

    def data(run: str, shard: int) -> tuple[str, str]:
        return os.path.dirname(name) or ".", f"{name}.{run}.data-{shard:05d}-of-00001"

    return Recording(
        input_dataset, Location(f"{name}.index", data, False), lambda element: 0, _only_file
    )


cache_dataset_v2.accesses("files", unless_empty="filename")


def _only_file(stages: Sequence[Stage]) -> Stage:
    return stages[0] if stages else Elements([])


def cache(dataset: DatasetLike, filename: Any, name: str | None) -> Recipe:
    """Cache the elements after the first iteration."""
    variant = cache_dataset_v2(
        dataset._variant_tensor,
        dispatch.convert(filename, dtypes.string),
        dummy_memory_cache(),
        **described(dataset._layout),
        name=name,
    )
    return unchanged("CacheDataset", dataset, variant)
