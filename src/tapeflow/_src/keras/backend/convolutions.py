"""Convolutions and pooling."""

from __future__ import annotations

import itertools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import standardize_data_format

_PADDINGS = {"same": "SAME", "valid": "VALID"}


def _padding(padding: Any) -> str:
    if padding not in _PADDINGS:
        raise ValueError(f"`padding` must be 'same' or 'valid'. Received: {padding!r}")
    return _PADDINGS[padding]


def _pair(name: str, value: Any) -> tuple[int, int]:
    if len(value) != 2:
        raise ValueError(f"`{name}` must be a tuple of two integers. Received: {value!r}")
    return tuple(value)


def _channels_last(x: Any, data_format: str | None) -> tuple[Any, bool]:
    """`x` with its channels in the last axis, and whether they were in the second."""
    x = tf.convert_to_tensor(x)
    if standardize_data_format(data_format) == "channels_last":
        return x, False
    return tf.transpose(x, [0, *range(2, x.shape.rank), 1]), True


def _as_given(x: Any, channels_first: bool) -> Any:
    if not channels_first:
        return x
    return tf.transpose(x, [0, x.shape.rank - 1, *range(1, x.shape.rank - 1)])


def _convolution(
    x: TensorLike,
    kernel: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilation_rate: Any,
) -> Any:
    x, first = _channels_last(x, data_format)
    x = tf.nn.convolution(
        x, kernel, strides=strides, padding=_padding(padding), dilations=dilation_rate
    )
    return _as_given(x, first)


@in_models
def conv1d(
    x: Any,
    kernel: Any,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Any:
    """Convolve sequences with a kernel.

    Args:
        x: Tensor of shape (batch, steps, channels), or with channels second.
        kernel: Tensor of shape (window, channels in, channels out).
        strides: Distance of windows.
        padding: "valid" for whole windows only, "same" to pad with zeros, or "causal" to pad before
            the first step only, so that outputs depend on no later ones.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window.

    Returns:
        A tensor with the channels of the kernel.

    Example:
        >>> tf.keras.backend.conv1d(tf.ones((1, 8, 2)), tf.ones((3, 2, 4)), padding="causal").shape
        TensorShape([1, 8, 4])
    """
    if padding == "causal":
        before = dilation_rate * (kernel.shape[0] - 1)
        last = standardize_data_format(data_format) == "channels_last"
        steps = [[before, 0], [0, 0]] if last else [[0, 0], [before, 0]]
        x, padding = tf.pad(x, [[0, 0], *steps]), "valid"
    return _convolution(x, kernel, strides, padding, data_format, dilation_rate)


@in_models
def conv2d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Convolve images with a kernel.

    Args:
        x: Tensor of shape (batch, height, width, channels), or with channels second.
        kernel: Tensor of shape (height, width, channels in, channels out).
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window along each axis.

    Returns:
        A tensor with the channels of the kernel.

    Raises:
        ValueError: `padding` has another value.

    Example:
        >>> tf.keras.backend.conv2d(tf.ones((1, 8, 8, 2)), tf.ones((3, 3, 2, 4))).shape
        TensorShape([1, 6, 6, 4])
    """
    return _convolution(x, kernel, strides, padding, data_format, dilation_rate)


@in_models
def conv3d(
    x: TensorLike,
    kernel: TensorLike,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1, 1),
) -> Any:
    """Convolve volumes with a kernel.

    Args:
        x: Tensor of shape (batch, depth, height, width, channels), or with channels second.
        kernel: Tensor of shape (depth, height, width, channels in, channels out).
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window along each axis.

    Returns:
        A tensor with the channels of the kernel.

    Raises:
        ValueError: `padding` has another value.

    Example:
        >>> tf.keras.backend.conv3d(tf.ones((1, 8, 8, 8, 2)), tf.ones((3, 3, 3, 2, 4))).shape
        TensorShape([1, 6, 6, 6, 4])
    """
    return _convolution(x, kernel, strides, padding, data_format, dilation_rate)


@in_models
def conv2d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: ShapeLike,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Transpose a 2D convolution.

    Args:
        x: Tensor of shape (batch, height, width, channels), or with channels second.
        kernel: Tensor of shape (height, width, channels out, channels in).
        output_shape: Shape of the result; the batch size may be None.
        strides: Factor of the spatial sizes along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window; the same along both axes.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: The dilation rates differ, or another argument has another form.

    Example:
        >>> tf.keras.backend.conv2d_transpose(
        ...     tf.ones((1, 4, 4, 3)), tf.ones((2, 2, 5, 3)), (1, 8, 8, 5), (2, 2)
        ... ).shape
        TensorShape([1, 8, 8, 5])
    """
    x, first = _channels_last(x, data_format)
    if first and isinstance(output_shape, (tuple, list)):
        output_shape = [output_shape[axis] for axis in (0, 2, 3, 1)]
    if isinstance(output_shape, (tuple, list)):
        batch = tf.shape(x)[0] if output_shape[0] is None else output_shape[0]
        output_shape = tf.stack([batch, *output_shape[1:]])
    rows, columns = _pair("dilation_rate", dilation_rate)
    if rows != columns:
        raise ValueError(f"Both dilation rates must be equal. Received: {dilation_rate}")
    if rows == 1:
        x = tf.nn.conv2d_transpose(
            x, kernel, output_shape, _pair("strides", strides), _padding(padding)
        )
    else:
        x = tf.nn.atrous_conv2d_transpose(x, kernel, output_shape, rows, _padding(padding))
    return _as_given(x, first)


@in_models
def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Convolve each channel of images by itself.

    Args:
        x: Tensor of shape (batch, height, width, channels), or with channels second.
        depthwise_kernel: Tensor of shape (height, width, channels, multiplier).
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window along each axis.

    Returns:
        A tensor with channels * multiplier channels.

    Example:
        >>> tf.keras.backend.depthwise_conv2d(tf.ones((1, 8, 8, 3)), tf.ones((3, 3, 3, 2))).shape
        TensorShape([1, 6, 6, 6])
    """
    x, first = _channels_last(x, data_format)
    x = tf.nn.depthwise_conv2d(
        x,
        depthwise_kernel,
        strides=(1, *_pair("strides", strides), 1),
        padding=_padding(padding),
        dilations=dilation_rate,
    )
    return _as_given(x, first)


@in_models
def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Convolve each channel of images by itself, then mix channels at each pixel.

    Args:
        x: Tensor of shape (batch, height, width, channels), or with channels second.
        depthwise_kernel: Tensor of shape (height, width, channels, multiplier).
        pointwise_kernel: Tensor of shape (1, 1, channels * multiplier, channels out).
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dilation_rate: Distance of neighbours in a window along each axis.

    Returns:
        A tensor with the channels of the pointwise kernel.

    Example:
        >>> kernels = tf.ones((3, 3, 3, 1)), tf.ones((1, 1, 3, 10))
        >>> tf.keras.backend.separable_conv2d(tf.ones((1, 8, 8, 3)), *kernels).shape
        TensorShape([1, 6, 6, 10])
    """
    x, first = _channels_last(x, data_format)
    x = tf.nn.separable_conv2d(
        x,
        depthwise_kernel,
        pointwise_kernel,
        strides=(1, *_pair("strides", strides), 1),
        padding=_padding(padding),
        dilations=dilation_rate,
    )
    return _as_given(x, first)


def _pool(
    x: TensorLike, pool_size: Any, strides: Any, padding: Any, data_format: str | None, mode: Any
) -> Any:
    modes = {"max": "MAX", "avg": "AVG"}
    if mode not in modes:
        raise ValueError(f"`pool_mode` must be 'max' or 'avg'. Received: {mode!r}")
    x, first = _channels_last(x, data_format)
    x = tf.nn.pool(x, pool_size, modes[mode], strides=strides, padding=_padding(padding))
    return _as_given(x, first)


@in_models
def pool2d(
    x: TensorLike,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Compute the maximum or mean of windows of images.

    Args:
        x: Tensor of shape (batch, height, width, channels), or with channels second.
        pool_size: Size of windows along each axis.
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        pool_mode: "max" or "avg".

    Returns:
        A tensor of smaller images.

    Raises:
        ValueError: `pool_mode` or `padding` has another value.

    Example:
        >>> tf.keras.backend.pool2d(tf.ones((1, 8, 8, 3)), (2, 2), (2, 2)).shape
        TensorShape([1, 4, 4, 3])
    """
    pool_size, strides = _pair("pool_size", pool_size), _pair("strides", strides)
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


@in_models
def pool3d(
    x: TensorLike,
    pool_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Compute the maximum or mean of windows of volumes.

    Args:
        x: Tensor of shape (batch, depth, height, width, channels), or with channels second.
        pool_size: Size of windows along each axis.
        strides: Distance of windows along each axis.
        padding: "valid" for whole windows only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        pool_mode: "max" or "avg".

    Returns:
        A tensor of smaller volumes.

    Raises:
        ValueError: `pool_mode` or `padding` has another value.

    Example:
        >>> tf.keras.backend.pool3d(tf.ones((1, 8, 8, 8, 3)), (2, 2, 2), (2, 2, 2)).shape
        TensorShape([1, 4, 4, 4, 3])
    """
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def _local_conv(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, output_shape: Any, data_format: Any
) -> Any:
    """A convolution with a kernel of its own for each position."""
    first = standardize_data_format(data_format) == "channels_first"
    features, channels = kernel.shape[1], kernel.shape[-1]
    windows = []
    for position in itertools.product(*map(range, output_shape)):
        cut = [
            slice(at * stride, at * stride + size)
            for at, stride, size in zip(position, strides, kernel_size)
        ]
        where = (slice(None), slice(None), *cut) if first else (slice(None), *cut, slice(None))
        windows.append(tf.reshape(inputs[where], (-1, features)))
    output = tf.matmul(tf.stack(windows), kernel)
    output = tf.reshape(output, (*output_shape, -1, channels))
    axes = list(range(len(output_shape)))
    batch, last = len(axes), len(axes) + 1
    return tf.transpose(output, [batch, last, *axes] if first else [batch, *axes, last])


@in_models
def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Any, strides: Any, data_format: str | None = None
) -> Any:
    """Convolve sequences with a kernel of its own for each step.

    Args:
        inputs: Tensor of shape (batch, steps, channels), or with channels second.
        kernel: Tensor of shape (outputs, window * channels in, channels out).
        kernel_size: Tuple of the size of windows.
        strides: Tuple of the distance of windows.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of shape (batch, outputs, channels out), or with channels second.

    Example:
        >>> tf.keras.backend.local_conv1d(tf.ones((1, 8, 2)), tf.ones((6, 6, 4)), (3,), (1,)).shape
        TensorShape([1, 6, 4])
    """
    return _local_conv(inputs, kernel, kernel_size, strides, (kernel.shape[0],), data_format)


@in_models
def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Any,
    strides: Any,
    output_shape: Any,
    data_format: str | None = None,
) -> Any:
    """Convolve images with a kernel of its own for each pixel of the output.

    Args:
        inputs: Tensor of shape (batch, height, width, channels), or with channels second.
        kernel: Tensor of shape (pixels of the output, window * channels in, channels out).
        kernel_size: Height and width of windows.
        strides: Distance of windows along each axis.
        output_shape: Height and width of the output.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of images of `output_shape`.

    Example:
        >>> tf.keras.backend.local_conv2d(
        ...     tf.ones((1, 4, 4, 1)), tf.ones((9, 4, 2)), (2, 2), (1, 1), (3, 3)
        ... ).shape
        TensorShape([1, 3, 3, 2])
    """
    return _local_conv(inputs, kernel, kernel_size, strides, tuple(output_shape), data_format)
