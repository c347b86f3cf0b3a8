"""Adapters of datasets and generators, which yield whole batches."""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.trainers.data_adapters.arrays import as_tensor, is_array
from tapeflow._src.keras.trainers.data_adapters.class_weights import weighted
from tapeflow._src.keras.trainers.data_adapters.sparse_rows import is_sparse

_TENSORS = (tf.Tensor, tf.RaggedTensor, tf.SparseTensor, tf.Variable)


def refuse_targets(kind: str, y: Any, sample_weight: Any) -> None:
    """Raise ValueError for what should be part of the batches."""
    for name, what, value in (
        ("y", "targets", y),
        ("sample_weights", "sample weights", sample_weight),
    ):
        if value is not None:
            raise ValueError(
                f"`{name}` must be None when `x` is a {kind}: its batches already have the {what}, "
                f"as in (x, y, sample_weight)."
            )


def as_batch(batch: Any) -> Any:
    """A batch of arrays as one of tensors; the parts of one are a tuple."""
    if isinstance(batch, list):
        batch = tuple(batch)
    return tf.nest.map_structure(_as_tensor, batch)


def _as_tensor(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, _TENSORS):
        return leaf
    return as_tensor(leaf) if is_sparse(leaf) else tf.convert_to_tensor(leaf)


class DatasetAdapter:
    """The elements of a `tf.data.Dataset`."""

    def __init__(self, dataset: Any, class_weight: Any = None) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        size = int(dataset.cardinality())
        # Datasets that are infinite or of unknown size say it by negative numbers.
        self.num_batches = size if size >= 0 else None

    def batches(self) -> Iterator[Any]:
        """The elements, from the first on."""
        if self._class_weight is None:
            return iter(self._dataset)
        return (weighted(batch, self._class_weight) for batch in self._dataset)

    def on_epoch_begin(self) -> None:
        """Datasets need no notice."""

    def on_epoch_end(self) -> None:
        """Datasets need no notice."""


class GrainAdapter:
    """The elements of a dataset or loader of Grain, from the first on in each epoch."""

    def __init__(self, dataset: Any, class_weight: Any = None) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        size = len(dataset) if hasattr(dataset, "__len__") else sys.maxsize
        # That is the length of what repeats for ever.
        self.num_batches = None if size == sys.maxsize else size

    def batches(self) -> Iterator[Any]:
        """The elements as tensors."""
        for batch in self._dataset:
            tensors = as_batch(batch)
            yield tensors if self._class_weight is None else weighted(tensors, self._class_weight)

    def on_epoch_begin(self) -> None:
        """Datasets need no notice."""

    def on_epoch_end(self) -> None:
        """Datasets need no notice."""


class GeneratorAdapter:
    """Adapter of a Python generator, which can be iterated only once.

    Keras draws two batches ahead to see what there is, and each epoch begins with these; the
    others are those that are left.
    """

    num_batches: int | None = None

    def __init__(self, generator: Iterator[Any], class_weight: Any = None) -> None:
        self._class_weight = class_weight
        self._generator = generator
        self._first = list(itertools.islice(generator, 2))
        if not self._first:
            raise ValueError(
                "The generator is empty: expected at least one batch, such as (x, y). A generator "
                "object can be iterated only once; create a new one for each call."
            )

    def _batch(self, batch: Any) -> Any:
        batch = as_batch(batch)
        return batch if self._class_weight is None else weighted(batch, self._class_weight)

    def batches(self) -> Iterator[Any]:
        """The first two batches, and what is left."""
        for batch in itertools.chain(self._first, self._generator):
            yield self._batch(batch)

    def on_epoch_begin(self) -> None:
        """Generators need no notice."""

    def on_epoch_end(self) -> None:
        """Generators need no notice."""


def is_generator(value: Any) -> bool:
    """Whether batches are drawn from a value by `next`."""
    return isinstance(value, types.GeneratorType) or (
        hasattr(value, "__next__") and hasattr(value, "__iter__") and not is_array(value)
    )
