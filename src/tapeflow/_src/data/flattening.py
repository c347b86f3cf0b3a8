"""`flat_map` and `interleave`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.elements import Layout
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Index, ManyFree, Variant
from tapeflow._src.data.arguments import AUTOTUNE, int64
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.functions import Call, Function, Traced, traced_on_elements
from tapeflow._src.data.mapping import in_order
from tapeflow._src.data.prefetching import Prefetch
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage, get_position, joined, set_position
from tapeflow._src.data.thread_pays import workers

# How many elements of each dataset are made ahead, if that is done in threads.
_AHEAD = 16


class Interleave(Stage):
    """The interleaved elements of several datasets, `block` consecutive ones of each.

    Args:
        parallel: Whether slow datasets are read ahead in threads.

    parallel: whether the datasets are read ahead in threads, if they are slow.
    """

    def __init__(self, source: Stage, call: Call, cycle: int, block: int, parallel: bool) -> None:
        if cycle < 1:
            raise invalid("cycle_length must be greater than zero.")
        if block < 1:
            raise invalid("block_length must be greater than zero.")
        self._source = source
        self._call = call
        self._cycle = cycle
        self._block = block
        self._parallel = parallel

    def cursor(self) -> Cursor:
        return _InterleaveCursor(self._source.cursor(), self.inner, self._cycle, self._block)

    def inner(self, element: Element, index: int) -> Stage:
        """Return the dataset that the function returns for an element."""
        try:
            (stage,) = self._call(element)
        except Exception as error:
            self._call.locate(error, index)
            raise
        return Prefetch(stage, _AHEAD) if self._parallel else stage


class _Open:
    """A dataset that is being read, and the element that it was created from."""

    __slots__ = ("cursor", "element", "stage")

    def __init__(self, element: Element, stage: Stage) -> None:
        self.element = element
        self.stage = stage
        self.cursor = stage.cursor()

    def get_state(self) -> Any:
        """Return the element and the position in its dataset."""
        return self.element, get_position(self.stage, self.cursor)


class _InterleaveCursor(Cursor):
    def __init__(self, source: Cursor, inner: Any, cycle: int, block: int) -> None:
        self._source = source
        self._inner = inner
        self._block = block
        self._open: list[_Open | None] = [None] * cycle
        self._turn = 0
        self._given = 0  # elements of the present block
        self._ended = False
        self._count = 0  # datasets that were opened

    def __next__(self) -> Element:
        closed = 0
        while closed < len(self._open):
            current = self._open[self._turn] or self._open_next()
            if current is None:
                closed += 1
                self._pass_on()
                continue
            try:
                element = next(current.cursor)
            except StopIteration:
                closed = 0
                self._open[self._turn] = None
                self._pass_on()
                continue
            self._given += 1
            if self._given == self._block:
                self._pass_on()
            return element
        raise StopIteration

    def rows(self, count: int) -> Element | None:
        if len(self._open) > 1:
            return super().rows(count)
        parts: list[Element] = []
        missing = count
        while missing and (current := self._open[0] or self._open_next()):
            rows = current.cursor.rows(missing)
            if rows is None:
                self._open[0] = None
                continue
            parts.append(rows)
            missing -= rows[0].shape[0]
        return joined(parts) if parts else None

    def _pass_on(self) -> None:
        self._turn = (self._turn + 1) % len(self._open)
        self._given = 0

    def _open_next(self) -> _Open | None:
        """Open the next dataset, if any, in the current slot of the cycle."""
        if self._ended:
            return None
        try:
            element = next(self._source)
        except StopIteration:
            self._ended = True
            return None
        self._count += 1
        stage = self._inner(element, self._count - 1)
        opened = self._open[self._turn] = _Open(element, stage)
        return opened

    def get_state(self) -> Any:
        open_ = [None if each is None else each.get_state() for each in self._open]
        turn = self._turn, self._given, self._ended, self._count
        return self._source.get_state(), open_, turn

    def set_state(self, state: Any) -> None:
        position, open_, (self._turn, self._given, self._ended, self._count) = state
        self._source.set_state(position)
        for turn, saved in enumerate(open_):
            self._open[turn] = None
            if saved is not None:
                element, inner = saved
                opened = self._open[turn] = _Open(element, self._inner(element, self._count))
                set_position(opened.stage, opened.cursor, inner)


# -- ops --------------------------------------------------------------------------------------


@dataset_op("FlatMapDataset")
def flat_map_dataset(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    *,
    f,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements of the datasets that a function makes, one
    after the other.
    """
    return Interleave(input_dataset, Call(f, other_arguments), 1, 1, parallel=False)


@dataset_op("InterleaveDataset")
def interleave_dataset(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    cycle_length: Index,
    block_length: Index,
    *,
    f,
    output_types,
    output_shapes,
    metadata="",
):
    """Return a dataset of the elements of the datasets that a function makes, of
    several in turn.
    """
    cycle, block = int(cycle_length), int(block_length)
    return Interleave(input_dataset, Call(f, other_arguments), cycle, block, parallel=False)


@dataset_op("ParallelInterleaveDatasetV4")
def parallel_interleave_dataset_v4(
    xp,
    input_dataset: Variant,
    other_arguments: ManyFree,
    cycle_length: Index,
    block_length: Index,
    buffer_output_elements: Index,
    prefetch_input_elements: Index,
    num_parallel_calls: Index,
    *,
    f,
    output_types,
    output_shapes,
    deterministic="default",
    metadata="",
):
    """Like `InterleaveDataset`, with several datasets read ahead at once."""
    cycle, block = int(cycle_length), int(block_length)
    return Interleave(input_dataset, Call(f, other_arguments), cycle, block, parallel=True)


# -- transformations ---------------------------------------------------------------------------


def _traced(dataset: DatasetLike, map_func: Function, of: str) -> tuple[Traced, Layout]:
    """Trace the function; also return the layout of the elements of its datasets."""
    function = traced_on_elements(map_func, dataset._layout, of)
    inner = getattr(function.layout.spec, "element_spec", None)
    if inner is None:
        raise TypeError(
            f"Invalid `map_func`. `map_func` must return a `Dataset` object. Got "
            f"{function.layout.spec}."
        )
    return function, Layout(inner)


def flat_map(dataset: DatasetLike, map_func: Function, name: str | None) -> Recipe:
    """Map each element to a dataset and concatenate the results."""
    function, layout = _traced(dataset, map_func, "flat_map")
    variant = flat_map_dataset(
        dataset._variant_tensor, function.captured, f=function.body, **described(layout), name=name
    )
    return Recipe("_FlatMapDataset", variant, layout.spec)


def interleave(
    dataset: DatasetLike,
    map_func: Function,
    cycle_length: Any,
    block_length: Any,
    num_parallel_calls: Any,
    deterministic: bool | None,
    name: str | None,
) -> Recipe:
    """Map each element to a dataset and interleave the results."""
    function, layout = _traced(dataset, map_func, "interleave")
    cycle = cycle_length
    if cycle is None or (isinstance(cycle, int) and cycle == AUTOTUNE):
        cycle = workers(AUTOTUNE)
    if num_parallel_calls is not None and cycle_length is None and num_parallel_calls != AUTOTUNE:
        cycle = num_parallel_calls
    block = 1 if block_length is None else block_length
    attributes = {"f": function.body, **described(layout)}
    variant, taken = dataset._variant_tensor, function.captured
    if num_parallel_calls is None:
        variant_out = interleave_dataset(
            variant, taken, int64(cycle), int64(block), **attributes, name=name
        )
        return Recipe("_InterleaveDataset", variant_out, layout.spec)
    variant_out = parallel_interleave_dataset_v4(
        variant,
        taken,
        int64(cycle),
        int64(block),
        int64(AUTOTUNE),
        int64(AUTOTUNE),
        int64(num_parallel_calls),
        deterministic=in_order(deterministic),
        **attributes,
        name=name,
    )
    return Recipe("_ParallelInterleaveDataset", variant_out, layout.spec)
