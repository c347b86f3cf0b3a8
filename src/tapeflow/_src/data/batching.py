"""`batch`: stack elements along a new first axis."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.elements import Layout
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Bool, Index, Variant
from tapeflow._src.data.arguments import boolean, int64, known
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage


class Batch(Stage):
    """Batches of `size` elements; the last may be smaller, or is dropped."""

    def __init__(self, source: Stage, size: int, drop_remainder: bool) -> None:
        if size < 1:
            raise invalid("Batch size must be greater than zero.")
        self._source = source
        self._size = size
        self._drop = drop_remainder

    def cursor(self) -> Cursor:
        return _BatchCursor(self._source.cursor(), self._size, self._drop)

    def cardinality(self) -> int:
        return batches(self._source.cardinality(), self._size, self._drop)

    def leading(self) -> int | None:
        return self._size if self._drop else None


def batches(count: int, size: int, drop_remainder: bool) -> int:
    """Return the number of batches of `count` elements."""
    if count < 0:
        return count
    return count // size if drop_remainder else -(-count // size)


class _BatchCursor(Cursor):
    __slots__ = ("_drop", "_size", "_source")

    def __init__(self, source: Cursor, size: int, drop_remainder: bool) -> None:
        self._source = source
        self._size = size
        self._drop = drop_remainder

    def __next__(self) -> Element:
        rows = self._source.rows(self._size)
        if rows is None or (self._drop and rows[0].shape[0] < self._size):
            raise StopIteration
        return rows

    def skip(self, count: int) -> None:
        self._source.skip(count * self._size)

    def get_state(self) -> Any:
        return self._source.get_state()

    def set_state(self, state: Any) -> None:
        self._source.set_state(state)


@dataset_op("BatchDatasetV2")
def batch_dataset_v2(
    xp,
    input_dataset: Variant,
    batch_size: Index,
    drop_remainder: Bool,
    *,
    output_types,
    output_shapes,
    parallel_copy=False,
    metadata="",
):
    """Return a dataset of batches."""
    return Batch(input_dataset, int(batch_size), bool(drop_remainder))


def batch(
    dataset: DatasetLike,
    batch_size: Any,
    drop_remainder: Any,
    num_parallel_calls: Any,
    name: str | None,
) -> Recipe:
    """Combine `batch_size` consecutive elements into batches."""
    size, drop = int64(batch_size), boolean(drop_remainder)
    layout = Layout(dataset._layout.batched(full_size(size, drop)))
    variant = batch_dataset_v2(dataset._variant_tensor, size, drop, **described(layout), name=name)
    kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
    return Recipe(kind, variant, layout.spec)


def full_size(size: Any, drop_remainder: Any) -> int | None:
    """Return the static batch size if all batches have it, else None."""
    return known(size) if known(drop_remainder) else None
