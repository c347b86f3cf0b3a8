"""Elements and parts of tensors by their position, and choices between tensors."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.axes import normalized, normalized_axes, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import accumulated, dtype_of, operand, result_type, to_tensor
from tapeflow._src.keras.ops.shapes import moveaxis, swapaxes
from tapeflow._src.keras.ops.sorting import nonzero

_op = functools.partial(declare, family="numpy")


@_op(call=("x", "key"))
def get_item(x: Any, key: Any) -> Any:
    """Returns `x[key]`.

    Args:
        x: A tensor.
        key: An index: integers, slices, `...`, None for a new axis, or a tuple of these; a list
            counts as a tuple.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.get_item(tf.constant([[1, 2], [3, 4]]), (slice(None), 1)).numpy()
        array([2, 4], dtype=int32)
    """
    return x[tuple(key) if isinstance(key, list) else key]


def _from_start(indices: Any, size: Any) -> Any:
    """Indices of which negative ones count from the end, counted from the start."""
    return tf.where(indices < 0, indices + tf.cast(size, indices.dtype), indices)


def _take_spec(self: Any, x: Any, indices: Any) -> Any:
    shape = tuple(indices.shape) if hasattr(indices, "shape") else to_tensor(indices).shape
    if self.axis is not None:
        axis = normalized(self.axis, len(x.shape))
        shape = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    return KerasTensor(shape, x.dtype, ragged=getattr(indices, "ragged", False))


@_op(call=("x", "indices"), output_spec=_take_spec)
def take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns the elements at `indices` along `axis`, or of the flattened tensor.

    Negative indices count from the end.

    Args:
        x: Tensor, or a value that converts to one.
        indices: Tensor of integers of any shape; ragged indices return a ragged tensor. In a sparse
            tensor of indices, what is not stored is 0.
        axis: The axis to pick from; None flattens `x` first.

    Returns:
        A tensor of the shape of `x`, with `axis` replaced by the axes of `indices`.

    Example:
        >>> x = [[1, 2], [3, 4], [5, 6]]
        >>> tf.keras.ops.take(x, [0, -1], axis=0).numpy()
        array([[1, 2],
               [5, 6]], dtype=int32)
        >>> tf.keras.ops.take(x, [0, 5]).numpy()
        array([1, 6], dtype=int32)
    """
    x = to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    size = sizes(x)[axis]
    if isinstance(indices, tf.RaggedTensor):
        return tf.gather(x, indices.with_values(_from_start(indices.values, size)), axis=axis)
    if isinstance(indices, tf.SparseTensor):
        return _take_sparse(x, indices, axis, size)
    return tf.gather(x, _from_start(to_tensor(indices), size), axis=axis)


def _take_sparse(x: Any, indices: Any, axis: int, size: Any) -> Any:
    """The first row where no index is stored, as a table of embeddings is looked up."""
    full = sparse.dense(indices)
    return tf.gather(x, _from_start(full, size), axis=axis)


@_op(call=("x", "indices"))
def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Any:
    """Returns elements along `axis`, with indices of its own for each slice.

    The companion of `argsort` and `argmax` with `keepdims=True`.

    Args:
        x: Tensor, or a value that converts to one.
        indices: Tensor of integers with as many axes as `x`; all axes but `axis` broadcast.
            Negative indices count from the end.
        axis: The axis that indices count along; None flattens `x` and takes a vector of indices.

    Returns:
        A tensor of the size of `indices` along `axis`.

    Raises:
        ValueError: The numbers of axes differ.

    Example:
        >>> x = tf.constant([[30, 10, 20], [5, 6, 4]])
        >>> tf.keras.ops.take_along_axis(x, tf.keras.ops.argsort(x, axis=1), axis=1).numpy()
        array([[10, 20, 30],
               [ 4,  5,  6]], dtype=int32)
    """
    x, indices = to_tensor(x), to_tensor(indices, "int64")
    if axis is None:
        if indices.shape.rank != 1:
            raise ValueError(
                f"`indices` must be a vector if `axis` is None. Received: indices of shape "
                f"{indices.shape}"
            )
        x, axis = tf.reshape(x, [-1]), 0
    rank = x.shape.rank
    if rank != indices.shape.rank:
        raise ValueError(
            f"`x` and `indices` must have equally many axes. Received: x of shape {x.shape}, "
            f"indices of shape {indices.shape}"
        )
    axis = normalized(axis, rank)
    indices = _from_start(indices, sizes(x)[axis])
    x, indices = swapaxes(x, axis, -1), swapaxes(indices, axis, -1)
    others = tf.broadcast_dynamic_shape(tf.shape(x)[:-1], tf.shape(indices)[:-1])
    known = tf.broadcast_static_shape(x.shape[:-1], indices.shape[:-1])
    x = _broadcast_rows(x, others, known)
    indices = _broadcast_rows(indices, others, known)
    return swapaxes(tf.gather(x, indices, batch_dims=rank - 1), axis, -1)


def _broadcast_rows(x: Any, others: Any, known: Any) -> Any:
    """`x` with all axes but the last broadcast."""
    if known.is_fully_defined() and x.shape[:-1] == known:
        return x
    full = tf.broadcast_to(x, tf.concat([others, tf.shape(x)[-1:]], 0))
    return tf.ensure_shape(full, [*known, x.shape[-1]])


@_op(call=("condition", "x1", "x2"))
def where(condition: TensorLike, x1: TensorLike | None = None, x2: TensorLike | None = None) -> Any:
    """Returns elements of `x1` where `condition` is true, of `x2` elsewhere.

    Without `x1` and `x2`, returns the indices of true elements, as `nonzero`. All three broadcast;
    `x1` and `x2` are promoted to a common dtype.

    Args:
        condition: Tensor, or a value that converts to one; nonzero numbers count as true.
        x1: Values where it is true.
        x2: Values where it is false.

    Returns:
        A tensor of the broadcast shape, or a tuple of index vectors.

    Raises:
        ValueError: Only one of `x1` and `x2` is passed.

    Example:
        >>> x = tf.constant([-1.0, 0.5, 2.0])
        >>> tf.keras.ops.where(x > 0, x, 0.0).numpy()
        array([0. , 0.5, 2. ], dtype=float32)
        >>> [i.numpy() for i in tf.keras.ops.where(x > 0)]
        [array([1, 2], dtype=int32)]
    """
    if (x1 is None) != (x2 is None):
        raise ValueError("`where` takes both `x1` and `x2`, or neither. Received only one of them.")
    condition = to_tensor(condition, "bool")
    if x1 is None:
        return nonzero(condition)
    x1, x2 = operand(x1), operand(x2)
    dtype = result_type(dtype_of(x1), dtype_of(x2))
    return tf.where(condition, to_tensor(x1, dtype), to_tensor(x2, dtype))


@_op(call=("condlist", "choicelist", "default"), nested=True)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Returns elements of the first choice whose condition is true, else `default`.

    Args:
        condlist: List of conditions; nonzero numbers count as true.
        choicelist: List of as many tensors. Conditions and choices broadcast.
        default: Value where no condition is true.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        ValueError: The arguments are not lists of one length, or are empty.

    Example:
        >>> x = tf.constant([1, 5, 9])
        >>> tf.keras.ops.select([x < 3, x > 6], [x, 10 * x], -1).numpy().tolist()
        [1, -1, 90]
    """
    if not (isinstance(condlist, (list, tuple)) and isinstance(choicelist, (list, tuple))):
        raise ValueError(
            f"Conditions and choices must be lists. Received: {type(condlist).__name__} and "
            f"{type(choicelist).__name__}"
        )
    if not condlist or len(condlist) != len(choicelist):
        raise ValueError(
            f"`condlist` and `choicelist` must be equally long and not empty. Received: "
            f"{len(condlist)} conditions and {len(choicelist)} choices"
        )
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = where(condition, choice, result)
    return result


@_op(call=("indices",))
def unravel_index(indices: Any, shape: Any) -> Any:
    """Returns the coordinates of indices into a flattened tensor of this shape.

    Args:
        indices: Tensor of integers; negative ones count from the end.
        shape: The shape that the indices refer to, fully known.

    Returns:
        A tuple of one tensor per axis of `shape`, each of the shape of `indices`.

    Raises:
        ValueError: A size of `shape` is None.

    Example:
        >>> [i.numpy() for i in tf.keras.ops.unravel_index([1, 5], (2, 3))]
        [array([0, 1], dtype=int32), array([1, 2], dtype=int32)]
    """
    if None in tuple(shape):
        raise ValueError(f"The sizes of `shape` must be known. Received: shape={shape}")
    indices = to_tensor(indices)
    total = tf.cast(tf.reduce_prod(tf.constant(shape, tf.int64)), indices.dtype)
    left = _from_start(indices, total)
    coordinates = []
    for size in reversed(tuple(shape)):
        length = tf.cast(size, indices.dtype)
        coordinates.append(tf.math.floormod(left, length))
        left = left // length
    return tuple(reversed(coordinates))


@_op()
def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns the diagonals of the matrices that two axes form.

    Args:
        x: Tensor of at least two axes.
        offset: Which diagonal: above the main one if positive, below it if negative.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        A tensor without these axes, and with a last one along the diagonals.

    Raises:
        ValueError: `axis1` and `axis2` are the same.

    Example:
        >>> tf.keras.ops.diagonal([[1, 2, 3], [4, 5, 6]]).numpy()
        array([1, 5], dtype=int32)
        >>> tf.keras.ops.diagonal([[1, 2, 3], [4, 5, 6]], offset=1).numpy()
        array([2, 6], dtype=int32)
    """
    x = to_tensor(x)
    rank = x.shape.rank
    if len(set(normalized_axes((axis1, axis2), rank))) < 2:
        raise ValueError(f"`axis1` and `axis2` must differ. Received: axis1={axis1}, axis2={axis2}")
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2], x.shape[-1]
    if (columns is not None and offset >= columns) or (rows is not None and -offset >= rows):
        return tf.zeros([*sizes(x)[:-2], 0], x.dtype)
    return tf.linalg.diag_part(x, k=offset)


@_op()
def diag(x: Any, k: int = 0) -> Any:
    """Returns a matrix with a vector as its diagonal, or the diagonal of a matrix.

    Args:
        x: A vector or a matrix.
        k: Which diagonal: above the main one if positive, below it if negative.

    Returns:
        A matrix or a vector.

    Raises:
        ValueError: `x` is neither a vector nor a matrix.

    Example:
        >>> tf.keras.ops.diag([1, 2]).numpy()
        array([[1, 0],
               [0, 2]], dtype=int32)
        >>> tf.keras.ops.diag([[1, 2], [3, 4]]).numpy()
        array([1, 4], dtype=int32)
    """
    x = to_tensor(x)
    if x.shape.rank == 1:
        return tf.linalg.diag(x, k=k)
    if x.shape.rank == 2:
        return diagonal(x, offset=k)
    raise ValueError(f"`diag` takes a vector or a matrix. Received: x of shape {x.shape}")


@_op()
def diagflat(x: TensorLike, k: int = 0) -> Any:
    """Returns a matrix with the elements of `x` as its diagonal.

    Args:
        x: Tensor of any shape, which is flattened.
        k: Which diagonal: above the main one if positive, below it if negative.

    Returns:
        A square matrix.

    Example:
        >>> tf.keras.ops.diagflat([[1, 2]], k=1).numpy()
        array([[0, 1, 0],
               [0, 0, 2],
               [0, 0, 0]], dtype=int32)
    """
    return tf.linalg.diag(tf.reshape(to_tensor(x), [-1]), k=k)


@_op()
def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sums the diagonals of the matrices that two axes form.

    Args:
        x: Tensor of at least two axes.
        offset: Which diagonal: above the main one if positive, below it if negative.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        A tensor without these axes; booleans and integers below 32 bits are added up in 32 bits.

    Example:
        >>> tf.keras.ops.trace([[1, 2], [3, 4]]).numpy()
        np.int32(5)
    """
    return tf.reduce_sum(diagonal(accumulated(x), offset, axis1, axis2), axis=-1)


@fused
def _band(x: Any, k: Any, lower: bool) -> Any:
    x = to_tensor(x)
    inward = k if lower else -k
    if type(k) is int and inward >= 0 and None not in x.shape[-2:]:
        if lower:
            return tf.linalg.band_part(x, -1, min(inward, x.shape[-1]))
        return tf.linalg.band_part(x, min(inward, x.shape[-2]), -1)
    shape = tf.shape(x)
    row = tf.expand_dims(tf.range(shape[-2]), -1)
    column = tf.range(shape[-1])
    keep = column - row <= k if lower else column - row >= k
    return tf.where(keep, x, tf.zeros_like(x))


@_op()
def tril(x: TensorLike, k: Any = 0) -> Any:
    """Returns matrices with zeros above the diagonal `k`.

    Args:
        x: Tensor of shape (..., rows, columns).
        k: The last diagonal that stays: above the main one if positive, below it if negative.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.tril([[1, 2], [3, 4]]).numpy()
        array([[1, 0],
               [3, 4]], dtype=int32)
    """
    return _band(x, k, lower=True)


@_op()
def triu(x: TensorLike, k: Any = 0) -> Any:
    """Returns matrices with zeros below the diagonal `k`.

    Args:
        x: Tensor of shape (..., rows, columns).
        k: The first diagonal that stays: above the main one if positive, below it if negative.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.triu([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [0, 4]], dtype=int32)
    """
    return _band(x, k, lower=False)


@_op(call=("a",))
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Computes differences of neighbours along `axis`, `n` times.

    Args:
        a: Tensor of at least one axis.
        n: How often.
        axis: The axis of the neighbours.

    Returns:
        A tensor that is shorter by `n` along `axis`; for booleans, whether neighbours differ.

    Raises:
        ValueError: `n` is negative, or `a` is a scalar.

    Example:
        >>> tf.keras.ops.diff([1, 4, 9, 16]).numpy()
        array([3, 5, 7], dtype=int32)
        >>> tf.keras.ops.diff([1, 4, 9, 16], n=2).numpy()
        array([2, 2], dtype=int32)
    """
    a = to_tensor(a)
    if n < 0:
        raise ValueError(f"`n` must not be negative. Received: n={n}")
    if n and a.shape.rank == 0:
        raise ValueError("`diff` takes tensors of at least one axis. Received a scalar.")
    for _ in range(n):
        before = [slice(None)] * normalized(axis, a.shape.rank)
        later, earlier = a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
        a = tf.not_equal(later, earlier) if a.dtype is tf.bool else later - earlier
    return a
