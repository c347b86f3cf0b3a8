"""`sparse_batch`: batch elements of different sizes as sparse tensors."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout, carried_sparse
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec
from tapeflow._src.core import nest
from tapeflow._src.core.errors import DataLossError, fmt_shape, invalid
from tapeflow._src.core.registry import Index, Variant
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import int64
from tapeflow._src.data.batching import batches
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.recipe import DatasetLike, Recipe, described
from tapeflow._src.data.stage import Cursor, Element, Stage


class SparseBatch(Stage):
    """Sparse batches of `size` tensors; -1 in `row_shape` is the largest size."""

    def __init__(self, source: Stage, size: int, row_shape: list[int]) -> None:
        if size < 1:
            raise invalid("Batch size must be greater than zero.")
        self._source = source
        self._size = size
        self._row_shape = row_shape

    def cursor(self) -> Cursor:
        return _SparseBatchCursor(self._source.cursor(), self._size, self._row_shape)

    def cardinality(self) -> int:
        return batches(self._source.cardinality(), self._size, False)


class _SparseBatchCursor(Cursor):
    __slots__ = ("_row_shape", "_size", "_source")

    def __init__(self, source: Cursor, size: int, row_shape: list[int]) -> None:
        self._source = source
        self._size = size
        self._row_shape = row_shape

    def __next__(self) -> Element:
        rows = [element[0] for element in islice(self._source, self._size)]
        if not rows:
            raise StopIteration
        for row in rows:
            self._check(row.shape)
        largest = np.max([row.shape for row in rows], axis=0).astype(np.int64)
        row_shape = np.array(self._row_shape, np.int64)
        shape = np.array([len(rows), *np.where(row_shape < 0, largest, row_shape)], np.int64)
        places = [np.argwhere(np.ones(row.shape, bool)) for row in rows]
        numbers = np.repeat(np.arange(len(rows)), [row.size for row in rows])
        indices = np.column_stack([numbers, np.concatenate(places)]).astype(np.int64)
        return (carried_sparse(indices, np.concatenate([r.reshape(-1) for r in rows]), shape),)

    def _check(self, shape: tuple[int, ...]) -> None:
        row_shape = self._row_shape
        if len(shape) != len(row_shape):
            raise invalid(
                f"Input element had shape {fmt_shape(shape)} that is incompatible with the row "
                f"shape {row_shape}: they need the same number of axes"
            )
        if any(0 <= most < size for size, most in zip(shape, row_shape, strict=True)):
            raise DataLossError(
                None,
                None,
                f"Input element had shape {fmt_shape(shape)} that is larger than the row shape "
                f"{row_shape}",
            )

    def get_state(self) -> Any:
        return self._source.get_state()

    def set_state(self, state: Any) -> None:
        self._source.set_state(state)


@dataset_op("DenseToSparseBatchDataset")
def dense_to_sparse_batch_dataset(
    xp, input_dataset: Variant, batch_size: Index, row_shape: Index, *, output_types, output_shapes
):
    """Return a dataset of sparse batches."""
    return SparseBatch(input_dataset, int(batch_size), row_shape.tolist())


def sparse_batch(dataset: DatasetLike, batch_size: Any, row_shape: Any, name: str | None) -> Recipe:
    """Combine `batch_size` elements into sparse batches."""
    spec = dataset._layout.spec
    if not isinstance(spec, TensorSpec):
        types = nest.map_structure(lambda leaf: getattr(leaf, "dtype", leaf), spec)
        raise TypeError(
            f"`sparse_batch` takes elements that are one tensor. Received elements of {types}"
        )
    shape = as_shape(row_shape)
    layout = Layout(SparseTensorSpec(TensorShape([None]).concatenate(shape), spec.dtype))
    variant = dense_to_sparse_batch_dataset(
        dataset._variant_tensor,
        int64(batch_size),
        int64([-1 if size is None else size for size in shape.as_list()]),
        **described(layout),
        name=name,
    )
    return Recipe("_DenseToSparseBatchDataset", variant, layout.spec)
