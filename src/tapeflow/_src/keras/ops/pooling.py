"""Pooling over windows of a fixed size, or over windows that make a fixed number of outputs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.layouts import channels_first, channels_last, tuple_of
from tapeflow._src.keras.ops.promotion import to_tensor

_pool = functools.partial(
    declare,
    family="nn",
    call=("inputs",),
    standardize={"data_format": standardize_data_format, "padding": str.lower},
)


def _windows(
    kind: str,
    inputs: TensorLike,
    pool_size: Any,
    strides: Any,
    padding: str,
    data_format: str | None,
) -> Any:
    first = standardize_data_format(data_format) == "channels_first"
    x = to_tensor(inputs)
    axes = x.shape.rank - 2
    if axes not in (1, 2, 3):
        raise ValueError(
            f"Pooling takes a tensor with 3, 4 or 5 axes: batch, channels and 1 to 3 others. "
            f"Received shape {x.shape}"
        )
    pool_size = tuple_of("pool_size", pool_size, axes)
    strides = pool_size if strides is None else tuple_of("strides", strides, axes)
    x = channels_last(x) if first else x
    x = tf.nn.pool(x, pool_size, kind, strides=strides, padding=padding.upper())
    return channels_first(x) if first else x


@_pool()
def max_pool(
    inputs: TensorLike,
    pool_size: Any,
    strides: Any = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Computes the maximum of each window.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels) with one to three spatial axes, or with
            channels second.
        pool_size: Size of windows: one integer, or one for each spatial axis.
        strides: Distance of windows; None is `pool_size`.
        padding: "valid" for whole windows only, "same" for windows that reach over the ends.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of as many axes.

    Raises:
        ValueError: `inputs` has fewer than 3 or more than 5 axes.

    Example:
        >>> x = tf.reshape(tf.range(4.0), (1, 4, 1))
        >>> tf.keras.ops.max_pool(x, 2).numpy().ravel()
        array([1., 3.], dtype=float32)
    """
    return _windows("MAX", inputs, pool_size, strides, padding, data_format)


@_pool()
def average_pool(
    inputs: TensorLike,
    pool_size: Any,
    strides: Any = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Computes the mean of each window; padding does not count.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels) with one to three spatial axes, or with
            channels second.
        pool_size: Size of windows: one integer, or one for each spatial axis.
        strides: Distance of windows; None is `pool_size`.
        padding: "valid" for whole windows only, "same" for windows that reach over the ends.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of as many axes.

    Raises:
        ValueError: `inputs` has fewer than 3 or more than 5 axes.

    Example:
        >>> x = tf.reshape(tf.range(5.0), (1, 5, 1))
        >>> tf.keras.ops.average_pool(x, 2, padding="same").numpy().ravel()
        array([0.5, 2.5, 4. ], dtype=float32)
    """
    return _windows("AVG", inputs, pool_size, strides, padding, data_format)


def _bounds(size: int, outputs: int) -> tuple[Any, Any]:
    """The first index of each of the windows, and the one after the last."""
    index = np.arange(outputs)
    return index * size // outputs, -(-(index + 1) * size // outputs)


def _mean_along(x: Any, axis: int, outputs: int) -> Any:
    start, end = _bounds(x.shape[axis], outputs)
    position = np.arange(x.shape[axis])[:, None]
    inside = (position >= start) & (position < end)
    weights = tf.constant(inside / (end - start), x.dtype)
    summed = tf.tensordot(x, weights, [[axis], [0]])
    order = list(range(x.shape.rank - 1))
    order.insert(axis, x.shape.rank - 1)
    return tf.transpose(summed, order)


def _max_along(x: Any, axis: int, outputs: int) -> Any:
    start, end = _bounds(x.shape[axis], outputs)
    # Windows differ in length by one: the shorter ones see their last element twice.
    steps = np.arange((end - start).max())
    indices = np.minimum(start[:, None] + steps, end[:, None] - 1)
    return tf.reduce_max(tf.gather(x, indices, axis=axis), axis + 1)


def _adaptive(reduce: Any, inputs: TensorLike, output_size: Any, data_format: str | None) -> Any:
    first = standardize_data_format(data_format) == "channels_first"
    x = to_tensor(inputs)
    axes = x.shape.rank - 2
    if axes not in (1, 2, 3):
        raise ValueError(
            f"Adaptive pooling takes a tensor with 3, 4 or 5 axes. Received shape {x.shape}"
        )
    begin = 2 if first else 1
    for axis, outputs in enumerate(tuple_of("output_size", output_size, axes), begin):
        if x.shape[axis] is None:
            raise ValueError(
                f"Adaptive pooling needs to know the sizes that it pools. Received shape {x.shape}"
            )
        x = reduce(x, axis, outputs)
    return x


@_pool()
def adaptive_max_pool(inputs: TensorLike, output_size: Any, data_format: str | None = None) -> Any:
    """Computes the maximum of `output_size` windows that cover each axis.

    Windows differ in size by at most one element, and may overlap.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels) with one to three spatial axes of known
            size, or with channels second.
        output_size: Number of windows: one integer, or one for each spatial axis.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor whose spatial axes have `output_size`.

    Raises:
        ValueError: `inputs` has fewer than 3 or more than 5 axes, or an unknown size.

    Example:
        >>> tf.keras.ops.adaptive_max_pool(tf.range(5.0)[None, :, None], 2).numpy().ravel()
        array([2., 4.], dtype=float32)
    """
    return _adaptive(_max_along, inputs, output_size, data_format)


@_pool()
def adaptive_average_pool(
    inputs: TensorLike, output_size: Any, data_format: str | None = None
) -> Any:
    """Computes the mean of `output_size` windows that cover each axis.

    Windows differ in size by at most one element, and may overlap.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels) with one to three spatial axes of known
            size, or with channels second.
        output_size: Number of windows: one integer, or one for each spatial axis.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor whose spatial axes have `output_size`.

    Raises:
        ValueError: `inputs` has fewer than 3 or more than 5 axes, or an unknown size.

    Example:
        >>> tf.keras.ops.adaptive_average_pool(tf.range(4.0)[None, :, None], 2).numpy().ravel()
        array([0.5, 2.5], dtype=float32)
    """
    return _adaptive(_mean_along, inputs, output_size, data_format)
