"""`tf.ragged.range`, and conversion between row splits and segment ids."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.ranges import ragged_range
from tapeflow._src.composite.ragged.row_partition import RowPartition, as_partition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.reduction import max_

# What numbers of different dtypes become, the later the wider.
_WIDTHS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@scoped("RaggedRange", names_result=True)
def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """Create a ragged tensor with the range of each start and limit.

    Args:
        starts: The first numbers, or the limits if they are the only argument.
        limits: The upper bounds, excluded.
        deltas: The increments. All three are vectors of one length, or scalars.
        dtype: The dtype of the numbers; by default the widest of the arguments.
        name: Name of the op in a graph.
        row_splits_dtype: int32 or int64.

    Returns:
        A `tf.RaggedTensor` of one row per range.

    Raises:
        ValueError: A dtype is not supported.

    Example:

        >>> tf.ragged.range([3, 0, 2]).to_list()
        [[0, 1, 2], [], [0, 1]]
        >>> tf.ragged.range([5, 1], [8, 2]).to_list()
        [[5, 6, 7], [1]]
    """
    if limits is None:
        starts, limits = 0, starts
    operands = [convert(value, dtype) for value in (starts, limits, deltas)]
    if dtype is None:
        widest = max((tensor.dtype for tensor in operands), key=_width)
        operands = [t if t.dtype is widest else cast(t, DstT=widest) for t in operands]
    splits, values = ragged_range(*operands, Tsplits=as_dtype(row_splits_dtype), name=name)
    rows = RowPartition(splits, nvals=sizes.count(values, splits.dtype), internal=True)
    return RaggedTensor(values, rows, internal=True)


def _width(dtype: DTypeLike) -> int:
    if dtype not in _WIDTHS:
        names = ", ".join(each.name for each in _WIDTHS)
        raise ValueError(f"tf.ragged.range takes numbers of {names}. Received: {dtype!r}")
    return _WIDTHS.index(dtype)


@scoped("RaggedSplitsToSegmentIds")
def row_splits_to_segment_ids(
    splits: Any, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """Convert row splits to the row index of each value.

    Args:
        splits: Row splits: 0 and then the end of each row.
        name: Name of the op in a graph.
        out_type: The dtype of the result; that of the splits by default.

    Returns:
        An integer tensor of rank 1.

    Raises:
        ValueError: The splits are empty.

    Example:

        >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]).numpy().tolist()
        [0, 0, 2]
    """
    tensor = as_partition(convert(splits, None, dtypes.int64), "splits")
    tensor.shape.assert_has_rank(1)
    if tensor.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    ids = RowPartition(tensor, internal=True).value_rowids()
    return ids if out_type is None else sizes.as_dtype_of(ids, as_dtype(out_type))


@scoped("SegmentIdsToRaggedSplits")
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: Any = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Convert the row index of each value to row splits.

    Args:
        segment_ids: Row indices in ascending order.
        num_segments: The number of rows; by default one more than the largest index.
        out_type: The dtype of the result; that of the ids by default.
        name: Name of the op in a graph.

    Returns:
        An integer tensor of rank 1.

    Raises:
        TypeError: The ids are not integers.

    Example:

        >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy().tolist()
        [0, 2, 2, 3]
    """
    ids = convert(segment_ids, None, dtypes.int64)
    if not ids.dtype.is_integer:
        raise TypeError(f"`segment_ids` must be integers. Received the dtype {ids.dtype.name}")
    ids.shape.assert_has_rank(1)
    if num_segments is None:
        below = sizes.vector(scalar(-1, ids))
        num_segments = max_(concat_v2([ids, below], scalar_int(0)), scalar_int(0)) + 1
    splits = RowPartition._of_ids(ids, num_segments, validate=False).row_splits()
    return splits if out_type is None else sizes.as_dtype_of(splits, as_dtype(out_type))
