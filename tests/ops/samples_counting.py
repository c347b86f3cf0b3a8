"""Samples of unique values, differences of lists, bins and histograms."""

import numpy as np

from tests.ops.harness import Law, S, bf16, boolean, f32, f64, i32, i64, text, u64

_REFUSED = Law(grad=False, why="TF refuses to differentiate it, and so do we")
_VALUES = np.array([3, 1, 3, 2, 1, 3], np.int32)
_FLOATS = np.array([0.0, -0.0, np.nan, 1.0, np.nan], np.float32)
_ROWS = np.array([[1, 0], [2, 0], [1, 0]], np.int32)
_NONE = np.array([], np.float32)

SAMPLES = [
    S("Unique", _VALUES),
    S("Unique", _VALUES.astype(np.int64), out_idx="int64"),
    S("Unique", _FLOATS, law=_REFUSED),
    S("Unique", bf16(6)),
    S("Unique", text("b", "a", "b")),
    S("Unique", boolean(5)),
    S("Unique", f32(0), law=_REFUSED),
    S("UniqueV2", _VALUES, []),
    S("UniqueV2", _ROWS, [0]),
    S("UniqueV2", _ROWS, [-1], out_idx="int64"),
    S("UniqueV2", np.stack([_FLOATS, _FLOATS], 1), [0], law=_REFUSED),
    S("UniqueV2", text("a", "b", "a", "b").reshape(2, 2), [0]),
    S("UniqueWithCounts", _VALUES),
    S("UniqueWithCounts", text("b", "a", "b"), out_idx="int64"),
    S("UniqueWithCountsV2", _ROWS, [0]),
    S("UniqueWithCountsV2", _VALUES, []),
    S("ListDiff", _VALUES, np.array([1, 9], np.int32)),
    S("ListDiff", _FLOATS, _FLOATS[2:], out_idx="int64", law=_REFUSED),
    S("ListDiff", text("a", "b"), text("b")),
    S("ListDiff", u64(0), u64(2)),
    S("Bincount", i32(7, low=0), 4, _NONE, law=_REFUSED),
    S("Bincount", i32(2, 3, low=0), 5, f64(2, 3), law=_REFUSED),
    S("Bincount", i32(7, low=0), 5, i64(7)),
    S("Bincount", i32(7, low=0), 0, np.array([], np.int32)),
    S("DenseBincount", i32(7, low=0), 4, np.array([], np.int32)),
    S("DenseBincount", i32(3, 4, low=0), 4, f32(3, 4), law=_REFUSED),
    S("DenseBincount", i64(3, 4, low=0), 5, np.array([], np.int64), binary_output=True),
    S("DenseBincount", i32(low=0), 5, np.array([], np.float64), law=_REFUSED),
    S("HistogramFixedWidth", f32(40), np.array([-1, 1], np.float32), 5),
    S("HistogramFixedWidth", f64(4, 5), np.array([-1.0, 1.0]), 3, dtype="int64"),
    S("HistogramFixedWidth", i32(40), np.array([0, 4], np.int32), 3),
    S("HistogramFixedWidth", f32(0), np.array([0, 1], np.float32), 2),
]
