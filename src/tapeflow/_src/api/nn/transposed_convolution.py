"""`tf.nn`: transposed convolutions in one to three dimensions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.convolution import (
    FORMATS,
    explicit_with_height,
    is_first,
    name_only,
    paddings,
    require_rate,
    sequence,
    with_height,
)
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike, TensorLike
from tapeflow._src.ops.array.common import expand_dims, scalar_int, squeeze
from tapeflow._src.ops.nn import conv


def conv2d_transpose(
    input: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv2d`, also called deconvolution.

    That is the gradient of `conv2d` with respect to its input, used to enlarge images.

    Args:
        input: `[batch, height, width, in_channels]`, for data format "NHWC".
        filters: `[height, width, out_channels, in_channels]`: channels in the other order than for
            `conv2d`.
        output_shape: The shape of the result: several shapes have the same convolved size.
        strides: One number, one for height and width, or one for each axis.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        InvalidArgumentError: A convolution of `output_shape` does not have the shape of `input`.

    Example:

        >>> x = tf.constant([[[[1.0], [2.0]]]])
        >>> y = tf.nn.conv2d_transpose(x, tf.ones((1, 2, 1, 1)), [1, 1, 4, 1], strides=[1, 2])
        >>> y[0, 0, :, 0].numpy().tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    first = is_first(data_format)
    filters = dispatch.convert(filters, None, getattr(input, "dtype", None))
    return conv.conv2d_backprop_input(
        output_shape,
        filters,
        input,
        strides=sequence(strides, 2, first, "strides"),
        dilations=sequence(dilations, 2, first, "dilations"),
        data_format=data_format or "NHWC",
        name=name or "conv2d_transpose",
        **paddings(padding, 2),
    )


@scoped("conv1d_transpose", names_result=True)
def conv1d_transpose(
    input: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv1d`.

    Args:
        input: `[batch, width, in_channels]`, for data format "NWC".
        filters: `[width, out_channels, in_channels]`.
        output_shape: The three sizes of the result.
        strides: The stride.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW".
        dilations: The dilation; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: `output_shape` does not have three entries.

    Example:

        >>> x = tf.constant([[[1.0], [2.0]]])
        >>> tf.nn.conv1d_transpose(x, tf.ones((2, 1, 1)), [1, 4, 1], 2)[0, :, 0].numpy().tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    first = is_first(data_format)
    input, filters = conv.conv2d.convert_inputs((input, filters))
    axis = 2 if first else 1
    sizes = dispatch.convert(output_shape)
    if not sizes.shape.is_compatible_with([3]):
        raise ValueError(
            f"conv1d_transpose: `output_shape` must be of length 3. Received: "
            f"output_shape={output_shape}"
        )
    parts = [sizes[i] for i in range(3)]
    image = conv2d_transpose(
        expand_dims(input, scalar_int(axis)),
        expand_dims(filters, scalar_int(0)),
        dispatch.convert(list(with_height(parts, first))),
        with_height(sequence(strides, 1, first, "strides"), first),
        explicit_with_height(padding, first),
        "NCHW" if first else "NHWC",
        with_height(sequence(dilations, 1, first, "dilations"), first),
        name,
    )
    return squeeze(image, axis=[axis])


def conv3d_transpose(
    input: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv3d`.

    Args:
        input: `[batch, depth, height, width, in_channels]`, for data format "NDHWC".
        filters: `[depth, height, width, out_channels, in_channels]`.
        output_shape: The five sizes of the result.
        strides: One number, one for each spatial axis, or one for each axis.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `output_shape`.

    Example:

        >>> x = tf.ones((1, 2, 2, 2, 1))
        >>> tf.nn.conv3d_transpose(x, tf.ones((2, 2, 2, 3, 1)), [1, 4, 4, 4, 3], strides=2).shape
        TensorShape([1, 4, 4, 4, 3])
    """
    first = is_first(data_format)
    filters = dispatch.convert(filters, None, getattr(input, "dtype", None))
    return conv.conv3d_backprop_input(
        output_shape,
        filters,
        input,
        strides=sequence(strides, 3, first, "strides"),
        dilations=sequence(dilations, 3, first, "dilations"),
        data_format=data_format or "NDHWC",
        name=name or "conv3d_transpose",
        **name_only(padding, "conv3d_transpose"),
    )


@scoped("conv_transpose", names_result=True)
def conv_transpose(
    input: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a transposed convolution with as many spatial axes as `output_shape` has.

    Args:
        input: `[batch, *spatial, in_channels]`, for channels last.
        filters: `[*spatial, out_channels, in_channels]`.
        output_shape: The 3 to 5 sizes of the result.
        strides: One number, one for each spatial axis, or one for each axis.
        padding: "SAME" or "VALID".
        data_format: The layout; channels last by default.
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: `output_shape` does not have 3 to 5 entries.

    Example:

        >>> x = tf.constant([[[1.0], [2.0]]])
        >>> tf.nn.conv_transpose(x, tf.ones((2, 1, 1)), [1, 4, 1], 2)[0, :, 0].numpy().tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    if not isinstance(output_shape, Tensor) and not hasattr(output_shape, "__len__"):
        raise ValueError(
            f"output_shape must be a list or tensor of sizes, received {output_shape!r}"
        )
    sizes = dispatch.convert(output_shape)
    rank = sizes.shape[0] - 2 if len(sizes.shape) == 1 else 0
    if rank not in FORMATS:
        raise ValueError(
            "output_shape must have 3, 4 or 5 entries (batch, 1 to 3 spatial axes, channels), "
            f"received {output_shape}"
        )
    function: Any = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[rank]
    layout = data_format or FORMATS[rank][0]
    return function(input, filters, sizes, strides, padding, layout, dilations, name)


@scoped("atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: Any,
    output_shape: ShapeLike,
    rate: int,
    padding: Any,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `atrous_conv2d`.

    Args:
        value: `[batch, height, width, in_channels]`.
        filters: `[height, width, out_channels, in_channels]`.
        output_shape: The four sizes of the result.
        rate: The dilation of both axes, 1 or more.
        padding: "SAME" or "VALID".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `output_shape`.

    Raises:
        ValueError: `rate` is below 1.

    Example:

        >>> x = tf.ones((1, 3, 3, 1))
        >>> tf.nn.atrous_conv2d_transpose(x, tf.ones((2, 2, 4, 1)), [1, 5, 5, 4], 2, "VALID").shape
        TensorShape([1, 5, 5, 4])
    """
    require_rate(rate, "atrous_conv2d_transpose")
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
