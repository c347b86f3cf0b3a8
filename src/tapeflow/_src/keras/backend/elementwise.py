"""Element-wise functions, with the names and rules of Keras 2."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, DTypeLike, TensorLike
from tapeflow._src.keras.backend.in_models import in_models


@in_models
def abs(x: TensorLike) -> Any:
    """Compute the absolute value element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor of the shape of `x`.

    Example:
        >>> tf.keras.backend.abs(tf.constant([-1.5, 2.0])).numpy()
        array([1.5, 2. ], dtype=float32)
    """
    return tf.abs(x)


@in_models
def square(x: TensorLike) -> Any:
    """Compute `x * x` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.square(tf.constant([-3.0, 2.0])).numpy()
        array([9., 4.], dtype=float32)
    """
    return tf.square(x)


@in_models
def sqrt(x: TensorLike) -> Any:
    """Compute the square root element-wise; that of negative numbers is 0.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.sqrt(tf.constant([4.0, -1.0])).numpy()
        array([2., 0.], dtype=float32)
    """
    x = tf.convert_to_tensor(x)
    return tf.sqrt(tf.maximum(x, tf.zeros((), x.dtype)))


@in_models
def exp(x: TensorLike) -> Any:
    """Compute the exponential element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.exp(tf.constant([0.0, 1.0])).numpy()
        array([1.      , 2.718282], dtype=float32)
    """
    return tf.exp(x)


@in_models
def log(x: TensorLike) -> Any:
    """Compute the natural logarithm element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.log(tf.constant([1.0])).numpy()
        array([0.], dtype=float32)
    """
    return tf.math.log(x)


@in_models
def round(x: TensorLike) -> Any:
    """Round element-wise to the nearest integer, halves to the even one.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.round(tf.constant([0.5, 1.7])).numpy()
        array([0., 2.], dtype=float32)
    """
    return tf.round(x)


@in_models
def sign(x: TensorLike) -> Any:
    """Return -1, 0 or 1 for negative, zero and positive elements.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.sign(tf.constant([-2.0, 0.0, 3.0])).numpy()
        array([-1.,  0.,  1.], dtype=float32)
    """
    return tf.sign(x)


@in_models
def pow(x: TensorLike, a: TensorLike) -> Any:
    """Compute `x` to the power of `a` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        a: Exponent, of the dtype of `x`.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.pow(tf.constant([2.0, 3.0]), 2).numpy()
        array([4., 9.], dtype=float32)
    """
    return tf.pow(x, a)


@in_models
def sin(x: TensorLike) -> Any:
    """Compute the sine element-wise.

    Args:
        x: Angles in radians.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.sin(tf.constant([0.0])).numpy()
        array([0.], dtype=float32)
    """
    return tf.sin(x)


@in_models
def cos(x: TensorLike) -> Any:
    """Compute the cosine element-wise.

    Args:
        x: Angles in radians.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.cos(tf.constant([0.0])).numpy()
        array([1.], dtype=float32)
    """
    return tf.cos(x)


@in_models
def cast(x: TensorLike, dtype: DTypeLike) -> Any:
    """Convert elements to another dtype.

    Args:
        x: Numbers: a tensor, a variable or an array.
        dtype: The dtype, or its name.

    Returns:
        A tensor of that dtype.

    Example:
        >>> tf.keras.backend.cast(tf.constant([1.7, 2.0]), "int32").numpy()
        array([1, 2], dtype=int32)
    """
    return tf.cast(x, dtype)


@in_models
def clip(x: TensorLike, min_value: Any, max_value: Any) -> Any:
    """Limit elements to a range.

    Args:
        x: Numbers: a tensor, a variable or an array.
        min_value: Lower limit; None for none.
        max_value: Upper limit; None for none. A number below `min_value` counts as that.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.clip(tf.constant([-2.0, 0.5, 3.0]), 0, 1).numpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    numbers = isinstance(min_value, (int, float)) and isinstance(max_value, (int, float))
    if numbers and max_value < min_value:
        max_value = min_value
    low = -math.inf if min_value is None else min_value
    return tf.clip_by_value(x, low, math.inf if max_value is None else max_value)


@in_models
def equal(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x == y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.equal(tf.constant([1, 2, 3]), 2).numpy()
        array([False,  True, False])
    """
    return tf.equal(x, y)


@in_models
def not_equal(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x != y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.not_equal(tf.constant([1, 2, 3]), 2).numpy()
        array([ True, False,  True])
    """
    return tf.not_equal(x, y)


@in_models
def greater(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x > y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.greater(tf.constant([1, 2, 3]), 2).numpy()
        array([False, False,  True])
    """
    return tf.greater(x, y)


@in_models
def greater_equal(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x >= y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.greater_equal(tf.constant([1, 2, 3]), 2).numpy()
        array([False,  True,  True])
    """
    return tf.greater_equal(x, y)


@in_models
def less(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x < y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.less(tf.constant([1, 2, 3]), 2).numpy()
        array([ True, False, False])
    """
    return tf.less(x, y)


@in_models
def less_equal(x: TensorLike, y: TensorLike) -> Any:
    """Compute `x <= y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A boolean tensor.

    Example:
        >>> tf.keras.backend.less_equal(tf.constant([1, 2, 3]), 2).numpy()
        array([ True,  True, False])
    """
    return tf.less_equal(x, y)


@in_models
def maximum(x: TensorLike, y: TensorLike) -> Any:
    """Return the larger of `x` and `y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> tf.keras.backend.maximum(tf.constant([1, 2, 3]), 2).numpy()
        array([2, 2, 3], dtype=int32)
    """
    return tf.maximum(x, y)


@in_models
def minimum(x: TensorLike, y: TensorLike) -> Any:
    """Return the smaller of `x` and `y` element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.
        y: Tensor of the same dtype, which broadcasts with `x`.

    Returns:
        A tensor of the broadcast shape.

    Example:
        >>> tf.keras.backend.minimum(tf.constant([1, 2, 3]), 2).numpy()
        array([1, 2, 2], dtype=int32)
    """
    return tf.minimum(x, y)


@in_models
def relu(
    x: TensorLike, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Any:
    """Compute the rectified linear unit; see `keras.activations.relu`.

    Args:
        x: Numbers: a tensor, a variable or an array.
        alpha: Slope below `threshold`, there `negative_slope`.
        max_value: Limit of the result; None for none.
        threshold: Elements up to it count as 0, or fall along the slope.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.relu(tf.constant([-2.0, 3.0]), alpha=0.5).numpy()
        array([-1.,  3.], dtype=float32)
    """
    return tf.keras.activations.relu(
        x, negative_slope=alpha, max_value=max_value, threshold=threshold
    )


@in_models
def elu(x: TensorLike, alpha: float = 1.0) -> Any:
    """Compute the exponential linear unit: `x` above 0, `alpha * (exp(x) - 1)` below.

    Args:
        x: Numbers: a tensor, a variable or an array.
        alpha: Minus the limit for very negative `x`.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.elu(tf.constant([-1.0, 2.0])).numpy()
        array([-0.63212055,  2.        ], dtype=float32)
    """
    return tf.keras.activations.elu(x, alpha)


@in_models
def softmax(x: TensorLike, axis: Axis = -1) -> Any:
    """Compute the softmax along one axis or several of a tensor with at least two axes.

    Args:
        x: Numbers: a tensor, a variable or an array.
        axis: The axis, or several, that sum to 1.

    Returns:
        A tensor like `x` in shape and dtype.

    Raises:
        ValueError: `x` has fewer than two axes.

    Example:
        >>> tf.keras.backend.softmax(tf.zeros((1, 4))).numpy()
        array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    x = tf.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank <= 1:
        raise ValueError(
            f"K.softmax needs a tensor with at least two axes, the first for the batch. Received "
            f"shape {x.shape}"
        )
    return tf.keras.activations.softmax(x, axis)


@in_models
def softplus(x: TensorLike) -> Any:
    """Compute the softplus: `log(exp(x) + 1)`.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.softplus(tf.constant([0.0])).numpy()
        array([0.6931472], dtype=float32)
    """
    return tf.math.softplus(x)


@in_models
def softsign(x: TensorLike) -> Any:
    """Compute the softsign: `x / (abs(x) + 1)`.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.softsign(tf.constant([1.0, -3.0])).numpy()
        array([ 0.5 , -0.75], dtype=float32)
    """
    return tf.nn.softsign(x)


@in_models
def sigmoid(x: TensorLike) -> Any:
    """Compute the logistic sigmoid: `1 / (1 + exp(-x))`.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.sigmoid(tf.constant([0.0])).numpy()
        array([0.5], dtype=float32)
    """
    return tf.keras.activations.sigmoid(x)


@in_models
def hard_sigmoid(x: TensorLike) -> Any:
    """Compute the hard sigmoid of Keras 2: `clip(0.2 * x + 0.5, 0, 1)`.

    `keras.activations.hard_sigmoid` of Keras 3 has another slope.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.hard_sigmoid(tf.constant([-3.0, 0.0, 1.0])).numpy()
        array([0. , 0.5, 0.7], dtype=float32)
    """
    x = tf.convert_to_tensor(x)
    return tf.clip_by_value(x * tf.cast(0.2, x.dtype) + tf.cast(0.5, x.dtype), 0.0, 1.0)


@in_models
def tanh(x: TensorLike) -> Any:
    """Compute the hyperbolic tangent element-wise.

    Args:
        x: Numbers: a tensor, a variable or an array.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.tanh(tf.constant([0.0])).numpy()
        array([0.], dtype=float32)
    """
    return tf.tanh(x)


@in_models
def stop_gradient(variables: Any) -> Any:
    """Return the same values, as constants for gradients.

    Args:
        variables: A tensor or variable, or a list of them.

    Returns:
        A tensor; for a list, an iterator over tensors.

    Example:
        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * tf.keras.backend.stop_gradient(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(2.0)
    """
    if isinstance(variables, (list, tuple)):
        return map(tf.stop_gradient, variables)
    return tf.stop_gradient(variables)
