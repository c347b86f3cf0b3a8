"""Convolutions over one, two or three axes."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.convolutional.sizes import transpose_output
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.layouts import channels_first, channels_last, tuple_of
from tapeflow._src.keras.ops.promotion import to_tensor

_conv = functools.partial(
    declare,
    family="nn",
    call=("inputs", "kernel"),
    standardize={"data_format": standardize_data_format, "padding": str.lower},
)
_TRANSPOSED = {1: tf.nn.conv1d_transpose, 2: tf.nn.conv2d_transpose, 3: tf.nn.conv3d_transpose}


def _standard(
    inputs: TensorLike, kernel: TensorLike, data_format: str | None
) -> tuple[Any, Any, bool]:
    """Inputs with their channels last, the kernel, and whether channels were in the second axis."""
    first = standardize_data_format(data_format) == "channels_first"
    x, kernel = to_tensor(inputs), to_tensor(kernel)
    return (channels_last(x) if first else x), kernel, first


def _require_channels(x: Any, kernel: Any, axis: int = -2) -> None:
    ours, theirs = x.shape[-1], kernel.shape[axis]
    if None not in (ours, theirs) and ours != theirs:
        raise ValueError(
            f"The inputs have {ours} channels, and the kernel takes {theirs}. Received a kernel of "
            f"shape {kernel.shape}"
        )


@_conv()
def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolves inputs with a kernel (*window, channels in, channels out).

    With fewer channels in the kernel than in the inputs, the convolution is grouped.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels) with one to three spatial axes, or with
            channels second.
        kernel: Tensor of shape (*window, channels in, channels out).
        strides: Distance of windows: one integer, or one for each spatial axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window: one integer, or one for each spatial
            axis.

    Returns:
        A tensor of shape (batch, *spatial, channels out), or with channels second.

    Raises:
        ValueError: Channels of the inputs are not a multiple of those of the kernel, or the output
            would be empty.

    Example:
        >>> x, kernel = tf.ones((1, 5, 1)), tf.ones((3, 1, 1))
        >>> tf.keras.ops.conv(x, kernel).numpy().ravel()
        array([3., 3., 3.], dtype=float32)
        >>> tf.keras.ops.conv(x, kernel, padding="same").numpy().ravel()
        array([2., 3., 3., 3., 2.], dtype=float32)
    """
    x, kernel, first = _standard(inputs, kernel, data_format)
    channels, taken = x.shape[-1], kernel.shape[-2]
    if None not in (channels, taken) and channels % taken:
        _require_channels(x, kernel)
    axes = x.shape.rank - 2
    result = tf.nn.convolution(
        x,
        kernel,
        tuple_of("strides", strides, axes),
        padding.upper(),
        dilations=tuple_of("dilation_rate", dilation_rate, axes),
    )
    sizes = result.shape
    if sizes.is_fully_defined() and not math.prod(sizes) and math.prod(x.shape.as_list()):
        raise ValueError(
            f"The output of the convolution would be empty, of shape {sizes}: the window is larger "
            f"than the inputs. Received inputs of shape {x.shape}, a kernel of shape "
            f"{kernel.shape}, padding={padding!r}"
        )
    return channels_first(result) if first else result


def _depthwise(x: Any, kernel: Any, strides: Any, padding: str, dilation_rate: Any) -> Any:
    """A depthwise convolution of images or, as images of height 1, of sequences."""
    axes = x.shape.rank - 2
    if axes not in (1, 2):
        raise ValueError(
            f"A depthwise convolution takes sequences or images, with 3 or 4 axes. Received shape "
            f"{x.shape}"
        )
    _require_channels(x, kernel)
    strides = tuple_of("strides", strides, axes)
    rates = tuple_of("dilation_rate", dilation_rate, axes)
    if axes == 1:
        x, kernel = x[:, None], kernel[None]
        strides, rates = (1, *strides), (1, *rates)
    if max(strides) > 1 and max(rates) > 1:
        result = _strided_and_dilated(x, kernel, strides, padding, rates)
    elif strides[0] == strides[1] or axes == 2:
        result = tf.nn.depthwise_conv2d(x, kernel, (1, *strides, 1), padding.upper(), None, rates)
    else:
        # A height of 1 has one row of outputs with any stride, which must be the same for both.
        both = (1, strides[1], strides[1], 1)
        result = tf.nn.depthwise_conv2d(x, kernel, both, padding.upper(), None, rates)
    return tf.squeeze(result, 1) if axes == 1 else result


def _strided_and_dilated(x: Any, kernel: Any, strides: Any, padding: str, rates: Any) -> Any:
    """The op has either strides or dilations: dilated outputs, of which some are taken."""
    if padding.upper() == "SAME":
        pads: list[Any] = [[0, 0]]
        for axis, (stride, rate) in enumerate(zip(strides, rates)):
            size = tf.shape(x)[axis + 1]
            window = (kernel.shape[axis] - 1) * rate + 1
            total = tf.maximum((-(-size // stride) - 1) * stride + window - size, 0)
            pads.append([total // 2, total - total // 2])
        x = tf.pad(x, [*pads, [0, 0]])
    result = tf.nn.depthwise_conv2d(x, kernel, (1, 1, 1, 1), "VALID", None, rates)
    return result[:, :: strides[0], :: strides[1]]


@_conv()
def depthwise_conv(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolves each channel by itself, with a kernel (*window, channels, multiplier).

    Args:
        inputs: Sequences (batch, steps, channels) or images (batch, height, width, channels), or
            with channels second.
        kernel: Tensor of shape (*window, channels, multiplier).
        strides: Distance of windows: one integer, or one for each spatial axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window: one integer, or one for each spatial
            axis.

    Returns:
        A tensor with channels * multiplier channels.

    Raises:
        ValueError: `inputs` does not have 3 or 4 axes, or has other channels than the kernel.

    Example:
        >>> tf.keras.ops.depthwise_conv(tf.ones((1, 8, 8, 3)), tf.ones((3, 3, 3, 2))).shape
        TensorShape([1, 6, 6, 6])
    """
    x, kernel, first = _standard(inputs, kernel, data_format)
    result = _depthwise(x, kernel, strides, padding, dilation_rate)
    return channels_first(result) if first else result


@_conv(call=("inputs", "depthwise_kernel", "pointwise_kernel"))
def separable_conv(
    inputs: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Convolves each channel by itself, then mixes channels with a pointwise kernel.

    Args:
        inputs: Sequences (batch, steps, channels) or images (batch, height, width, channels), or
            with channels second.
        depthwise_kernel: Tensor of shape (*window, channels, multiplier).
        pointwise_kernel: Tensor of shape (*ones, channels * multiplier, channels out).
        strides: Distance of windows: one integer, or one for each spatial axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window: one integer, or one for each spatial
            axis.

    Returns:
        A tensor with as many channels as the pointwise kernel has columns.

    Raises:
        ValueError: `inputs` does not have 3 or 4 axes, or has other channels than the kernel.

    Example:
        >>> kernels = tf.ones((3, 3, 3, 1)), tf.ones((1, 1, 3, 10))
        >>> tf.keras.ops.separable_conv(tf.ones((1, 8, 8, 3)), *kernels).shape
        TensorShape([1, 6, 6, 10])
    """
    x, kernel, first = _standard(inputs, depthwise_kernel, data_format)
    x = _depthwise(x, kernel, strides, padding, dilation_rate)
    result = tf.nn.convolution(x, to_tensor(pointwise_kernel), padding="VALID")
    return channels_first(result) if first else result


def dilated_kernel(kernel: Any, rates: Any) -> Any:
    """The kernel with zeros between its entries: transposed convolutions have no dilations."""
    for axis, rate in enumerate(rates):
        if rate == 1:
            continue
        gaps = [[0, 0]] * (kernel.shape.rank + 1)
        gaps[axis + 1] = [0, rate - 1]
        size = kernel.shape[axis]
        wide = tf.reshape(
            tf.pad(tf.expand_dims(kernel, axis + 1), gaps),
            [*kernel.shape[:axis], size * rate, *kernel.shape[axis + 1 :]],
        )
        kernel = wide[(*[slice(None)] * axis, slice(0, (size - 1) * rate + 1))]
    return kernel


@_conv()
def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Transposes a convolution, with a kernel (*window, channels out, channels in).

    It maps a tensor of the shape that `conv` returns to one of the shape that `conv` takes, as the
    gradient of `conv` does.

    Args:
        inputs: Tensor of shape (batch, *spatial, channels in) with one to three spatial axes, or
            with channels second.
        kernel: Tensor of shape (*window, channels out, channels in).
        strides: Factor of the spatial sizes: one integer, or one for each axis.
        padding: "valid" or "same", as of the convolution that is transposed.
        output_padding: Sizes added to the spatial sizes, below `strides`; None infers it.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window: one integer, or one for each spatial
            axis.

    Returns:
        A tensor with as many channels as the last but one axis of the kernel.

    Raises:
        ValueError: Channels of the inputs are not those of the kernel.

    Example:
        >>> kernel = tf.ones((2, 2, 5, 3))
        >>> tf.keras.ops.conv_transpose(tf.ones((1, 4, 4, 3)), kernel, strides=2).shape
        TensorShape([1, 8, 8, 5])
    """
    x, kernel, first = _standard(inputs, kernel, data_format)
    _require_channels(x, kernel, -1)
    axes = x.shape.rank - 2
    strides = tuple_of("strides", strides, axes)
    rates = tuple_of("dilation_rate", dilation_rate, axes)
    extra = (None,) * axes if output_padding is None else output_padding
    extra = tuple_of("output_padding", extra, axes)
    known: list[Any] = x.shape.as_list()
    sizes: Any = tf.shape(x)
    spatial = [sizes[i + 1] if known[i + 1] is None else known[i + 1] for i in range(axes)]
    rows = zip(spatial, kernel.shape, strides, extra, rates)
    outputs = [transpose_output(n, k, s, padding, o, d) for n, k, s, o, d in rows]
    batch = sizes[0] if known[0] is None else known[0]
    shape = [batch, *outputs, kernel.shape[-2]]
    dilated = dilated_kernel(kernel, rates)
    result = _TRANSPOSED[axes](x, dilated, shape, strides, padding.upper())
    return channels_first(result) if first else result
