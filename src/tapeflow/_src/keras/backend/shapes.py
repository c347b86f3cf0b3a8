"""Shapes changed: reshaping, joining, repeating, padding, resizing."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.backend.values import is_sparse, to_dense
from tapeflow._src.keras.config import standardize_data_format


@in_models
def shape(x: Any) -> Any:
    """The shape as a tensor."""
    return tf.shape(x)


@in_models
def reshape(x: Any, shape: Any) -> Any:
    """The same elements in another shape."""
    return tf.reshape(x, shape)


@in_models
def transpose(x: Any) -> Any:
    """The axes in reverse order."""
    return tf.transpose(x)


@in_models
def permute_dimensions(x: Any, pattern: Any) -> Any:
    """The axes in the order of `pattern`."""
    return tf.transpose(x, pattern)


@in_models
def gather(reference: Any, indices: Any) -> Any:
    """The rows of `reference` at `indices`."""
    return tf.gather(reference, indices)


@in_models
def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Tensors joined along an axis; a sparse one if all are sparse."""
    if all(is_sparse(x) for x in tensors):
        return tf.sparse.concat(axis, tensors)
    return tf.concat([to_dense(x) for x in tensors], axis)


@in_models
def stack(x: Any, axis: int = 0) -> Any:
    """Tensors joined along a new axis."""
    return tf.stack(x, axis=axis)


@in_models
def expand_dims(x: Any, axis: int = -1) -> Any:
    """A new axis of size 1."""
    return tf.expand_dims(x, axis)


@in_models
def squeeze(x: Any, axis: int) -> Any:
    """An axis of size 1 removed."""
    return tf.squeeze(x, [axis])


@in_models
def flatten(x: Any) -> Any:
    """All elements in one axis."""
    return tf.reshape(x, [-1])


@in_models
def batch_flatten(x: Any) -> Any:
    """All axes after the first joined into one."""
    x = tf.convert_to_tensor(x)
    size = x.shape[1:].num_elements()
    return tf.reshape(x, [-1, tf.reduce_prod(tf.shape(x)[1:]) if size is None else size])


@in_models
def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Each element `rep` times in a row along an axis."""
    return tf.repeat(x, rep, axis=axis)


@in_models
def repeat(x: Any, n: int) -> Any:
    """A matrix `n` times along a new second axis.

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
def tile(x: Any, n: Any) -> Any:
    """The whole tensor `n` times along each axis."""
    return tf.tile(x, [n] if isinstance(n, int) else n)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = "int32") -> Any:
    """Numbers from `start` up to, and without, `stop`; up to `start` if it stands alone."""
    if stop is None:
        start, stop = 0, max(start, 0) if isinstance(start, (int, float)) else start
    values = tf.range(start, stop, step)
    return values if dtype == "int32" else tf.cast(values, dtype)


@in_models
def one_hot(indices: Any, num_classes: int) -> Any:
    """Vectors with a 1 at each index."""
    return tf.one_hot(indices, num_classes)


@in_models
def reverse(x: Any, axes: Any) -> Any:
    """The elements in reverse order along axes."""
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
def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Zeros before and after the middle axis of (batch, steps, channels)."""
    return tf.pad(x, [[0, 0], *_pairs([padding], 1), [0, 0]])


@in_models
def spatial_2d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around images."""
    return _spatially_padded(x, _pairs(padding, 2), data_format)


@in_models
def spatial_3d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Zeros around volumes."""
    return _spatially_padded(x, _pairs(padding, 3), data_format)


def _spatially_padded(x: Any, pairs: list[list[int]], data_format: str | None) -> Any:
    if standardize_data_format(data_format) == "channels_first":
        return tf.pad(x, [[0, 0], [0, 0], *pairs])
    return tf.pad(x, [[0, 0], *pairs, [0, 0]])


@in_models
def resize_images(
    x: Any,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Any:
    """Images enlarged by whole factors; see `tf.image.resize` for the interpolations."""
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
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Any:
    """Volumes enlarged by whole factors: each element is repeated."""
    axis = 2 if standardize_data_format(data_format) == "channels_first" else 1
    for factor in (depth_factor, height_factor, width_factor):
        x = tf.repeat(x, factor, axis=axis)
        axis += 1
    return x
