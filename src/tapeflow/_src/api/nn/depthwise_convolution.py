"""`tf.nn`: depthwise and separable convolutions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.convolution import conv2d, full_list, is_first, paddings, sequence
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.nn import depthwise


def depthwise_conv2d(
    input: TensorLike,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a depthwise 2-D convolution: each channel has filters of its own.

    Args:
        input: `[batch, height, width, channels]`, for data format "NHWC".
        filter: `[height, width, channels, multiplier]`.
        strides: A list with the stride of each of the four axes; 1 for batch and channels.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: One number, one for height and width, or one for each axis; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor with `channels * multiplier` channels.

    Raises:
        TypeError: `strides` is not a list.

    Example:

        >>> x = tf.ones((1, 4, 4, 3))
        >>> tf.nn.depthwise_conv2d(x, tf.ones((2, 2, 3, 2)), [1, 1, 1, 1], "VALID").shape
        TensorShape([1, 3, 3, 6])
    """
    return depthwise.depthwise_conv2d_native(
        input,
        filter,
        strides=full_list(strides, "depthwise_conv2d", "strides"),
        dilations=sequence(dilations, 2, is_first(data_format), "dilations"),
        data_format=data_format or "NHWC",
        name=name or "depthwise",
        **paddings(padding, 2),
    )


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `depthwise_conv2d` with respect to its input.

    Args:
        input_sizes: The shape of the input.
        filter: The filters.
        out_backprop: The upstream gradient, of the shape of the result.
        strides: A list with the stride of each of the four axes; 1 for batch and channels.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        dilations: A list with the dilation of each of the four axes.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `input_sizes`.
    """
    return depthwise.depthwise_conv2d_native_backprop_input(
        input_sizes,
        filter,
        out_backprop,
        strides=full_list(strides, "depthwise_conv2d", "strides"),
        dilations=full_list(dilations, "depthwise_conv2d", "dilations"),
        data_format=data_format,
        name=name,
        **paddings(padding, 2),
    )


def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `depthwise_conv2d` with respect to its filter.

    Args:
        input: The input.
        filter_sizes: The shape of the filters.
        out_backprop: The upstream gradient, of the shape of the result.
        strides: A list with the stride of each of the four axes; 1 for batch and channels.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        dilations: A list with the dilation of each of the four axes.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `filter_sizes`.

    Example:
        >>> x, grad = tf.ones([1, 3, 3, 1]), tf.ones([1, 2, 2, 1])
        >>> df = tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 1, 1], grad, [1] * 4, "VALID")
        >>> df[:, :, 0, 0].numpy()
        array([[4., 4.],
               [4., 4.]], dtype=float32)
    """
    return depthwise.depthwise_conv2d_native_backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides=full_list(strides, "depthwise_conv2d", "strides"),
        dilations=full_list(dilations, "depthwise_conv2d", "dilations"),
        data_format=data_format,
        name=name,
        **paddings(padding, 2),
    )


@scoped("separable_conv2d", names_result=True)
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a depthwise convolution followed by a pointwise (1×1) one.

    Args:
        input: `[batch, height, width, channels]`, for data format "NHWC".
        depthwise_filter: `[height, width, channels, multiplier]`.
        pointwise_filter: `[1, 1, channels * multiplier, out_channels]`.
        strides: A list with the stride of each of the four axes; 1 for batch and channels.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" (the default) or "NCHW".
        dilations: One number, one for height and width, or one for each axis; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor with `out_channels` channels.

    Raises:
        ValueError: The pointwise filter is not 1×1.

    Example:

        >>> x = tf.ones((1, 4, 4, 3))
        >>> depthwise, pointwise = tf.ones((2, 2, 3, 1)), tf.ones((1, 1, 3, 8))
        >>> tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME").shape
        TensorShape([1, 4, 4, 8])
    """
    pointwise_filter = dispatch.convert(pointwise_filter, None, getattr(input, "dtype", None))
    if not pointwise_filter.shape[:2].is_compatible_with([1, 1]):
        raise ValueError(
            f"separable_conv2d: `pointwise_filter` must have shape [1, 1, channels in, channels "
            f"out]. Received: shape {pointwise_filter.shape}"
        )
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(deep, pointwise_filter, 1, "VALID", data_format or "NHWC", name=name)
