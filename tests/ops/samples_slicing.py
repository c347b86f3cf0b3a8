"""Samples of slicing with strides and masks."""

import numpy as np

from tests.ops.harness import S, c64, f32, i32, text

SAMPLES = [
    S("StridedSlice", f32(4, 5), [1, 4], [4, 0], [2, -1]),
    S("StridedSlice", f32(4, 5), [1], [2], [1], shrink_axis_mask=1),
    S(
        "StridedSlice",
        f32(4, 5),
        [0, -2],
        [0, 0],
        [1, 1],
        begin_mask=1,
        end_mask=1,
        shrink_axis_mask=2,
    ),
    S("StridedSlice", f32(2, 3, 4), [0, 0, 1], [0, 0, 3], [1, 1, 1], ellipsis_mask=2, end_mask=1),
    S("StridedSlice", f32(2, 3), [0, 0], [0, 0], [1, 1], new_axis_mask=1, shrink_axis_mask=2),
    S("StridedSlice", f32(3), [3], [0], [1]),
    S("StridedSlice", c64(4), np.array([0]), np.array([4]), np.array([3])),
    S("StridedSlice", text("a", "b"), [1], [2], [1], shrink_axis_mask=1),
    S("StridedSliceGrad", [4, 5], [1, 4], [4, 0], [2, -1], f32(2, 4)),
    S("StridedSliceGrad", [4], [1], [2], [1], f32(), shrink_axis_mask=1),
    S("StridedSliceGrad", [3], [0], [2], [1], i32(2)),
    S("TensorStridedSliceUpdate", f32(4, 5), [1, 0], [3, 5], [1, 2], f32(2, 3)),
    S("TensorStridedSliceUpdate", f32(4), [0], [4], [2], f32()),
    S("TensorStridedSliceUpdate", i32(4), [1], [2], [1], i32(), shrink_axis_mask=1),
]
