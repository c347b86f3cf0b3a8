"""Shapes changed: reshaping, joining, repeating, padding, resizing."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.backend.values import is_sparse, to_dense
from tapeflow._src.keras.config import standardize_data_format


@in_models
def shape(x: TensorLike) -> Any:
    """Return the shape as a tensor; see `int_shape` for the static one.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        An `int32` vector.

    Example:
        >>> tf.keras.backend.shape(tf.zeros((2, 3))).numpy()
        array([2, 3], dtype=int32)
    """
    return tf.shape(x)


@in_models
def reshape(x: TensorLike, shape: ShapeLike) -> Any:
    """Return the same elements in another shape.

    Args:
        x: Tensor, or a value that converts to one.
        shape: The sizes; one of them may be -1.

    Returns:
        A tensor of that shape.

    Example:
        >>> tf.keras.backend.reshape(tf.range(4), (2, 2)).numpy()
        array([[0, 1],
               [2, 3]], dtype=int32)
    """
    return tf.reshape(x, shape)


@in_models
def transpose(x: TensorLike) -> Any:
    """Reverse the order of the axes.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.transpose([[1, 2], [3, 4]]).numpy()
        array([[1, 3],
               [2, 4]], dtype=int32)
    """
    return tf.transpose(x)


@in_models
def permute_dimensions(x: TensorLike, pattern: Any) -> Any:
    """Put the axes in the order of `pattern`.

    Args:
        x: Tensor, or a value that converts to one.
        pattern: For each axis of the result, the axis of `x` that it is.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.permute_dimensions(tf.zeros((2, 3, 4)), (2, 0, 1)).shape
        TensorShape([4, 2, 3])
    """
    return tf.transpose(x, pattern)


@in_models
def gather(reference: Any, indices: TensorLike) -> Any:
    """Return the rows of `reference` at `indices`.

    Args:
        reference: Tensor of shape (rows, ...).
        indices: Tensor of integers.

    Returns:
        A tensor of the shape of `indices`, then that of a row.

    Example:
        >>> tf.keras.backend.gather([10, 20, 30], [2, 0]).numpy()
        array([30, 10], dtype=int32)
    """
    return tf.gather(reference, indices)


@in_models
def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Join tensors along an axis.

    Args:
        tensors: List of tensors; the result is sparse if all of them are.
        axis: The axis to join along.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.concatenate([[[1, 2]], [[3]]]).numpy()
        array([[1, 2, 3]], dtype=int32)
    """
    if all(is_sparse(x) for x in tensors):
        return tf.sparse.concat(axis, tensors)
    return tf.concat([to_dense(x) for x in tensors], axis)


@in_models
def stack(x: TensorLike, axis: int = 0) -> Any:
    """Join tensors of one shape along a new axis.

    Args:
        x: List of tensors.
        axis: Position of the new axis.

    Returns:
        A tensor of one more axis.

    Example:
        >>> tf.keras.backend.stack([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
    """
    return tf.stack(x, axis=axis)


@in_models
def expand_dims(x: TensorLike, axis: int = -1) -> Any:
    """Insert an axis of size 1.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Its position in the result.

    Returns:
        A tensor of one more axis.

    Example:
        >>> tf.keras.backend.expand_dims(tf.zeros((2, 3)), 1).shape
        TensorShape([2, 1, 3])
    """
    return tf.expand_dims(x, axis)


@in_models
def squeeze(x: TensorLike, axis: int) -> Any:
    """Remove an axis of size 1.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis.

    Returns:
        A tensor of one axis less.

    Example:
        >>> tf.keras.backend.squeeze(tf.zeros((2, 1, 3)), 1).shape
        TensorShape([2, 3])
    """
    return tf.squeeze(x, [axis])


@in_models
def flatten(x: Any) -> Any:
    """Return all elements in one axis.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A vector.

    Example:
        >>> tf.keras.backend.flatten([[1, 2], [3, 4]]).numpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return tf.reshape(x, [-1])


@in_models
def batch_flatten(x: TensorLike) -> Any:
    """Join all axes after the first into one.

    Args:
        x: Tensor of shape (batch, ...).

    Returns:
        A matrix.

    Example:
        >>> tf.keras.backend.batch_flatten(tf.zeros((2, 3, 4))).shape
        TensorShape([2, 12])
    """
    x = tf.convert_to_tensor(x)
    size = x.shape[1:].num_elements()
    return tf.reshape(x, [-1, tf.reduce_prod(tf.shape(x)[1:]) if size is None else size])


@in_models
def repeat_elements(x: TensorLike, rep: int, axis: int) -> Any:
    """Repeat each element `rep` times in a row along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        rep: Number of copies.
        axis: The axis.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.repeat_elements([1, 2], 2, axis=0).numpy()
        array([1, 1, 2, 2], dtype=int32)
    """
    return tf.repeat(x, rep, axis=axis)


@in_models
def repeat(x: TensorLike, n: int) -> Any:
    """Repeat a matrix `n` times along a new second axis.

    Args:
        x: Tensor of shape (samples, features).
        n: Number of copies.

    Returns:
        A tensor of shape (samples, n, features).

    Raises:
        ValueError: `x` does not have two axes.

    Example:
        >>> tf.keras.backend.repeat(tf.zeros((2, 3)), 4).shape
        TensorShape([2, 4, 3])
    """
    x = tf.convert_to_tensor(x)
    if x.shape.rank != 2:
        raise ValueError(
            f"K.repeat takes a tensor with two axes, (samples, features). Received shape {x.shape}"
        )
    return tf.tile(x[:, None], [1, n, 1])


@in_models
def tile(x: TensorLike, n: Any) -> Any:
    """Repeat the whole tensor along its axes.

    Args:
        x: Tensor, or a value that converts to one.
        n: How often, for each axis; an integer for a vector.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.tile([1, 2], 2).numpy()
        array([1, 2, 1, 2], dtype=int32)
    """
    return tf.tile(x, [n] if isinstance(n, int) else n)


def arange(start: TensorLike, stop: Any = None, step: Any = 1, dtype: DTypeLike = "int32") -> Any:
    """Return numbers from `start` up to, and without, `stop`.

    Args:
        start: The first number; the end, and 0 is the first one, if `stop` is None.
        stop: The end.
        step: Difference of neighbours.
        dtype: Dtype of the result.

    Returns:
        A vector.

    Example:
        >>> tf.keras.backend.arange(1, 7, 2).numpy()
        array([1, 3, 5], dtype=int32)
    """
    if stop is None:
        start, stop = 0, max(start, 0) if isinstance(start, (int, float)) else start
    values = tf.range(start, stop, step)
    return values if dtype == "int32" else tf.cast(values, dtype)


@in_models
def one_hot(indices: TensorLike, num_classes: int) -> Any:
    """Encode indices as vectors with a 1.

    Args:
        indices: Tensor of integers.
        num_classes: Length of the vectors.

    Returns:
        A `float32` tensor of one more axis.

    Example:
        >>> tf.keras.backend.one_hot([1, 0], 3).numpy()
        array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
    """
    return tf.one_hot(indices, num_classes)


@in_models
def reverse(x: TensorLike, axes: Axis) -> Any:
    """Reverse the order of elements along axes.

    Args:
        x: Tensor, or a value that converts to one.
        axes: One axis, or several.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.reverse([[1, 2], [3, 4]], 1).numpy()
        array([[2, 1],
               [4, 3]], dtype=int32)
    """
    return tf.reverse(x, [axes] if isinstance(axes, int) else axes)


def _pairs(padding: Any, number: int) -> list[list[int]]:
    pairs = [list(pair) for pair in padding]
    if len(pairs) != number or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"`padding` must be {number} pairs of integers, (before, after) of each axis. "
            f"Received: {padding}"
        )
    return pairs


@in_models
def temporal_padding(x: TensorLike, padding: Any = (1, 1)) -> Any:
    """Add zeros before and after the middle axis of (batch, steps, channels).

    Args:
        x: Tensor of three axes.
        padding: Numbers of zeros, (before, after).

    Returns:
        A tensor of more steps.

    Raises:
        ValueError: `padding` is not a pair.

    Example:
        >>> tf.keras.backend.temporal_padding(tf.zeros((1, 4, 2)), (1, 2)).shape
        TensorShape([1, 7, 2])
    """
    return tf.pad(x, [[0, 0], *_pairs([padding], 1), [0, 0]])


@in_models
def spatial_2d_padding(
    x: TensorLike, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Add zeros around images.

    Args:
        x: Tensor of four axes.
        padding: Pairs (top, bottom) and (left, right).
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of larger images.

    Raises:
        ValueError: `padding` has another form.

    Example:
        >>> tf.keras.backend.spatial_2d_padding(tf.zeros((1, 4, 4, 3))).shape
        TensorShape([1, 6, 6, 3])
    """
    return _spatially_padded(x, _pairs(padding, 2), data_format)


@in_models
def spatial_3d_padding(
    x: TensorLike, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Add zeros around volumes.

    Args:
        x: Tensor of five axes.
        padding: Three pairs (before, after).
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of larger volumes.

    Raises:
        ValueError: `padding` has another form.

    Example:
        >>> tf.keras.backend.spatial_3d_padding(tf.zeros((1, 4, 4, 4, 3))).shape
        TensorShape([1, 6, 6, 6, 3])
    """
    return _spatially_padded(x, _pairs(padding, 3), data_format)


def _spatially_padded(x: TensorLike, pairs: list[list[int]], data_format: str | None) -> Any:
    if standardize_data_format(data_format) == "channels_first":
        return tf.pad(x, [[0, 0], [0, 0], *pairs])
    return tf.pad(x, [[0, 0], *pairs, [0, 0]])


@in_models
def resize_images(
    x: TensorLike,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Any:
    """Enlarge images by whole factors.

    Args:
        x: Tensor of four axes.
        height_factor: Factor of the height.
        width_factor: Factor of the width.
        data_format: "channels_last" or "channels_first".
        interpolation: A method of `tf.image.resize`, such as "nearest" or "bilinear".

    Returns:
        A tensor of larger images.

    Example:
        >>> tf.keras.backend.resize_images(tf.zeros((1, 4, 4, 3)), 2, 3, "channels_last").shape
        TensorShape([1, 8, 12, 3])
    """
    first = standardize_data_format(data_format) == "channels_first"
    x = tf.convert_to_tensor(x)
    if first:
        x = tf.transpose(x, [0, 2, 3, 1])
    known, sizes = x.shape[1:3], tf.shape(x)
    height = (sizes[1] if known[0] is None else known[0]) * height_factor
    width = (sizes[2] if known[1] is None else known[1]) * width_factor
    x = tf.image.resize(x, [height, width], method=interpolation)
    return tf.transpose(x, [0, 3, 1, 2]) if first else x


@in_models
def resize_volumes(
    x: TensorLike, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Any:
    """Enlarge volumes by whole factors, repeating each element.

    Args:
        x: Tensor of five axes.
        depth_factor: Factor of the depth.
        height_factor: Factor of the height.
        width_factor: Factor of the width.
        data_format: "channels_last" or "channels_first".

    Returns:
        A tensor of larger volumes.

    Example:
        >>> tf.keras.backend.resize_volumes(
        ...     tf.zeros((1, 2, 2, 2, 3)), 1, 2, 3, "channels_last"
        ... ).shape
        TensorShape([1, 2, 4, 6, 3])
    """
    axis = 2 if standardize_data_format(data_format) == "channels_first" else 1
    for factor in (depth_factor, height_factor, width_factor):
        x = tf.repeat(x, factor, axis=axis)
        axis += 1
    return x
