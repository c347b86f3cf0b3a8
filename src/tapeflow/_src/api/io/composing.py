"""Assemble sparse and ragged tensors from several features."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.joining import repeat
from tapeflow._src.api.io.features import RaggedFeature, SparseFeature
from tapeflow._src.api.io.requests import index_keys
from tapeflow._src.api.math.reduction import reduce_max
from tapeflow._src.api.sparse.layout import reorder
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.scan import cumsum


@scoped("SparseMerge")
def sparse_from(feature: SparseFeature, parsed: dict[str, Any]) -> SparseTensor:
    """Create the sparse tensor whose indices and values were parsed as sparse features."""
    values = parsed[feature.value_key]
    columns = [expand_dims(parsed[key].values, scalar_int(1)) for key in index_keys(feature)]
    sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
    indices = concat_v2([values.indices[:, :-1], *columns], scalar_int(1))
    shape = concat_v2(
        [values.dense_shape[:-1], dispatch.convert(list(sizes), dtypes.int64)], scalar_int(0)
    )
    merged = SparseTensor(indices, values.values, shape)
    return merged if feature.already_sorted else reorder(merged)


def ragged_from(key: str, feature: RaggedFeature, parsed: dict[str, Any]) -> Any:
    """Create the ragged tensor whose values and row partitions were parsed."""
    result = parsed[feature.value_key or key]
    for partition in reversed(feature.partitions):
        if isinstance(result, RaggedTensor) and _is_batched(parsed, feature, key):
            result = _cut_batch(result, partition, parsed, feature)
        else:
            result = _partition_example(result, partition, parsed, feature)
    return result


def _is_batched(parsed: dict[str, Any], feature: RaggedFeature, key: str) -> bool:
    return isinstance(parsed[feature.value_key or key], RaggedTensor)


def _partition_example(
    values: TensorLike, partition: Any, parsed: dict[str, Any], feature: RaggedFeature
) -> Any:
    """Partition the values of one example into rows."""
    kind, validate = feature.row_splits_dtype, feature.validate
    if isinstance(partition, RaggedFeature.UniformRowLength):
        return _evenly(values, partition.length)
    partition_values = cast(parsed[partition.key], DstT=kind)
    match partition:
        case RaggedFeature.RowSplits():
            return RaggedTensor.from_row_splits(values, partition_values, validate=validate)
        case RaggedFeature.RowLengths():
            return RaggedTensor.from_row_lengths(values, partition_values, validate=validate)
        case RaggedFeature.RowStarts():
            return RaggedTensor.from_row_starts(values, partition_values, validate=validate)
        case RaggedFeature.RowLimits():
            return RaggedTensor.from_row_limits(values, partition_values, validate=validate)
    return RaggedTensor.from_value_rowids(values, partition_values, validate=validate)


def _evenly(values: TensorLike, length: int) -> Any:
    """Partition into rows of one length: adds an axis to a tensor, or to a
    ragged tensor's values.
    """
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, length)
    inner = shape_of(values)[1:]
    return reshape(values, concat_v2([static_ints((-1, length)), inner], scalar_int(0)))


def _cut_batch(rows: Any, partition: Any, parsed: dict[str, Any], feature: RaggedFeature) -> Any:
    """Partition the values of every example into rows by the partition of the same example."""
    kind, validate = feature.row_splits_dtype, feature.validate
    if isinstance(partition, RaggedFeature.UniformRowLength):
        splits = rows.row_splits // dispatch.convert(partition.length, kind)
        inner = _evenly(rows.values, partition.length)
        return RaggedTensor.from_row_splits(inner, splits, validate=validate)
    cuts = parsed[partition.key]
    cuts = cuts.with_values(cast(cuts.values, DstT=kind))
    if isinstance(partition, RaggedFeature.RowLengths):
        inner = RaggedTensor.from_row_lengths(rows.values, cuts.values, validate=validate)
        return cuts.with_values(inner)
    if isinstance(partition, RaggedFeature.ValueRowIds):
        return _cut_by_ids(rows, cuts, validate)
    if isinstance(partition, RaggedFeature.RowSplits):
        cuts = cuts[:, 1:]
    # Positions are relative to the start of the example's values.
    starts = add_v2(cuts.values, repeat(rows.row_starts(), cuts.row_lengths(), axis=0))
    if isinstance(partition, RaggedFeature.RowStarts):
        inner = RaggedTensor.from_row_starts(rows.values, starts, validate=validate)
    else:
        inner = RaggedTensor.from_row_limits(rows.values, starts, validate=validate)
    return cuts.with_values(inner)


def _cut_by_ids(rows: Any, ids: Any, validate: bool) -> Any:
    zero, one = scalar(0, ids.values), scalar(1, ids.values)
    counts = maximum(reduce_max(ids.with_values(add_v2(ids.values, one)), axis=1), zero)
    before = cumsum(counts, scalar_int(0), exclusive=True)
    own = add_v2(ids.values, repeat(before, ids.row_lengths(), axis=0))
    total = reduce_max(cumsum(counts, scalar_int(0)))
    inner = RaggedTensor.from_value_rowids(
        rows.values, own, nrows=cast(total, DstT=own.dtype), validate=validate
    )
    return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
