"""Moments, and normalization with them."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon as default_epsilon
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.matrices import norm
from tapeflow._src.keras.ops.promotion import result_type, to_tensor
from tapeflow._src.keras.user_warnings import warn_user

_nn = functools.partial(declare, family="nn")


@_nn()
def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Computes mean and variance along axes; half precision is computed in float32.

    `synchronized` computes them over all replicas of a strategy, of which there is one here.
    """
    x = to_tensor(x)
    if x.dtype not in (tf.float16, tf.bfloat16):
        return tuple(tf.nn.moments(x, axes, keepdims=keepdims))
    low, high = tf.float16.min, tf.float16.max
    results = tf.nn.moments(tf.cast(x, tf.float32), axes, keepdims=keepdims)
    mean, variance = (tf.cast(tf.clip_by_value(each, low, high), x.dtype) for each in results)
    return mean, variance


@_nn("BatchNorm", call=("x", "mean", "variance", "offset", "scale"))
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 0.001,
) -> Any:
    """Normalizes `x` with a mean and a variance for each index along `axis`."""
    x, mean, variance = to_tensor(x), to_tensor(mean), to_tensor(variance)
    shape = [1] * x.shape.rank
    shape[axis] = mean.shape[0]
    mean, variance, offset, scale = (
        None if each is None else tf.reshape(to_tensor(each), shape)
        for each in (mean, variance, offset, scale)
    )
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


@_nn()
def normalize(x: Any, axis: Any = -1, order: int = 2, epsilon: float | None = None) -> Any:
    """Divides `x` by its norm of an order along an axis."""
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"`order` must be a positive integer. Received: order={order!r}")
    x = to_tensor(x)
    if x.shape.rank == 0:
        x = x[None]
    small = default_epsilon() if epsilon is None else epsilon
    if order == 2:
        inverse = tf.math.rsqrt(tf.reduce_sum(tf.square(x), axis, keepdims=True))
        return x * tf.minimum(inverse, tf.cast(1.0 / small, x.dtype))
    size = norm(x, ord=order, axis=axis, keepdims=True)
    return x / tf.maximum(size, tf.cast(small, size.dtype))


def _computed_in(x: Any, *others: Any) -> tuple[Any, ...]:
    """All in at least float32; None stays."""
    dtype = result_type(x.dtype, "float32")
    return tuple(None if each is None else to_tensor(each, dtype) for each in (x, *others))


@_nn("RMSNorm", call=("x", "scale"), keywords=("scale",))
def rms_normalization(
    x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None
) -> Any:
    """Divides `x` by the root of the mean of its squares along axes, then scales it."""
    x = to_tensor(x)
    dtype = x.dtype
    x, scale = _computed_in(x, scale)
    if x.shape.rank == 0:
        x = x[None]
    small = default_epsilon() if epsilon is None else epsilon
    squares = tf.reduce_mean(tf.square(x), axis, keepdims=True)
    x = x * tf.math.rsqrt(squares + small)
    return tf.cast(x if scale is None else x * scale, dtype)


def _same_spec(operation: Any, x: Any, *others: Any) -> Any:
    return KerasTensor(x.shape, x.dtype)


@_nn("LayerNorm", call=("x", "gamma", "beta"), output_spec=_same_spec)
def layer_normalization(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    axis: Any = -1,
    epsilon: float | None = None,
    rms_scaling: bool = False,
) -> Any:
    """Normalizes `x` with its mean and variance along axes, then scales and shifts it."""
    x = to_tensor(x)
    dtype = x.dtype
    if rms_scaling:
        warn_user(
            "`rms_scaling=True` divides by the standard deviation, not by the root mean square. "
            "For RMS normalization call `keras.ops.rms_normalization`."
        )
    x, gamma, beta = _computed_in(x, gamma, beta)
    rank = x.shape.rank
    axes = sorted(each % rank for each in ([axis] if isinstance(axis, int) else axis))
    gamma, beta = (
        each if each is None or each.shape.rank == rank else _expanded(each, axes, rank)
        for each in (gamma, beta)
    )
    small = default_epsilon() if epsilon is None else epsilon
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    inverse = tf.math.rsqrt(variance + small)
    if gamma is not None:
        inverse = inverse * gamma
    if rms_scaling:
        return tf.cast(x * inverse, dtype)
    shift = -mean * inverse
    return tf.cast(x * inverse + (shift if beta is None else shift + beta), dtype)


def _expanded(x: Any, axes: list[int], rank: int) -> Any:
    """Weights over `axes`, in a shape that broadcasts."""
    if axes == [rank - 1]:
        return x
    sizes = iter(x.shape)
    return tf.reshape(x, [next(sizes) if axis in axes else 1 for axis in range(rank)])


def _psnr_spec(operation: Any, x1: Any, x2: Any) -> Any:
    return KerasTensor((), x1.dtype)


@_nn("PSNR", call=("x1", "x2"), output_spec=_psnr_spec)
def psnr(x1: Any, x2: Any, max_val: float) -> Any:
    """Peak signal-to-noise ratio of two images, in decibels."""
    x1, x2 = to_tensor(x1), to_tensor(x2)
    if not x1.shape.is_compatible_with(x2.shape):
        raise ValueError(
            f"Both images must have the same shape. Received: {x1.shape} and {x2.shape}"
        )
    error = tf.reduce_mean(tf.square(x1 - x2))
    ten = tf.math.log(tf.cast(10.0, error.dtype))
    peak = tf.math.log(tf.cast(max_val, error.dtype))
    return 20 * peak / ten - 10 * tf.math.log(error) / ten
