"""Gradients of convolutions that take tensors where later ops take their shapes; fused padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING, bfloat16, int32
from tapeflow._src.core.registry import UNREGISTERED, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.padding import mirror_pad
from tapeflow._src.ops.image.resize import resize_bilinear
from tapeflow._src.ops.legacy.renaming import infer, run
from tapeflow._src.ops.nn.conv import (
    conv2d,
    conv2d_backprop_filter,
    conv2d_backprop_input,
    conv3d_backprop_filter,
    conv3d_backprop_input,
)

_ONES_2D, _ONES_3D = (1, 1, 1, 1), (1, 1, 1, 1, 1)
_NOT_BRAIN = FLOATING - {bfloat16}


def _sizes(spec: Spec) -> Spec:
    """Return the shape of a tensor, as a tensor."""
    if spec.shape is None:
        return Spec((None,), int32)
    if None in spec.shape:
        partial = np.empty(len(spec.shape), object)
        partial[:] = spec.shape
        return Spec((len(spec.shape),), int32, None, partial)
    return Spec((len(spec.shape),), int32, np.array(spec.shape, np.int32))


def _by_input(newer: Op) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        input, filter, out_backprop = specs
        return infer(newer, _sizes(input), filter, out_backprop, **attrs)

    return rule


def _by_filter(newer: Op) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        input, filter, out_backprop = specs
        return infer(newer, input, _sizes(filter), out_backprop, **attrs)

    return rule


@op(
    "Conv2DBackpropInputV2",
    infer=_by_input(conv2d_backprop_input),
    dtypes=FLOATING | {int32},
    grad=UNREGISTERED,
    checked=True,
)
def conv2d_backprop_input_v2(
    xp,
    input,
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
    """Compute the gradient of a convolution w.r.t. its input."""
    return run(
        conv2d_backprop_input,
        xp,
        np.array(input.shape, np.int32),
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )


@op(
    "Conv2DBackpropFilterV2",
    infer=_by_filter(conv2d_backprop_filter),
    dtypes=FLOATING,
    grad=UNREGISTERED,
    checked=True,
)
def conv2d_backprop_filter_v2(
    xp,
    input,
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
    """Compute the gradient of a convolution w.r.t. its filter."""
    return run(
        conv2d_backprop_filter,
        xp,
        input,
        np.array(filter.shape, np.int32),
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )


@op(
    "Conv3DBackpropInput",
    infer=_by_input(conv3d_backprop_input),
    dtypes=_NOT_BRAIN,
    grad=UNREGISTERED,
    checked=True,
)
def conv3d_backprop_input_v1(
    xp, input, filter, out_backprop, *, strides, padding, dilations=_ONES_3D
):
    """Compute the gradient of a 3-D convolution w.r.t. its input."""
    attrs = {"strides": strides, "padding": padding, "dilations": dilations}
    sizes = np.array(input.shape, np.int32)
    return run(conv3d_backprop_input, xp, sizes, filter, out_backprop, **attrs)


@op(
    "Conv3DBackpropFilter",
    infer=_by_filter(conv3d_backprop_filter),
    dtypes=_NOT_BRAIN,
    grad=UNREGISTERED,
    checked=True,
)
def conv3d_backprop_filter_v1(
    xp, input, filter, out_backprop, *, strides, padding, dilations=_ONES_3D
):
    """Compute the gradient of a 3-D convolution w.r.t. its filter."""
    attrs = {"strides": strides, "padding": padding, "dilations": dilations}
    sizes = np.array(filter.shape, np.int32)
    return run(conv3d_backprop_filter, xp, input, sizes, out_backprop, **attrs)


# -- with what comes before --------------------------------------------------------------------


@op("FusedPadConv2D", dtypes=FLOATING, grad=UNREGISTERED, checked=True)
def fused_pad_conv2d(xp, input, paddings: Static, filter, *, mode, strides, padding):
    """Convolve images padded by reflection."""
    padded = run(mirror_pad, xp, input, paddings, mode=mode)
    return run(conv2d, xp, padded, filter, strides=strides, padding=padding)


@fused_pad_conv2d.infer
def _(input, paddings, filter, *, mode, strides, padding):
    padded = infer(mirror_pad, input, paddings, mode=mode)
    return infer(conv2d, padded, filter, strides=strides, padding=padding)


@op("FusedResizeAndPadConv2D", dtypes=_NOT_BRAIN, grad=UNREGISTERED, checked=True)
def fused_resize_and_pad_conv2d(
    xp,
    input,
    size: Static,
    paddings: Static,
    filter,
    *,
    mode,
    strides,
    padding,
    resize_align_corners=False,
):
    """Convolve images that are resized, then padded by reflection."""
    resized = run(resize_bilinear, xp, input, size, align_corners=resize_align_corners)
    padded = run(mirror_pad, xp, resized.astype(input.dtype), paddings, mode=mode)
    return run(conv2d, xp, padded, filter, strides=strides, padding=padding)


@fused_resize_and_pad_conv2d.infer
def _(input, size, paddings, filter, *, mode, strides, padding, resize_align_corners):
    resized = infer(resize_bilinear, input, size, align_corners=resize_align_corners)
    padded = infer(mirror_pad, Spec(resized.shape, input.dtype), paddings, mode=mode)
    return infer(conv2d, padded, filter, strides=strides, padding=padding)
