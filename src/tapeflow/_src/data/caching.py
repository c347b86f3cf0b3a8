"""`cache`: elements are produced once and then cached.

The dataset caches them after the first complete iteration. Where all have the same shapes, they
are cached as a table, so that later stages read whole rows.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.registry import Free, Resource, Variant, op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.sources import Elements, Rows
from tapeflow._src.data.stage import A_DATASET, HOST, Cursor, Element, Stage, stacked
from tapeflow._src.data.tables import Arrays, Table


class Cache(Stage):
    """The elements of a stage, cached after the first complete iteration."""

    def __init__(self, source: Stage) -> None:
        self._source = source
        self._kept: Stage | None = None

    def cursor(self) -> Cursor:
        return _FillingCursor(self, self._source) if self._kept is None else self._kept.cursor()

    def keep(self, elements: list[Element]) -> None:
        """Cache all elements."""
        if self._kept is None:
            table = _as_table(elements)
            self._kept = Elements(elements) if table is None else Rows(table)

    def cardinality(self) -> int:
        return self._source.cardinality() if self._kept is None else self._kept.cardinality()

    def table(self) -> Table | None:
        return (self._source if self._kept is None else self._kept).table()

    def leading(self) -> int | None:
        return self._source.leading()


def _as_table(elements: list[Element]) -> Table | None:
    """Stack elements into arrays if all have the same shapes, else return None."""
    shapes = {tuple([array.shape for array in element]) for element in elements}
    if len(shapes) != 1 or any(array.dtype is dtypes.variant for array in elements[0]):
        return None
    return Arrays(stacked(elements))


class _FillingCursor(Cursor):
    """A cursor that records the elements it passes on."""

    def __init__(self, cache: Cache, source: Stage) -> None:
        self._cache = cache
        self._source = source.cursor()
        self._elements: list[Element] = []

    def __next__(self) -> Element:
        try:
            element = next(self._source)
        except StopIteration:
            self._cache.keep(self._elements)
            raise
        self._elements.append(element)
        return element

    def get_state(self) -> Any:
        return self._source.get_state(), list(self._elements)

    def set_state(self, state: Any) -> None:
        position, elements = state
        self._source.set_state(position)
        self._elements = list(elements)


class MemoryCache:
    """The resource in which TensorFlow's op caches elements.

    Here, the dataset caches them itself.
    """

    dtype = dtypes.resource
    value_dtype = dtypes.resource
    shape = ()
    ndim = 0
    size = 1


@op("DummyMemoryCache", infer=fixed((), dtypes.resource), grad=None, host=HOST, effect="io")
def dummy_memory_cache(xp):
    """Return a handle that ops take."""
    return MemoryCache()


@op("CacheDatasetV2", infer=A_DATASET, grad=None, host=HOST, effect="io")
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
    return Cache(input_dataset)


def cache(dataset: DatasetLike, filename: Any, name: str | None) -> Recipe:
    """Cache the elements after the first iteration."""
    if not isinstance(filename, str) or filename:
        raise NotImplementedError(
            f"cache() keeps elements in memory only: leave out the file name {filename!r}, or save "
            f"what the dataset makes with NumPy."
        )
    variant = cache_dataset_v2(
        dataset._variant_tensor,
        dispatch.convert(filename, dtypes.string),
        dummy_memory_cache(),
        **described(dataset._layout),
        name=name,
    )
    return unchanged("CacheDataset", dataset, variant)
