"""Convolutions and their gradients, in two and three dimensions.

Each convolution is three ops that are each other's gradients: forward, w.r.t. the input, and w.r.t.
the filter.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.dtypes import FLOATING, int32
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank, shape_from_value
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import TOTAL_ON_SHAPES
from tapeflow._src.kernels import windows
from tapeflow._src.kernels.windows import channel_axis

_ONES_2D, _ONES_3D = (1, 1, 1, 1), (1, 1, 1, 1, 1)


def _window_attributes(attrs: dict[str, Any], rank: int) -> windows.Attributes:
    return windows.attributes(
        rank,
        attrs["strides"],
        attrs["dilations"],
        attrs["padding"],
        attrs.get("explicit_paddings", ()),
        attrs["data_format"],
    )


def _output_shape(x: Any, w: Any, window_attributes: windows.Attributes) -> Any:
    """Return the shape of the result from those of the input and of the filter."""
    if x is None or w is None:
        batch, channels = (None if x is None else x[0]), (None if w is None else w[-1])
        return windows.format_dims(
            (batch, *[None] * len(window_attributes.strides), channels), window_attributes
        )
    x = windows.last_dims(x, window_attributes)
    if x[-1] is not None and w[-2] is not None and (not w[-2] or x[-1] % w[-2]):
        raise InferError(
            f"input depth must be evenly divisible by filter depth: {x[-1]} vs {w[-2]}",
            f"Depth of input ({x[-1]}) is not a multiple of input depth of filter ({w[-2]})",
        )
    if None not in (x[-1], w[-2], w[-1]) and x[-1] and w[-1] % (x[-1] // w[-2]):
        raise InferError(
            f"output depth must be evenly divisible by number of groups: {w[-1]} vs "
            f"{x[-1] // w[-2]}"
        )
    space = windows.output_space(x[1:-1], w[:-2], window_attributes)
    return windows.format_dims((x[0], *space, w[-1]), window_attributes)


def _infer_forward(rank: int) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        x, w = specs
        require_rank(x, rank + 2, "input")
        require_rank(w, rank + 2, "filter")
        return Spec(_output_shape(x.shape, w.shape, _window_attributes(attrs, rank)), x.dtype)

    return rule


def _check_gradient(
    dims: Any, filter_dims: Any, dy: Any, window_attributes: windows.Attributes
) -> None:
    if dims is not None and filter_dims is not None:
        expected = _output_shape(dims, filter_dims, window_attributes)
        merge_shape(expected, dy.shape, "out_backprop does not match the result's shape")


def _image_dims(sizes: Any, w: Any, dy: Any, window_attributes: windows.Attributes) -> Any:
    """Return the shape of an image of which only the height and the width are given."""
    batch, channels = (None if dy is None else dy[0]), (None if w is None else w[-2])
    return windows.format_dims((batch, *sizes, channels), window_attributes)


def _infer_by_input(rank: int) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        sizes, w, dy = specs
        require_rank(w, rank + 2, "filter")
        require_rank(dy, rank + 2, "out_backprop")
        window_attributes = _window_attributes(attrs, rank)
        dims = shape_from_value(sizes)
        if rank == 2 and dims is not None and len(dims) == 2:
            dims = _image_dims(dims, w.shape, dy.shape, window_attributes)
        if dims is not None and len(dims) != rank + 2:
            raise InferError(f"input_sizes must have {rank + 2} values, got {fmt_shape(dims)}")
        _check_gradient(dims, w.shape, dy, window_attributes)
        return Spec(dims, w.dtype)

    return rule


def _infer_by_filter(rank: int) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        x, sizes, dy = specs
        require_rank(x, rank + 2, "input")
        require_rank(dy, rank + 2, "out_backprop")
        window_attributes = _window_attributes(attrs, rank)
        dims = shape_from_value(sizes)
        if dims is not None and len(dims) != rank + 2:
            raise InferError(f"filter_sizes must have {rank + 2} values, got {fmt_shape(dims)}")
        _check_gradient(x.shape, dims, dy, window_attributes)
        return Spec(dims, x.dtype)

    return rule


def _forward(xp: ModuleType, x: Any, w: Any, window_attributes: windows.Attributes) -> Any:
    x = windows.to_last(xp, x, window_attributes)
    window = windows.window(x.shape[1:-1], w.shape[:-2], window_attributes)
    return windows.from_last(
        xp, xp.conv(x, w, window, _groups(x.shape, w.shape)), window_attributes
    )


def _by_input(
    xp: ModuleType, dims: tuple[int, ...], w: Any, dy: Any, window_attributes: windows.Attributes
) -> Any:
    dims = windows.last_dims(dims, window_attributes)
    window = windows.window(dims[1:-1], w.shape[:-2], window_attributes)
    dy = windows.to_last(xp, dy, window_attributes)
    dx = xp.conv_input_gradient(dy, w, dims, window, _groups(dims, w.shape))
    return windows.from_last(xp, dx, window_attributes)


def _by_filter(
    xp: ModuleType, x: Any, dims: tuple[int, ...], dy: Any, window_attributes: windows.Attributes
) -> Any:
    x, dy = windows.to_last(xp, x, window_attributes), windows.to_last(xp, dy, window_attributes)
    window = windows.window(x.shape[1:-1], dims[:-2], window_attributes)
    return xp.conv_filter_gradient(x, dy, dims, window, _groups(x.shape, dims))


def _groups(x: tuple[int, ...], w: tuple[int, ...]) -> int:
    return max(1, x[-1] // w[-2]) if w[-2] else 1


def _sizes(values: Any) -> tuple[int, ...]:
    return tuple(values.tolist())


# -- two dimensions ----------------------------------------------------------------------------


def _batch_forward(batch: Batch, input: Any, filter: Any, **attrs: Any) -> Any:
    """Merge the batch into that of the images; for filters into the channels of the result."""
    if not batch.has(filter):
        return batch.split(batch.op(batch.merge(input, 0), filter, **attrs), 0)
    rank = len(input.static_shape)
    channels = channel_axis(attrs["data_format"], rank)
    if batch.has(input) or input.static_shape[channels] != filter.static_shape[-2]:
        return NotImplemented
    return batch.split(batch.op(input, batch.merge(filter, rank - 1), **attrs), channels)


def batch_input_gradient(
    batch: Batch, input_sizes: Any, filter: Any, out_backprop: Any, **attrs: Any
) -> Any:
    """Merge the batch into that of the images."""
    if batch.has(filter) or not is_static(input_sizes) or len(input_sizes.static_value) < 4:
        return NotImplemented
    sizes = batch.scaled(input_sizes, 0)
    return batch.split(batch.op(sizes, filter, batch.merge(out_backprop, 0), **attrs), 0)


def _batch_filter_gradient(
    batch: Batch, input: Any, filter_sizes: Any, out_backprop: Any, **attrs: Any
) -> Any:
    """Merge the batch into the channels, because filter gradients sum over the images."""
    rank = len(input.static_shape)
    channels = channel_axis(attrs["data_format"], rank)
    if (
        not is_static(filter_sizes)
        or batch.has(input) == batch.has(out_backprop)
        or int(filter_sizes.static_value[-2]) != input.static_shape[channels]
    ):
        return NotImplemented
    if batch.has(out_backprop):
        wider, into = (input, batch.merge(out_backprop, channels)), rank - 1
    else:
        wider, into = (batch.merge(input, channels), out_backprop), rank - 2
    result = batch.op(wider[0], batch.scaled(filter_sizes, into), wider[1], **attrs)
    return batch.split(result, into)


@op(
    "Conv2D",
    infer=_infer_forward(2),
    dtypes=FLOATING | {int32},
    checked=True,
    traits=(TOTAL_ON_SHAPES,),
    batch=_batch_forward,
)
def conv2d(
    xp,
    input,
    filter,
    *,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES_2D,
):
    """Convolve images with a filter of shape `[height, width, channels in, channels out]`."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    return _forward(xp, input, filter, window_attributes)


@op(
    "Conv2DBackpropInput",
    infer=_infer_by_input(2),
    dtypes=FLOATING | {int32},
    checked=True,
    batch=batch_input_gradient,
)
def conv2d_backprop_input(
    xp,
    input_sizes: Static,
    filter,
    out_backprop,
    *,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES_2D,
):
    """Compute the gradient of `conv2d` w.r.t. its input; also the transposed convolution."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    sizes = _sizes(input_sizes)
    if len(sizes) == 2:
        sizes = _image_dims(sizes, filter.shape, out_backprop.shape, window_attributes)
    return _by_input(xp, sizes, filter, out_backprop, window_attributes)


@op(
    "Conv2DBackpropFilter",
    infer=_infer_by_filter(2),
    dtypes=FLOATING,
    checked=True,
    batch=_batch_filter_gradient,
)
def conv2d_backprop_filter(
    xp,
    input,
    filter_sizes: Static,
    out_backprop,
    *,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    explicit_paddings=(),
    data_format="NHWC",
    dilations=_ONES_2D,
):
    """Compute the gradient of `conv2d` w.r.t. its filter."""
    window_attributes = windows.attributes(
        2, strides, dilations, padding, explicit_paddings, data_format
    )
    return _by_filter(xp, input, _sizes(filter_sizes), out_backprop, window_attributes)


# -- three dimensions --------------------------------------------------------------------------


@op("Conv3D", infer=_infer_forward(3), dtypes=FLOATING, checked=True, batch=_batch_forward)
def conv3d(xp, input, filter, *, strides, padding, data_format="NDHWC", dilations=_ONES_3D):
    """Convolve volumes with a filter of shape `[depth, height, width, in, out]`."""
    window_attributes = windows.attributes(3, strides, dilations, padding, (), data_format)
    return _forward(xp, input, filter, window_attributes)


@op(
    "Conv3DBackpropInputV2",
    infer=_infer_by_input(3),
    dtypes=FLOATING,
    checked=True,
    batch=batch_input_gradient,
)
def conv3d_backprop_input(
    xp,
    input_sizes: Static,
    filter,
    out_backprop,
    *,
    strides,
    padding,
    data_format="NDHWC",
    dilations=_ONES_3D,
):
    """Compute the gradient of `conv3d` w.r.t. its input; also the transposed convolution."""
    window_attributes = windows.attributes(3, strides, dilations, padding, (), data_format)
    return _by_input(xp, _sizes(input_sizes), filter, out_backprop, window_attributes)


@op(
    "Conv3DBackpropFilterV2",
    infer=_infer_by_filter(3),
    dtypes=FLOATING,
    checked=True,
    batch=_batch_filter_gradient,
)
def conv3d_backprop_filter(
    xp,
    input,
    filter_sizes: Static,
    out_backprop,
    *,
    strides,
    padding,
    data_format="NDHWC",
    dilations=_ONES_3D,
):
    """Compute the gradient of `conv3d` w.r.t. its filter."""
    window_attributes = windows.attributes(3, strides, dilations, padding, (), data_format)
    return _by_filter(xp, input, _sizes(filter_sizes), out_backprop, window_attributes)


# -- each other's gradients --------------------------------------------------------------------


def each_other(forward: Any, by_input: Any, by_filter: Any) -> None:
    """Declare the gradients of the three ops of a convolution: calls of the two others."""

    @forward.gradient
    def _(dz, *, input, filter, shape_of_input, shape_of_filter, attrs, needed):
        return (
            by_input(shape_of_input, filter, dz, **attrs) if needed[0] else None,
            by_filter(input, shape_of_filter, dz, **attrs) if needed[1] else None,
        )

    @by_input.gradient
    def _(dz, *, filter, out_backprop, shape_of_filter, attrs, needed):
        return (
            None,
            by_filter(dz, shape_of_filter, out_backprop, **attrs) if needed[1] else None,
            forward(dz, filter, **attrs) if needed[2] else None,
        )

    @by_filter.gradient
    def _(dz, *, input, out_backprop, shape_of_input, attrs, needed):
        return (
            by_input(shape_of_input, dz, out_backprop, **attrs) if needed[0] else None,
            None,
            forward(input, dz, **attrs) if needed[2] else None,
        )


each_other(conv2d, conv2d_backprop_input, conv2d_backprop_filter)
each_other(conv3d, conv3d_backprop_input, conv3d_backprop_filter)
