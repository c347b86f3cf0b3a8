"""Activation functions: element-wise, or along an axis as softmax is.

`keras.activations` offers the same functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor
from tapeflow._src.keras.user_warnings import warn_user

_nn = functools.partial(declare, family="nn")


def _number(value: Any, like: Any) -> Any:
    return tf.cast(value, like.dtype)


def with_logits(output: Any, logits: Any) -> Any:
    """`output`, which losses then know to have come from `logits`."""
    output._keras_logits = logits
    return output


@_nn()
def relu(x: Any) -> Any:
    """Rectified linear unit: `max(x, 0)`."""
    return tf.nn.relu(x)


@_nn()
def relu6(x: Any) -> Any:
    """`x` limited to the range from 0 to 6."""
    return tf.nn.relu6(x)


@_nn()
def sigmoid(x: Any) -> Any:
    """Logistic sigmoid: `1 / (1 + exp(-x))`."""
    x = to_tensor(x)
    return with_logits(tf.sigmoid(x), x)


@_nn()
def sparse_sigmoid(x: Any) -> Any:
    """0 up to -1, 1 from 1 on, and a straight line between."""
    x = to_tensor(x)
    line = 0.5 * (x + 1)
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x >= 1, tf.ones_like(x), line))


@_nn()
def softplus(x: Any) -> Any:
    """`log(exp(x) + 1)`."""
    return tf.math.softplus(x)


@_nn()
def softsign(x: Any) -> Any:
    """`x / (abs(x) + 1)`."""
    return tf.nn.softsign(x)


@_nn()
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` moved towards zero by `threshold`, but not beyond it."""
    x = to_tensor(x)
    near = tf.where(x < -threshold, x + threshold, tf.zeros_like(x))
    return tf.where(x > threshold, x - threshold, near)


@_nn()
def sparse_plus(x: Any) -> Any:
    """0 up to -1, `x` from 1 on, and a parabola between."""
    x = to_tensor(x)
    bent = tf.square(x + 1) / 4
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x < 1, bent, x))


@_nn()
def silu(x: Any) -> Any:
    """Sigmoid linear unit, or swish: `x * sigmoid(x)`."""
    return tf.nn.silu(x)


@_nn()
def squareplus(x: Any, b: float = 4) -> Any:
    """`(x + sqrt(x ** 2 + b)) / 2`."""
    x = to_tensor(x)
    return (x + tf.sqrt(tf.square(x) + _number(b, x))) / 2


@_nn()
def log_sigmoid(x: Any) -> Any:
    """Logarithm of the sigmoid."""
    return tf.math.log_sigmoid(x)


@_nn()
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` where it is positive, `negative_slope * x` elsewhere."""
    x = to_tensor(x)
    if not x.dtype.is_floating:
        x = tf.cast(x, tf.float32)
    return tf.nn.leaky_relu(x, negative_slope)


@_nn()
def hard_sigmoid(x: Any) -> Any:
    """0 up to -3, 1 from 3 on, and a straight line between."""
    x = to_tensor(x)
    return tf.nn.relu6(x + 3.0) / 6.0


@_nn()
def hard_silu(x: Any) -> Any:
    """`x * hard_sigmoid(x)`."""
    x = to_tensor(x)
    return x * hard_sigmoid(x)


swish = silu
hard_swish = hard_silu


@_nn()
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Exponential linear unit: `x` above 0, `alpha * (exp(x) - 1)` below."""
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(result > 0, result, alpha * result)


@_nn()
def selu(x: Any) -> Any:
    """Scaled exponential linear unit, which keeps mean and variance."""
    return tf.nn.selu(x)


@_nn()
def gelu(x: Any, approximate: bool = True) -> Any:
    """Gaussian error linear unit: `x * Φ(x)`; `approximate` computes Φ with tanh."""
    return tf.nn.gelu(to_tensor(x), approximate)


@_nn()
def celu(x: Any, alpha: float = 1.0) -> Any:
    """`x` above 0, `alpha * (exp(x / alpha) - 1)` below."""
    x = to_tensor(x)
    zero = _number(0, x)
    return tf.maximum(x, zero) + alpha * tf.math.expm1(tf.minimum(x, zero) / alpha)


@_nn()
def glu(x: Any, axis: int = -1) -> Any:
    """Gated linear unit: one half of `x` along `axis` times the sigmoid of the other."""
    x = to_tensor(x)
    if x.shape[axis] is not None and x.shape[axis] % 2:
        raise ValueError(
            f"`glu` splits axis {axis} into two halves, so its size must be even. Received x of "
            f"shape {x.shape}"
        )
    values, gates = tf.split(x, 2, axis)
    return values * tf.sigmoid(gates)


@_nn()
def tanh_shrink(x: Any) -> Any:
    """`x - tanh(x)`."""
    x = to_tensor(x)
    return x - tf.tanh(x)


@_nn()
def hard_tanh(x: Any) -> Any:
    """`x` limited to the range from -1 to 1."""
    return tf.clip_by_value(x, -1.0, 1.0)


@_nn()
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` where its absolute value is above `threshold`, 0 elsewhere."""
    x = to_tensor(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


@_nn()
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """`x` where it is above `threshold`, `default_value` elsewhere."""
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
    """Exponentials divided by their sum along an axis, several, or all for None.

    >>> tf.keras.ops.softmax(tf.zeros((1, 4))).numpy()
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    x = to_tensor(x)
    if isinstance(axis, int) and -x.shape.rank <= axis < x.shape.rank and x.shape[axis] == 1:
        warn_user(
            f"A softmax over an axis of size 1 is always 1. Received axis={axis} of a tensor of "
            f"shape {x.shape}. For two classes with one output use a sigmoid."
        )
    return with_logits(_along(tf.nn.softmax, x, axis), x)


@_nn()
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Logarithm of softmax."""
    return _along(tf.nn.log_softmax, to_tensor(x), axis)


@_nn()
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Projection onto the simplex: like softmax, with most results zero."""
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
