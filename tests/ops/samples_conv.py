"""Samples of convolutions."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, i32

_2D = {"strides": (1, 1, 1, 1), "padding": "SAME"}
_STRIDED = {"strides": (1, 2, 2, 1), "padding": "SAME"}
_DILATED = {"strides": (1, 1, 1, 1), "padding": "VALID", "dilations": (1, 2, 1, 1)}
_EXPLICIT = {
    "strides": (1, 1, 2, 1),
    "padding": "EXPLICIT",
    "explicit_paddings": (0, 0, 1, 2, 0, 1, 0, 0),
}
_FIRST = {"strides": (1, 1, 1, 1), "padding": "VALID", "data_format": "NCHW"}
_3D = {"strides": (1, 1, 2, 1, 1), "padding": "SAME"}


def _sizes(*sizes: int) -> np.ndarray:
    return np.array(sizes, np.int32)


# oneDNN and XLA add in other orders.
_CLOSE = Law(rtol=1e-4, atol=1e-4)

SAMPLES = [
    S("Conv2D", f32(2, 5, 6, 3), f32(3, 3, 3, 4), law=_CLOSE, **_2D),
    S("Conv2D", f32(2, 5, 6, 3), f32(3, 2, 3, 4), law=_CLOSE, **_STRIDED),
    S("Conv2D", f64(1, 6, 5, 2), f64(2, 3, 2, 2), law=_CLOSE, **_DILATED),
    S("Conv2D", f32(1, 4, 5, 2), f32(2, 2, 2, 3), law=_CLOSE, **_EXPLICIT),
    S("Conv2D", f32(2, 4, 5, 4), f32(3, 3, 2, 6), law=_CLOSE, **_2D),
    S("Conv2D", f32(2, 3, 5, 4), f32(2, 2, 3, 2), law=_CLOSE, **_FIRST),
    S("Conv2D", f16(1, 4, 4, 2), f16(2, 2, 2, 2), law=_CLOSE, **_2D),
    S("Conv2D", f32(0, 4, 4, 2), f32(2, 2, 2, 2), law=_CLOSE, **_2D),
    S("Conv2D", bf16(1, 4, 4, 2), bf16(2, 2, 2, 2), law=_CLOSE, **_2D),
    S("Conv2D", i32(1, 4, 4, 2), i32(2, 2, 2, 2), **_2D),
    S("Conv3D", bf16(1, 3, 3, 3, 1), bf16(2, 2, 2, 1, 2), law=_CLOSE, **_3D),
    S("DepthwiseConv2dNative", bf16(1, 5, 6, 3), bf16(3, 3, 3, 2), law=_CLOSE, **_2D),
    S(
        "Conv2DBackpropInput",
        _sizes(2, 5, 6, 3),
        f32(3, 2, 3, 4),
        f32(2, 3, 3, 4),
        law=_CLOSE,
        **_STRIDED,
    ),
    S(
        "Conv2DBackpropInput",
        _sizes(5, 6),
        f32(3, 2, 3, 4),
        f32(2, 3, 3, 4),
        law=_CLOSE,
        **_STRIDED,
    ),
    S(
        "Conv2DBackpropFilter",
        f32(2, 5, 6, 3),
        _sizes(3, 2, 3, 4),
        f32(2, 3, 3, 4),
        law=_CLOSE,
        **_STRIDED,
    ),
    S("Conv3D", f32(1, 3, 4, 4, 2), f32(2, 2, 3, 2, 3), law=_CLOSE, **_3D),
    S(
        "Conv3DBackpropInputV2",
        _sizes(1, 3, 4, 4, 2),
        f32(2, 2, 3, 2, 3),
        f32(1, 3, 2, 4, 3),
        law=_CLOSE,
        **_3D,
    ),
    S(
        "Conv3DBackpropFilterV2",
        f32(1, 3, 4, 4, 2),
        _sizes(2, 2, 3, 2, 3),
        f32(1, 3, 2, 4, 3),
        law=_CLOSE,
        **_3D,
    ),
    S("DepthwiseConv2dNative", f32(2, 5, 6, 3), f32(3, 3, 3, 2), law=_CLOSE, **_2D),
    S("DepthwiseConv2dNative", f32(1, 5, 6, 2), f32(2, 2, 2, 1), law=_CLOSE, **_DILATED),
    S(
        "DepthwiseConv2dNativeBackpropInput",
        _sizes(2, 5, 6, 3),
        f32(3, 2, 3, 2),
        f32(2, 3, 3, 6),
        law=_CLOSE,
        **_STRIDED,
    ),
    S(
        "DepthwiseConv2dNativeBackpropFilter",
        f32(2, 5, 6, 3),
        _sizes(3, 2, 3, 2),
        f32(2, 3, 3, 6),
        law=_CLOSE,
        **_STRIDED,
    ),
]
