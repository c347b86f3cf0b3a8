"""Samples of the less common ops of `tf.nn`."""

import numpy as np

from tests.ops.harness import Law, S, f16, f32, f64, i32

_AT = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
_LABELS, _LENGTHS = np.array([1, 1, 2], np.int32), np.array([5, 4], np.int32)
_POOL = {"ksize": (1, 2, 2, 1), "strides": (1, 2, 2, 1), "padding": "SAME"}
_PLACES = np.array([0, 7, 3, 2], np.int64).reshape(1, 2, 2, 1)
# Blocks and places are constant near a point, which random directions leave.
_LOCAL = Law(order2=False, rtol=1e-4, atol=1e-4, why="piecewise linear")

SAMPLES = [
    S("LRN", f32(2, 3, 4, 6), depth_radius=2, bias=1.5, alpha=0.3, beta=0.75),
    S("LRN", f16(1, 2, 2, 3), depth_radius=1),
    S("IsotonicRegression", f64(3, 5), output_dtype="float64"),
    S("IsotonicRegression", i32(2, 4), output_dtype="float32"),
    S("IsotonicRegression", f32(0, 4)),
    S("MaxPoolWithArgmax", f32(2, 4, 5, 3), **_POOL),
    S("MaxPoolWithArgmax", f32(2, 4, 4, 1), include_batch_in_index=True, **_POOL),
    S("MaxPoolGradWithArgmax", f32(1, 3, 4, 1), f32(1, 2, 2, 1), _PLACES, law=_LOCAL, **_POOL),
    S("CTCLoss", f64(6, 2, 4), _AT, _LABELS, _LENGTHS, law=Law(order2=False, why="as in TF")),
    S("CTCGreedyDecoder", f32(6, 2, 4), _LENGTHS, merge_repeated=True),
    S("CTCBeamSearchDecoder", f32(6, 2, 4), _LENGTHS, beam_width=8, top_paths=2),
]
