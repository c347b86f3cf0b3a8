"""The activation functions of layers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.activations.symbolic import activation


def _number(value: Any, like: Any) -> Any:
    return tf.cast(value, like.dtype)


def linear(x: Any) -> Any:
    """`x` itself."""
    return x


@activation
def relu(
    x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Any:
    """`x` where it is above `threshold`, `negative_slope` of what it lacks below it."""
    x = tf.convert_to_tensor(x)
    if negative_slope and max_value is None and not threshold:
        return tf.nn.leaky_relu(x, negative_slope)
    below = tf.nn.relu(threshold - x) if negative_slope else None
    if threshold:
        x = x * tf.cast(x > _number(threshold, x), x.dtype)
    elif max_value == 6:
        x, max_value = tf.nn.relu6(x), None
    else:
        x = tf.nn.relu(x)
    if max_value is not None:
        x = tf.clip_by_value(x, _number(0, x), _number(max_value, x))
    return x if below is None else x - negative_slope * below


@activation
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` where it is positive, `negative_slope * x` elsewhere."""
    x = tf.convert_to_tensor(x)
    if not x.dtype.is_floating:
        x = tf.cast(x, tf.float32)
    return tf.nn.leaky_relu(x, negative_slope)


@activation
def relu6(x: Any) -> Any:
    """`x`, but not below 0 nor above 6."""
    return tf.nn.relu6(x)


def _with_logits(output: Any, logits: Any) -> Any:
    """`output`, which losses then take to have come from `logits`."""
    output._keras_logits = logits
    return output


@activation
def softmax(x: Any, axis: Any = -1) -> Any:
    """Shares of one: the exponentials over their sum along `axis`, one axis or several."""
    if isinstance(axis, (tuple, list)):
        return _with_logits(_along(tf.nn.softmax, x, axis), x)
    return _with_logits(tf.nn.softmax(x, axis=axis), x)


@activation
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """The logarithm of `softmax`."""
    if isinstance(axis, (tuple, list)):
        return _along(tf.nn.log_softmax, x, axis)
    return tf.nn.log_softmax(x, axis=axis)


def _along(function: Any, x: Any, axes: Any) -> Any:
    """`function` over several axes of `x`, which are moved to the end and merged for it."""
    x = tf.convert_to_tensor(x)
    rank = x.shape.rank
    over = [axis % rank for axis in axes]
    order = [axis for axis in range(rank) if axis not in over] + over
    moved = tf.transpose(x, order)
    kept = tf.shape(moved)[: rank - len(over)]
    merged = function(tf.reshape(moved, tf.concat([kept, [-1]], 0)))
    back = [order.index(axis) for axis in range(rank)]
    return tf.transpose(tf.reshape(merged, tf.shape(moved)), back)


@activation
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Shares of one, most of them zero."""
    logits = tf.convert_to_tensor(x)
    rank = logits.shape.rank
    last = list(range(rank))
    last[axis], last[-1] = last[-1], last[axis]
    logits = tf.transpose(logits, last)
    falling = tf.sort(logits, direction="DESCENDING")
    sums = tf.cumsum(falling, axis=-1)
    count = tf.range(1, tf.shape(logits)[-1] + 1)
    inside = 1 + tf.cast(count, logits.dtype) * falling > sums
    size = tf.reduce_sum(tf.cast(inside, logits.dtype), axis=-1, keepdims=True)
    # As Keras has it: the sum of the sums, although the last one alone gives shares of one.
    total = tf.reduce_sum(tf.where(inside, sums, tf.zeros_like(sums)), -1, keepdims=True)
    return tf.transpose(tf.nn.relu(logits - (total - 1) / size), last)


@activation
def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere."""
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(result > 0, result, alpha * result)


@activation
def selu(x: Any) -> Any:
    """`elu`, scaled so that a layer keeps mean and variance."""
    return tf.nn.selu(x)


@activation
def celu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where it is positive, `alpha * (exp(x / alpha) - 1)` elsewhere."""
    x = tf.convert_to_tensor(x)
    zero = _number(0, x)
    return tf.maximum(x, zero) + alpha * tf.math.expm1(tf.minimum(x, zero) / alpha)


@activation
def glu(x: Any, axis: int = -1) -> Any:
    """One half of `x` along `axis`, let through by the sigmoid of the other."""
    x = tf.convert_to_tensor(x)
    if x.shape[axis] is not None and x.shape[axis] % 2:
        raise ValueError(
            f"`glu` splits axis {axis} into two halves, so its size must be even. Received x of "
            f"shape {x.shape}"
        )
    values, gates = tf.split(x, 2, axis)
    return values * tf.sigmoid(gates)


@activation
def softplus(x: Any) -> Any:
    """`log(exp(x) + 1)`."""
    return tf.math.softplus(x)


@activation
def softsign(x: Any) -> Any:
    """`x / (abs(x) + 1)`."""
    return tf.nn.softsign(x)


@activation
def silu(x: Any) -> Any:
    """`x * sigmoid(x)`."""
    return tf.nn.silu(x)


@activation
def gelu(x: Any, approximate: bool = False) -> Any:
    """`x` times the share of the normal distribution below it."""
    return tf.nn.gelu(x, approximate)


@activation
def mish(x: Any) -> Any:
    """`x * tanh(softplus(x))`."""
    x = tf.convert_to_tensor(x)
    return x * tf.tanh(tf.math.softplus(x))


@activation
def squareplus(x: Any, b: float = 4) -> Any:
    """`(x + sqrt(x ** 2 + b)) / 2`."""
    x = tf.convert_to_tensor(x)
    return (x + tf.sqrt(tf.square(x) + _number(b, x))) / 2


@activation
def sparse_plus(x: Any) -> Any:
    """0 up to -1, `x` from 1 on, and a parabola between."""
    x = tf.convert_to_tensor(x)
    bent = tf.square(x + 1) / 4
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x < 1, bent, x))


@activation
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return tf.tanh(_floating(x))


@activation
def exponential(x: Any) -> Any:
    """`exp(x)`."""
    return tf.exp(_floating(x))


def _floating(x: Any) -> Any:
    x = tf.convert_to_tensor(x)
    return tf.cast(x, tf.float32) if x.dtype.is_integer else x


@activation
def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`."""
    return _with_logits(tf.sigmoid(x), x)


@activation
def log_sigmoid(x: Any) -> Any:
    """The logarithm of `sigmoid`."""
    return tf.math.log_sigmoid(x)


@activation
def hard_sigmoid(x: Any) -> Any:
    """0 up to -3, 1 from 3 on, and a straight line between."""
    x = tf.convert_to_tensor(x)
    return tf.nn.relu6(x + 3.0) / 6.0


@activation
def sparse_sigmoid(x: Any) -> Any:
    """0 up to -1, 1 from 1 on, and a straight line between."""
    x = tf.convert_to_tensor(x)
    line = 0.5 * (x + 1)
    return tf.where(x <= -1, tf.zeros_like(x), tf.where(x >= 1, tf.ones_like(x), line))


@activation
def hard_silu(x: Any) -> Any:
    """`x * hard_sigmoid(x)`."""
    x = tf.convert_to_tensor(x)
    return x * hard_sigmoid(x)


@activation
def hard_tanh(x: Any) -> Any:
    """`x`, but not below -1 nor above 1."""
    return tf.clip_by_value(x, -1.0, 1.0)


@activation
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` where it is further from zero than `threshold`, 0 elsewhere."""
    x = tf.convert_to_tensor(x)
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


@activation
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` drawn towards zero by `threshold`, but not beyond it."""
    x = tf.convert_to_tensor(x)
    near = tf.where(x < -threshold, x + threshold, tf.zeros_like(x))
    return tf.where(x > threshold, x - threshold, near)


@activation
def tanh_shrink(x: Any) -> Any:
    """`x - tanh(x)`."""
    x = tf.convert_to_tensor(x)
    return x - tf.tanh(x)


@activation
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """`x` where it is above `threshold`, `default_value` elsewhere."""
    x = tf.convert_to_tensor(x)
    return tf.where(x > threshold, x, _number(default_value, x))


swish = silu
hard_swish = hard_silu
