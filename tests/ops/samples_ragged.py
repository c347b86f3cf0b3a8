"""Samples of the ops on rows of different lengths."""

import numpy as np

from tests.ops.harness import Law, S, f16, f32, text

# Nothing random: rows and the numbers in them are what is looked at.
_SPLITS = np.array([0, 2, 2, 3], np.int64)
_OUTER = np.array([0, 1, 3], np.int32)
_INNER = np.array([0, 2, 2, 3], np.int32)
_ANY = np.array(-1, np.int64)
_ONE, _TWO = ("ROW_SPLITS",), ("ROW_SPLITS", "ROW_SPLITS")
_COUNTED = np.array([1, 3, 1], np.int32)

SAMPLES = [
    S("RaggedRange", np.array([0, 5, 3]), np.array([3, 5, 9]), np.array([1, 1, 2])),
    S("RaggedRange", np.array([5, 9]), np.array(0), np.array(-2), Tsplits="int32"),
    S("RaggedRange", np.float32(0), np.array([0.5, 2], np.float32), np.float32(0.5)),
    S("RaggedTensorToTensor", _ANY, f32(3), f32(), [_SPLITS], row_partition_types=_ONE),
    S(
        "RaggedTensorToTensor",
        np.array([2, 1, 2]),
        f32(3, 2),
        f32(2),
        [_SPLITS],
        row_partition_types=_ONE,
    ),
    S(
        "RaggedTensorToTensor",
        np.array([-1, 3, 3], np.int32),
        f16(3),
        f16(),
        [_OUTER, _INNER],
        row_partition_types=_TWO,
        law=Law(finite=False, why="half precision is too coarse for differences"),
    ),
    S(
        "RaggedTensorToTensor",
        _ANY,
        text("a", "b", "c"),
        text("").reshape(()),
        [np.array(4), np.array([0, 0, 2])],
        row_partition_types=("FIRST_DIM_SIZE", "VALUE_ROWIDS"),
    ),
    S("RaggedTensorToSparse", [_SPLITS], f32(3)),
    S("RaggedGather", [_SPLITS], f32(3), np.array([2, 0, 0]), OUTPUT_RAGGED_RANK=1),
    S("RaggedGather", [_OUTER, _INNER], f32(3, 2), np.array([[1], [0]]), OUTPUT_RAGGED_RANK=3),
    S("RaggedGather", [_OUTER, _INNER], f32(3), np.array(1), OUTPUT_RAGGED_RANK=1),
    S("RaggedTensorToSparse", [_OUTER, _INNER], f32(3, 2)),
    S("RaggedBincount", _SPLITS, _COUNTED, np.int32(4), np.zeros(0, np.float32)),
    S("RaggedBincount", _SPLITS, _COUNTED, np.int32(3), f32(3)),
    S("RaggedBincount", _SPLITS, _COUNTED, np.int32(4), np.zeros(0, np.int64), binary_output=True),
    S(
        "RaggedCross",
        [text("a", "b", "c")],
        [_SPLITS],
        [np.array([[0, 1], [2, 0]])],
        [np.array([7, 8])],
        [np.array([3, 2])],
        [np.array([[1], [2], [3]])],
        input_order="RSD",
        hashed_output=False,
        num_buckets=0,
        hash_key=1,
        out_values_type="string",
        out_row_splits_type="int64",
    ),
]
