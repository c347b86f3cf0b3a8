"""`unbatch` and `rebatch`: the slices of elements along their first axis, and other batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout, described_specs
from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.core import nest
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import Bool, Index, Variant
from tapeflow._src.core.shape import as_dims
from tapeflow._src.data.arguments import INFINITE, UNKNOWN, boolean, int64, known
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage, joined
from tapeflow._src.data.tables import Arrays


class Unbatch(Stage):
    """The slices of every element along its first axis."""

    def __init__(self, source: Stage) -> None:
        self._source = source

    def cursor(self) -> Cursor:
        return _UnbatchCursor(self._source.cursor())

    def cardinality(self) -> int:
        count, size = self._source.cardinality(), self._source.leading()
        if size is None or count == UNKNOWN:
            return UNKNOWN
        return INFINITE if count == INFINITE and size else count * size


class _UnbatchCursor(Cursor):
    def __init__(self, source: Cursor) -> None:
        self._source = source
        self._batch = _EMPTY
        self._position = 0

    def _remaining(self) -> int:
        """Return how many slices of the present batch are left.

        Another one is taken if there are none.
        """
        while self._position >= self._batch.length:
            self._batch = _table(next(self._source))
            self._position = 0
        return self._batch.length - self._position

    def __next__(self) -> Element:
        self._remaining()
        self._position += 1
        return self._batch.element(self._position - 1)

    def rows(self, count: int) -> Element | None:
        parts: list[Element] = []
        missing = count
        while missing:
            try:
                taken = min(self._remaining(), missing)
            except StopIteration:
                break
            start = self._position
            self._position = start + taken
            parts.append(self._batch.rows(start, start + taken))
            missing -= taken
        return joined(parts) if parts else None

    def get_state(self) -> Any:
        return self._source.get_state(), self._batch.rows(self._position, self._batch.length)

    def set_state(self, state: Any) -> None:
        position, batch = state
        self._source.set_state(position)
        self._batch = Arrays(batch)
        self._position = 0


_EMPTY = Arrays([np.zeros(0)])


def _table(element: Element) -> Arrays:
    element = tuple([v.rows() if isinstance(v, RaggedValue) else v for v in element])
    lengths = [array.shape[0] if array.ndim else None for array in element]
    if None in lengths or len(set(lengths)) > 1:
        raise invalid(
            f"Input element must have the same batch size in each component. Component 0 had size "
            f"{lengths[0]} but others have {lengths[1:]}."
        )
    return Arrays(element)


@dataset_op("UnbatchDataset")
def unbatch_dataset(xp, input_dataset: Variant, *, output_types, output_shapes, metadata=""):
    """Return a dataset of the slices of all elements."""
    return Unbatch(input_dataset)


def unbatch(dataset: DatasetLike, name: str | None) -> Recipe:
    """Return the slices of every element along its first axis."""
    sizes: list[int] = []
    for leaf in nest.flatten(dataset._layout.spec):
        dims = as_dims(getattr(leaf, "shape", None))
        if dims == ():
            raise ValueError("`unbatch()` cannot slice scalar components, which have no axis.")
        if dims is not None and dims[0] is not None and dims[0] not in sizes:
            sizes.append(dims[0])
    if len(sizes) > 1:
        raise ValueError(
            f"`unbatch()` slices all components along dimension 0, so they must agree on its size. "
            f"Received sizes {sizes[0]} and {sizes[1]}"
        )
    layout = Layout(dataset._layout.unbatched())
    variant = unbatch_dataset(dataset._variant_tensor, **described(layout), name=name)
    return Recipe("_UnbatchDataset", variant, layout.spec)


# -- rebatch ----------------------------------------------------------------------------------


class Rebatch(Stage):
    """The slices of all elements, put together again in batches of these sizes, in turn."""

    def __init__(
        self, source: Stage, sizes: Sequence[int], drop_remainder: bool, empty: Element
    ) -> None:
        if not sizes or any(size < 0 for size in sizes) or not any(sizes):
            raise invalid(f"Batch sizes must be positive, got {list(sizes)}.")
        self._source = source
        self._sizes = sizes
        self._drop = drop_remainder
        self._empty = empty

    def cursor(self) -> Cursor:
        slices = _UnbatchCursor(self._source.cursor())
        return _RebatchCursor(slices, self._sizes, self._drop, self._empty)

    def leading(self) -> int | None:
        return self._sizes[0] if self._drop and len(set(self._sizes)) == 1 else None


class _RebatchCursor(Cursor):
    def __init__(
        self, source: Cursor, sizes: Sequence[int], drop_remainder: bool, empty: Element
    ) -> None:
        self._source = source
        self._sizes = sizes
        self._drop = drop_remainder
        self._empty = empty  # a batch without slices
        self._turn = 0

    def __next__(self) -> Element:
        size = self._sizes[self._turn]
        rows = self._source.rows(size) if size else self._empty
        if rows is None or (self._drop and rows[0].shape[0] < size):
            raise StopIteration
        self._turn = (self._turn + 1) % len(self._sizes)
        return rows

    def get_state(self) -> Any:
        return self._source.get_state(), self._turn

    def set_state(self, state: Any) -> None:
        position, self._turn = state
        self._source.set_state(position)


@dataset_op("RebatchDatasetV2")
def rebatch_dataset_v2(
    xp,
    input_dataset: Variant,
    batch_sizes: Index,
    drop_remainder: Bool,
    *,
    output_types,
    output_shapes,
):
    """Return a dataset of batches of other sizes."""
    specs = described_specs(output_types, output_shapes)
    rows = [[n or 0 for n in (spec.shape or (0,))[1:]] for spec in specs]
    empty = tuple([np.empty([0, *dims], s.dtype.np) for s, dims in zip(specs, rows, strict=True)])
    return Rebatch(input_dataset, batch_sizes.reshape(-1).tolist(), bool(drop_remainder), empty)


def _divides(size: int, dataset: DatasetLike) -> bool:
    """Whether all elements are batches of one size, which `size` divides."""
    shapes = [as_dims(getattr(leaf, "shape", None)) for leaf in nest.flatten(dataset._layout.spec)]
    sizes = {dims[0] if dims else None for dims in shapes}
    return size > 0 and all(n is not None and n % size == 0 for n in sizes)


def rebatch(dataset: DatasetLike, batch_size: Any, drop_remainder: Any, name: str | None) -> Recipe:
    """Return the slices of all elements in batches of another size, or of several in turn."""
    sizes, drop = int64(batch_size), boolean(drop_remainder)
    values = sizes.static_value
    one = values is not None and len(set(values.reshape(-1).tolist())) == 1
    size = int(values.reshape(-1)[0]) if one else None
    if size is not None and not known(drop) and not _divides(size, dataset):
        size = None
    layout = Layout(Layout(dataset._layout.unbatched()).batched(size))
    variant = rebatch_dataset_v2(
        dataset._variant_tensor, sizes, drop, **described(layout), name=name
    )
    return Recipe("_RebatchDataset", variant, layout.spec)
