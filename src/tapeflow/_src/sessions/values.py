"""Values of composite tensors in sessions: their components as NumPy arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tapeflow._src.ops.indexed_slices import IndexedSlices


class IndexedSlicesValue(NamedTuple):
    """The value of a `tf.IndexedSlices`."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue:
    """The value of a `tf.RaggedTensor`: its values, which may be ragged, too, and its splits."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values = values
        self.row_splits = np.asarray(row_splits)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self.values
        while isinstance(inner, RaggedTensorValue):
            inner = inner.values
        return inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all ragged axes, the outermost first."""
        if isinstance(self.values, RaggedTensorValue):
            return (self.row_splits, *self.values.nested_row_splits)
        return (self.row_splits,)

    @property
    def ragged_rank(self) -> int:
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        inner: Any = self.values.shape
        return (len(self.row_splits) - 1, None, *inner[1:])

    def to_list(self) -> list[Any]:
        """Return the rows, as nested lists."""
        inner = self.values
        items = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        ends = self.row_splits.tolist()
        return [items[start:end] for start, end in pairwise(ends)]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


def parts_of(value: Any) -> list[Any] | None:
    """Return the component tensors of a composite, or None if `value` is none that sessions
    know.
    """
    if isinstance(value, SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, IndexedSlices):
        return [value.values, value.indices, value.dense_shape]
    if isinstance(value, RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    return None


def pack_composite(like: Any, arrays: list[Any]) -> Any:
    """Return the value of a composite like `like`, from those of its parts."""
    if isinstance(like, SparseTensor):
        return SparseTensorValue(*arrays)
    if isinstance(like, IndexedSlices):
        return IndexedSlicesValue(*arrays)
    value = arrays[0]
    for splits in reversed(arrays[1:]):
        value = RaggedTensorValue(value, splits)
    return value


def parts_fed(like: Any, value: Any) -> list[Any]:
    """Return the parts of the value fed for a composite like `like`."""
    if isinstance(like, RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    if isinstance(like, SparseTensor):
        return list(value)
    return list(value)[: len([p for p in parts_of(like) or () if p is not None])]
