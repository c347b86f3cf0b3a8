"""Samples of pooling."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, i32

_VALID = {"ksize": (1, 2, 2, 1), "strides": (1, 2, 2, 1), "padding": "VALID"}
_SAME = {"ksize": (1, 3, 2, 1), "strides": (1, 2, 1, 1), "padding": "SAME"}
_FIRST = {
    "ksize": (1, 1, 2, 2),
    "strides": (1, 1, 2, 1),
    "padding": "VALID",
    "data_format": "NCHW",
}
_EXPLICIT = {
    "ksize": (1, 3, 3, 1),
    "strides": (1, 1, 1, 1),
    "padding": "EXPLICIT",
    "explicit_paddings": (0, 0, 1, 0, 2, 1, 0, 0),
}
_3D = {"ksize": (1, 2, 2, 2, 1), "strides": (1, 1, 2, 1, 1), "padding": "SAME"}
_HALVES = {"ksize": (1, 1, 2, 1), "strides": (1, 1, 1, 1), "padding": "SAME"}
_SPECIALS = np.array([np.nan, 1, np.nan, -np.inf], np.float32).reshape(1, 2, 2, 1)
_DEEP = {"ksize": (1, 1, 1, 3), "strides": (1, 1, 1, 3), "padding": "VALID"}
_FORWARD = Law(grad=False, finite=False, why="TF knows no gradient across the channels")
_ONCE = Law(order2=False, why="TF knows no second gradient with explicit padding")
# The gradient ops are differentiated by `grad` alone: where the greatest value is, is a constant.
_CONSTANT_PLACES = Law(finite=False, grad=False, why="constant in the first two inputs")

_X = np.random.default_rng(0).permutation(2 * 5 * 6 * 3).reshape(2, 5, 6, 3).astype(np.float32)
_Y = _X[:, :4].reshape(2, 2, 2, 3, 2, 3).max((2, 4))
_X3 = np.random.default_rng(1).permutation(2 * 3 * 4 * 3 * 2).reshape(2, 3, 4, 3, 2)
_X3 = _X3.astype(np.float32)
_Y3 = np.pad(_X3, ((0, 0), (0, 1), (0, 0), (0, 1), (0, 0)), constant_values=-np.inf)
_Y3 = np.max(
    [_Y3[:, i : i + 3, j : j + 3 : 2, k : k + 3] for i in (0, 1) for j in (0, 1) for k in (0, 1)], 0
)

SAMPLES = [
    S("MaxPool", f32(2, 5, 6, 3), **_VALID),
    S("MaxPool", f32(2, 5, 6, 3), **_SAME),
    S("MaxPool", i32(1, 4, 4, 1, high=100), **_VALID),
    S("MaxPool", f64(2, 2, 4, 5), **_FIRST),
    S("MaxPool", f32(1, 4, 5, 2), law=_ONCE, **_EXPLICIT),
    S("MaxPool", _SPECIALS, law=Law(grad=False, finite=False, why="not finite"), **_HALVES),
    S("MaxPoolGrad", _X, _Y, f32(2, 2, 3, 3), law=_CONSTANT_PLACES, **_VALID),
    S("MaxPoolGradGrad", _X, _Y, f32(2, 5, 6, 3), law=_CONSTANT_PLACES, **_VALID),
    S("AvgPool", f32(2, 5, 6, 3), **_SAME),
    S("AvgPool", f16(1, 4, 4, 2), **_VALID),
    S("AvgPool", bf16(1, 4, 4, 2), **_SAME),
    S("MaxPool", bf16(1, 4, 4, 2), **_SAME),
    S("MaxPool", f32(1, 2, 3, 6), law=_FORWARD, **_DEEP),
    S("AvgPoolGrad", np.array([2, 5, 6, 3], np.int32), f32(2, 3, 6, 3), **_SAME),
    S("MaxPool3D", f32(1, 3, 4, 3, 2), **_3D),
    S("MaxPool3DGrad", _X3, _Y3, f32(2, 3, 2, 3, 2), law=_CONSTANT_PLACES, **_3D),
    S("MaxPool3DGradGrad", _X3, _Y3, f32(2, 3, 4, 3, 2), law=_CONSTANT_PLACES, **_3D),
    S("AvgPool3D", f32(1, 3, 4, 3, 2), **_3D),
    S("AvgPool3DGrad", np.array([1, 3, 4, 3, 2], np.int32), f32(1, 3, 2, 3, 2), **_3D),
]
