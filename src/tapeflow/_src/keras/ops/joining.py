"""Joining tensors, and splitting them."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.axes import normalized, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import promoted_list, strongly_promoted, to_tensor

_op = functools.partial(declare, family="numpy")
_several = functools.partial(_op, call=("xs",), nested=True)


@_several(sparse=sparse.kept_if_all)
def concatenate(xs: Any, axis: int = 0) -> Any:
    """Joins tensors along an axis.

    Args:
        xs: List of tensors whose sizes agree except along `axis`. Dtypes are promoted to a common
            one; the result is sparse if all of them are.
        axis: The axis to join along.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.concatenate([[1, 2], [3.5]]).numpy()
        array([1. , 2. , 3.5], dtype=float32)
        >>> tf.keras.ops.concatenate([[[1, 2]], [[3, 4]]], axis=1).numpy()
        array([[1, 2, 3, 4]], dtype=int32)
    """
    if any(isinstance(x, tf.SparseTensor) for x in xs):
        if all(isinstance(x, tf.SparseTensor) for x in xs):
            return tf.sparse.concat(axis, list(xs))
        xs = [sparse.dense(x) for x in xs]
    return tf.concat(promoted_list(map(to_tensor, xs)), axis)


@_op(call=("x1", "x2"))
def append(x1: TensorLike, x2: TensorLike, axis: Axis | None = None) -> Any:
    """Joins two tensors along an axis, or flattened if it is None.

    Args:
        x1: The first tensor.
        x2: The second, of the same sizes except along `axis`.
        axis: The axis to join along.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.keras.ops.append([[1, 2]], [3, 4]).numpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    x1, x2 = strongly_promoted(x1, x2)
    if axis is None:
        return tf.concat([tf.reshape(x1, [-1]), tf.reshape(x2, [-1])], 0)
    return tf.concat([x1, x2], axis)


@_op(nested=True)
def stack(x: TensorLike, axis: int = 0) -> Any:
    """Joins tensors of one shape along a new axis.

    Args:
        x: List of tensors, or a tensor, whose slices are stacked. Dtypes are promoted to a common
            one.
        axis: Position of the new axis in the result.

    Returns:
        A tensor of one more axis.

    Example:
        >>> tf.keras.ops.stack([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        >>> tf.keras.ops.stack([[1, 2], [3, 4]], axis=1).numpy()
        array([[1, 3],
               [2, 4]], dtype=int32)
    """
    return tf.stack(promoted_list(x), axis)


@_several()
def hstack(xs: Any) -> Any:
    """Joins tensors along their second axis, vectors along the first.

    Args:
        xs: List of tensors; scalars count as vectors.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.keras.ops.hstack([[1, 2], [3]]).numpy()
        array([1, 2, 3], dtype=int32)
        >>> tf.keras.ops.hstack([[[1], [2]], [[3], [4]]]).numpy()
        array([[1, 3],
               [2, 4]], dtype=int32)
    """
    xs = [x if x.shape.rank else tf.reshape(x, [1]) for x in promoted_list(xs)]
    return tf.concat(xs, 0 if xs[0].shape.rank == 1 else 1)


@_several()
def vstack(xs: Any) -> Any:
    """Joins tensors along their first axis, vectors as rows.

    Args:
        xs: List of tensors.

    Returns:
        A tensor of the promoted dtype and of at least two axes.

    Example:
        >>> tf.keras.ops.vstack([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
    """
    xs = [
        x if x.shape.rank > 1 else tf.reshape(x, [1, -1]) if x.shape.rank is not None else x
        for x in promoted_list(xs)
    ]
    return tf.concat(xs, 0)


def _at_least_3d(x: Any) -> Any:
    if x.shape.rank < 2:
        return tf.reshape(x, [1, -1, 1]) if x.shape.rank else tf.reshape(x, [1, 1, 1])
    return tf.expand_dims(x, 2) if x.shape.rank == 2 else x


@_several()
def dstack(xs: Any) -> Any:
    """Joins tensors along their third axis, which those of fewer axes get.

    Args:
        xs: List of tensors. A vector of length n counts as of shape (1, n, 1), a matrix gets a last
            axis.

    Returns:
        A tensor of the promoted dtype and of at least three axes.

    Example:
        >>> tf.keras.ops.dstack([[1, 2], [3, 4]]).numpy()
        array([[[1, 3],
                [2, 4]]], dtype=int32)
    """
    return tf.concat([_at_least_3d(x) for x in promoted_list(map(to_tensor, xs))], 2)


def _split(x: TensorLike, indices_or_sections: Any, axis: int) -> list[Any]:
    x = to_tensor(x)
    if isinstance(indices_or_sections, int):
        return list(tf.split(x, indices_or_sections, axis=axis))
    if tf.is_tensor(indices_or_sections):
        indices_or_sections = tf.unstack(indices_or_sections)
    total = sizes(x)[axis]
    ends = [0, *(_clipped(index, total) for index in indices_or_sections), total]
    lengths = [_length(start, stop) for start, stop in itertools.pairwise(ends)]
    parts = tf.split(x, lengths, axis=axis)
    return [_of_length(part, axis, length) for part, length in zip(parts, lengths)]


def _of_length(part: Any, axis: int, length: Any) -> Any:
    """A part whose length is known, also where that of the whole is not."""
    if not isinstance(length, int):
        return part
    shape = part.shape.as_list()
    shape[axis] = length
    return tf.ensure_shape(part, shape)


def _clipped(index: Any, total: Any) -> Any:
    index = index if isinstance(index, int) or tf.is_tensor(index) else int(index)
    if not isinstance(index, int) or not isinstance(total, int):
        return index
    return min(index + total if index < 0 else index, total)


def _length(start: TensorLike, stop: Any) -> Any:
    if isinstance(start, int) and isinstance(stop, int):
        return max(stop - start, 0)
    return tf.maximum(stop - start, 0)


@_op()
def split(x: TensorLike, indices_or_sections: Any, axis: int = 0) -> Any:
    """Splits a tensor into parts along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        indices_or_sections: Number of equal parts, or where the second part and later ones begin.
        axis: The axis to divide.

    Returns:
        A list of tensors.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.split([1, 2, 3, 4], 2)]
        [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
        >>> [part.numpy() for part in tf.keras.ops.split([1, 2, 3, 4], [1, 3])]
        [array([1], dtype=int32), array([2, 3], dtype=int32), array([4], dtype=int32)]
    """
    return _split(x, indices_or_sections, axis)


@_op()
def array_split(x: Any, indices_or_sections: int, axis: int = 0) -> Any:
    """Splits a tensor along an axis into parts whose sizes differ by at most 1.

    The first parts are the longer ones.

    Args:
        x: Tensor, or a value that converts to one.
        indices_or_sections: Number of parts.
        axis: The axis to split.

    Returns:
        A list of tensors.

    Raises:
        TypeError: An argument is not an integer.
        ValueError: The number of parts is not positive.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.array_split([1, 2, 3, 4, 5], 2)]
        [array([1, 2, 3], dtype=int32), array([4, 5], dtype=int32)]
    """
    if not isinstance(indices_or_sections, int) or not isinstance(axis, int):
        raise TypeError(
            f"`indices_or_sections` and `axis` must be integers. Received: "
            f"indices_or_sections={indices_or_sections!r}, axis={axis!r}"
        )
    if indices_or_sections <= 0:
        raise ValueError(f"`indices_or_sections` must be positive. Received: {indices_or_sections}")
    x = to_tensor(x)
    total = sizes(x)[normalized(axis, x.shape.rank)]
    # Each part ends where its share of the whole does, rounded up.
    parts = indices_or_sections
    ends = [(total // parts) * n + _smaller(n, total % parts) for n in range(1, parts)]
    return _split(x, ends, axis)


def _smaller(number: int, other: TensorLike) -> Any:
    return min(number, other) if isinstance(other, int) else tf.minimum(number, other)


@_op()
def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """Splits a tensor along its second axis, a vector along the first.

    Args:
        x: Tensor of at least one axis.
        indices_or_sections: Into how many equal parts, or the indices at which parts begin.

    Returns:
        A list of tensors.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.hsplit([[1, 2], [3, 4]], 2)]
        [array([[1],
               [3]], dtype=int32), array([[2],
               [4]], dtype=int32)]
    """
    x = to_tensor(x)
    return _split(x, indices_or_sections, 0 if x.shape.rank == 1 else 1)


@_op()
def vsplit(x: TensorLike, indices_or_sections: Any) -> Any:
    """Splits a tensor along its first axis.

    Args:
        x: Tensor of at least one axis.
        indices_or_sections: Into how many equal parts, or the indices at which parts begin.

    Returns:
        A list of tensors.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.vsplit([[1, 2], [3, 4]], 2)]
        [array([[1, 2]], dtype=int32), array([[3, 4]], dtype=int32)]
    """
    return _split(x, indices_or_sections, 0)


@_op()
def dsplit(x: TensorLike, indices_or_sections: Any) -> Any:
    """Splits a tensor along its third axis.

    Args:
        x: Tensor of at least three axes.
        indices_or_sections: Into how many equal parts, or the indices at which parts begin.

    Returns:
        A list of tensors.

    Example:
        >>> [part.shape for part in tf.keras.ops.dsplit(tf.ones((2, 3, 4)), 2)]
        [TensorShape([2, 3, 2]), TensorShape([2, 3, 2])]
    """
    return _split(x, indices_or_sections, 2)


@_op(call=("x",), nested=True)
def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Returns the coordinates of a grid, one tensor for each of the vectors.

    Args:
        *x: Vectors of coordinates, one for each axis of the grid.
        indexing: "xy" (Cartesian): the second axis of the results follows the first vector. "ij"
            (matrix): axes follow the vectors in order.

    Returns:
        A list of tensors of one shape.

    Raises:
        ValueError: `indexing` has another value.

    Example:
        >>> columns, rows = tf.keras.ops.meshgrid([1, 2, 3], [10, 20])
        >>> columns.numpy()
        array([[1, 2, 3],
               [1, 2, 3]], dtype=int32)
        >>> rows.numpy()
        array([[10, 10, 10],
               [20, 20, 20]], dtype=int32)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"`indexing` must be 'xy' or 'ij'. Received: indexing={indexing!r}")
    return list(tf.meshgrid(*map(to_tensor, x), indexing=indexing))
