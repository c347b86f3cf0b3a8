"""Depthwise convolution: each channel with filters of its own."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.dtypes import FLOATING
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank, shape_from_value
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import OWN_SCOPE
from tapeflow._src.kernels import windows
from tapeflow._src.kernels.windows import channel_axis
from tapeflow._src.ops.array.padding import tile
from tapeflow._src.ops.nn.conv import batch_input_gradient, each_other

_ONES = (1, 1, 1, 1)


def _window_attributes(attrs: dict[str, Any]) -> windows.Attributes:
    return windows.attributes(
        2,
        attrs["strides"],
        attrs["dilations"],
        attrs["padding"],
        attrs["explicit_paddings"],
        attrs["data_format"],
    )


def _output_shape(x: Any, w: Any, window_attributes: windows.Attributes) -> Any:
    if x is None or w is None:
        return windows.format_dims(
            (None if x is None else x[0], None, None, None), window_attributes
        )
    x = windows.last_dims(x, window_attributes)
    if x[-1] is not None and w[2] is not None and x[-1] != w[2]:
        raise InferError(
            f"input and filter must have the same depth: {x[-1]} vs {w[2]} in filter {fmt_shape(w)}"
        )
    space = windows.output_space(x[1:-1], w[:2], window_attributes)
    channels = None if None in (w[2], w[3]) else w[2] * w[3]
    return windows.format_dims((x[0], *space, channels), window_attributes)


def _as_grouped(dims: tuple[int, ...]) -> tuple[int, ...]:
    """Return a depthwise filter's shape as that of a convolution with one group per channel."""
    height, width, channels, multiplier = dims
    return height, width, 1, channels * multiplier


@op("DepthwiseConv2dNative", dtypes=FLOATING, checked=True, traits=(OWN_SCOPE,))
def depthwise_conv2d_native(
    xp,
    input,
    filter,
    *,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES,
):
    """Convolve each channel with its filters, of shape `[height, width, channels, multiplier]`."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    x = windows.to_last(xp, input, window_attributes)
    window = windows.window(x.shape[1:-1], filter.shape[:2], window_attributes)
    grouped = filter.reshape(_as_grouped(filter.shape))
    return windows.from_last(
        xp, xp.conv(x, grouped, window, max(1, filter.shape[2])), window_attributes
    )


@depthwise_conv2d_native.infer
def _(input, filter, **attrs):
    require_rank(input, 4, "input")
    require_rank(filter, 4, "filter")
    return Spec(_output_shape(input.shape, filter.shape, _window_attributes(attrs)), input.dtype)


@depthwise_conv2d_native.batch
def _(batch: Batch, input: Any, filter: Any, **attrs: Any) -> Any:
    if batch.has(filter):
        return NotImplemented
    return batch.split(batch.op(batch.merge(input, 0), filter, **attrs), 0)


@op("DepthwiseConv2dNativeBackpropInput", dtypes=FLOATING, checked=True, batch=batch_input_gradient)
def depthwise_conv2d_native_backprop_input(
    xp,
    input_sizes: Static,
    filter,
    out_backprop,
    *,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES,
):
    """Compute the gradient of the depthwise convolution w.r.t. its input."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    dims = windows.last_dims(tuple(input_sizes.tolist()), window_attributes)
    window = windows.window(dims[1:-1], filter.shape[:2], window_attributes)
    dy = windows.to_last(xp, out_backprop, window_attributes)
    grouped = filter.reshape(_as_grouped(filter.shape))
    dx = xp.conv_input_gradient(dy, grouped, dims, window, max(1, filter.shape[2]))
    return windows.from_last(xp, dx, window_attributes)


@depthwise_conv2d_native_backprop_input.infer
def _(input_sizes, filter, out_backprop, **attrs):
    require_rank(filter, 4, "filter")
    require_rank(out_backprop, 4, "out_backprop")
    dims = shape_from_value(input_sizes)
    if dims is not None and len(dims) != 4:
        raise InferError(f"input_sizes must have 4 values, got {fmt_shape(dims)}")
    if dims is not None and filter.shape is not None:
        expected = _output_shape(dims, filter.shape, _window_attributes(attrs))
        merge_shape(expected, out_backprop.shape, "out_backprop does not match the result's shape")
    return Spec(dims, filter.dtype)


@op("DepthwiseConv2dNativeBackpropFilter", dtypes=FLOATING, checked=True)
def depthwise_conv2d_native_backprop_filter(
    xp,
    input,
    filter_sizes: Static,
    out_backprop,
    *,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES,
):
    """Compute the gradient of the depthwise convolution w.r.t. its filter."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    x, dy = (
        windows.to_last(xp, input, window_attributes),
        windows.to_last(xp, out_backprop, window_attributes),
    )
    dims = tuple(filter_sizes.tolist())
    window = windows.window(x.shape[1:-1], dims[:2], window_attributes)
    dw = xp.conv_filter_gradient(x, dy, _as_grouped(dims), window, max(1, dims[2]))
    return dw.reshape(dims)


@depthwise_conv2d_native_backprop_filter.infer
def _(input, filter_sizes, out_backprop, **attrs):
    require_rank(input, 4, "input")
    require_rank(out_backprop, 4, "out_backprop")
    dims = shape_from_value(filter_sizes)
    if dims is not None and len(dims) != 4:
        raise InferError(f"filter_sizes must have 4 values, got {fmt_shape(dims)}")
    if dims is not None and input.shape is not None:
        expected = _output_shape(input.shape, dims, _window_attributes(attrs))
        merge_shape(expected, out_backprop.shape, "out_backprop does not match the result's shape")
    return Spec(dims, input.dtype)


@depthwise_conv2d_native_backprop_filter.batch
def _(batch: Batch, input: Any, filter_sizes: Any, out_backprop: Any, **attrs: Any) -> Any:
    if not is_static(filter_sizes):
        return NotImplemented
    channels = channel_axis(attrs["data_format"], 4)
    if batch.has(input):
        images = batch.merge(input, channels)
    else:
        times = [1, 1, 1, 1]
        times[channels] = batch.size
        images = tile(input, batch.ints(*times))
    gradients = batch.merge(out_backprop, channels)
    return batch.split(batch.op(images, batch.scaled(filter_sizes, 2), gradients, **attrs), 2)


each_other(
    depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_input,
    depthwise_conv2d_native_backprop_filter,
)
