"""`zip`, `concatenate` and `choose_from_datasets`: several datasets as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from tapeflow._src.api.elements import Layout, common_spec
from tapeflow._src.core import dtypes, nest
from tapeflow._src.core.errors import OpError, invalid
from tapeflow._src.core.registry import Many, Variant
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import INFINITE, UNKNOWN
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage, joined
from tapeflow._src.data.tables import Beside, Table

# -- zip --------------------------------------------------------------------------------------


class Zip(Stage):
    """The zipped elements of several stages, as many as the shortest has."""

    def __init__(self, sources: Sequence[Stage]) -> None:
        self._sources = sources

    def cursor(self) -> Cursor:
        return _ZipCursor([source.cursor() for source in self._sources])

    def cardinality(self) -> int:
        counts = [source.cardinality() for source in self._sources]
        if UNKNOWN in counts:
            return UNKNOWN
        finite = [count for count in counts if count != INFINITE]
        return min(finite) if finite else INFINITE

    def table(self) -> Table | None:
        tables = [source.table() for source in self._sources]
        present = [table for table in tables if table is not None]
        return Beside(present) if len(present) == len(tables) else None


# The most rows that are read at once of datasets side by side.
_BLOCK = 1 << 16


class _ZipCursor(Cursor):
    def __init__(self, sources: Sequence[Cursor]) -> None:
        self._sources = sources

    def __next__(self) -> Element:
        parts = []
        for index, source in enumerate(self._sources):
            try:
                parts.append(next(source))
            except OpError:
                # The other components of the element are used up, too, so that the next ones fit.
                for other in self._sources[index + 1 :]:
                    other.skip(1)
                raise
        return tuple(chain.from_iterable(parts))

    def rows(self, count: int) -> Element | None:
        # In blocks, for one of the sources may be endless and the batch as long as the other.
        blocks: list[Element] = []
        while count > 0:
            block = self._block(min(count, _BLOCK))
            if block is None:
                break
            blocks.append(block)
            length = block[0].shape[0]
            count = count - length if length == min(count, _BLOCK) else 0
        return joined(blocks) if blocks else None

    def _block(self, count: int) -> Element | None:
        parts: list[Element] = []
        for source in self._sources:
            part = source.rows(count)
            if part is None:
                return None
            count = part[0].shape[0]
            parts.append(part)
        return tuple([column[:count] for part in parts for column in part])

    def skip(self, count: int) -> None:
        for source in self._sources:
            source.skip(count)

    def get_state(self) -> Any:
        return [source.get_state() for source in self._sources]

    def set_state(self, state: Any) -> None:
        for source, position in zip(self._sources, state, strict=True):
            source.set_state(position)


@dataset_op("ZipDataset")
def zip_dataset(xp, input_datasets: Many, *, output_types, output_shapes, metadata=""):
    """Return a dataset of the elements of several, side by side."""
    return Zip(input_datasets)


def zip_(datasets: Any, name: str | None) -> Recipe:
    """Zip a structure of datasets; elements have that structure."""
    flat: list[DatasetLike] = nest.flatten(datasets)
    if not flat:
        raise TypeError("`zip` needs at least one dataset.")
    for dataset in flat:
        if not hasattr(dataset, "_variant_tensor"):
            raise TypeError(
                f"`zip` takes datasets, also nested in tuples and dicts. Received: {dataset!r} of "
                f"type {type(dataset).__name__}"
            )
    spec = nest.pack_sequence_as(datasets, [dataset._layout.spec for dataset in flat])
    variants = [dataset._variant_tensor for dataset in flat]
    return Recipe("_ZipDataset", zip_dataset(variants, **described(Layout(spec)), name=name), spec)


# -- concatenate ------------------------------------------------------------------------------


class Concatenate(Stage):
    """The elements of one stage followed by those of another."""

    def __init__(self, first: Stage, second: Stage) -> None:
        self._sources = first, second

    def cursor(self) -> Cursor:
        return _ConcatenateCursor(self._sources)

    def cardinality(self) -> int:
        counts = [source.cardinality() for source in self._sources]
        for special in (INFINITE, UNKNOWN):
            if special in counts:
                return special
        return sum(counts)


class _ConcatenateCursor(Cursor):
    def __init__(self, sources: Sequence[Stage]) -> None:
        self._sources = sources
        self._turn = 0
        self._cursor = sources[0].cursor()

    def _go_on(self) -> bool:
        """Advance to the second source, unless it is current already."""
        if self._turn:
            return False
        self._turn = 1
        self._cursor = self._sources[1].cursor()
        return True

    def __next__(self) -> Element:
        try:
            return next(self._cursor)
        except StopIteration:
            if self._go_on():
                return next(self._cursor)
            raise

    def rows(self, count: int) -> Element | None:
        rows = self._cursor.rows(count)
        taken = 0 if rows is None else rows[0].shape[0]
        if taken == count or not self._go_on():
            return rows
        more = self._cursor.rows(count - taken)
        return joined([part for part in (rows, more) if part]) if rows or more else None

    def get_state(self) -> Any:
        return self._turn, self._cursor.get_state()

    def set_state(self, state: Any) -> None:
        self._turn, position = state
        self._cursor = self._sources[self._turn].cursor()
        self._cursor.set_state(position)


@dataset_op("ConcatenateDataset")
def concatenate_dataset(
    xp,
    input_dataset: Variant,
    another_dataset: Variant,
    *,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements of one and then those of another."""
    return Concatenate(input_dataset, another_dataset)


def concatenate(dataset: DatasetLike, other: DatasetLike, name: str | None) -> Recipe:
    """Concatenate two datasets."""
    spec = _common([dataset, other])
    variant = concatenate_dataset(
        dataset._variant_tensor, other._variant_tensor, **described(Layout(spec)), name=name
    )
    return Recipe("_ConcatenateDataset", variant, spec)


def _common(datasets: Sequence[DatasetLike]) -> Any:
    """Return the spec that is compatible with the elements of all."""
    spec = datasets[0]._layout.spec
    for dataset in datasets[1:]:
        spec_of_both = common_spec(spec, dataset._layout.spec)
        if spec_of_both is None:
            raise TypeError(
                f"Incompatible dataset elements:\n  {spec} vs.   {dataset._layout.spec}\n"
                "Map one dataset to the structure and dtypes of the other first, with "
                "dataset.map; to pair elements use tf.data.Dataset.zip."
            )
        spec = spec_of_both
    return spec


# -- choose_from_datasets ---------------------------------------------------------------------


class Choose(Stage):
    """Elements of several stages, each read from the stage whose index the selector returns."""

    def __init__(self, selector: Stage, sources: Sequence[Stage], stop_on_empty: bool) -> None:
        self._selector = selector
        self._sources = sources
        self._stop = stop_on_empty

    def cursor(self) -> Cursor:
        cursors = [source.cursor() for source in self._sources]
        return _ChooseCursor(self._selector.cursor(), cursors, self._stop)

    def cardinality(self) -> int:
        endless = [stage.cardinality() == INFINITE for stage in self._sources]
        goes_on = all(endless) if self._stop else any(endless)
        return INFINITE if goes_on and self._selector.cardinality() == INFINITE else UNKNOWN


class _ChooseCursor(Cursor):
    def __init__(self, selector: Cursor, sources: Sequence[Cursor], stop_on_empty: bool) -> None:
        self._selector = selector
        self._sources = sources
        self._stop = stop_on_empty
        self._ended: list[int] = []

    def __next__(self) -> Element:
        while len(self._ended) < len(self._sources):
            number = int(next(self._selector)[0])
            if not 0 <= number < len(self._sources):
                raise invalid(f"Selector index out of range: {number} >= {len(self._sources)}")
            if number in self._ended:
                continue
            try:
                return next(self._sources[number])
            except StopIteration:
                self._ended = (
                    list(range(len(self._sources)))
                    if self._stop
                    else [
                        *self._ended,
                        number,
                    ]
                )
        raise StopIteration

    def get_state(self) -> Any:
        places = [source.get_state() for source in self._sources]
        return self._selector.get_state(), places, list(self._ended)

    def set_state(self, state: Any) -> None:
        position, places, self._ended = state
        self._selector.set_state(position)
        for source, its_place in zip(self._sources, places, strict=True):
            source.set_state(its_place)


@dataset_op("DirectedInterleaveDataset")
def directed_interleave_dataset(
    xp,
    selector_input_dataset: Variant,
    data_input_datasets: Many,
    *,
    output_types,
    output_shapes,
    stop_on_empty_dataset=False,
):
    """Return a dataset of elements of several, taken as another dataset says."""
    return Choose(selector_input_dataset, data_input_datasets, stop_on_empty_dataset)


def choose(
    datasets: Sequence[DatasetLike], choice: DatasetLike, stop_on_empty_dataset: bool
) -> Recipe:
    """Interleave datasets in the order of `choice`, a dataset of indices."""
    if not datasets:
        raise ValueError("`datasets` is empty: pass at least one dataset to choose from.")
    if choice._layout.spec != TensorSpec([], dtypes.int64):
        raise TypeError(
            f"`choice_dataset` must have scalars of dtype tf.int64 as elements, the indices of "
            f"datasets. Received elements of {choice._layout.spec}"
        )
    spec = _common(datasets)
    variant = directed_interleave_dataset(
        choice._variant_tensor,
        [dataset._variant_tensor for dataset in datasets],
        stop_on_empty_dataset=stop_on_empty_dataset,
        **described(Layout(spec)),
    )
    return Recipe("_DirectedInterleaveDataset", variant, spec)
