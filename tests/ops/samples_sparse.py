"""Samples of ops on sparse tensors, given by their three parts."""

import numpy as np

from tests.ops.harness import Law, S, c64, f16, f32, f64, i32, text

_AT = np.array([[0, 1], [0, 3], [2, 0]], np.int64)
_OTHER = np.array([[0, 1], [1, 0], [2, 0], [2, 4]], np.int64)
_DIMS = np.array([3, 5], np.int64)
_BOX = np.array([[0, 0, 1], [0, 2, 0], [1, 1, 1], [1, 1, 2]], np.int64)
_BOX_DIMS = np.array([2, 3, 3], np.int64)
_NONE = np.zeros((0, 2), np.int64)
_SHUFFLED = np.array([[2, 0], [0, 3], [0, 1]], np.int64)
_ONCE = Law(order2=False, why="TF does not differentiate this gradient either")
_NO_GRAD = Law(grad=False, why="TF has no gradient either")

_A = (_AT, f32(3), _DIMS)
_B = (_OTHER, f32(4), _DIMS)


def _i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


SAMPLES = [
    S("SparseAdd", *_A, *_B, np.float32(0), law=_ONCE),
    S("SparseAdd", _AT, c64(3), _DIMS, _OTHER, c64(4), _DIMS, np.float32(0.5), law=_ONCE),
    S("SparseAdd", _AT, i32(3), _DIMS, _NONE, i32(0), _DIMS, np.int32(0)),
    S(
        "SparseAddGrad",
        f32(5),
        _AT,
        _OTHER,
        np.array([[0, 1], [0, 3], [1, 0], [2, 0], [2, 4]]),
        law=_NO_GRAD,
    ),
    S("SparseSparseMaximum", *_A, *_B, law=_NO_GRAD),
    S("SparseSparseMinimum", _AT, i32(3), _DIMS, _OTHER, i32(4), _DIMS, law=_NO_GRAD),
    S("SparseTensorDenseAdd", *_A, f32(3, 5)),
    S("SparseTensorDenseAdd", _AT.astype(np.int32), i32(3), _DIMS.astype(np.int32), i32(3, 5)),
    S("SparseTensorDenseAdd", _NONE, f32(0), _DIMS, f32(3, 5)),
    S("SparseDenseCwiseMul", *_A, f32(3, 5)),
    S("SparseDenseCwiseMul", *_A, f32(5)),
    S("SparseDenseCwiseMul", _AT, c64(3), _DIMS, c64(3, 1)),
    S("SparseDenseCwiseMul", _AT, i32(3), _DIMS, i32()),
    S("SparseDenseCwiseDiv", *_A, np.full((1, 5), 1.5, np.float32)),
    S("SparseDenseCwiseDiv", _AT, _i64(-7, 7, 4).astype(np.int32), _DIMS, np.int32(2)),
    S("SparseDenseCwiseAdd", _BOX, f32(4), _BOX_DIMS, f32(3, 3)),
    S("SparseReorder", _SHUFFLED, f32(3), _DIMS),
    S("SparseReorder", _SHUFFLED, text("a", "b", "c"), _DIMS),
    S("SparseReorder", _NONE, f32(0), _DIMS),
    S("SparseReshape", _AT, _DIMS, _i64(5, -1)),
    S("SparseReshape", _BOX, _BOX_DIMS, _i64(18)),
    S("SparseReshape", _NONE, _DIMS, _i64(5, 3, 1)),
    S("SparseConcat", [_AT, _OTHER], [f32(3), f32(4)], [_DIMS, _DIMS], concat_dim=1),
    S("SparseConcat", [_AT, _AT], [text("a", "b", "c")] * 2, [_DIMS, _DIMS], concat_dim=-2),
    S("SparseSlice", *_B, _i64(0, 1), _i64(3, 9), law=_ONCE),
    S("SparseSlice", _AT, text("a", "b", "c"), _DIMS, _i64(0, 0), _i64(1, 2)),
    S("SparseSliceGrad", f32(1), _AT, _i64(0, 2), np.array([[0, 1]], np.int64), law=_NO_GRAD),
    S("SparseFillEmptyRows", *_A, f32(), law=_ONCE),
    S("SparseFillEmptyRows", _NONE, i32(0), _DIMS, i32()),
    S("SparseFillEmptyRowsGrad", _i64(0, 1, 3), f32(4), law=_NO_GRAD),
    S("SparseFillEmptyRowsGrad", _i64(), f32(2), law=_NO_GRAD),
    S("SparseReduceSum", _BOX, f32(4), _BOX_DIMS, [0, 2]),
    S("SparseReduceSum", _BOX, c64(4), _BOX_DIMS, [-1], keep_dims=True),
    S("SparseReduceSum", _BOX, i32(4), _BOX_DIMS, [0, 1, 2]),
    S("SparseReduceSum", _BOX, f16(4), _BOX_DIMS, 1),
    S("SparseReduceSum", _NONE, f32(0), _DIMS, [1]),
    S("SparseReduceMax", _BOX, f32(4), _BOX_DIMS, [0, 2], law=_NO_GRAD),
    S("SparseReduceMax", _BOX, i32(4), _BOX_DIMS, [1], keep_dims=True),
    S("SparseReduceMaxSparse", _BOX, f32(4), _BOX_DIMS, [2], law=_NO_GRAD),
    S("SparseReduceSumSparse", _BOX, f32(4), _BOX_DIMS, [2], keep_dims=True, law=_NO_GRAD),
    S("SparseReduceSumSparse", _BOX, i32(4), _BOX_DIMS, [0, 1, 2]),
    S("SparseSoftmax", _BOX, f32(4), _BOX_DIMS),
    S("SparseSoftmax", _AT, f64(3), _DIMS),
    S("SparseSoftmax", _AT, f16(3), _DIMS, law=Law(rtol=1e-3)),
    S("SparseSoftmax", _NONE, f32(0), _DIMS),
    S("SparseTensorDenseMatMul", *_A, f32(5, 2)),
    S("SparseTensorDenseMatMul", *_A, f32(3, 2), adjoint_a=True),
    S("SparseTensorDenseMatMul", _AT, c64(3), _DIMS, c64(2, 3), adjoint_a=True, adjoint_b=True),
    S("SparseTensorDenseMatMul", _AT, i32(3), _DIMS, i32(5, 2)),
    S("SparseTensorDenseMatMul", _AT, f16(3), _DIMS, f16(5, 2)),
    S("SparseTensorDenseMatMul", _NONE, f32(0), _DIMS, f32(5, 2)),
    S("DenseCountSparseOutput", i32(2, 3, low=0), f32(0), binary_output=False),
    S("DenseCountSparseOutput", i32(4, low=0), f32(4), maxlength=3, binary_output=False),
    S("SparseCountSparseOutput", _AT, i32(3, low=0), _DIMS, i32(0), binary_output=True),
    S("RaggedCountSparseOutput", _i64(0, 2, 2, 3), i32(3, low=0), f64(3), binary_output=False),
    S("SparseBincount", _AT, i32(3, low=0), _DIMS, np.int32(5), f32(0)),
    S("SparseBincount", _AT, i32(3, low=0), _DIMS, np.int32(2), f32(3)),
    S(
        "SparseBincount",
        _i64(0, 2).reshape(2, 1),
        i32(2, low=0),
        _i64(4),
        np.int32(5),
        i32(0),
        binary_output=True,
    ),
    S(
        "SparseCross",
        [_AT],
        [text("a", "b", "c")],
        [_DIMS],
        [_i64(1, 2, 3).reshape(3, 1)],
        hashed_output=True,
        num_buckets=9,
        hash_key=956888297470,
        out_type="int64",
        internal_type="int64",
    ),
    S(
        "SparseCrossV2",
        [_AT],
        [_i64(1, 2, 3)],
        [_DIMS],
        [text("a", "b", "c").reshape(3, 1)],
        text("-").reshape(()),
    ),
]

_SETS = (_AT, np.array([4, 7, 4], np.int32), _DIMS)
_MORE = (_OTHER, np.array([4, 9, 4, 1], np.int32), _DIMS)
for _kind in ("a-b", "b-a", "intersection", "union"):
    SAMPLES += [
        S("DenseToDenseSetOperation", i32(2, 3), i32(2, 4), set_operation=_kind),
        S("DenseToSparseSetOperation", i32(3, 2), *_MORE, set_operation=_kind),
        S("SparseToSparseSetOperation", *_SETS, *_MORE, set_operation=_kind),
    ]
SAMPLES += [
    S(
        "DenseToDenseSetOperation",
        text("a", "b").reshape(1, 2),
        text("c").reshape(1, 1),
        set_operation="union",
    ),
    S("SetSize", *_SETS),
    S("SetSize", _NONE, i32(0), _DIMS),
]
