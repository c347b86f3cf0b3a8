"""Samples of the less common ops of `tf.nn`."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, i32, i64

_AT = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
_LABELS, _LENGTHS = np.array([1, 1, 2], np.int32), np.array([5, 4], np.int32)
# The op's second output is the gradient of the first. What flows into it from elsewhere is dropped,
# as TF does; `test_ctc.py` compares the loss alone with its slope.
_OWN_GRADIENT = Law(grad=False, finite=False, why="a gradient is among the outputs")
_POOL = {"ksize": (1, 2, 2, 1), "strides": (1, 2, 2, 1), "padding": "SAME"}
_PLACES = np.array([0, 7, 3, 2], np.int64).reshape(1, 2, 2, 1)
# Blocks and places are constant near a point, which random directions leave.
_LOCAL = Law(order2=False, rtol=1e-4, atol=1e-4, why="piecewise linear")

_DILATION = {"strides": (1, 1, 1, 1), "rates": (1, 1, 1, 1), "padding": "SAME"}
_SPARSE_DILATION = {"strides": (1, 2, 1, 1), "rates": (1, 1, 2, 1), "padding": "VALID"}
# The gradient ops are differentiated by `out_backprop` alone: which tap wins is a constant.
_CONSTANT_PLACES = Law(finite=False, grad=False, why="constant in the first two inputs")

_DRAWN = {
    "pooling_ratio": (1.0, 1.44, 1.73, 1.0),
    "deterministic": True,
    "seed": 3,
    "seed2": 5,
}
_ANEW = Law(grad=False, finite=False, why="without seeds every call draws other windows")
_ROWS, _COLUMNS = np.array([0, 2, 3, 5], np.int64), np.array([0, 2, 4, 6], np.int64)
_IMAGE = np.random.default_rng(0).permutation(2 * 5 * 6 * 3).reshape(2, 5, 6, 3).astype(np.float32)
_POOLED = np.maximum.reduceat(np.maximum.reduceat(_IMAGE, _ROWS[:-1], 1), _COLUMNS[:-1], 2)

SAMPLES = [
    S("LRN", f32(2, 3, 4, 6), depth_radius=2, bias=1.5, alpha=0.3, beta=0.75),
    S("LRN", f16(1, 2, 2, 3), depth_radius=1),
    S("LRN", bf16(1, 2, 2, 3), depth_radius=1),
    S("IsotonicRegression", f64(3, 5), output_dtype="float64", law=_LOCAL),
    S("IsotonicRegression", f64(2, 2, 4), output_dtype="float64", law=_LOCAL),
    S("IsotonicRegression", i32(2, 4), output_dtype="float32"),
    S("IsotonicRegression", f32(0, 4)),
    S("IsotonicRegression", np.float64(2), output_dtype="float64"),
    S("MaxPoolWithArgmax", f32(2, 4, 5, 3), **_POOL),
    S("MaxPoolWithArgmax", f32(2, 4, 4, 1), include_batch_in_index=True, **_POOL),
    S("MaxPoolGradWithArgmax", f32(1, 3, 4, 1), f32(1, 2, 2, 1), _PLACES, law=_LOCAL, **_POOL),
    S("CTCLoss", f64(6, 2, 4), _AT, _LABELS, _LENGTHS, law=_OWN_GRADIENT),
    S("CTCGreedyDecoder", f32(6, 2, 4), _LENGTHS, merge_repeated=True),
    S("CTCBeamSearchDecoder", f32(6, 2, 4), _LENGTHS, beam_width=8, top_paths=2),
    S("Dilation2D", f32(2, 4, 5, 3), f32(3, 2, 3), **_DILATION),
    S("Dilation2D", f32(1, 6, 7, 2), f32(2, 3, 2), **_SPARSE_DILATION),
    S("Dilation2D", i32(1, 4, 4, 2), i32(2, 2, 2), **_DILATION),
    S("Dilation2D", f16(1, 4, 4, 2), f16(2, 2, 2), **_DILATION),
    S("Dilation2D", f32(0, 4, 4, 2), f32(2, 2, 2), **_DILATION),
    S(
        "Dilation2DBackpropInput",
        f32(2, 4, 5, 3),
        f32(3, 2, 3),
        f32(2, 4, 5, 3),
        law=_CONSTANT_PLACES,
        **_DILATION,
    ),
    S(
        "Dilation2DBackpropFilter",
        f32(1, 6, 7, 2),
        f32(2, 3, 2),
        f32(1, 3, 3, 2),
        law=_CONSTANT_PLACES,
        **_SPARSE_DILATION,
    ),
    S("FractionalMaxPool", f32(2, 7, 9, 2), **_DRAWN),
    S("FractionalMaxPool", f64(1, 8, 9, 3), pseudo_random=True, overlapping=True, **_DRAWN),
    S("FractionalMaxPool", i32(1, 5, 6, 1), **_DRAWN),
    S("FractionalMaxPool", f32(1, 6, 7, 1), pooling_ratio=(1.0, 2.3, 1.5, 1.0), law=_ANEW),
    S("FractionalAvgPool", f32(2, 7, 9, 2), **_DRAWN),
    S("FractionalAvgPool", f64(1, 8, 9, 3), pseudo_random=True, overlapping=True, **_DRAWN),
    S("FractionalAvgPool", i64(1, 5, 6, 1, high=90), **_DRAWN),
    S("FractionalAvgPool", i32(1, 5, 6, 1, high=90), **_DRAWN),
    S(
        "FractionalMaxPoolGrad",
        _IMAGE,
        _POOLED,
        f32(2, 3, 3, 3),
        _ROWS,
        _COLUMNS,
        law=_CONSTANT_PLACES,
    ),
    S(
        "FractionalAvgPoolGrad",
        np.array([2, 5, 6, 3], np.int64),
        f32(2, 3, 3, 3),
        _ROWS,
        _COLUMNS,
        overlapping=True,
    ),
]
