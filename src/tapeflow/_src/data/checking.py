"""`assert_cardinality`: declare the number of elements and check it."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.errors import FailedPreconditionError
from tapeflow._src.core.registry import Index, Variant
from tapeflow._src.data.arguments import INFINITE, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage


class Counted(Stage):
    """The elements of a stage, whose number is asserted to be `count`."""

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count

    def cursor(self) -> Cursor:
        return _CountingCursor(self._source.cursor(), self._count)

    def cardinality(self) -> int:
        return self._count


class _CountingCursor(Cursor):
    def __init__(self, source: Cursor, count: int) -> None:
        self._source = source
        self._count = count
        self._given = 0

    def __next__(self) -> Element:
        try:
            element = next(self._source)
        except StopIteration:
            if self._given != self._count:
                raise self._wrong(f"contains {self._given} element(s)") from None
            raise
        self._given += 1
        if self._given > self._count != INFINITE:
            raise self._wrong(f"contains at least {self._given} element(s)")
        return element

    def _wrong(self, actual: str) -> FailedPreconditionError:
        expected = "an infinite number of" if self._count == INFINITE else self._count
        return FailedPreconditionError(
            None, None, f"Input dataset was expected to contain {expected} element(s) but {actual}."
        )

    def get_state(self) -> Any:
        return self._source.get_state(), self._given

    def set_state(self, state: Any) -> None:
        position, self._given = state
        self._source.set_state(position)


@dataset_op("AssertCardinalityDataset")
def assert_cardinality_dataset(
    xp, input_dataset: Variant, cardinality: Index, *, output_types, output_shapes
):
    """Return a dataset of the same elements, which must be `cardinality` in number."""
    return Counted(input_dataset, int(cardinality))


def counted(dataset: DatasetLike, count: Any) -> Recipe:
    """Assert that the dataset has `count` elements."""
    attributes = described(dataset._layout)
    variant = assert_cardinality_dataset(dataset._variant_tensor, int64(count), **attributes)
    return unchanged("_AssertCardinalityDataset", dataset, variant)
