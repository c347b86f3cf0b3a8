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
from tapeflow._src.ops.array.common import expand_dims, scalar_int, squeeze
from tapeflow._src.ops.nn import conv


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv2d`, also called deconvolution.

    Args:
        input: `[batch, height, width, in_channels]`, for data format "NHWC".
        filters: `[height, width, out_channels, in_channels]`.
        output_shape: The shape of the result.
        strides: One number, one for height and width, or one for each axis.
        padding: "SAME", "VALID", or pairs of paddings for each axis.
        data_format: "NHWC" or "NCHW".
        dilations: As `strides`; 1 by default.
        name: Name of the op in a graph.
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
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv1d`."""
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
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute the transpose of `conv3d`."""
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
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute a transposed convolution with as many spatial axes as `output_shape` has."""
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
    value: Any, filters: Any, output_shape: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """Compute the transpose of `atrous_conv2d`."""
    require_rate(rate, "atrous_conv2d_transpose")
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
