"""Datasets of one of several workers: its part of the data, and when all workers have no more.

A worker that has no more data, while others have, gets batches without rows, so that it takes part
in their collectives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout, described_specs
from tapeflow._src.core import nest, process_group
from tapeflow._src.core.errors import NotFoundError, invalid
from tapeflow._src.core.registry import Variant
from tapeflow._src.core.shape import TensorShape, as_dims
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.arguments import INFINITE
from tapeflow._src.data.dataset import Dataset
from tapeflow._src.data.dataset_op import dataset_op, rebuilt
from tapeflow._src.data.options import AutoShardPolicy
from tapeflow._src.data.recipe import Recipe, described
from tapeflow._src.data.selecting import Part
from tapeflow._src.data.service.policies import ShardingPolicy, sharded, sources
from tapeflow._src.data.stage import A_DATASET, Cursor, Element, Stage, upstream
from tapeflow._src.distribute.input import (
    DistributedDataset,
    require_batches,
    single_element,
    split_rows,
)
from tapeflow._src.distribute.per_replica import PerReplica, PerReplicaSpec
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation


def part_of_worker(dataset: Any, group: Any) -> Dataset:
    """Return a dataset of this worker's parts of the batches of a dataset of all."""
    require_batches(dataset)
    policy = dataset.options().experimental_distribute.auto_shard_policy
    files = _file_sources(dataset._variant_tensor._array)
    if policy is AutoShardPolicy.AUTO:
        enough = files and all(not 0 <= s.cardinality() < group.size for s in files)
        policy = AutoShardPolicy.FILE if enough else AutoShardPolicy.DATA
    if policy is AutoShardPolicy.DATA:
        part = dataset.map(
            lambda *batch: nest.map_structure(
                lambda tensor: split_rows(tensor, group.size, group.rank), single_element(batch)
            )
        )
        return with_agreed_end(part)
    if policy is AutoShardPolicy.FILE:
        dataset = _derived(dataset, _by_file(dataset, files, group))
    elif policy is AutoShardPolicy.HINT:
        stage = dataset._variant_tensor._array
        part = sharded(stage, ShardingPolicy.HINT, group.size, group.rank)
        dataset = _derived(dataset, part)
    return with_agreed_end(_rebatched(dataset, group))


def _derived(dataset: Any, stage: Stage) -> Dataset:
    """Return a dataset like another, of another stage."""
    recipe = Recipe(dataset._kind, EagerTensor(stage), dataset._layout.spec)  # type: ignore[arg-type]
    return Dataset._made(recipe, dataset._options)


def _file_sources(stage: Stage) -> list[Stage]:
    """Return the sources of file names, if functions of the dataset read files as datasets."""
    return sources(stage) if any(_reads_files(each) for each in upstream(stage)) else []


def _reads_files(stage: Stage) -> bool:
    body = None if stage.origin is None else stage.origin.attrs.get("f")
    return body is not None and any(map(_makes_dataset_of_files, _all_nodes(body)))


def _all_nodes(body: Body) -> Iterator[Operation]:
    """Yield the operations of a function, and of the functions of datasets in it."""
    for node in body.nodes():
        yield node
        for value in node.attrs.values():
            if isinstance(value, Body):
                yield from _all_nodes(value)


def _makes_dataset_of_files(node: Operation) -> bool:
    op = node.definition
    return op.infer_rule is A_DATASET and op.access is not None and op.access.what == "files"


def _by_file(dataset: Any, files: Sequence[Stage], group: Any) -> Stage:
    if not files:
        raise NotFoundError(
            None,
            None,
            "AutoShardPolicy.FILE needs a dataset that reads files, and this one reads none. Use "
            "AutoShardPolicy.DATA: every worker reads all and takes its part of each batch.",
        )
    for source in files:
        if 0 <= source.cardinality() < group.size:
            raise invalid(
                f"AutoShardPolicy.FILE needs a file for each of {group.size} workers, received a "
                f"dataset of {source.cardinality()}. Use AutoShardPolicy.DATA, or more files."
            )
    parts: dict[int, Stage] = {
        id(source): Part(source, group.rank, None, group.size) for source in files
    }
    return rebuilt(dataset._variant_tensor._array, parts)


def _rebatched(dataset: Any, group: Any) -> Any:
    """Return a dataset in batches of one worker, from one in batches of all."""
    size = _batch_size(dataset)
    if size is None:
        # Each batch is cut into as many pieces as there are workers.
        return dataset.flat_map(
            lambda *batch: Dataset.range(group.size).map(
                lambda i: nest.map_structure(
                    lambda tensor: split_rows(tensor, group.size, i), single_element(batch)
                )
            )
        )
    share, more = divmod(size, group.size)
    sizes = [share + (index < more) for index in range(group.size)]
    own = sizes[group.rank :] + sizes[: group.rank]
    drops = all(as_dims(spec.shape)[0] is not None for spec in nest.flatten(dataset.element_spec))  # type: ignore[index]
    return dataset.rebatch(own if more else own[0], drop_remainder=drops)


def _batch_size(dataset: Any) -> int | None:
    """Return the size of the batches of a dataset, if all but the last have it."""
    for spec in nest.flatten(dataset.element_spec):
        dims = as_dims(getattr(spec, "shape", None))
        if dims and dims[0] is not None:
            return int(dims[0])
    for stage in upstream(dataset._variant_tensor._array):
        origin = stage.origin
        if origin is not None and origin.op.name in _BATCHES:
            return int(origin.inputs[_BATCHES[origin.op.name]])
    return None


# The ops that make batches, and the position of the size among their inputs.
_BATCHES = {
    "BatchDatasetV2": 1,
    "ParallelBatchDataset": 1,
    "PaddedBatchDatasetV2": 1,
    "RebatchDatasetV2": 1,
}


# -- ends ------------------------------------------------------------------------------------------


class AgreedEnd(Stage):
    """The elements of this worker, and then batches without rows until all workers are done.

    `empty` is None if there are no such batches: components are ragged or sparse.
    """

    def __init__(self, source: Stage, empty: Element | None) -> None:
        self._source = source
        self._empty = empty

    def cursor(self) -> Cursor:
        return _AgreedEndCursor(self._source, self._empty)

    def cardinality(self) -> int:
        return self._source.cardinality()


class _AgreedEndCursor(Cursor):
    """Asks the other workers once for the number of their elements, or before each element."""

    def __init__(self, source: Stage, empty: Element | None) -> None:
        self._source = source.cursor()
        self._own = source.cardinality()
        self._empty = empty
        self._position = 0
        # The number of elements of the longest dataset, None if that is asked each time.
        self._length: int | None = None
        self._has_asked = False

    def __next__(self) -> Element:
        if not self._has_asked:
            self._ask()
        if self._length is not None and self._length != INFINITE and self._position >= self._length:
            raise StopIteration
        element = next(self._source, None)
        if self._length is None and not _sum_over_workers(element is not None):
            raise StopIteration
        self._position += 1
        if element is None:
            return self._placeholder()
        if self._empty is None:
            return element
        self._empty = tuple([_without_rows(array) for array in element])
        return element

    def _placeholder(self) -> Element:
        if self._empty is None:
            raise invalid(
                f"This worker has {self._position - 1} batches, and another one has more. A batch "
                "without rows takes the place of a missing one, but not of ragged or sparse "
                "components: give all workers the same number of batches (dataset.take, "
                "dataset.repeat), or pad them (ragged.to_tensor, tf.sparse.to_dense)."
            )
        return self._empty

    def _ask(self) -> None:
        """Ask all workers for the number of their elements."""
        self._has_asked = True
        group = process_group.joined()
        if group is None:
            self._length = INFINITE if self._own == INFINITE else None
            return
        counts = group.all_gather([np.array(self._own, np.int64)])[0].tolist()
        if all(count == INFINITE for count in counts):
            self._length = INFINITE
        elif all(count >= 0 for count in counts):
            self._length = max(counts)

    def get_state(self) -> Any:
        return self._position, self._source.get_state()

    def set_state(self, state: Any) -> None:
        self._position, inner = state
        self._source.set_state(inner)


def _sum_over_workers(flag: bool) -> int:
    group = process_group.joined()
    if group is None:
        return int(flag)
    return int(group.all_reduce([np.array(flag, np.int32)])[0])


def _without_rows(array: Any) -> Any:
    return array[:0] if getattr(array, "ndim", 0) and isinstance(array, np.ndarray) else array


@dataset_op("_AgreedEndDataset")
def agreed_end_dataset(
    xp, input_dataset: Variant, *, output_types, output_shapes, pads: bool = True
):
    """Return a dataset that ends when those of all workers do; `pads`: by batches without rows."""
    specs = described_specs(output_types, output_shapes)
    if not pads:
        return AgreedEnd(input_dataset, None)
    rows = [[n or 0 for n in (spec.shape or (0,))[1:]] for spec in specs]
    empty = tuple([np.empty([0, *dims], s.dtype.np) for s, dims in zip(specs, rows, strict=True)])
    return AgreedEnd(input_dataset, empty)


def with_agreed_end(dataset: Any) -> Dataset:
    """Return a dataset of this worker that ends when those of all workers do."""
    layout = Layout(nest.map_structure(_with_any_batch, dataset.element_spec))
    if dataset.cardinality() == INFINITE:
        layout = dataset._layout
    variant = agreed_end_dataset(dataset._variant_tensor, **described(layout), pads=layout.plain)
    recipe = Recipe("_AgreedEndDataset", variant, layout.spec)
    return Dataset._made(recipe, dataset._options)


def as_distributed(dataset: Dataset) -> DistributedDataset:
    """Return a dataset whose elements are the values of the only replica of this process."""
    if not dataset._layout.plain:
        # Ragged and sparse components are encoded in another way within a `PerReplica`.
        return DistributedDataset._from(
            dataset.map(
                lambda *batch: nest.map_structure(
                    lambda value: PerReplica([value]), single_element(batch)
                )
            )
        )
    spec = nest.map_structure(PerReplicaSpec, dataset.element_spec)
    recipe = Recipe("DistributedDataset", dataset._variant_tensor, spec)
    return DistributedDataset._from(Dataset._made(recipe, dataset._options))


def _with_any_batch(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        return spec
    return TensorSpec(TensorShape([None, *spec.shape[1:]]), spec.dtype)
