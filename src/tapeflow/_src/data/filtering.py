"""`filter`, `take_while` and `unique`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import ManyFree, Variant
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Function, Traced, traced_on_elements
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.stage import Cursor, Element, Stage

_A_CONDITION = TensorSpec([], dtypes.bool)


class Filter(Stage):
    """The elements for which a predicate holds."""

    def __init__(self, source: Stage, holds: Call) -> None:
        self._source = source
        self._holds = holds

    def cursor(self) -> Cursor:
        return _FilterCursor(self._source.cursor(), self._holds)


class _FilterCursor(Cursor):
    __slots__ = ("_count", "_holds", "_source")

    def __init__(self, source: Cursor, holds: Call) -> None:
        self._source = source
        self._holds = holds
        self._count = 0  # elements that were looked at

    def __next__(self) -> Element:
        for element in self._source:
            self._count += 1
            try:
                (holds,) = self._holds(element)
            except Exception as error:
                self._holds.locate(error, self._count - 1)
                raise
            if holds:
                return element
        raise StopIteration

    def get_state(self) -> Any:
        return self._source.get_state(), self._count

    def set_state(self, state: Any) -> None:
        position, self._count = state
        self._source.set_state(position)


class TakeWhile(Stage):
    """The elements before the first for which a predicate does not hold."""

    def __init__(self, source: Stage, holds: Call) -> None:
        self._source = source
        self._holds = holds

    def cursor(self) -> Cursor:
        return _TakeWhileCursor(self._source.cursor(), self._holds)


class _TakeWhileCursor(Cursor):
    def __init__(self, source: Cursor, holds: Call) -> None:
        self._source = source
        self._holds = holds
        self._over = False

    def __next__(self) -> Element:
        if not self._over:
            element = next(self._source)
            if self._holds(element)[0]:
                return element
            self._over = True
        raise StopIteration

    def get_state(self) -> Any:
        return self._source.get_state(), self._over

    def set_state(self, state: Any) -> None:
        position, self._over = state
        self._source.set_state(position)


class Unique(Stage):
    """The elements without duplicates."""

    def __init__(self, source: Stage) -> None:
        self._source = source

    def cursor(self) -> Cursor:
        return _UniqueCursor(self._source.cursor())


class _UniqueCursor(Cursor):
    def __init__(self, source: Cursor) -> None:
        self._source = source
        self._seen: set[Any] = set()

    def __next__(self) -> Element:
        for element in self._source:
            (array,) = element
            key = (array.shape, tuple(array.ravel().tolist()))
            if key not in self._seen:
                self._seen.add(key)
                return element
        raise StopIteration

    def get_state(self) -> Any:
        return self._source.get_state(), list(self._seen)

    def set_state(self, state: Any) -> None:
        position, seen = state
        self._source.set_state(position)
        self._seen = set(seen)


@dataset_op("FilterDataset")
def filter_dataset(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    *,
    predicate,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements for which a function holds."""
    return Filter(input_dataset, Call(predicate, other_arguments))


@dataset_op("TakeWhileDataset")
def take_while_dataset(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    *,
    predicate,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements before the first for which a function does not hold."""
    return TakeWhile(input_dataset, Call(predicate, other_arguments))


@dataset_op("UniqueDataset")
def unique_dataset(xp, input_dataset: Variant, *, output_types, output_shapes, metadata=""):
    """Return a dataset without repeated elements."""
    return Unique(input_dataset)


def _condition(predicate: Function, dataset: DatasetLike, of: str) -> Traced:
    function = traced_on_elements(predicate, dataset._layout, of)
    spec = function.layout.spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_A_CONDITION):
        raise ValueError(f"`predicate` must return a scalar of dtype tf.bool. Received: {spec}")
    return function


def filter_(dataset: DatasetLike, predicate: Function, name: str | None) -> Recipe:
    """Keep the elements for which `predicate` holds."""
    function = _condition(predicate, dataset, "filter")
    variant = filter_dataset(
        dataset._variant_tensor,
        function.captured,
        predicate=function.body,
        **described(dataset._layout),
        name=name,
    )
    return unchanged("_FilterDataset", dataset, variant)


def take_while(dataset: DatasetLike, predicate: Function, name: str | None) -> Recipe:
    """Keep the elements before the first for which `predicate` does not hold."""
    function = _condition(predicate, dataset, "take_while")
    variant = take_while_dataset(
        dataset._variant_tensor,
        function.captured,
        predicate=function.body,
        **described(dataset._layout),
        name=name,
    )
    return unchanged("_TakeWhileDataset", dataset, variant)


def unique(dataset: DatasetLike, name: str | None) -> Recipe:
    """Remove duplicate elements."""
    for dtype in dataset._layout.types:
        if dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                f"`unique` compares strings and integers (tf.string, tf.int32 or tf.int64). "
                f"Received elements of dtype {dtype.name}"
            )
    if len(dataset._layout.tensors) != 1:
        raise invalid(
            f"`unique` takes elements that are one tensor. Received {len(dataset._layout.tensors)} "
            f"components"
        )
    variant = unique_dataset(dataset._variant_tensor, **described(dataset._layout), name=name)
    return unchanged("_UniqueDataset", dataset, variant)
