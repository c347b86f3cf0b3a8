"""Ragged tensors and tensors brought to the same rows, so that they can be used element-wise.

Axes are aligned at the end, as for tensors. An axis of size 1 is repeated; rows of different
lengths must be the same in every operand. Walking from the first axis inwards, each operand either
still has the rows of the result, or an index says which of its rows stands for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import every, require, require_equal
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core.dtypes import DType
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, not_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.logical import logical_or

_MISMATCH = "Unable to broadcast the ragged shapes: sizes differ in dimension {}"


@dataclass
class Operand:
    """Values in rows, and which of its rows stands for each row of the result (None: its own)."""

    partitions: tuple[RowPartition, ...]
    dims: Any
    """The sizes of the axes below the rows, the first of which is the number of values."""
    rank: int
    values: Any = None
    index: Any = None

    @staticmethod
    def of(value: Any, dtype: DType) -> Operand:
        """Return a ragged tensor or a tensor as an operand."""
        rank = value.shape.rank
        if rank is None:
            raise ValueError(
                f"A tensor of unknown rank cannot be broadcast against a ragged tensor; tell its "
                f"shape with tf.ensure_shape. Received: {value!r}"
            )
        flat = value.flat_values if is_ragged(value) else value
        partitions = value._nested_row_partitions if is_ragged(value) else ()
        return Operand(partitions, shape(flat, out_type=dtype), rank, flat)

    def size(self, axis: int, rank: int) -> Any:
        """Return the rows, or the one size, of an axis of the result: 1 if it has no such axis."""
        own = axis - (rank - self.rank)
        if own < 0:
            return scalar(1, self.dims)
        if 0 < own <= len(self.partitions):
            partition = self.partitions[own - 1]
            return partition.uniform_row_length() if partition.is_uniform() else partition
        if own == 0:
            return self.partitions[0].nrows() if self.partitions else get_item(self.dims, 0)
        return get_item(self.dims, own - len(self.partitions))


def align(operands: list[Operand], dtype: DType) -> tuple[RowPartition, ...]:
    """Return the rows of the result; each operand's index is set to say how it gets there."""
    rank = max(operand.rank for operand in operands)
    depth = max(len(o.partitions) + rank - o.rank if o.partitions else 0 for o in operands)
    if not depth:
        return ()
    # One that begins below all rows is repeated as a whole.
    operands = [operand for operand in operands if rank - operand.rank <= depth]
    row_counts = [operand.size(0, rank) for operand in operands]
    rows = _common_size(row_counts, 0)
    for operand, size in zip(operands, row_counts):
        if size.static_value == 1 and rows.static_value != 1:
            operand.index = fill(sizes.vector(rows), scalar(0, rows))
        elif _may_be_repeated(size, rows):
            operand.index = mul(sizes.numbers_below(rows), _unless_one(size))
    result = []
    for axis in range(1, depth + 1):
        partition = _common_rows(operands, axis, rank, rows)
        result.append(partition)
        rows = partition.nvals()
    return tuple(result)


def _may_be_repeated(size: Any, target: Any) -> bool:
    """Whether an axis has or may have size 1 where the result (of no one size: None) has more."""
    if size is target or size.static_value not in (None, 1):
        return False
    return size.static_value is None or target is None or target.static_value != 1


def _unless_one(size: Any) -> Any:
    """Return 0 if `size` is 1, else 1: the factor of steps along an axis."""
    return cast(not_equal(size, scalar(1, size)), DstT=size.dtype)


def _common_size(sizes_along_axis: list[Any], axis: int) -> Any:
    """Return the one size that is not 1."""
    result = sizes_along_axis[0]
    for size in sizes_along_axis[1:]:
        static_size, other = result.static_value, size.static_value
        if size is result or (
            static_size is not None and other is not None and static_size == other
        ):
            continue
        if other == 1:
            continue
        if static_size == 1:
            result = size
            continue
        one = scalar(1, size)
        fits = logical_or(equal(size, result), logical_or(equal(size, one), equal(result, one)))
        require(fits, _MISMATCH.format(axis), result, size)
        result = select_v2(equal(result, one), size, result)
    return result


def _common_rows(operands: list[Operand], axis: int, rank: int, rows: Any) -> RowPartition:
    """Return the rows of the result along an axis; the operands' indices are moved on to them."""
    sizes_along_axis = [operand.size(axis, rank) for operand in operands]
    ragged = [i for i, size in enumerate(sizes_along_axis) if isinstance(size, RowPartition)]
    even = [size for size in sizes_along_axis if not isinstance(size, RowPartition)]
    if not ragged:
        length = _common_size(even, axis)
        partition = RowPartition.from_uniform_row_length(length, None, rows, validate=False)
    else:
        partition = _rows_of(operands[ragged[0]], sizes_along_axis[ragged[0]])
        lengths = partition.row_lengths()
        for i in ragged[1:]:
            other = _rows_of(operands[i], sizes_along_axis[i])
            if not other._same_as(partition):
                require_equal(other.row_lengths(), lengths, _MISMATCH.format(axis))
        for size in even:
            if size.static_value != 1:
                fits = every(equal(lengths, size))
                text = _MISMATCH.format(axis)
                require(logical_or(fits, equal(size, scalar(1, size))), text, lengths, size)
    for operand, size in zip(operands, sizes_along_axis):
        _descend(operand, size, partition)
    return partition


def _rows_of(operand: Operand, partition: RowPartition) -> RowPartition:
    """Return the operand's rows, one for each row of the result."""
    if operand.index is None:
        return partition
    lengths = gather_v2(partition.row_lengths(), operand.index, scalar_int(0))
    return RowPartition.from_row_lengths(lengths, validate=False)


def _descend(operand: Operand, size: Any, partition: RowPartition) -> None:
    """Make the operand's index one of the values in the rows of the result."""
    is_rows = isinstance(size, RowPartition)
    length = partition.uniform_row_length()
    same = is_rows or not _may_be_repeated(size, length)
    if operand.index is None and same:
        return
    ids = partition.value_rowids()
    outer = ids if operand.index is None else gather_v2(operand.index, ids, scalar_int(0))
    if is_rows:
        starts = gather_v2(size.row_starts(), outer, scalar_int(0))
        operand.index = add_v2(starts, partition.offsets_in_rows())
    elif size.static_value == 1:
        operand.index = outer
    else:
        steps = mul(partition.offsets_in_rows(), _unless_one(size))
        operand.index = add_v2(mul(outer, size), steps)


def flat(operand: Operand, depth: int, rank: int) -> Any:
    """Return the operand's values, one for each value of the result along `depth`
    levels of rows.
    """
    own = depth - (rank - operand.rank)
    if own < 0:
        return operand.values
    values = operand.values
    extra = own - len(operand.partitions)
    if extra > 0:
        first = sizes.vector(scalar(-1, operand.dims))
        rest = get_item(operand.dims, slice(extra + 1, None))
        values = reshape(values, concat_v2([first, rest], scalar_int(0)))
    if operand.index is None or (not operand.partitions and values.shape[0] == 1):
        return values
    return gather_v2(values, operand.index, scalar_int(0))
