"""`tf.nn`: moments, normalization and bias."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.axes import every_axis
from tapeflow._src.ops.array.common import (
    broadcast_to,
    ones_like,
    reshape,
    scalar_int,
    shape_of,
    squeeze,
    static_ints,
    stop_gradient,
    sum_,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, squared_difference, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.division import div_no_nan
from tapeflow._src.ops.math.elementwise import rsqrt, scalar, square
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.reduction import mean as mean_op
from tapeflow._src.ops.nn import bias as bias_ops


def bias_add(
    value: TensorLike, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Add `bias` to `value` along the channel axis.

    Args:
        value: A numeric tensor of rank 2 or more.
        bias: A tensor of rank 1: one number per channel, of the same dtype.
        data_format: "NHWC" and the like (the default) for channels in the last axis, "NCHW" and the
            like for channels in the second.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `value`.

    Raises:
        ValueError: `data_format` does not start with N.
        InvalidArgumentError: The size of `bias` is not the number of channels.

    Example:

        >>> tf.nn.bias_add([[1, 2], [3, 4]], [10, 20]).numpy().tolist()
        [[11, 22], [13, 24]]
    """
    if data_format is not None and data_format[:1] != "N":
        raise ValueError(
            "data_format must start with N (batch), as in 'NHWC' or 'NCHW', received "
            f"{data_format!r}"
        )
    first = data_format is not None and data_format.startswith("NC")
    return bias_ops.bias_add(value, bias, data_format="NCHW" if first else "NHWC", name=name)


def _axes(x: Any, axes: Any) -> Any:
    """Convert axes (None, a number, a list or a tensor) to a tensor."""
    if axes is None:
        return every_axis(x)
    if isinstance(axes, (list, tuple)) and all(isinstance(a, (int, np.integer)) for a in axes):
        return static_ints(tuple(int(a) for a in axes))
    return dispatch.convert(axes, None, dtypes.int32)


def _squeeze_axes(tensor: Any, axes: Any) -> Any:
    """Remove axes of size 1."""
    if axes.static_value is None:
        return sum_(tensor, axes)
    gone = [int(a) for a in axes.static_value.reshape(-1)]
    return squeeze(tensor, axis=gone) if gone else tensor


@scoped("moments")
@fused
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Compute the mean and variance over `axes`.

    float16 is computed in float32. The variance is the biased one.

    Args:
        x: A numeric tensor.
        axes: An axis, or a list of axes. For a batch of images `[0, 1, 2]`, for example.
        shift: Ignored, as in TensorFlow.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tuple `(mean, variance)` of tensors of the dtype of `x`.

    Example:

        >>> mean, variance = tf.nn.moments(tf.constant([[1.0, 2.0], [3.0, 6.0]]), axes=[0])
        >>> mean.numpy().tolist(), variance.numpy().tolist()
        ([2.0, 4.0], [1.0, 4.0])
    """
    x = dispatch.convert(x)
    wide = cast(x, DstT=dtypes.float32) if x.dtype is dtypes.float16 else x
    axes_tensor = _axes(x, axes)
    mean = mean_op(wide, axes_tensor, keep_dims=True, name="mean")
    squares = squared_difference(wide, stop_gradient(mean))
    variance = mean_op(squares, axes_tensor, keep_dims=True, name="variance")
    if not keepdims:
        mean, variance = _squeeze_axes(mean, axes_tensor), _squeeze_axes(variance, axes_tensor)
    if wide is not x:
        mean, variance = cast(mean, DstT=x.dtype), cast(variance, DstT=x.dtype)
    return mean, variance


@scoped("sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """Compute the count, sum and sum of squares over `axes`, after subtracting `shift`.

    `tf.nn.normalize_moments` turns them into moments; those of several batches can be added first.

    Args:
        x: A numeric tensor.
        axes: An axis, or a list of axes.
        shift: A value near the mean, subtracted for accuracy; None for 0.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tuple of the count, the sum, the sum of squares, and the shift or None.

    Example:

        >>> count, total, squares, shift = tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])
        >>> count.numpy(), total.numpy(), squares.numpy()
        (np.float32(2.0), np.float32(4.0), np.float32(10.0))
    """
    x = dispatch.convert(x)
    axes_tensor = _axes(x, axes)
    count = _count(x, axes_tensor)
    if shift is None:
        moved = x
    else:
        shift = dispatch.convert(shift, None, x.dtype, name="shift")
        moved = x - shift
    mean_ss = sum_(moved, axes_tensor, keep_dims=keepdims, name="mean_ss")
    var_ss = sum_(square(moved), axes_tensor, keep_dims=keepdims, name="var_ss")
    return count, mean_ss, var_ss, shift


def _count(x: Any, axes: Any) -> Any:
    """Return the number of elements along `axes`, in the dtype of `x`."""
    if x.static_shape is None or axes.static_value is None:
        whole = sum_(ones_like(x), axes, keep_dims=True)
        return reshape(whole, static_ints((-1,)))[0]
    positive_axes = tuple(int(axis) % len(x.static_shape) for axis in axes.static_value.reshape(-1))
    sizes = [x.static_shape[axis] for axis in positive_axes]
    if None not in sizes:
        return dispatch.constant(math.prod(sizes), x.dtype, "Const")
    chosen = gather_v2(shape_of(x), static_ints(positive_axes), scalar_int(0))
    return prod(cast(chosen, DstT=x.dtype), static_ints((0,)), name="count")


@scoped("normalize")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Compute the mean and variance from sufficient statistics.

    Args:
        counts: The number of elements.
        mean_ss: Their sum, after subtracting the shift.
        variance_ss: The sum of squares, after subtracting the shift.
        shift: The shift, or None.
        name: Name of the op in a graph.

    Returns:
        A tuple `(mean, variance)`.

    Example:

        >>> mean, variance = tf.nn.normalize_moments(2.0, 4.0, 10.0, shift=None)
        >>> mean.numpy(), variance.numpy()
        (np.float32(2.0), np.float32(1.0))
    """
    divisor = real_div(scalar(1, dispatch.convert(counts)), counts, name="divisor")
    if shift is None:
        mean = shifted = mul(mean_ss, divisor, name="mean")
    else:
        shifted = mul(mean_ss, divisor, name="shifted_mean")
        mean = add_v2(shifted, shift, name="mean")
    return mean, sub(mul(variance_ss, divisor), square(shifted), name="variance")


@scoped("weighted_moments")
@fused
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Compute the weighted mean and variance over `axes`; 0 where the weights add up to 0.

    Args:
        x: A numeric tensor.
        axes: An axis, or a list of axes.
        frequency_weights: Weights that broadcast to `x`.
        keepdims: Whether reduced axes are kept with size 1.
        name: Name of the op in a graph.

    Returns:
        A tuple `(mean, variance)`.

    Example:

        >>> mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 3.0]), [0], [3.0, 1.0])
        >>> mean.numpy(), variance.numpy()
        (np.float32(1.5), np.float32(0.75))
    """
    x = dispatch.convert(x)
    wide = cast(x, DstT=dtypes.float32) if x.dtype is dtypes.float16 else x
    weights = dispatch.convert(frequency_weights, None, wide.dtype)
    if weights.dtype is not wide.dtype:
        weights = cast(weights, DstT=wide.dtype)
    axes_tensor = _axes(x, axes)
    whole = (
        broadcast_to(weights, shape_of(wide))
        if weights.static_shape != wide.static_shape
        else weights
    )
    total = sum_(whole, axes_tensor, keep_dims=True, name="sum_of_weights")
    mean = _mean_of(wide * whole, axes_tensor, total, "weighted_input_sum")
    variance = _mean_of(whole * square(wide - mean), axes_tensor, total, "weighted_distsq")
    if not keepdims:
        mean, variance = _squeeze_axes(mean, axes_tensor), _squeeze_axes(variance, axes_tensor)
    if wide is not x:
        mean, variance = cast(mean, DstT=x.dtype), cast(variance, DstT=x.dtype)
    return mean, variance


def _mean_of(weighted: Any, axes: Axis, total: Any, name: str) -> Any:
    """Compute the mean of weighted elements, given the total weight; 0 if that is 0."""
    return div_no_nan(sum_(weighted, axes, keep_dims=True, name=name), total, name="div_no_nan")


@scoped("batchnorm")
@fused
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Normalise `x`: `(x - mean) / sqrt(variance + variance_epsilon) * scale + offset`.

    It keeps no statistics: `tf.keras.layers.BatchNormalization` does.

    Args:
        x: The tensor.
        mean: The mean, broadcast to `x`.
        variance: The variance, broadcast to `x`.
        offset: Added at the end; may be None.
        scale: Multiplied before; may be None.
        variance_epsilon: Prevents division by zero.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> x = tf.constant([1.0, 3.0])
        >>> tf.nn.batch_normalization(x, 2.0, 1.0, None, 10.0, 0.0).numpy().tolist()
        [-10.0, 10.0]
    """
    x = dispatch.convert(x)
    gain = rsqrt(dispatch.convert(variance, None, x.dtype) + variance_epsilon)
    if scale is not None:
        gain = gain * scale
    shift = -mean * gain if offset is None else offset - mean * gain
    return x * cast(gain, DstT=x.dtype) + cast(shift, DstT=x.dtype)


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """Apply `batch_normalization` under its former arguments.

    Args:
        input: The tensor.
        mean: The mean, broadcast to `input`.
        variance: The variance, broadcast to `input`.
        beta: The offset.
        gamma: The scale.
        variance_epsilon: Prevents division by zero.
        scale_after_normalization: Whether to multiply by `gamma`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `input`.

    Example:

        >>> x = tf.constant([1.0, 3.0])
        >>> normalized = tf.nn.batch_norm_with_global_normalization(
        ...     x, 2.0, 1.0, 5.0, 10.0, variance_epsilon=0.0, scale_after_normalization=True
        ... )
        >>> normalized.numpy().tolist()
        [-5.0, 15.0]
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


@scoped("l2_normalize", names_result=True)
@fused
def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Tensor:
    """Divide `x` by its L2 norm along `axis`.

    The squared norm is at least `epsilon`, so that zeros stay zeros.

    Args:
        x: A floating-point or complex tensor.
        axis: An axis, or a list of axes; all by default.
        epsilon: The lower bound of the squared norm.
        name: Name of the op in a graph.
        dim: The former name of `axis`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: Both `axis` and `dim` are passed.

    Example:

        >>> tf.nn.l2_normalize([[3.0, 4.0], [0.0, 0.0]], axis=1).numpy().round(2).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both `axis` and `dim`: `dim` is the former name.")
    x = dispatch.convert(x)
    axes_tensor = _axes(x, dim if axis is None else axis)
    if x.dtype.is_complex:
        total = sum_(square(abs(x)), axes_tensor, keep_dims=True)
        norm = cast(rsqrt(maximum(total, scalar(epsilon, total))), DstT=x.dtype)
        return mul(x, norm, name=name)
    total = sum_(square(x), axes_tensor, keep_dims=True)
    return mul(x, rsqrt(maximum(total, scalar(epsilon, x))), name=name)
