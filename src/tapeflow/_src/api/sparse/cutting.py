"""Slices, splits and selected elements of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.sparse.arguments import as_sparse, int64_tensor, parts_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import reshape, scalar_int, static_ints
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, floor_mod, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.counting import list_diff
from tapeflow._src.ops.math.extremes import minimum
from tapeflow._src.ops.sparse import layout as ops


def slice(sp_input: Any, start: TensorLike, size: Any, name: str | None = None) -> SparseTensor:
    """Extract a slice, clipped to the bounds of the tensor.

    Args:
        sp_input: A `tf.SparseTensor`.
        start: The first index along each axis.
        size: The number of elements along each axis.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor`.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.slice(x, [1, 0], [1, 2])).numpy().tolist()
        [[2, 3]]
    """
    sparse = as_sparse(sp_input, "sp_input")
    box = int64_tensor(start), int64_tensor(size)
    return SparseTensor(*ops.sparse_slice(*parts_of(sparse), *box, name=name))


def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Split along an axis into parts that are as equal as possible, larger ones first.

    Args:
        sp_input: A `tf.SparseTensor`.
        num_split: The number of parts, a Python int, at most the size of the axis.
        axis: The axis, a Python int.
        name: Name of the op in a graph.

    Returns:
        A list of sparse tensors.

    Raises:
        ValueError: An argument is missing, or the rank is unknown.
        InvalidArgumentError: `num_split` or `axis` is out of range.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> [tf.sparse.to_dense(part).numpy().tolist() for part in tf.sparse.split(x, 2, axis=1)]
        [[[0], [2]], [[1], [3]]]
    """
    for what, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{what} is required")
    sparse = as_sparse(sp_input, "sp_input")
    if np.ndim(num_split):
        raise TypeError(f"Expected int for argument 'num_split' not {num_split}.")
    if np.ndim(axis):
        raise _invalid(f"Input axis should be a scalar but received shape {list(np.shape(axis))}")
    rank, count, at = sparse.shape.rank, int(num_split), int(axis)
    if rank is None:
        raise ValueError("tf.sparse.split needs a SparseTensor of known rank.")
    if not -rank <= at < rank:
        raise _invalid(f"Input axis should be in range [{-rank}, {rank}), got {at}")
    at %= rank
    length = sparse.shape[at]
    if count < 1 or (length is not None and count > length):
        raise _invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({length}), "
            f"got {count}"
        )
    return [slice(sparse, *_piece(sparse, at, count, i), name) for i in range(count)]


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"{message} [tf.sparse.split]")


def _piece(sparse: SparseTensor, at: int, count: int, i: int) -> tuple[Any, Any]:
    """Return the start and size of part `i` of `count`."""
    here = np.arange(len(sparse.shape)) == at
    sizes = sparse.dense_shape
    pieces, number = (dispatch.convert(n, dtypes.int64) for n in (count, i))
    whole, rest = floor_div(sizes, pieces), floor_mod(sizes, pieces)
    start = add_v2(mul(number, whole), minimum(number, rest))
    length = add_v2(whole, cast(less(number, rest), DstT=dtypes.int64))
    zero = dispatch.convert(0, dtypes.int64)
    return select_v2(here, start, zero), select_v2(here, length, sizes)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Keep the elements for which `to_retain` is true.

    Args:
        sp_input: A `tf.SparseTensor`.
        to_retain: Booleans, one per explicit element.

    Returns:
        A `tf.SparseTensor` of the same dense shape.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.retain(x, [True, False, True])).numpy().tolist()
        [[0, 1], [0, 3]]
    """
    sparse = as_sparse(sp_input, "sp_input")
    mask = dispatch.convert(to_retain, None, dtypes.bool)
    mask.shape.with_rank(1).assert_is_compatible_with(sparse.values.shape)
    positions = reshape(where(mask), static_ints((-1,)))
    zero = scalar_int(0)
    result = SparseTensor(
        gather_v2(sparse.indices, positions, zero),
        gather_v2(sparse.values, positions, zero),
        sparse.dense_shape,
    )
    result.set_shape(sparse.shape)
    return result


@scoped("sparse_mask", names_result=True)
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Remove the rows of `IndexedSlices` listed in `mask_indices`.

    Args:
        a: `tf.IndexedSlices`.
        mask_indices: The indices to remove.
        name: Name of the op in a graph.

    Returns:
        `tf.IndexedSlices` without them.

    Example:

        >>> slices = tf.IndexedSlices(tf.constant([1, 2, 3]), tf.constant([10, 20, 30]))
        >>> tf.sparse.mask(slices, [20]).values.numpy().tolist()
        [1, 3]
    """
    masked = dispatch.convert(mask_indices, None, a.indices.dtype)
    indices, positions = list_diff(a.indices, masked)
    values = gather_v2(a.values, positions, scalar_int(0), name=name)
    return IndexedSlices(values, indices, a.dense_shape)
