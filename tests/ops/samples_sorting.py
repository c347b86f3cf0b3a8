"""Samples of sorting, searching and picking the largest."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, i8, i32, i64, u8, u32, u64

_TIED = np.array([[1, 3, 3, 0, 3], [2, 2, 2, 2, 2]], np.float32)
_KINKS = Law(finite=False, why="equal elements: the slope is not defined")

SAMPLES = [
    S("TopKV2", f32(3, 7), 3),
    S("TopKV2", f32(7), 7, index_type="int64"),
    S("TopKV2", f32(2, 3, 4), 1, sorted=False),
    S("TopKV2", f64(2, 6), 2, index_type="int16"),
    S("TopKV2", _TIED, 3, law=_KINKS),
    S("TopKV2", f32(2, 3), 0),
    S("TopKV2", f32(0, 3), 2),
    S("TopKV2", f16(2, 40), 5),
    S("TopKV2", bf16(2, 40), 5),
    S("TopKV2", i8(3, 9), 4),
    S("TopKV2", i64(3, 9), 4),
    S("TopKV2", u32(9), 9),
    S("TopKV2", u64(9), 3),
    S("TopKV2", u8(2, 9), 3),
    S("TopKV2", np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1], np.float32), 6, law=_KINKS),
    S("NthElement", f32(3, 5), 2),
    S("NthElement", f32(2, 2, 5), 1, reverse=True),
    S("NthElement", f64(5), 4),
    S("NthElement", i32(3, 5), 0),
    S("NthElement", f16(3, 5), 3),
    S("ApproxTopK", f32(3, 7), k=3),
    S("ApproxTopK", f32(3, 7), k=2, is_max_k=False),
    S("ApproxTopK", f32(2, 5, 3), k=2, reduction_dimension=1),
    S("ApproxTopK", f16(3, 7), k=2, recall_target=0.5, aggregate_to_topk=False),
    S("InTopKV2", f32(4, 5), i32(4, low=-1, high=6), 2),
    S("InTopKV2", f32(4, 5), i64(4, low=0, high=5), np.int64(3)),
    S("InTopKV2", f32(2, 0), [0, 0], 1),
    S("LowerBound", np.sort(f32(3, 6)), f32(3, 4)),
    S("LowerBound", np.sort(i32(1, 6)), i32(1, 4), out_type="int64"),
    S("LowerBound", f32(2, 0), f32(2, 3)),
    S("LowerBound", np.sort(f64(1, 6)), np.array([[np.nan, 1.0]])),
    S("UpperBound", np.sort(f32(3, 6)), f32(3, 4)),
    S("UpperBound", np.sort(u8(2, 6)), u8(2, 4), out_type="int64"),
    S("UpperBound", np.sort(f32(1, 6)), f32(1, 0)),
    S("Bucketize", f32(3, 4), boundaries=[-1.0, 0.0, 0.5]),
    S("Bucketize", i32(5), boundaries=[-1, 0, 2]),
    S("Bucketize", np.array([0.1, np.nan, np.inf]), boundaries=[0.1, 0.2]),
    S("Bucketize", i64(5), boundaries=[]),
]
