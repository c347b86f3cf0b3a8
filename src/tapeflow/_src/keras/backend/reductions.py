"""Sums, means and the like along axes."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import floatx


def _numbers(x: Any) -> Any:
    x = tf.convert_to_tensor(x)
    return tf.cast(x, floatx()) if x.dtype is tf.bool else x


@in_models
def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element along axes."""
    return tf.reduce_max(x, axis, keepdims)


@in_models
def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element along axes."""
    return tf.reduce_min(x, axis, keepdims)


@in_models
def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum along axes."""
    return tf.reduce_sum(x, axis, keepdims)


@in_models
def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product along axes."""
    return tf.reduce_prod(x, axis, keepdims)


@in_models
def cumsum(x: Any, axis: int = 0) -> Any:
    """The sums of all elements so far along an axis."""
    return tf.cumsum(x, axis=axis)


@in_models
def cumprod(x: Any, axis: int = 0) -> Any:
    """The products of all elements so far along an axis."""
    return tf.math.cumprod(x, axis=axis)


@in_models
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance along axes."""
    return tf.math.reduce_variance(_numbers(x), axis, keepdims)


@in_models
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation along axes."""
    return tf.math.reduce_std(_numbers(x), axis, keepdims)


@in_models
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along axes; of booleans, the share that is true."""
    return tf.reduce_mean(_numbers(x), axis, keepdims)


@in_models
def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether any element along axes is true or not zero."""
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


@in_models
def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements along axes are true or not zero."""
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


@in_models
def argmax(x: Any, axis: int = -1) -> Any:
    """The index of the largest element along an axis."""
    return tf.argmax(x, axis)


@in_models
def argmin(x: Any, axis: int = -1) -> Any:
    """The index of the smallest element along an axis."""
    return tf.argmin(x, axis)


@in_models
def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Whether each target is among the `k` largest predictions of its row."""
    return tf.math.in_top_k(targets, predictions, k)
