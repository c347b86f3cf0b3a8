"""Samples of reductions over segments."""

import numpy as np

from tests.ops.harness import Law, S, bf16, c64, c128, f16, f32, f64, i8, i32, u8

_SORTED = [0, 0, 1, 3]
_MIXED = [2, 0, -1, 2]
_GRID = np.array([[0, 1], [2, 0]], np.int64)
_WITH_ZERO = np.array([[2, 0], [3, 0], [0, 5], [1, 1]], np.float32)
_ONCE = Law(order2=False, why="TF does not differentiate the sparse gradients either")
_NO_VJP = Law(jit=False, why="JAX cannot differentiate scatters that multiply or compare")

SAMPLES = [
    S("SegmentSum", f32(4, 2), _SORTED),
    S("SegmentSum", i8(4), np.array(_SORTED, np.int64)),
    S("SegmentSum", f32(0, 2), []),
    S("SegmentSum", c64(4, 2), _SORTED),
    S("SegmentSum", f16(4), _SORTED),
    S("SegmentMean", f32(4, 2), _SORTED),
    S("SegmentMean", f64(4), _SORTED),
    S("SegmentMean", i32(4), _SORTED),
    S("SegmentMean", u8(4), _SORTED),
    S("SegmentMean", bf16(4, 2), _SORTED),
    S("SegmentProd", f32(4, 2), _SORTED),
    S("SegmentProd", _WITH_ZERO, [0, 0, 0, 0], law=Law(order2=False, why="two zeros in a segment")),
    S("SegmentProd", c128(4), _SORTED),
    S("SegmentProd", i32(4), _SORTED),
    S("SegmentMax", f32(4, 2), _SORTED),
    S("SegmentMax", i32(4), [1, 1, 1, 3]),
    S("SegmentMax", bf16(4), _SORTED),
    S("SegmentMin", f32(4, 2, 2), _SORTED),
    S("SegmentMin", u8(4), _SORTED),
    S("SegmentMin", f32(0, 2), []),
    S("UnsortedSegmentSum", f32(4, 2), _MIXED, 4),
    S("UnsortedSegmentSum", f32(2, 2, 3), _GRID, 3),
    S("UnsortedSegmentSum", f32(3), 1, 2),
    S("UnsortedSegmentSum", f32(0, 2), [], 2),
    S("UnsortedSegmentSum", c64(4), _MIXED, 3),
    S("UnsortedSegmentSum", i8(4), _MIXED, 3),
    S("UnsortedSegmentSum", f16(4), _MIXED, 3),
    S("UnsortedSegmentSum", f64(400, 50), i32(400, low=-1, high=7), 7, law=Law(rtol=1e-4)),
    S("UnsortedSegmentProd", f32(4, 2), _MIXED, 3, law=_NO_VJP),
    S("UnsortedSegmentProd", f16(4, 2), _MIXED, 3),
    S("UnsortedSegmentProd", i32(2, 2, 3), _GRID, 4),
    S("UnsortedSegmentProd", f32(4), [-1, -1, -1, -1], 0, law=_NO_VJP),
    S("UnsortedSegmentProd", c128(4), _MIXED, 3, law=_NO_VJP),
    S("UnsortedSegmentMax", f32(4, 2), [1, 0, -1, 1], 2, law=_NO_VJP),
    S("UnsortedSegmentMax", bf16(4, 2), _MIXED, 4),
    S("UnsortedSegmentMax", i8(2, 2, 3), _GRID, 4),
    S("UnsortedSegmentMin", f32(4, 2), [1, 0, -1, 1], 2, law=_NO_VJP),
    S("UnsortedSegmentMin", f16(4, 2), _MIXED, 4),
    S("UnsortedSegmentMin", u8(2, 2, 3), _GRID, 4),
]

_PICKS = [0, 3, 0, 1, 4]
_PARTS = [0, 0, 2, 2, 2]
for _kind in ("Sum", "Mean", "SqrtN"):
    SAMPLES += [
        S(f"SparseSegment{_kind}", f32(5, 2), _PICKS, _PARTS),
        S(f"SparseSegment{_kind}", f64(5), np.array(_PICKS, np.int64), _PARTS),
        S(f"SparseSegment{_kind}", f32(5, 2), [], []),
        S(f"SparseSegment{_kind}", f32(5, 2), _PICKS, _PARTS, sparse_gradient=True, law=_ONCE),
        S(f"SparseSegment{_kind}WithNumSegments", f32(5, 2), _PICKS, _PARTS, 4),
        S(f"SparseSegment{_kind}WithNumSegments", f16(5, 2), _PICKS, _PARTS, 3),
        S(f"SparseSegment{_kind}WithNumSegments", f32(5, 2), [], [], 2),
        S(f"SparseSegment{_kind}Grad", f32(3, 2), _PICKS, _PARTS, 5),
        S(f"SparseSegment{_kind}Grad", bf16(3), _PICKS, _PARTS, 6),
        S(
            f"SparseSegment{_kind}GradV2",
            f32(3, 2),
            _PICKS,
            _PARTS,
            5,
            law=Law(grad=False, why="refused, as in TF"),
        ),
    ]
SAMPLES.append(S("SparseSegmentSum", i32(5, 2), _PICKS, _PARTS))
