"""Losses of numbers: how far predictions are from what was observed."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.keras.config import epsilon, floatx
from tapeflow._src.keras.losses.reduction import same_rank


def tensors(y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any]:
    """Both as tensors of the dtype of the predictions; whole numbers are taken as others."""
    y_pred = tf.convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = tf.cast(y_pred, floatx())
    if not isinstance(y_true, tf.Tensor):
        y_true = tf.convert_to_tensor(y_true)
    return y_true if y_true.dtype == y_pred.dtype else tf.cast(y_true, y_pred.dtype), y_pred


def aligned(y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any]:
    """Both as tensors of one dtype and rank."""
    return same_rank(*tensors(y_true, y_pred))


@fused
def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean((y_true - y_pred) ** 2, axis=-1)`.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[2.0, 1.0]]).numpy()
        array([2.], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)


@fused
def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(abs(y_true - y_pred), axis=-1)`.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.mean_absolute_error([[0.0, 1.0]], [[2.0, 1.0]]).numpy()
        array([1.], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


@fused
def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Compute the mean absolute error in percent of `y_true`, along the last axis.

    Args:
        y_true: Labels, of the shape of `y_pred`. Those nearer to 0 than `epsilon()` count as
            `epsilon()`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.mean_absolute_percentage_error([[2.0, 4.0]], [[1.0, 5.0]]).numpy()
        array([37.5], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    size = tf.maximum(tf.abs(y_true), tf.cast(epsilon(), y_pred.dtype))
    return 100.0 * tf.reduce_mean(tf.abs((y_true - y_pred) / size), axis=-1)


@fused
def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean((log(1 + y_true) - log(1 + y_pred)) ** 2, axis=-1)`.

    Args:
        y_true: Labels, of the shape of `y_pred`. Negative values count as 0.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.
            Negative values count as 0.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.mean_squared_logarithmic_error(
        ...     [[0.0, 1.0]], [[1.0, 1.0]]
        ... ).numpy().round(4)
        array([0.2402], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    least = tf.cast(epsilon(), y_pred.dtype)
    logs = [tf.math.log(tf.maximum(y, least) + 1.0) for y in (y_pred, y_true)]
    return tf.reduce_mean(tf.square(logs[0] - logs[1]), axis=-1)


@fused
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Compute the Huber loss: quadratic for errors up to `delta`, linear beyond.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.
        delta: Error at which the loss becomes linear.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.huber([[0.0, 0.0]], [[0.5, 3.0]]).numpy()
        array([1.3125], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    size = tf.abs(y_pred - y_true)
    limit = tf.cast(delta, size.dtype)
    near, far = 0.5 * tf.square(size), limit * size - 0.5 * tf.square(limit)
    return tf.reduce_mean(tf.where(size <= limit, near, far), axis=-1)


@fused
def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(log(cosh(y_pred - y_true)), axis=-1)`.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.log_cosh([[0.0, 0.0]], [[1.0, -2.0]]).numpy().round(4)
        array([0.8794], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    difference = y_pred - y_true
    log = difference + tf.math.softplus(difference * -2.0) - math.log(2.0)
    return tf.reduce_mean(log, axis=-1)


@fused
def poisson(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(y_pred - y_true * log(y_pred), axis=-1)`.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.
            They must be positive.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.poisson([[0.0, 2.0]], [[1.0, 2.0]]).numpy().round(4)
        array([0.8069], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    log = tf.math.log(y_pred + tf.cast(epsilon(), y_pred.dtype))
    return tf.reduce_mean(y_pred - y_true * log, axis=-1)


@fused
def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Any:
    """Compute the negative cosine similarity along an axis.

    Args:
        y_true: Labels, of the shape of `y_pred`.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.
        axis: Axis of the vectors.

    Returns:
        A number between -1 (equal directions) and 1 (opposite ones) for each pair of vectors; 0 if
        one of them is zero.

    Example:
        >>> tf.keras.losses.cosine_similarity(
        ...     [[0.0, 1.0], [1.0, 0.0]], [[0.0, 9.0], [0.0, 2.0]]
        ... ).numpy()
        array([-1., -0.], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    return -tf.reduce_sum(_normalized(y_true, axis) * _normalized(y_pred, axis), axis=axis)


def _normalized(x: Any, axis: int) -> Any:
    inverse = tf.math.rsqrt(tf.reduce_sum(tf.square(x), axis=axis, keepdims=True))
    return x * tf.minimum(inverse, tf.cast(1.0 / epsilon(), x.dtype))


# -- hinges ----------------------------------------------------------------------------------


def _signs(y_true: Any) -> Any:
    """Labels as -1 and 1, if they all are 0 or 1."""
    binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0), tf.equal(y_true, 1)))
    return tf.where(binary, 2.0 * y_true - 1.0, y_true)


@fused
def hinge(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Compute `mean(maximum(1 - y_true * y_pred, 0), axis=-1)`; labels are -1 and 1.

    Args:
        y_true: Labels -1 and 1. If all of them are 0 or 1, they are taken as -1 and 1.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.hinge([[-1, 1]], [[-2.0, 0.5]]).numpy()
        array([0.25], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    return tf.reduce_mean(tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0), axis=-1)


@fused
def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Compute `mean(maximum(1 - y_true * y_pred, 0) ** 2, axis=-1)`; labels are -1 and 1.

    Args:
        y_true: Labels -1 and 1. If all of them are 0 or 1, they are taken as -1 and 1.
        y_pred: Predictions, of shape (batch, ..., outputs). Integers are computed as `floatx()`.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.squared_hinge([[-1, 1]], [[-2.0, 0.5]]).numpy()
        array([0.125], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    missing = tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0)
    return tf.reduce_mean(tf.square(missing), axis=-1)


@fused
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Compute the hinge loss between the true class and the best other class.

    Args:
        y_true: One-hot labels, 0 and 1.
        y_pred: Scores of the same shape.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.categorical_hinge([[0, 1, 0]], [[0.2, 0.5, 0.1]]).numpy()
        array([0.7], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return tf.maximum(wrong - right + 1.0, 0.0)


# -- overlaps --------------------------------------------------------------------------------


@fused
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Compute the Dice loss: one minus twice the overlap over the sum of both areas.

    Args:
        y_true: Labels of regions, usually 0 and 1.
        y_pred: Predictions of the same shape, between 0 and 1.
        axis: Axes to sum over; None sums over all, so that the batch has one loss.

    Returns:
        A loss between 0 and 1 for each index of the other axes.

    Example:
        >>> tf.keras.losses.dice(
        ...     [[1.0, 1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0]], axis=1
        ... ).numpy().round(4)
        array([0.3333], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    common = tf.reduce_sum(y_true * y_pred, axis=axis)
    both = tf.reduce_sum(y_true, axis=axis) + tf.reduce_sum(y_pred, axis=axis)
    return 1 - 2.0 * common / (both + epsilon())


@fused
def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """Compute the Tversky loss: Dice with weights for false positives and false negatives.

    Args:
        y_true: Labels of regions, usually 0 and 1.
        y_pred: Predictions of the same shape, between 0 and 1.
        alpha: Weight of labels that are missed.
        beta: Weight of predictions beyond the labels.
        axis: Axes to sum over; None sums over all, so that the batch has one loss.

    Returns:
        A loss between 0 and 1 for each index of the other axes.

    Example:
        >>> tf.keras.losses.tversky(
        ...     [[1.0, 1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0]], axis=1
        ... ).numpy().round(4)
        array([0.3333], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    common = tf.reduce_sum(y_true * y_pred, axis=axis)
    missed = tf.reduce_sum((1 - y_pred) * y_true, axis=axis)
    excess = tf.reduce_sum(y_pred * (1 - y_true), axis=axis)
    return 1 - common / (common + missed * alpha + excess * beta + epsilon())
