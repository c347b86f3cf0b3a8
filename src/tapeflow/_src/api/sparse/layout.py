"""Concatenate, reshape, transpose and fill sparse tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.sparse import known_shapes
from tapeflow._src.api.sparse.arguments import all_sparse, as_sparse, int64_tensor, parts_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    fill,
    pack,
    range_,
    scalar_int,
    shape_of,
    size,
    static_ints,
    zeros_like,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, sub
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.reduction import max_
from tapeflow._src.ops.sparse import layout as ops
from tapeflow.debugging import assert_less_equal


def concat(
    axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Concatenate sparse tensors along an axis.

    Args:
        axis: The axis.
        sp_inputs: A list of sparse tensors of one rank and dtype.
        expand_nonconcat_dims: Whether other axes may differ in size: the result has the largest.
            Else they must agree.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor`.

    Raises:
        InvalidArgumentError: The list is empty, or sizes differ.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.concat(1, [x, x])).numpy().tolist()
        [[0, 1, 0, 1], [2, 3, 2, 3]]
    """
    inputs = all_sparse(sp_inputs)
    if not inputs:
        raise InvalidArgumentError(None, None, "tf.sparse.concat needs at least one SparseTensor.")
    if len(inputs) == 1:
        return inputs[0]
    shapes = [sparse.dense_shape for sparse in inputs]
    if expand_nonconcat_dims:
        shapes = _expanded(shapes, int(axis))
    result = SparseTensor(
        *ops.sparse_concat(
            [s.indices for s in inputs],
            [s.values for s in inputs],
            shapes,
            concat_dim=int(axis),
            name=name,
        )
    )
    if not expand_nonconcat_dims:
        result.set_shape(known_shapes.joined([s.shape for s in inputs], int(axis)))
    return result


def _expanded(shapes: list[Any], axis: int) -> list[Any]:
    """Expand all axes but `axis` to the largest size among the shapes."""
    largest = max_(pack(shapes), static_ints((0,)))
    at = axis + shapes[0].shape[0] if axis < 0 else axis
    return [
        concat_v2(
            [
                get_item(largest, slice(None, at)),
                get_item(sizes, slice(at, at + 1)),
                get_item(largest, slice(at + 1, None)),
            ],
            scalar_int(0),
        )
        for sizes in shapes
    ]


@scoped("expand_dims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Insert an axis of size 1 at position `axis`, by default the last.

    Args:
        sp_input: A `tf.SparseTensor`.
        axis: The position; -1 by default.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor`.

    Raises:
        InvalidArgumentError: `axis` is out of range (ValueError while a graph is traced).

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.expand_dims(x, 0).shape
        TensorShape([1, 2, 2])
    """
    sparse = as_sparse(sp_input, "sp_input")
    rank = sparse.shape.rank
    at: Any = -1 if axis is None else int(axis)
    if rank is not None:
        if not -rank - 1 <= at <= rank:
            raise _out_of_range(at, rank)
        at = at + rank + 1 if at < 0 else at
    elif at < 0:
        at = add_v2(size(sparse.dense_shape), scalar_int(at + 1))
    first = get_item(sparse.indices, (slice(None), slice(None, at)))
    last = get_item(sparse.indices, (slice(None), slice(at, None)))
    column = zeros_like(get_item(sparse.indices, (slice(None), slice(None, 1))))
    sizes = sparse.dense_shape
    one = dispatch.convert([1], dtypes.int64)
    around = get_item(sizes, slice(None, at)), get_item(sizes, slice(at, None))
    result = SparseTensor(
        concat_v2([first, column, last], scalar_int(1)),
        sparse.values,
        concat_v2([around[0], one, around[1]], scalar_int(0)),
    )
    if rank is not None:
        dims = sparse.shape.as_list()
        result.set_shape([*dims[:at], 1, *dims[at:]])
    return result


def _out_of_range(axis: int, rank: int) -> Exception:
    message = f"axis must be in the range [{-rank - 1}, {rank}], got {axis}"
    eager = dispatch.state.mode is dispatch.base_mode()
    return InvalidArgumentError(None, None, message) if eager else ValueError(message)


@scoped("eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Create a sparse identity matrix.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; `num_rows` by default.
        dtype: The dtype; float32 by default.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor`.

    Example:

        >>> tf.sparse.to_dense(tf.sparse.eye(2, 3, tf.int32)).numpy().tolist()
        [[1, 0, 0], [0, 1, 0]]
    """
    rows = int64_tensor(num_rows)
    columns = rows if num_columns is None else int64_tensor(num_columns)
    count = minimum(rows, columns)
    diagonal = range_(scalar(0, rows), count, scalar(1, rows))
    kind = as_dtype(dtype)
    one = dispatch.convert(True if kind is dtypes.bool else 1, kind)
    values = fill(shape_of(diagonal), one, name="ones")
    sizes = pack([rows, columns], name="SparseTensor/dense_shape")
    return SparseTensor(pack([diagonal, diagonal], axis=1), values, sizes)


@scoped("SparseFillEmptyRows")
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Insert `default_value` into empty rows; also return which rows were empty.

    Args:
        sp_input: A `tf.SparseTensor` of rank 2 or more; rows are along the first axis.
        default_value: The value, put into the first column of a row.
        name: Name of the op in a graph.

    Returns:
        A tuple of a `tf.SparseTensor` and a bool tensor of shape `[rows]`.

    Example:

        >>> x = tf.SparseTensor([[1, 1]], [7], [2, 2])
        >>> full, empty = tf.sparse.fill_empty_rows(x, 5)
        >>> tf.sparse.to_dense(full).numpy().tolist(), empty.numpy().tolist()
        ([[5, 0], [0, 7]], [True, False])
    """
    sparse = as_sparse(sp_input, "sp_input")
    default = dispatch.convert(
        default_value, None if hasattr(default_value, "dtype") else sparse.dtype
    )
    indices, values, empty, _ = ops.sparse_fill_empty_rows(*parts_of(sparse), default)
    return SparseTensor(indices, values, sparse.dense_shape), empty


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Sort the elements in row-major order of their indices, as many functions require.

    Args:
        sp_input: A `tf.SparseTensor`.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with the same elements.

    Example:

        >>> x = tf.SparseTensor([[1, 0], [0, 0]], [10, 20], [2, 2])
        >>> tf.sparse.reorder(x).values.numpy().tolist()
        [20, 10]
    """
    sparse = as_sparse(sp_input, "sp_input")
    indices, values = ops.sparse_reorder(*parts_of(sparse), name=name)
    result = SparseTensor(indices, values, sparse.dense_shape)
    result.set_shape(sparse.shape)
    return result


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """Set the dense shape: a larger one, or the tightest that holds the elements.

    Args:
        sp_input: A `tf.SparseTensor`.
        new_shape: The new shape; the tightest by default.

    Returns:
        A `tf.SparseTensor` with the same elements.

    Raises:
        ValueError: An axis would become smaller.

    Example:

        >>> x = tf.SparseTensor([[0, 1]], [7], [9, 9])
        >>> tf.sparse.reset_shape(x).shape
        TensorShape([1, 2])
    """
    sparse = as_sparse(sp_input, "sp_input")
    if new_shape is None:
        last = max_(sparse.indices, static_ints((0,)))
        sizes = maximum(add_v2(last, scalar(1, last)), scalar(0, last))
    else:
        sizes = int64_tensor(new_shape)
        sizes.shape.with_rank(1).assert_is_compatible_with(sparse.dense_shape.shape)
        if sizes.static_value is not None and sparse.shape.is_fully_defined():
            if any(n < o for n, o in zip(sizes.static_value.tolist(), sparse.shape)):
                raise ValueError(
                    f"No axis may be smaller in `new_shape` than in the tensor. "
                    f"Received: new_shape={sizes.static_value.tolist()} for shape {sparse.shape}"
                )
        else:
            assert_less_equal(sparse.dense_shape, sizes)
    return SparseTensor(sparse.indices, sparse.values, sizes)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Reshape; one size may be -1 and is inferred.

    Args:
        sp_input: A `tf.SparseTensor`.
        shape: The new sizes, with the same product.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor`.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.reshape(x, [-1])).numpy().tolist()
        [0, 1, 2, 3]
    """
    sparse = as_sparse(sp_input, "sp_input")
    target = int64_tensor(shape)
    indices, sizes = ops.sparse_reshape(sparse.indices, sparse.dense_shape, target, name=name)
    result = SparseTensor(indices, sparse.values, sizes)
    result.set_shape(known_shapes.reshaped(sparse.shape, target))
    return result


@scoped("SparseTranspose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Permute the axes; reversed by default.

    Args:
        sp_input: A `tf.SparseTensor`.
        perm: The order of the axes.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with indices in row-major order.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.transpose(x)).numpy().tolist()
        [[0, 2], [1, 3]]
    """
    sparse = as_sparse(sp_input, "sp_input")
    static_shape = known_shapes.turned(sparse.shape, perm)
    if perm is None:
        rank = size(sparse.dense_shape)
        one = scalar_int(1)
        perm = sub(sub(rank, one), range_(scalar_int(0), rank, one))
    order = dispatch.convert(perm, None if hasattr(perm, "dtype") else dtypes.int32)
    order.shape.assert_is_compatible_with(sparse.dense_shape.shape)
    turned = SparseTensor(
        gather_v2(sparse.indices, order, scalar_int(1)),
        sparse.values,
        gather_v2(sparse.dense_shape, order, scalar_int(0)),
    )
    turned.set_shape(static_shape)
    return reorder(turned)
