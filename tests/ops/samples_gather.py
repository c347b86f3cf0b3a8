"""Samples of taking slices by index, and of finding indices."""

import numpy as np

from tests.ops.harness import S, boolean, c64, f16, f32, i32, text

SAMPLES = [
    S("GatherV2", f32(4, 3), [[0, 3], [3, 1]], 0),
    S("GatherV2", f32(4, 3), np.array([2, 0]), 1),
    S("GatherV2", f32(4, 3), 2, -1),
    S("GatherV2", f32(2, 3, 4), [[0, 2], [1, 1]], 1, batch_dims=1),
    S("GatherV2", f32(2, 3, 4), [[0, 2], [1, 1]], 2, batch_dims=1),
    S("GatherV2", f32(2, 3, 4, 2), [[[0, 2]] * 3, [[3, 3]] * 3], 2, batch_dims=2),
    S("GatherV2", f32(2, 3), [1, 2], 1, batch_dims=-1 + 2),
    S("GatherV2", f32(2, 3), [[1, 2], [0, 0]], 1, batch_dims=-1),
    S("GatherV2", f32(0, 3), np.zeros((2, 0), np.int32), 0),
    S("GatherV2", f32(3, 0), [0, 1], 0),
    S("GatherV2", c64(3, 2), [1, 1], 1),
    S("GatherV2", i32(3), [2], 0),
    S("GatherV2", f16(3), [2], 0),
    S("GatherV2", text("a", "b", "c"), [[2, 0]], 0),
    S("GatherV2", text("a", "b"), 1, 0),
    S("GatherNd", f32(3, 4), [[0, 1], [2, 3], [0, 1]]),
    S("GatherNd", f32(3, 4), [[2], [0], [2]]),
    S("GatherNd", f32(3, 4), [1]),
    S("GatherNd", f32(3), np.zeros((2, 0), np.int32)),
    S("GatherNd", f32(3, 4), [[[0, 1], [3, 3]]], bad_indices_policy="IGNORE"),
    S("GatherNd", c64(2, 2), np.array([[1, 0]])),
    S("GatherNd", text("a", "b"), [[1], [0]]),
    S("Where", boolean(3, 4)),
    S("Where", f32(3)),
    S("Where", np.zeros((2, 2), np.int32)),
]
