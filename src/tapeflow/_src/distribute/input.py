"""Datasets whose elements have a part for each replica."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tapeflow._src.api.arrays.creation import zeros, zeros_like
from tapeflow._src.api.arrays.joining import concat
from tapeflow._src.api.sparse.cutting import slice as sparse_slice
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import nest
from tapeflow._src.core.dtypes import int64
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.iterator import OwnedIterator
from tapeflow._src.distribute.per_replica import PerReplica, regroup
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.math.cast import cast


class DistributedIterator(OwnedIterator):
    """An iterator over a distributed dataset."""

    def __init__(self) -> None:
        raise TypeError("Call iter() of a distributed dataset to get its iterator.")


class DistributedDataset(Dataset):
    """A dataset whose elements have a part for each replica.

    `Strategy.experimental_distribute_dataset` returns it.
    """

    def __init__(self) -> None:
        raise TypeError(
            "A distributed dataset is made from another: call "
            "strategy.experimental_distribute_dataset(dataset)."
        )

    @classmethod
    def of(cls, dataset: Dataset, count: int) -> DistributedDataset:
        """Return the dataset with its batches split among so many replicas."""
        require_batches(dataset)
        return cls._from(dataset.map(lambda *batch: split(single_element(batch), count)))

    @classmethod
    def _from(cls, dataset: Dataset) -> DistributedDataset:
        dataset.__class__ = cls
        return dataset  # type: ignore[return-value]

    def __iter__(self) -> OwnedIterator:
        iterator = super().__iter__()
        if type(iterator) is OwnedIterator:
            iterator.__class__ = DistributedIterator
        return iterator


def single_element(batch: tuple[Any, ...]) -> Any:
    """Return the element that a function of a dataset received as arguments."""
    return batch[0] if len(batch) == 1 else batch


def require_batches(dataset: Dataset) -> None:
    """Raise unless all components of a dataset have a first axis."""
    for spec in nest.flatten(dataset.element_spec):
        shape = getattr(spec, "shape", None)
        if shape is None or shape.rank == 0:
            raise ValueError(
                f"A dataset is distributed by splitting its batches, and {spec} has no axis to "
                f"split: call dataset.batch(global_batch_size) first."
            )


def split(batch: Any, count: int) -> Any:
    """Split the tensors of a structure among so many replicas, along the first axis.

    Each replica but the last ones has `ceil(n / count)` of `n` rows, as in TensorFlow.
    """
    return nest.map_structure(lambda tensor: _split_tensor(tensor, count), batch)


def _split_tensor(tensor: Any, count: int) -> PerReplica:
    return PerReplica([split_rows(tensor, count, index) for index in range(count)])


def split_rows(tensor: Any, count: int, index: Any) -> Any:
    """Return the rows of a tensor that one of so many replicas has."""
    if isinstance(tensor, SparseTensor):
        dims = cast(tensor.dense_shape, DstT=int64)
        size = (dims[:1] + count - 1) // count
        start = concat([cast(index, DstT=int64) * size, zeros_like(dims[1:])], axis=0)
        return sparse_slice(tensor, start, concat([size, dims[1:]], axis=0))
    rows = tensor.shape[0] if tensor.shape.rank else None
    total = shape_of(tensor)[0] if rows is None else rows
    size = (total + count - 1) // count
    return tensor[index * size : (index + 1) * size]


def distributed_from_function(dataset: Dataset, count: int) -> DistributedDataset:
    """Return a dataset whose elements are as many successive batches as there are replicas.

    Replicas without a batch at the end have batches without rows.
    """
    spec = dataset.element_spec
    relaxed = nest.map_structure(_with_any_batch, spec)

    def groups() -> Iterator[Any]:
        batches = iter(dataset)
        while group := list(islice(batches, count)):
            while len(group) < count:
                group.append(nest.map_structure(_without_rows, spec))
            yield tuple(group)

    grouped = Dataset.from_generator(groups, output_signature=(relaxed,) * count)

    def packed(*parts: Any) -> Any:
        flat = [nest.flatten(part) for part in parts]
        return nest.pack_sequence_as(spec, [PerReplica(leaves) for leaves in zip(*flat)])

    return DistributedDataset._from(grouped.map(packed))


def distributed_from_all(datasets: Sequence[Dataset]) -> DistributedDataset:
    """Return a dataset whose elements have one of each dataset, one for each replica."""
    zipped = Dataset.zip(tuple(datasets))
    return DistributedDataset._from(zipped.map(lambda *parts: regroup(parts)))


def _with_any_batch(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        return spec
    return TensorSpec(TensorShape([None, *spec.shape[1:]]), spec.dtype)


def _without_rows(spec: Any) -> Any:
    return zeros([0, *(size or 0 for size in spec.shape[1:])], spec.dtype)
