"""`tf.ragged.constant`: create a ragged tensor from nested lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.conversion import constant as dense_constant
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape

_SCALARS = frozenset({bool, int, float, complex, str, bytes})


@scoped("RaggedConstant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """Create a ragged tensor from nested lists; a dense one if they are not nested.

    Args:
        pylist: The values: nested sequences.
        dtype: The dtype of the values; inferred by default.
        ragged_rank: The number of ragged axes; by default as many as possible.
        inner_shape: The shape of the values below the ragged axes.
        name: Name of the op in a graph.
        row_splits_dtype: int32 or int64.

    Returns:
        A `tf.RaggedTensor`, or a `tf.Tensor`.

    Example:

        >>> tf.ragged.constant([[1, 2], [], [3]])
        <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    if isinstance(pylist, Composite):
        raise TypeError(
            f"`pylist` must be nested lists of Python values. Received a {type(pylist).__name__}, "
            f"which is ragged already."
        )
    inner = None if inner_shape is None else tuple(TensorShape(inner_shape).as_list())
    if not _is_list(pylist):
        if ragged_rank:
            raise _incompatible(pylist, f"ragged_rank={ragged_rank}")
        if inner:
            raise _incompatible(pylist, f"dim(inner_shape)={len(inner)}")
        return dense_constant(pylist, dtype)
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    depth, deepest = _depths(pylist)
    _check(pylist, depth, deepest, ragged_rank, inner)
    levels = ragged_rank
    if levels is None:
        levels = deepest - 1 - len(inner or ())
    if levels <= 0:
        return dense_constant(pylist, dtype, inner_shape)
    if inner is None:
        inner = () if ragged_rank is None else _inner_shape(pylist, levels)
    splits = []
    rows = list(pylist)
    for _ in range(levels):
        lengths = [len(row) for row in rows]
        splits.append(np.cumsum([0, *lengths]).astype(as_dtype(row_splits_dtype).np))
        rows = [item for row in rows for item in row]
    result: Any = dense_constant(rows, dtype, (len(rows), *inner), "values")
    for each in reversed(splits):
        partition = RowPartition.from_row_splits(dense_constant(each), validate=False)
        result = RaggedTensor(result, partition, internal=True)
    return result


def _is_list(value: Any) -> bool:
    # NumPy makes an array of a number to say that it has no axes: most values are numbers.
    return isinstance(value, (list, tuple)) or (type(value) not in _SCALARS and np.ndim(value) > 0)


def _incompatible(pylist: Any, constraint: str) -> ValueError:
    return ValueError(f"Invalid pylist={pylist!r}: incompatible with {constraint}")


def _check(
    pylist: Any, depth: int | None, deepest: int, ragged_rank: int | None, inner: Any
) -> None:
    """Raise ValueError unless the nesting depth is as requested."""
    if depth is not None and deepest > depth:
        raise ValueError(
            f"The lists are nested {deepest} deep, deeper than the scalars in them ({depth}). "
            f"Received: pylist={pylist!r}"
        )
    if ragged_rank is None:
        return
    if depth is not None and ragged_rank > 0 and depth <= ragged_rank:
        raise ValueError(
            f"pylist has scalar values depth {depth}, but ragged_rank={ragged_rank} requires "
            f"scalar value depth greater than {ragged_rank}"
        )
    if inner is not None:
        expected = ragged_rank + len(inner) + 1
        if (depth is not None and expected != depth) or (depth is None and expected < deepest):
            constraint = f"ragged_rank={ragged_rank} and dim(inner_shape)={len(inner)}"
            raise _incompatible(pylist, constraint)


def _depths(value: Any) -> tuple[int | None, int]:
    """Return the depth of the scalars, None if there are none, and of the deepest list."""
    if not _is_list(value):
        return 0, 0
    if isinstance(value, np.ndarray) and value.size and value.dtype != object:
        return value.ndim, value.ndim
    depth, deepest = None, 1
    for item in value:
        inner, inner_deepest = _depths(item)
        deepest = max(deepest, inner_deepest + 1)
        if inner is not None:
            if depth is not None and depth != inner + 1:
                raise ValueError(
                    f"Scalars must all be nested equally deep. Received scalars at depth {depth} "
                    f"and at depth {inner + 1}."
                )
            depth = inner + 1
    return depth, deepest


def _inner_shape(pylist: Any, levels: int) -> tuple[int, ...]:
    """Return the shape, the same for all, of the values below `levels` levels of rows.

    Where there are no values, or only empty ones, what can be seen of the shape is all of it.
    """
    values = list(pylist)
    for _ in range(levels):
        values = [item for row in values for item in row]
    shape: list[int] = []
    while values and any(_is_list(item) for item in values):
        sizes = {len(item) if _is_list(item) else None for item in values}
        if len(sizes) != 1:
            raise ValueError(f"inner values have inconsistent shape: {pylist!r}")
        shape.append(sizes.pop())  # type: ignore[arg-type]
        values = [item for value in values for item in value]
    return tuple(shape)
