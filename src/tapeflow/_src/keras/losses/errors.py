"""Losses of numbers: how far predictions are from what was observed."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon, floatx
from tapeflow._src.keras.losses.reduction import same_rank


def tensors(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the dtype of the predictions; whole numbers are taken as others."""
    y_pred = tf.convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = tf.cast(y_pred, floatx())
    if not isinstance(y_true, tf.Tensor):
        y_true = tf.convert_to_tensor(y_true)
    return y_true if y_true.dtype == y_pred.dtype else tf.cast(y_true, y_pred.dtype), y_pred


def aligned(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of one dtype and rank."""
    return same_rank(*tensors(y_true, y_pred))


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean((y_true - y_pred) ** 2, axis=-1)`."""
    y_true, y_pred = aligned(y_true, y_pred)
    return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(abs(y_true - y_pred), axis=-1)`."""
    y_true, y_pred = aligned(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Compute the mean absolute error in percent of `y_true`, along the last axis."""
    y_true, y_pred = aligned(y_true, y_pred)
    size = tf.maximum(tf.abs(y_true), tf.cast(epsilon(), y_pred.dtype))
    return 100.0 * tf.reduce_mean(tf.abs((y_true - y_pred) / size), axis=-1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean((log(1 + y_true) - log(1 + y_pred)) ** 2, axis=-1)`."""
    y_true, y_pred = aligned(y_true, y_pred)
    least = tf.cast(epsilon(), y_pred.dtype)
    logs = [tf.math.log(tf.maximum(y, least) + 1.0) for y in (y_pred, y_true)]
    return tf.reduce_mean(tf.square(logs[0] - logs[1]), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Compute the Huber loss: quadratic for errors up to `delta`, linear beyond."""
    y_true, y_pred = aligned(y_true, y_pred)
    size = tf.abs(y_pred - y_true)
    limit = tf.cast(delta, size.dtype)
    near, far = 0.5 * tf.square(size), limit * size - 0.5 * tf.square(limit)
    return tf.reduce_mean(tf.where(size <= limit, near, far), axis=-1)


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(log(cosh(y_pred - y_true)), axis=-1)`."""
    y_true, y_pred = aligned(y_true, y_pred)
    difference = y_pred - y_true
    log = difference + tf.math.softplus(difference * -2.0) - math.log(2.0)
    return tf.reduce_mean(log, axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(y_pred - y_true * log(y_pred), axis=-1)`."""
    y_true, y_pred = tensors(y_true, y_pred)
    log = tf.math.log(y_pred + tf.cast(epsilon(), y_pred.dtype))
    return tf.reduce_mean(y_pred - y_true * log, axis=-1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Compute the negative cosine similarity along an axis."""
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


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(maximum(1 - y_true * y_pred, 0), axis=-1)`; labels are -1 and 1."""
    y_true, y_pred = tensors(y_true, y_pred)
    return tf.reduce_mean(tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0), axis=-1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Compute `mean(maximum(1 - y_true * y_pred, 0) ** 2, axis=-1)`; labels are -1 and 1."""
    y_true, y_pred = tensors(y_true, y_pred)
    missing = tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0)
    return tf.reduce_mean(tf.square(missing), axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Compute the hinge loss between the true class and the best other class."""
    y_true, y_pred = tensors(y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return tf.maximum(wrong - right + 1.0, 0.0)


# -- overlaps --------------------------------------------------------------------------------


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Compute the Dice loss: one minus twice the overlap over the sum of both areas."""
    y_true, y_pred = tensors(y_true, y_pred)
    common = tf.reduce_sum(y_true * y_pred, axis=axis)
    both = tf.reduce_sum(y_true, axis=axis) + tf.reduce_sum(y_pred, axis=axis)
    return 1 - 2.0 * common / (both + epsilon())


def tversky(
    y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> Any:
    """Compute the Tversky loss: Dice with weights for false positives and false negatives."""
    y_true, y_pred = tensors(y_true, y_pred)
    common = tf.reduce_sum(y_true * y_pred, axis=axis)
    missed = tf.reduce_sum((1 - y_pred) * y_true, axis=axis)
    excess = tf.reduce_sum(y_pred * (1 - y_true), axis=axis)
    return 1 - common / (common + missed * alpha + excess * beta + epsilon())
