"""Moments, and normalization with them."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.fused import fused
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import epsilon as default_epsilon
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.matrices import norm
from tapeflow._src.keras.ops.promotion import result_type, to_tensor
from tapeflow._src.keras.replicas import synchronized_moments

_nn = functools.partial(declare, family="nn")


@_nn()
def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """Computes mean and variance along axes; half precision is computed in float32.

    Args:
        x: Floating-point tensor.
        axes: Axes to reduce.
        keepdims: Whether reduced axes stay, with size 1.
        synchronized: Whether to compute over all replicas of a strategy.

    Returns:
        A tuple of mean and (biased) variance, of the dtype of `x`; those of 16-bit numbers are
        limited to the range of `float16`.

    Example:
        >>> mean, variance = tf.keras.ops.moments([[1.0, 3.0], [2.0, 2.0]], axes=[1])
        >>> mean.numpy(), variance.numpy()
        (array([2., 2.], dtype=float32), array([1., 0.], dtype=float32))
    """
    x = to_tensor(x)
    if x.dtype not in (tf.float16, tf.bfloat16):
        whole = synchronized_moments(x, axes, keepdims) if synchronized else None
        return tuple(tf.nn.moments(x, axes, keepdims=keepdims)) if whole is None else whole
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
    """Normalizes `x` with a mean and a variance for each index along `axis`.

    The result is `(x - mean) / sqrt(variance + epsilon) * scale + offset`.

    Args:
        x: Floating-point tensor.
        mean: A vector of the size of `axis`.
        variance: A vector of that size.
        axis: The axis of the features.
        offset: A vector that is added at the end, or None.
        scale: A vector to multiply with, or None.
        epsilon: Added to the variance, against a division by zero.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> x = [[1.0, 10.0], [3.0, 30.0]]
        >>> mean, variance = [2.0, 20.0], [1.0, 100.0]
        >>> tf.keras.ops.batch_normalization(x, mean, variance, axis=-1, epsilon=0.0).numpy()
        array([[-1., -1.],
               [ 1.,  1.]], dtype=float32)
    """
    x, mean, variance = to_tensor(x), to_tensor(mean), to_tensor(variance)
    shape = [1] * x.shape.rank
    shape[axis] = mean.shape[0]
    mean, variance, offset, scale = (
        None if each is None else tf.reshape(to_tensor(each), shape)
        for each in (mean, variance, offset, scale)
    )
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


@_nn()
@fused
def normalize(x: Any, axis: Any = -1, order: int = 2, epsilon: float | None = None) -> Any:
    """Divides `x` by its norm of an order along an axis.

    Args:
        x: Floating-point tensor; a scalar counts as a vector of one.
        axis: The axis, or axes, of the norm.
        order: Order of the norm, a positive integer.
        epsilon: Lower bound of the norm; None is `keras.config.epsilon()`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: `order` is not a positive integer.

    Example:
        >>> tf.keras.ops.normalize([[3.0, 4.0], [6.0, 8.0]]).numpy()
        array([[0.6, 0.8],
               [0.6, 0.8]], dtype=float32)
        >>> tf.keras.ops.normalize([1.0, 3.0], order=1).numpy()
        array([0.25, 0.75], dtype=float32)
    """
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
@fused
def rms_normalization(
    x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None
) -> Any:
    """Divides `x` by the root of the mean of its squares along axes, then scales it.

    Args:
        x: Floating-point tensor; it is computed in `float32` at least.
        scale: Factor that broadcasts with `x`, or None.
        axis: The axis, or axes, of the mean.
        epsilon: Added to the mean of squares; None is `keras.config.epsilon()`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.rms_normalization([1.0, 7.0]).numpy()
        array([0.2, 1.4], dtype=float32)
    """
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
@fused
def layer_normalization(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    axis: Any = -1,
    epsilon: float | None = None,
    rms_scaling: bool = False,
) -> Any:
    """Normalizes `x` with its mean and variance along axes, then scales and shifts it.

    Args:
        x: Floating-point tensor; it is computed in `float32` at least.
        gamma: Factor, of the sizes of `axis` or of a shape that broadcasts with `x`; None is 1.
        beta: Offset, likewise; None is 0.
        axis: The axis, or axes, of mean and variance.
        epsilon: Added to the variance; None is `keras.config.epsilon()`.
        rms_scaling: Divide by the standard deviation without subtracting the mean; raises a
            UserWarning, as `rms_normalization` is usually meant.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.layer_normalization([[1.0, 3.0], [10.0, 30.0]]).numpy()
        array([[-1.,  1.],
               [-1.,  1.]], dtype=float32)
    """
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
    """Computes the peak signal-to-noise ratio of two images, in decibels.

    Args:
        x1: Floating-point tensor.
        x2: Tensor of the same shape and dtype.
        max_val: The largest value that pixels can have, such as 1.0 or 255.

    Returns:
        A scalar: one ratio for all elements together, infinite for equal images.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> image = tf.ones((4, 4, 3))
        >>> tf.keras.ops.psnr(image, image - 0.1, max_val=1.0).numpy().round(2)
        np.float32(20.0)
    """
    x1, x2 = to_tensor(x1), to_tensor(x2)
    if not x1.shape.is_compatible_with(x2.shape):
        raise ValueError(
            f"Both images must have the same shape. Received: {x1.shape} and {x2.shape}"
        )
    error = tf.reduce_mean(tf.square(x1 - x2))
    ten = tf.math.log(tf.cast(10.0, error.dtype))
    peak = tf.math.log(tf.cast(max_val, error.dtype))
    return 20 * peak / ten - 10 * tf.math.log(error) / ten
