"""Batch and vector normalization."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.backend.in_models import in_models


def _along(x: Any, axes: list[int], *vectors: Any) -> list[Any]:
    """Vectors over the axes that are left, in a shape that broadcasts to `x`; None stays."""
    sizes = [1 if axis in axes else tf.shape(x)[axis] for axis in range(x.shape.rank)]
    return [None if vector is None else tf.reshape(vector, sizes) for vector in vectors]


@in_models
def normalize_batch_in_training(
    x: TensorLike, gamma: Any, beta: TensorLike, reduction_axes: Any, epsilon: float = 1e-3
) -> Any:
    """Normalize a batch with its own mean and variance, and return these, too.

    Of images over the axes (0, 1, 2), the variance is the unbiased one, as in Keras 2.

    Args:
        x: Tensor of a batch.
        gamma: Factor, or None.
        beta: Offset, or None.
        reduction_axes: Axes of mean and variance.
        epsilon: Added to the variance, against a division by zero.

    Returns:
        A tuple of the normalized tensor, the mean and the variance.

    Example:
        >>> y, mean, variance = tf.keras.backend.normalize_batch_in_training(
        ...     tf.constant([[1.0], [3.0]]), None, None, [0], epsilon=0.0
        ... )
        >>> y.numpy(), mean.numpy(), variance.numpy()
        (array([[-1.],
               [ 1.]], dtype=float32), array([2.], dtype=float32), array([1.], dtype=float32))
    """
    x = tf.convert_to_tensor(x)
    axes = list(reduction_axes)
    mean, variance = tf.nn.moments(x, axes)
    center, spread, offset, scale = _along(x, axes, mean, variance, beta, gamma)
    normed = tf.nn.batch_normalization(x, center, spread, offset, scale, epsilon)
    if x.shape.rank == 4 and axes == [0, 1, 2]:
        count = tf.cast(tf.size(x) // tf.shape(x)[3], variance.dtype)
        variance = variance * (count / (count - 1))
    return normed, mean, variance


@in_models
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    var: Any,
    beta: TensorLike,
    gamma: Any,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Any:
    """Normalize with a mean and a variance, then scale by `gamma` and add `beta`.

    Args:
        x: Tensor of a batch.
        mean: Mean of each feature.
        var: Variance of each feature.
        beta: Offset, or None.
        gamma: Factor, or None.
        axis: Axis of the features of images.
        epsilon: Added to the variance, against a division by zero.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.batch_normalization(
        ...     tf.constant([3.0]), 1.0, 4.0, 10.0, 1.0, epsilon=0.0
        ... ).numpy()
        array([11.], dtype=float32)
    """
    x = tf.convert_to_tensor(x)
    if x.shape.rank == 4:
        axes = [each for each in range(4) if each != axis % 4]
        mean, var, beta, gamma = _along(x, axes, mean, var, beta, gamma)
    return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


@in_models
def l2_normalize(x: TensorLike, axis: Axis | None = None) -> Any:
    """Scale to a Euclidean norm of 1 along axes.

    Args:
        x: Tensor.
        axis: Axis or axes of the norm; None for all.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.l2_normalize(tf.constant([[3.0, 4.0]]), axis=1).numpy()
        array([[0.6, 0.8]], dtype=float32)
    """
    return tf.linalg.l2_normalize(x, axis=axis)
