"""Kinds of datasets, for `isinstance`: here they are one class, and know how they were made."""

from __future__ import annotations

from typing import Any

from tapeflow.data import Dataset


class _OfKind(type):
    """The class of a kind: its instances are the datasets of that kind."""

    kind: str

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Dataset) and instance._kind == cls.kind


class GeneratorDataset(metaclass=_OfKind):
    """Made by a generator."""

    kind = "_FlatMapDataset"


class RangeDataset(metaclass=_OfKind):
    """A range of numbers."""

    kind = "_RangeDataset"


class SparseTensorSliceDataset(metaclass=_OfKind):
    """The rows of one sparse tensor, as TensorFlow 1 made them."""

    kind = "_SparseTensorSliceDataset"


class TensorDataset(metaclass=_OfKind):
    """One element."""

    kind = "_TensorDataset"


class TensorSliceDataset(metaclass=_OfKind):
    """The rows of tensors."""

    kind = "_TensorSliceDataset"
