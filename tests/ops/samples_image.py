"""Samples of ops on images: resizing, cropping, colours, patches."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, i32, positive, u8

_SIZE = np.array([3, 7], np.int32)
_UP = np.array([9, 4], np.int32)
_HALF = {"half_pixel_centers": True}
_CORNERS = {"align_corners": True}
# Images of every dtype are resized in float32: too coarse for finite differences.
_NARROW = Law(finite=False, why="computed in single precision", rtol=1e-4, atol=1e-5)
_LOW = Law(finite=False, rtol=2e-2, atol=2e-2, why="half precision")
_FLAT = Law(grad=False, finite=False, why="TF knows no gradient")
_X, _XD = f32(2, 5, 6, 3), f64(1, 4, 5, 2)
_SCALE, _SHIFT = np.array([0.6, 1.7], np.float32), np.array([0.0, 1.5], np.float32)
# What is kept of the image is its shape: the gradient is linear in the other input alone.
_LINEAR = Law(grad=False, why="the shape of the second input alone matters")
_KERNEL_LAW = Law(
    grad=False, finite=False, rtol=1e-4, why="the scale has no gradient, as in TensorFlow"
)
_BOXES = np.array(
    [[0.05, 0.1, 0.93, 0.97], [0.21, 0.33, 0.71, 0.64], [-0.23, 0.17, 0.55, 1.21]], np.float32
)
_WHICH = np.array([0, 1, 0], np.int32)
_CROP = np.array([3, 4], np.int32)
_ONE = np.array([1, 1], np.int32)
# Their derivative by the boxes has steps where a place crosses a pixel.
_PIECEWISE = Law(grad=False, finite=False, why="its gradient is an op that has none")
_PATCHES = {"ksizes": (1, 2, 3, 1), "strides": (1, 2, 1, 1), "rates": (1, 1, 2, 1)}
_VOLUMES = {"ksizes": (1, 2, 1, 2, 1), "strides": (1, 1, 2, 2, 1)}
_COLORS = np.random.default_rng(3).permutation(2 * 3 * 4 * 3).reshape(2, 3, 4, 3) / 80 + 0.05
_COLORS = _COLORS.astype(np.float32)

SAMPLES = [
    S("ResizeBilinear", _X, _SIZE, law=_NARROW),
    S("ResizeBilinear", _X, _UP, law=_NARROW, **_HALF),
    S("ResizeBilinear", f32(1, 3, 3, 2), _ONE, law=_NARROW, **_CORNERS),
    S("ResizeBilinear", u8(1, 3, 3, 2, high=255), _UP, **_CORNERS),
    S("ResizeBilinear", _XD, _SIZE, law=_NARROW),
    S("ResizeBilinear", f16(1, 4, 5, 2), _SIZE, law=_LOW, **_HALF),
    S("ResizeBilinear", bf16(1, 4, 5, 2), _SIZE, law=_LOW),
    S("ResizeBilinear", f32(0, 4, 5, 2), _SIZE),
    S("ResizeBilinearGrad", f32(2, 3, 7, 3), _X, law=_LINEAR, **_HALF),
    S("ResizeNearestNeighbor", _X, _SIZE),
    S("ResizeNearestNeighbor", _X, _UP, **_HALF),
    S("ResizeNearestNeighbor", i32(1, 3, 4, 2), _UP, **_CORNERS),
    S("ResizeNearestNeighbor", f16(1, 3, 4, 2), _UP, law=_LOW),
    S("ResizeNearestNeighborGrad", f32(2, 3, 7, 3), np.array([5, 6], np.int32), **_HALF),
    S("ResizeNearestNeighborGrad", i32(2, 3, 7, 3), np.array([2, 9], np.int32)),
    S("ResizeBicubic", _X, _SIZE, law=_NARROW),
    S("ResizeBicubic", _X, _UP, law=_NARROW, **_HALF),
    S("ResizeBicubic", u8(1, 3, 3, 2, high=255), _UP, law=Law(atol=1e-3, why="to 255"), **_CORNERS),
    S("ResizeBicubic", _XD, _SIZE, law=_NARROW),
    S("ResizeBicubicGrad", f32(2, 3, 7, 3), _X, law=_LINEAR, **_HALF),
    S("ResizeArea", _X, _SIZE),
    S("ResizeArea", u8(1, 3, 3, 2, high=255), _UP, law=Law(atol=1e-3, why="to 255"), **_CORNERS),
    S("ScaleAndTranslate", _X, _SIZE, _SCALE, _SHIFT, law=_KERNEL_LAW),
    S("ScaleAndTranslate", _X, _UP, _SCALE, _SHIFT, law=_KERNEL_LAW, kernel_type="gaussian"),
    S("ScaleAndTranslate", _X, _UP, _SCALE, _SHIFT, law=_KERNEL_LAW, kernel_type="keyscubic"),
    S(
        "ScaleAndTranslate",
        u8(1, 3, 4, 1, high=9),
        _UP,
        _SCALE,
        _SHIFT,
        law=_KERNEL_LAW,
        kernel_type="triangle",
    ),
    S("ScaleAndTranslateGrad", f32(2, 3, 7, 3), _X, _SCALE, _SHIFT, law=_KERNEL_LAW),
    S("CropAndResize", f32(2, 5, 6, 3), _BOXES, _WHICH, _CROP, law=_PIECEWISE),
    S("CropAndResize", f32(2, 5, 6, 3), _BOXES, _WHICH, _ONE, law=_PIECEWISE),
    S("CropAndResize", u8(2, 5, 6, 1), _BOXES, _WHICH, _CROP, extrapolation_value=7.5, law=_FLAT),
    S("CropAndResize", u8(2, 5, 6, 1), _BOXES, _WHICH, _CROP, method="nearest", law=_FLAT),
    S("CropAndResize", f32(2, 5, 6, 3), f32(0, 4), i32(0), _CROP, law=_PIECEWISE),
    S(
        "CropAndResizeGradImage",
        f32(3, 3, 4, 2),
        _BOXES,
        _WHICH,
        np.array([2, 5, 6, 2], np.int32),
        T="float32",
    ),
    S(
        "CropAndResizeGradImage",
        f32(3, 3, 4, 2),
        _BOXES,
        _WHICH,
        np.array([2, 5, 6, 2], np.int32),
        T="float64",
        method="nearest",
    ),
    S("CropAndResizeGradBoxes", f32(3, 3, 4, 2), f32(2, 5, 6, 2), _BOXES, _WHICH),
    S("AdjustHue", positive(2, 3, 4, 3), np.float32(0.2)),
    S("AdjustHue", f16(3, 4, 3), np.float32(-0.7), law=_LOW),
    S("AdjustSaturation", positive(2, 3, 4, 3), np.float32(1.4)),
    S("AdjustSaturation", np.abs(f16(3, 4, 3)), np.float32(0.3), law=_LOW),
    S("RGBToHSV", _COLORS, law=Law(order2=False, rtol=1e-3, atol=1e-3, why="large second slopes")),
    S("RGBToHSV", np.zeros((2, 3), np.float32), law=_FLAT),
    S("RGBToHSV", positive(5, 3, dtype=np.float64)),
    S("HSVToRGB", positive(2, 4, 3, high=1.0)),
    S("HSVToRGB", f16(2, 3), law=_LOW),
    S("ExtractImagePatches", _X, padding="SAME", **_PATCHES),
    S("ExtractImagePatches", f64(1, 5, 6, 2), padding="VALID", **_PATCHES),
    S("ExtractImagePatches", u8(1, 5, 6, 1), padding="SAME", **_PATCHES),
    S("ExtractVolumePatches", f32(1, 3, 4, 3, 2), padding="SAME", **_VOLUMES),
    S("ExtractVolumePatches", i32(1, 3, 4, 3, 2), padding="VALID", **_VOLUMES),
]
