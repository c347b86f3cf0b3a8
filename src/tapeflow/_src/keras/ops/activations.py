"""Activation functions: element-wise, or along an axis as softmax is.

`keras.activations` offers the same functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_nn = functools.partial(declare, family="nn")


def _number(value: TensorLike, like: Any) -> Any:
    return tf.cast(value, like.dtype)


def with_logits(output: Any, logits: TensorLike) -> Any:
    """`output`, which losses then know to have come from `logits`."""
    output._keras_logits = logits
    return output


@_nn()
def relu(x: TensorLike) -> Any:
    """Computes the rectified linear unit: `max(x, 0)`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.relu([-1.0, 0.0, 2.0]).numpy()
        array([0., 0., 2.], dtype=float32)
    """
    return tf.nn.relu(x)


@_nn()
def relu6(x: TensorLike) -> Any:
    """Limits `x` to the range from 0 to 6.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.relu6([-1.0, 3.0, 9.0]).numpy()
        array([0., 3., 6.], dtype=float32)
    """
    return tf.nn.relu6(x)


@_nn()
def sigmoid(x: TensorLike) -> Any:
    """Computes the logistic sigmoid: `1 / (1 + exp(-x))`.

    Cross-entropy losses recognize outputs of this function and compute with the logits `x` instead,
    which is more accurate.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape of `x` with values between 0 and 1.

    Example:
        >>> tf.keras.ops.sigmoid([-2.0, 0.0, 2.0]).numpy().round(4)
        array([0.1192, 0.5   , 0.8808], dtype=float32)
    """
    x = to_tensor(x)
    return with_logits(tf.sigmoid(x), x)


@_nn()
def sparse_sigmoid(x: Any) -> Any:
    """Computes the sparse sigmoid: 0 up to -1, 1 from 1 on, and a straight line between.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.sparse_sigmoid([-2.0, 0.0, 0.5, 2.0]).numpy()
        array([0.  , 0.5 , 0.75, 1.  ], dtype=float32)
    """
    x = to_tensor(x)
    line = 0.5 * (x + 1)
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x >= 1, tf.ones_like(x), line))


@_nn()
def softplus(x: TensorLike) -> Any:
    """Computes the softplus, a smooth ReLU: `log(exp(x) + 1)`.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.softplus([-1.0, 0.0, 20.0]).numpy().round(4)
        array([ 0.3133,  0.6931, 20.    ], dtype=float32)
    """
    return tf.math.softplus(x)


@_nn()
def softsign(x: TensorLike) -> Any:
    """Computes the softsign: `x / (abs(x) + 1)`.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape of `x` with values between -1 and 1.

    Example:
        >>> tf.keras.ops.softsign([-3.0, 0.0, 1.0]).numpy()
        array([-0.75,  0.  ,  0.5 ], dtype=float32)
    """
    return tf.nn.softsign(x)


@_nn()
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Computes the soft shrinkage: `x` moved towards zero by `threshold`, but not beyond it.

    Args:
        x: Floating-point tensor.
        threshold: How far to move; elements nearer to zero become 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.soft_shrink([-1.0, 0.2, 2.0]).numpy()
        array([-0.5,  0. ,  1.5], dtype=float32)
    """
    x = to_tensor(x)
    near = tf.where(x < -threshold, x + threshold, tf.zeros_like(x))
    return tf.where(x > threshold, x - threshold, near)


@_nn()
def sparse_plus(x: Any) -> Any:
    """Computes the sparse softplus: 0 up to -1, `x` from 1 on, and a parabola between.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.sparse_plus([-2.0, 0.0, 2.0]).numpy()
        array([0.  , 0.25, 2.  ], dtype=float32)
    """
    x = to_tensor(x)
    bent = tf.square(x + 1) / 4
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x < 1, bent, x))


@_nn()
def silu(x: TensorLike) -> Any:
    """Computes the sigmoid linear unit, or swish: `x * sigmoid(x)`.

    `swish` is another name of it.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.silu([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.2689,  0.    ,  1.7616], dtype=float32)
    """
    return tf.nn.silu(x)


@_nn()
def squareplus(x: TensorLike, b: float = 4) -> Any:
    """Computes the squareplus, a smooth ReLU: `(x + sqrt(x ** 2 + b)) / 2`.

    Args:
        x: Floating-point tensor.
        b: Smoothness around 0; with 0 it is the ReLU.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.squareplus([-1.5, 0.0, 1.5]).numpy()
        array([0.5, 1. , 2. ], dtype=float32)
    """
    x = to_tensor(x)
    return (x + tf.sqrt(tf.square(x) + _number(b, x))) / 2


@_nn()
def log_sigmoid(x: TensorLike) -> Any:
    """Computes the logarithm of the sigmoid, finite where `log(sigmoid(x))` would not be.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape of `x` with values up to 0.

    Example:
        >>> tf.keras.ops.log_sigmoid([-200.0, 0.0]).numpy().round(4)
        array([-200.    ,   -0.6931], dtype=float32)
    """
    return tf.math.log_sigmoid(x)


@_nn()
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Computes the leaky ReLU: `x` where it is positive, `negative_slope * x` elsewhere.

    Args:
        x: Tensor, or a value that converts to one; integers become `float32`.
        negative_slope: The slope below 0.

    Returns:
        A floating-point tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.leaky_relu([-1.0, 0.0, 2.0]).numpy()
        array([-0.2,  0. ,  2. ], dtype=float32)
    """
    x = to_tensor(x)
    if not x.dtype.is_floating:
        x = tf.cast(x, tf.float32)
    return tf.nn.leaky_relu(x, negative_slope)


@_nn()
def hard_sigmoid(x: Any) -> Any:
    """Computes the hard sigmoid: 0 up to -3, 1 from 3 on, and a straight line between.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.hard_sigmoid([-4.0, 0.0, 1.5]).numpy()
        array([0.  , 0.5 , 0.75], dtype=float32)
    """
    x = to_tensor(x)
    return tf.nn.relu6(x + 3.0) / 6.0


@_nn()
def hard_silu(x: TensorLike) -> Any:
    """Computes the hard swish: `x * hard_sigmoid(x)`.

    `hard_swish` is another name of it.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.hard_silu([-4.0, 0.0, 3.0]).numpy()
        array([-0.,  0.,  3.], dtype=float32)
    """
    x = to_tensor(x)
    return x * hard_sigmoid(x)


swish = silu
hard_swish = hard_silu


@_nn()
def elu(x: TensorLike, alpha: float = 1.0) -> Any:
    """Computes the exponential linear unit: `x` above 0, `alpha * (exp(x) - 1)` below.

    Args:
        x: Floating-point tensor.
        alpha: Minus the limit for very negative `x`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.elu([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.6321,  0.    ,  2.    ], dtype=float32)
    """
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(result > 0, result, alpha * result)


@_nn()
def selu(x: TensorLike) -> Any:
    """Computes the scaled exponential linear unit (SELU), which keeps mean and variance.

    It is meant for weights of `LecunNormal` and for `AlphaDropout`.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.selu([-1.0, 0.0, 1.0]).numpy().round(4)
        array([-1.1113,  0.    ,  1.0507], dtype=float32)
    """
    return tf.nn.selu(x)


@_nn()
def gelu(x: TensorLike, approximate: bool = True) -> Any:
    """Computes the Gaussian error linear unit: `x * Φ(x)`.

    Args:
        x: Floating-point tensor.
        approximate: Whether to compute Φ, the normal distribution function, with `tanh` instead of
            `erf`. Unlike here, it is False by default in `keras.activations.gelu`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.gelu([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.1588,  0.    ,  1.9546], dtype=float32)
        >>> tf.keras.ops.gelu([-1.0, 0.0, 2.0], approximate=False).numpy().round(4)
        array([-0.1587,  0.    ,  1.9545], dtype=float32)
    """
    return tf.nn.gelu(to_tensor(x), approximate)


@_nn()
def celu(x: TensorLike, alpha: float = 1.0) -> Any:
    """Computes the CELU: `x` above 0, `alpha * (exp(x / alpha) - 1)` below.

    Args:
        x: Floating-point tensor.
        alpha: Minus the limit for very negative `x`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.celu([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.6321,  0.    ,  2.    ], dtype=float32)
    """
    x = to_tensor(x)
    zero = _number(0, x)
    return tf.maximum(x, zero) + alpha * tf.math.expm1(tf.minimum(x, zero) / alpha)


@_nn()
def glu(x: Any, axis: int = -1) -> Any:
    """Computes the gated linear unit: one half of `x` times the sigmoid of the other.

    Args:
        x: Floating-point tensor with an even size along `axis`.
        axis: The axis to split.

    Returns:
        A tensor of half the size along `axis`: the first half times the sigmoid of the second.

    Raises:
        ValueError: The size along `axis` is odd.

    Example:
        >>> tf.keras.ops.glu([[2.0, 4.0, 0.0, 0.0]]).numpy()
        array([[1., 2.]], dtype=float32)
    """
    x = to_tensor(x)
    if x.shape[axis] is not None and x.shape[axis] % 2:
        raise ValueError(
            f"`glu` splits axis {axis} into two halves, so its size must be even. Received x of "
            f"shape {x.shape}"
        )
    values, gates = tf.split(x, 2, axis)
    return values * tf.sigmoid(gates)


@_nn()
def tanh_shrink(x: TensorLike) -> Any:
    """Computes the tanh shrinkage: `x - tanh(x)`.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.tanh_shrink([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.2384,  0.    ,  1.036 ], dtype=float32)
    """
    x = to_tensor(x)
    return x - tf.tanh(x)


@_nn()
def hard_tanh(x: TensorLike) -> Any:
    """Limits `x` to the range from -1 to 1.

    Args:
        x: Floating-point tensor.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.hard_tanh([-3.0, 0.5, 2.0]).numpy()
        array([-1. ,  0.5,  1. ], dtype=float32)
    """
    return tf.clip_by_value(x, -1.0, 1.0)


@_nn()
def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Any:
    """Computes the hard shrinkage: `x` where `abs(x)` is above `threshold`, 0 elsewhere.

    Args:
        x: Floating-point tensor.
        threshold: Below it, elements become 0.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.hard_shrink([-1.0, 0.2, 2.0]).numpy()
        array([-1.,  0.,  2.], dtype=float32)
    """
    x = to_tensor(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


@_nn()
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Returns `x` where it is above `threshold`, `default_value` elsewhere.

    Args:
        x: Tensor, or a value that converts to one.
        threshold: Limit that elements must exceed.
        default_value: The value of all others, cast to the dtype of `x`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.threshold([-1.0, 0.5, 2.0], 1.0, 0.0).numpy()
        array([0., 0., 2.], dtype=float32)
    """
    x = to_tensor(x)
    return tf.where(x > threshold, x, _number(default_value, x))


def _along(function: Callable[..., Any], x: Any, axis: Any) -> Any:
    """A function of one axis, applied to several at once, or to all for None."""
    if isinstance(axis, int):
        return function(x, axis=axis)
    rank = x.shape.rank
    axes = list(range(rank)) if axis is None else [each % rank for each in axis]
    order = [each for each in range(rank) if each not in axes] + axes
    moved = tf.transpose(x, order)
    shape = tf.shape(moved)
    flat = function(tf.reshape(moved, tf.concat([shape[: rank - len(axes)], [-1]], 0)), axis=-1)
    back = sorted(range(rank), key=order.__getitem__)
    return tf.ensure_shape(tf.transpose(tf.reshape(flat, shape), back), x.shape)


@_nn()
def softmax(x: Any, axis: Any = -1) -> Any:
    """Computes exponentials divided by their sum along one axis, several or all.

    Cross-entropy losses recognize outputs of this function and compute with the logits `x` instead,
    which is more accurate. A softmax over an axis of size 1 raises a UserWarning, as it is always
    1.

    Args:
        x: Floating-point tensor.
        axis: The axis, or several of them, that sum to 1; None for all.

    Returns:
        A tensor of the shape of `x` with values between 0 and 1.

    Example:
        >>> tf.keras.ops.softmax(tf.zeros((1, 4))).numpy()
        array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
        >>> tf.keras.ops.softmax([[1.0, 2.0], [1.0, 1.0]], axis=None).numpy().round(4)
        array([[0.1749, 0.4754],
               [0.1749, 0.1749]], dtype=float32)
    """
    x = to_tensor(x)
    if isinstance(axis, int) and -x.shape.rank <= axis < x.shape.rank and x.shape[axis] == 1:
        warn_user(
            f"A softmax over an axis of size 1 is always 1. Received axis={axis} of a tensor of "
            f"shape {x.shape}. For two classes with one output use a sigmoid."
        )
    return with_logits(_along(tf.nn.softmax, x, axis), x)


@_nn()
def log_softmax(x: TensorLike, axis: Axis = -1) -> Any:
    """Computes the logarithm of softmax: `x - logsumexp(x)` along an axis, several or all.

    Args:
        x: Floating-point tensor.
        axis: The axis, or several of them; None for all.

    Returns:
        A tensor of the shape of `x` with values up to 0.

    Example:
        >>> tf.keras.ops.log_softmax([0.0, 0.0]).numpy().round(4)
        array([-0.6931, -0.6931], dtype=float32)
    """
    return _along(tf.nn.log_softmax, to_tensor(x), axis)


@_nn()
def sparsemax(x: TensorLike, axis: int = -1) -> Any:
    """Computes the projection onto the simplex: like softmax, with most results zero.

    Args:
        x: Floating-point tensor.
        axis: The axis to project along.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.sparsemax([[3.0, 1.0, 0.2]]).numpy()
        array([[1., 0., 0.]], dtype=float32)
    """
    logits = to_tensor(x)
    rank = logits.shape.rank
    last = list(range(rank))
    last[axis], last[-1] = last[-1], last[axis]
    logits = tf.transpose(logits, last)
    falling = tf.sort(logits, direction="DESCENDING")
    sums = tf.cumsum(falling, axis=-1)
    count = tf.range(1, tf.shape(logits)[-1] + 1)
    inside = 1 + tf.cast(count, logits.dtype) * falling > sums
    size = tf.reduce_sum(tf.cast(inside, logits.dtype), axis=-1, keepdims=True)
    # As Keras has it: the sum of the sums, although the last one alone would sum to one.
    total = tf.reduce_sum(tf.where(inside, sums, tf.zeros_like(sums)), -1, keepdims=True)
    return tf.transpose(tf.nn.relu(logits - (total - 1) / size), last)
