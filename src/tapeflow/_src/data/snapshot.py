"""`snapshot`: elements are written to a folder when they are first read, and then read from there.

The elements of different datasets are in different folders, named by their fingerprints.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.api.elements import Layout
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.paths import local_path
from tapeflow._src.core.registry import Free, ManyFree, Variant
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.data.dataset_op import dataset_op
from tapeflow._src.data.fingerprints import fingerprint
from tapeflow._src.data.functions import Call, Function, traced, traced_on_elements
from tapeflow._src.data.recipe import DatasetLike, Recipe, described, unchanged
from tapeflow._src.data.recording import Location, Recording
from tapeflow._src.data.sources import Elements
from tapeflow._src.data.stage import Stage

_INDEX = "snapshot.metadata"
# Whether records are compressed, by zlib at its quickest level in either case.
_COMPRESSED = {"": False, "NONE": False, "AUTO": False, "GZIP": True, "SNAPPY": True}


def _location(folder: str, compressed: bool) -> Location:
    def data(run: str, shard: int) -> tuple[str, str]:
        return os.path.join(folder, run), os.path.join(folder, run, f"{shard:08d}.elements")

    return Location(os.path.join(folder, _INDEX), data, compressed)


def _joiner(reader: Call) -> Callable[[Sequence[Stage]], Stage]:
    def joined(stages: Sequence[Stage]) -> Stage:
        shards = Elements([(stage,) for stage in stages])
        (stage,) = reader((shards,))
        result: Stage = stage
        return result

    return joined


@dataset_op("SnapshotDatasetV2", effect="io")
def snapshot_dataset_v2(
    xp,
    input_dataset: Variant,
    path: Free,
    reader_func_other_args: ManyFree,
    shard_func_other_args: ManyFree,
    *,
    output_types,
    output_shapes,
    reader_func,
    shard_func,
    compression="",
    reader_prefix="",
    writer_prefix="",
    hash_valid=False,
    hash=0,
    metadata="",
):
    """Return a dataset of the same elements, written to a folder once they have been read."""
    number = hash if hash_valid else fingerprint(input_dataset)
    folder = os.path.join(local_path(path.item()), f"{number & (2**64 - 1):016x}")
    shard = Call(shard_func, shard_func_other_args)
    return Recording(
        input_dataset,
        _location(folder, _COMPRESSED[compression]),
        lambda element: int(shard(element)[0]),
        _joiner(Call(reader_func, reader_func_other_args)),
    )


snapshot_dataset_v2.accesses("files")


def snapshot(
    dataset: DatasetLike,
    path: Any,
    compression: str | None,
    reader_func: Function,
    shard_func: Function | None,
    shards_spec: Any,
    name: str | None,
) -> Recipe:
    """Write elements when they are first read.

    Args:
        shards_spec: The spec of a dataset of shards, each a dataset.
    """
    kind = compression or ""
    if kind not in _COMPRESSED:
        raise ValueError(
            f'`compression` of a snapshot must be None, "AUTO", "GZIP" or "SNAPPY". Received: '
            f"{compression!r}"
        )
    layout = dataset._layout
    shard = traced_on_elements(shard_func or _to_one_shard, layout, "snapshot")
    spec = shard.layout.spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_A_SHARD):
        raise TypeError(f"`shard_func` must return a scalar of dtype tf.int64. Received: {spec}")
    reader = traced(reader_func, [Layout(shards_spec)], "snapshot")
    elements = getattr(reader.layout.spec, "element_spec", None)
    if elements is None:
        raise TypeError(
            f"`reader_func` must return a tf.data.Dataset. Received: {reader.layout.spec}"
        )
    if len(Layout(elements).tensors) != len(layout.tensors):
        raise invalid(
            f"`reader_func` must return a dataset of elements of {layout.spec}. Received: "
            f"{elements}"
        )
    variant = snapshot_dataset_v2(
        dataset._variant_tensor,
        dispatch.convert(path, dtypes.string),
        reader.captured,
        shard.captured,
        compression=kind,
        reader_func=reader.body,
        shard_func=shard.body,
        **described(layout),
        name=name,
    )
    return unchanged("_SnapshotDataset", dataset, variant)


_A_SHARD = TensorSpec([], dtypes.int64)


def _to_one_shard(*element: Any) -> Any:
    return dispatch.convert(np.int64(0))
