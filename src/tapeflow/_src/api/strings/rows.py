"""Tokens of strings as rows: a vector for one string, a ragged tensor for several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import range_, shape_of, static_ints
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.product import prod


def as_strings(value: TensorLike) -> Any:
    """Convert `value` to a string tensor; the op raises for another dtype."""
    if isinstance(value, (RaggedTensor, Tensor)):
        return value
    return dispatch.convert(value, dtypes.string)


def over_values(function: Callable[[Any], Any], rows: RaggedTensor) -> Any:
    """Apply `function` to the innermost values and keep the row partitions."""
    return RaggedTensor.from_nested_row_splits(
        function(rows.flat_values), rows.nested_row_splits, validate=False
    )


def rows_of_splits(input: TensorLike, values: TensorLike, row_splits: TensorLike) -> Any:
    """Partition tokens by row splits: a vector for one string, else a ragged tensor."""
    if _rank(input) == 0:
        return values
    return _as_many_axes(input, RaggedTensor.from_row_splits(values, row_splits, validate=False))


def rows_of_sparse(input: Any, indices: Any, values: Any, shape: Any) -> Any:
    """Partition tokens that lie at `indices` of a sparse matrix."""
    if _rank(input) == 0:
        return values
    rows = RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)
    return _as_many_axes(input, rows)


def _rank(input: Any) -> int:
    rank = input.shape.rank
    if rank is None:
        raise ValueError(
            "The rank of the strings must be known when parts of them become rows; set it with "
            "tf.ensure_shape."
        )
    return rank


def _as_many_axes(input: TensorLike, rows: Any) -> Any:
    """Add uniform row partitions for the axes of the input before its last."""
    rank = _rank(input)
    if rank == 1:
        return rows
    sizes = cast(shape_of(input), DstT=dtypes.int64)
    for i in range(rank - 1, 0, -1):
        count = prod(sizes[:i], static_ints((0,)))
        rows = RaggedTensor.from_uniform_row_length(rows, sizes[i], nrows=count, validate=False)
    return rows


def even_splits(count: Any, length: Any) -> Tensor:
    """Return the row splits of `count` rows of one length."""
    return mul(range_(scalar(0, count), add_v2(count, scalar(1, count)), scalar(1, count)), length)
