"""Samples of writing slices at coordinates."""

import numpy as np

from tests.ops.harness import S, boolean, c64, f16, f32, i32, text

SAMPLES = [
    S("ScatterNd", [[0], [2], [0]], f32(3, 2), [4, 2]),
    S("ScatterNd", [[0, 1], [1, 1]], f32(2), np.array([2, 3], np.int32)),
    S("ScatterNd", [[0, 9], [1, 1]], f32(2), [2, 3], bad_indices_policy="IGNORE"),
    S("ScatterNd", np.zeros((0, 1), np.int32), f32(0, 2), [3, 2]),
    S("ScatterNd", [[1]], c64(1), [2]),
    S("ScatterNd", [[1], [1]], i32(2), [2]),
    S("ScatterNd", [[1], [1]], boolean(2), [2]),
    S("ScatterNd", [[1], [1]], text("a", "b"), [2]),
    S("ScatterNdNonAliasingAdd", f32(3, 2), [[0], [0]], f32(2, 2)),
    S("TensorScatterUpdate", f32(3, 2), [[0], [2]], f32(2, 2)),
    S("TensorScatterUpdate", f32(3, 2), [[0, 1]], f32(1)),
    S("TensorScatterUpdate", f32(3), [[1], [5]], f32(2), bad_indices_policy="IGNORE"),
    S("TensorScatterUpdate", text("a", "b"), [[1]], text("c")),
    S("TensorScatterAdd", f32(3, 2), [[0], [0]], f32(2, 2)),
    S("TensorScatterAdd", c64(3), np.array([[1]]), c64(1)),
    S("TensorScatterAdd", f16(3), [[1]], f16(1)),
    S("TensorScatterSub", f32(3, 2), [[0], [0]], f32(2, 2)),
    S("TensorScatterSub", i32(3), [[1], [7]], i32(2), bad_indices_policy="IGNORE"),
    S("TensorScatterMax", f32(3, 2), [[0], [0]], f32(2, 2)),
    S("TensorScatterMax", i32(3), [[1], [1]], i32(2)),
    S("TensorScatterMin", f32(3, 2), [[0], [2]], f32(2, 2)),
    S("TensorScatterMin", f32(3), [[1], [5]], f32(2), bad_indices_policy="IGNORE"),
]
