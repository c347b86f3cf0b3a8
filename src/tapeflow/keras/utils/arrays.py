"""Arrays made ready for training."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """`x` divided by its norm of that order along `axis`: an array for an array."""
    if isinstance(x, np.ndarray):
        norm = np.atleast_1d(np.linalg.norm(x, order, axis))
        norm[norm == 0] = 1
        return x / np.expand_dims(norm, axis)
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"`order` must be 1 or a larger integer. Received: order={order!r}")
    x = tf.convert_to_tensor(x)
    if order == 2:
        square_sum = tf.reduce_sum(tf.square(x), axis=axis, keepdims=True)
        return x * tf.math.rsqrt(tf.maximum(square_sum, 1e-14))
    norm = tf.norm(x, order, axis, keepdims=True)
    return x / tf.maximum(norm, tf.constant(1e-7, x.dtype))


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Classes as rows of zeros with a one in the place of the class."""
    if isinstance(x, tf.Tensor):
        dims = x.shape
        if dims.rank and dims.rank > 1 and dims[-1] == 1:
            x = tf.reshape(x, dims[:-1])
        if num_classes is None:
            raise ValueError("`num_classes` must be given for tensors: their values may be unknown")
        return tf.one_hot(x, num_classes)
    classes = np.array(x, dtype="int64")
    shape = classes.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    classes = classes.reshape(-1)
    count = num_classes or int(np.max(classes)) + 1
    found = np.zeros((classes.shape[0], count))
    found[np.arange(classes.shape[0]), classes] = 1
    return found.reshape((*shape, count))


def to_ordinal(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Encode ranks: class `k` as `k` ones, followed by zeros, `num_classes - 1` in all.

    >>> tf.keras.utils.to_ordinal([0, 2], num_classes=3)
    array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    classes = np.array(y, dtype="int64")
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    count = num_classes or int(np.max(classes)) + 1
    return (np.arange(count - 1) < classes[..., None]).astype(dtype)
