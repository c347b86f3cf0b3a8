"""Sums, means and the like along axes."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import floatx


def _numbers(x: TensorLike) -> Any:
    x = tf.convert_to_tensor(x)
    return tf.cast(x, floatx()) if x.dtype is tf.bool else x


@in_models
def max(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Return the largest elements along axes.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.backend.max([[1, 7], [5, 3]], axis=1).numpy()
        array([7, 5], dtype=int32)
    """
    return tf.reduce_max(x, axis, keepdims)


@in_models
def min(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Return the smallest elements along axes.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.backend.min([[1, 7], [5, 3]], axis=1).numpy()
        array([1, 3], dtype=int32)
    """
    return tf.reduce_min(x, axis, keepdims)


@in_models
def sum(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Sum elements along axes.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.backend.sum([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
        array([3., 7.], dtype=float32)
    """
    return tf.reduce_sum(x, axis, keepdims)


@in_models
def prod(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Multiply elements along axes.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.backend.prod([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
        array([ 2., 12.], dtype=float32)
    """
    return tf.reduce_prod(x, axis, keepdims)


@in_models
def cumsum(x: TensorLike, axis: int = 0) -> Any:
    """Compute running sums along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to add along.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.cumsum([1, 2, 3]).numpy()
        array([1, 3, 6], dtype=int32)
    """
    return tf.cumsum(x, axis=axis)


@in_models
def cumprod(x: TensorLike, axis: int = 0) -> Any:
    """Compute running products along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to multiply along.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.cumprod([1, 2, 3]).numpy()
        array([1, 2, 6], dtype=int32)
    """
    return tf.math.cumprod(x, axis=axis)


@in_models
def var(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Compute the variance along axes, divided by the number of elements.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor; booleans are computed in `floatx()`.

    Example:
        >>> tf.keras.backend.var([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy()
        array([1., 0.], dtype=float32)
    """
    return tf.math.reduce_variance(_numbers(x), axis, keepdims)


@in_models
def std(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Compute the standard deviation along axes, the root of `var`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor; booleans are computed in `floatx()`.

    Example:
        >>> tf.keras.backend.std([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy()
        array([1., 0.], dtype=float32)
    """
    return tf.math.reduce_std(_numbers(x), axis, keepdims)


@in_models
def mean(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Compute the mean along axes; of booleans, the share that is true.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor; booleans are computed in `floatx()`.

    Example:
        >>> tf.keras.backend.mean([[True, False], [True, True]], axis=1).numpy()
        array([0.5, 1. ], dtype=float32)
    """
    return tf.reduce_mean(_numbers(x), axis, keepdims)


@in_models
def any(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Return whether any element along axes is true or not zero.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.any([[1, 0], [1, 1]], axis=1).numpy()
        array([ True,  True])
    """
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


@in_models
def all(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Return whether all elements along axes are true or not zero.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.all([[1, 0], [1, 1]], axis=1).numpy()
        array([False,  True])
    """
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


@in_models
def argmax(x: TensorLike, axis: int = -1) -> Any:
    """Return the index of the largest element along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along.

    Returns:
        An `int64` tensor without that axis.

    Example:
        >>> tf.keras.backend.argmax([[1, 7, 2]]).numpy()
        array([1])
    """
    return tf.argmax(x, axis)


@in_models
def argmin(x: TensorLike, axis: int = -1) -> Any:
    """Return the index of the smallest element along an axis.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along.

    Returns:
        An `int64` tensor without that axis.

    Example:
        >>> tf.keras.backend.argmin([[1, 7, 0]]).numpy()
        array([2])
    """
    return tf.argmin(x, axis)


@in_models
def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> Any:
    """Return whether each target is among the `k` largest predictions of its row.

    Args:
        predictions: Scores of shape (batch, classes).
        targets: Class indices of shape (batch,).
        k: How many of the largest scores count.

    Returns:
        A boolean tensor of shape (batch,).

    Example:
        >>> tf.keras.backend.in_top_k([[0.1, 0.7, 0.2]], [2], 2).numpy()
        array([ True])
    """
    return tf.math.in_top_k(targets, predictions, k)
