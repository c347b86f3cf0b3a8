"""Element-wise functions, with the names and rules of Keras 2."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models


@in_models
def abs(x: Any) -> Any:
    """Absolute value."""
    return tf.abs(x)


@in_models
def square(x: Any) -> Any:
    """`x * x`."""
    return tf.square(x)


@in_models
def sqrt(x: Any) -> Any:
    """Square root; that of negative numbers is 0."""
    x = tf.convert_to_tensor(x)
    return tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype)))


@in_models
def exp(x: Any) -> Any:
    """Exponential."""
    return tf.exp(x)


@in_models
def log(x: Any) -> Any:
    """Natural logarithm."""
    return tf.math.log(x)


@in_models
def round(x: Any) -> Any:
    """Nearest integer, halves to the even one."""
    return tf.round(x)


@in_models
def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return tf.sign(x)


@in_models
def pow(x: Any, a: Any) -> Any:
    """`x` to the power of `a`."""
    return tf.pow(x, a)


@in_models
def sin(x: Any) -> Any:
    """Sine."""
    return tf.sin(x)


@in_models
def cos(x: Any) -> Any:
    """Cosine."""
    return tf.cos(x)


@in_models
def cast(x: Any, dtype: Any) -> Any:
    """`x` in another dtype."""
    return tf.cast(x, dtype)


@in_models
def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """`x` limited to a range; None is no limit.

    >>> K = tf.keras.backend
    >>> K.clip(tf.constant([-2.0, 0.5, 3.0]), 0, 1).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    numbers = isinstance(min_value, (int, float)) and isinstance(max_value, (int, float))
    if numbers and max_value < min_value:
        max_value = min_value
    low = -math.inf if min_value is None else min_value
    return tf.clip_by_value(x, low, math.inf if max_value is None else max_value)


@in_models
def equal(x: Any, y: Any) -> Any:
    """`x == y`, element by element."""
    return tf.equal(x, y)


@in_models
def not_equal(x: Any, y: Any) -> Any:
    """`x != y`, element by element."""
    return tf.not_equal(x, y)


@in_models
def greater(x: Any, y: Any) -> Any:
    """`x > y`, element by element."""
    return tf.greater(x, y)


@in_models
def greater_equal(x: Any, y: Any) -> Any:
    """`x >= y`, element by element."""
    return tf.greater_equal(x, y)


@in_models
def less(x: Any, y: Any) -> Any:
    """`x < y`, element by element."""
    return tf.less(x, y)


@in_models
def less_equal(x: Any, y: Any) -> Any:
    """`x <= y`, element by element."""
    return tf.less_equal(x, y)


@in_models
def maximum(x: Any, y: Any) -> Any:
    """The larger of `x` and `y`, element by element."""
    return tf.maximum(x, y)


@in_models
def minimum(x: Any, y: Any) -> Any:
    """The smaller of `x` and `y`, element by element."""
    return tf.minimum(x, y)


@in_models
def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """Rectified linear unit; see `keras.activations.relu`, where `alpha` is `negative_slope`."""
    return tf.keras.activations.relu(
        x, negative_slope=alpha, max_value=max_value, threshold=threshold
    )


@in_models
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Exponential linear unit."""
    return tf.keras.activations.elu(x, alpha)


@in_models
def softmax(x: Any, axis: Any = -1) -> Any:
    """Softmax along one axis or several of a tensor with at least two axes."""
    x = tf.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank <= 1:
        raise ValueError(
            f"K.softmax needs a tensor with at least two axes, the first for the batch. Received "
            f"shape {x.shape}"
        )
    return tf.keras.activations.softmax(x, axis)


@in_models
def softplus(x: Any) -> Any:
    """`log(exp(x) + 1)`."""
    return tf.math.softplus(x)


@in_models
def softsign(x: Any) -> Any:
    """`x / (abs(x) + 1)`."""
    return tf.nn.softsign(x)


@in_models
def sigmoid(x: Any) -> Any:
    """Logistic sigmoid."""
    return tf.keras.activations.sigmoid(x)


@in_models
def hard_sigmoid(x: Any) -> Any:
    """`clip(0.2 * x + 0.5, 0, 1)`: the slope of Keras 2, not that of `activations.hard_sigmoid`."""
    x = tf.convert_to_tensor(x)
    return tf.clip_by_value(x * tf.cast(0.2, x.dtype) + tf.cast(0.5, x.dtype), 0.0, 1.0)


@in_models
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return tf.tanh(x)


@in_models
def stop_gradient(variables: Any) -> Any:
    """The same values, as constants to gradients; an iterator over a list of them."""
    if isinstance(variables, (list, tuple)):
        return map(tf.stop_gradient, variables)
    return tf.stop_gradient(variables)
