"""Products of matrices of different sizes: filled up to one, multiplied, and cut again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import every, require, require_equal
from tapeflow._src.composite.ragged.elementwise import same_splits_dtype
from tapeflow._src.composite.ragged.implementations import implements
from tapeflow._src.composite.ragged.joining import with_levels
from tapeflow._src.composite.ragged.kinds import as_values, is_ragged
from tapeflow._src.composite.ragged.reshaping import with_axis
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.shape import scalar_int, shape
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matmul import batch_mat_mul_v2, batch_mat_mul_v3
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.segment import unsorted_segment_max


@implements(batch_mat_mul_v2, batch_mat_mul_v3)
def _(op: Op, x: Any, y: Any, *, adj_x: bool, adj_y: bool, **attrs: Any) -> Any:
    x, y = as_values(x), as_values(y)
    if x.shape.rank is None or y.shape.rank is None:
        raise ValueError("tf.matmul: the ranks of ragged tensors must be known.")
    if x.shape.rank != y.shape.rank:
        raise ValueError(
            f"matmul of ragged tensors needs `a` and `b` of one rank, received {x.shape.rank} and "
            f"{y.shape.rank}."
        )
    if x.dtype is not y.dtype:
        raise ValueError(
            f"matmul needs `a` and `b` of one dtype, received {x.dtype.name} and {y.dtype.name}: "
            "use tf.cast on one of them."
        )
    return _multiply(lambda a, b: op(a, b, adj_x=adj_x, adj_y=adj_y, **attrs), x, y, adj_x, adj_y)


def _multiply(product: Any, x: Any, y: Any, turn_x: bool, turn_y: bool) -> Any:
    if x.shape.rank == 2:
        result = _multiply(product, with_axis(x, 0), with_axis(y, 0), turn_x, turn_y)
        return result.to_tensor()[0] if is_ragged(result) else result[0]
    if not is_ragged(x) and not is_ragged(y):
        return product(x, y)
    kind = same_splits_dtype([value for value in (x, y) if is_ragged(value)])
    if x.shape.rank > 3:
        x, y = with_levels(x, 1, kind), with_levels(y, 1, kind)
        text = "tf.matmul: the batch axes of `a` and `b` must be equal"
        require_equal(x.row_splits, y.row_splits, text)
        return x.with_values(_multiply(product, x.values, y.values, turn_x, turn_y))
    left, right = _Matrices.of(x, kind, turn_x), _Matrices.of(y, kind, turn_y)
    text = "tf.matmul: the columns of `a` must be as many as the rows of `b`"
    fits = equal(left.columns, right.rows)
    require(every(fits) if fits.shape.rank else fits, text, left.columns, right.rows)
    result = product(left.filled, right.filled)
    if left.rows.shape.rank == 0 and right.columns.shape.rank == 0:
        return result
    count = sizes.count(result, kind)
    heights = _for_each(left.rows, count)
    if right.columns.shape.rank == 0:
        return RaggedTensor.from_tensor(result, lengths=heights, row_splits_dtype=kind)
    ids = RowPartition.from_row_lengths(heights, validate=False).value_rowids()
    widths = gather_v2(right.columns, ids, scalar_int(0))
    return RaggedTensor.from_tensor(result, lengths=(heights, widths), row_splits_dtype=kind)


@dataclass
class _Matrices:
    """Matrices filled up to one size, and how many rows and columns each has: or all, a scalar."""

    filled: Any
    rows: Any
    columns: Any

    @staticmethod
    def of(value: Any, kind: Any, turned: bool) -> _Matrices:
        if is_ragged(value):
            partition = value._row_partition
            filled = value.to_tensor()
            even = partition.uniform_row_length()
            rows = partition.row_lengths() if even is None else even
            columns = _widths(value)
        else:
            filled = value
            dims = shape(value, out_type=kind)
            rows, columns = get_item(dims, 1), get_item(dims, 2)
        return _Matrices(filled, columns, rows) if turned else _Matrices(filled, rows, columns)


def _widths(matrices: Any) -> Any:
    """Return how many columns each matrix has; within one, all rows must have as many."""
    outer, values = matrices._row_partition, matrices.values
    if not is_ragged(values):
        return get_item(shape(values, out_type=outer.dtype), 1)
    inner = values._row_partition
    if inner.is_uniform():
        return inner.uniform_row_length()
    lengths, ids = inner.row_lengths(), outer.value_rowids()
    widest = unsorted_segment_max(lengths, ids, outer.nrows())
    widest = maximum(widest, scalar(0, widest))
    same = equal(lengths, gather_v2(widest, ids, scalar_int(0)))
    text = (
        "tf.matmul: the rows of a matrix must have one length, received a matrix that is ragged "
        "in its last axis"
    )
    require(every(same), text, lengths)
    return widest


def _for_each(size: Any, count: Any) -> Any:
    return size if size.shape.rank else fill(sizes.vector(count), size)
