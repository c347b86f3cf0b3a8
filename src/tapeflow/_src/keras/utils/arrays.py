"""Arrays made ready for training."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.generation import is_keras_2


def normalize(x: TensorLike, axis: int = -1, order: int = 2) -> Any:
    """Divide `x` by its norm of order `order` along `axis`.

    Args:
        x: An array, or a tensor or what converts to one.
        axis: Axis of the norm.
        order: Order of the norm; 2 is the Euclidean one.

    Returns:
        An array for an array, otherwise a tensor. Vectors of norm 0 stay 0.

    Raises:
        ValueError: `order` is not a positive integer (for tensors).

    Example:
        >>> tf.keras.utils.normalize(np.array([[3.0, 4.0], [0.0, 5.0]]))
        array([[0.6, 0.8],
               [0. , 1. ]])
    """
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
    size = tf.norm(x, order, axis, keepdims=True)
    return x / tf.maximum(size, tf.constant(1e-7, x.dtype))


def to_categorical(
    x: Any = None, num_classes: int | None = None, dtype: Any = None, *, y: Any = None
) -> Any:
    """One-hot encode integer classes.

    Args:
        x: The classes, integers from 0; `y` in Keras 2.
        num_classes: Length of a row; by default one more than the largest class.
        dtype: Dtype of the rows: by default float64, as in Keras 3, and float32 where
            `TF_USE_LEGACY_KERAS` asks for Keras 2; tensors become float32.
        y: Former name of `x`.

    Returns:
        An array of one more axis, or a tensor for a tensor.

    Raises:
        ValueError: `num_classes` is missing for a tensor.

    Example:
        >>> tf.keras.utils.to_categorical([0, 2], num_classes=3)
        array([[1., 0., 0.],
               [0., 0., 1.]])
    """
    x = y if x is None else x
    if x is None:
        raise TypeError("`to_categorical` is missing the classes `x`.")
    if isinstance(x, tf.Tensor):
        dims = x.shape
        if dims.rank and dims.rank > 1 and dims[-1] == 1:
            x = tf.reshape(x, dims[:-1])
        if num_classes is None:
            raise ValueError("`num_classes` must be given for tensors: their values may be unknown")
        return tf.one_hot(x, num_classes, dtype=tf.float32 if dtype is None else dtype)
    classes = np.array(x, dtype="int64")
    shape = classes.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    classes = classes.reshape(-1)
    count = num_classes or int(np.max(classes)) + 1
    if dtype is None:
        dtype = "float32" if is_keras_2() else "float64"
    rows = np.zeros((classes.shape[0], count), dtype)
    rows[np.arange(classes.shape[0]), classes] = 1
    return rows.reshape((*shape, count))


def to_ordinal(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Encode ranks: class `k` as `k` ones, followed by zeros, `num_classes - 1` in all.

    Args:
        y: The classes, integers from 0.
        num_classes: Number of classes; None is one more than the largest one.
        dtype: Dtype of the result.

    Returns:
        An array of shape (..., num_classes - 1).

    Example:
        >>> tf.keras.utils.to_ordinal([0, 2], num_classes=3)
        array([[0., 0.],
               [1., 1.]], dtype=float32)
    """
    classes = np.array(y, dtype="int64")
    if classes.ndim > 1 and classes.shape[-1] == 1:
        classes = classes[..., 0]
    count = num_classes or int(np.max(classes)) + 1
    return (np.arange(count - 1) < classes[..., None]).astype(dtype)
