"""Samples of ops that later versions have taken the place of."""

import numpy as np

from tests.ops.harness import Law, S, bf16, boolean, c64, f16, f32, f64, i32, i64, positive, text

# The gradient ops are differentiated by `grad` alone: where the greatest value is, is a constant.
_CONSTANT_PLACES = Law(finite=False, grad=False, why="constant in the first two inputs")
_STATISTICS = Law(finite=False, grad=False, rtol=1e-4, atol=1e-4, why="float32 statistics")
_ONCE = Law(order2=False, finite=False, why="TF differentiates it once")
_IDS = np.array([0, 0, 2, 2, 3], np.int32)
_POOL = {"padding": "VALID"}
_X = np.random.default_rng(0).permutation(2 * 4 * 6 * 3).reshape(2, 4, 6, 3).astype(np.float32)
_Y = _X.reshape(2, 2, 2, 3, 2, 3).max((2, 4))
_WINDOW = np.array([1, 2, 2, 1], np.int32)
_CONV = {"strides": (1, 2, 1, 1), "padding": "SAME"}
_CONV3 = {"strides": (1, 1, 1, 1, 1), "padding": "VALID"}
_EDGES = np.array([[0, 0], [1, 1], [2, 0], [0, 0]], np.int32)
_FUSED = {"mode": "REFLECT", "strides": (1, 1, 1, 1), "padding": "VALID"}
_SCALED = {"variance_epsilon": 0.001, "scale_after_normalization": True}
_PLAIN = {"variance_epsilon": 0.001, "scale_after_normalization": False}


def _definite(*shape: int, dtype=np.float32) -> np.ndarray:
    root = np.random.default_rng(3).normal(size=shape)
    return (root @ np.swapaxes(root, -1, -2) + 2 * np.eye(shape[-1])).astype(dtype)


SAMPLES = [
    # segments
    S("SegmentSumV2", f32(5, 2), _IDS, np.int32(5)),
    S("SegmentSumV2", i64(5), _IDS, np.int64(4)),
    S("SegmentProdV2", f32(5, 2), _IDS, np.int32(5)),
    S("SegmentMaxV2", f32(5, 2), _IDS, np.int32(5)),
    S("SegmentMinV2", i32(5, 2), _IDS, np.int32(5)),
    # pooling
    S("MaxPoolV2", f32(2, 4, 6, 3), _WINDOW, _WINDOW, **_POOL),
    S(
        "MaxPoolV2",
        f64(2, 3, 4, 4),
        np.array([1, 1, 2, 3], np.int32),
        np.array([1, 1, 1, 2], np.int32),
        padding="SAME",
        data_format="NCHW",
    ),
    S("MaxPoolGradV2", _X, _Y, f32(2, 2, 3, 3), _WINDOW, _WINDOW, law=_CONSTANT_PLACES, **_POOL),
    S("MaxPoolGradGradV2", _X, _Y, f32(2, 4, 6, 3), _WINDOW, _WINDOW, **_POOL),
    # normalization
    S(
        "FusedBatchNorm",
        f32(2, 3, 4, 2),
        f32(2),
        f32(2),
        f32(2),
        positive(2),
        is_training=False,
        law=_STATISTICS,
    ),
    S("FusedBatchNorm", f32(2, 3, 4, 2), f32(2), f32(2), f32(0), f32(0), law=_STATISTICS),
    S(
        "FusedBatchNormV2",
        f16(2, 2, 3, 4),
        f32(2),
        f32(2),
        f32(0),
        f32(0),
        data_format="NCHW",
        law=_STATISTICS,
    ),
    S(
        "FusedBatchNormV2",
        f32(2, 3, 4, 2),
        f32(2),
        f32(2),
        f32(2),
        positive(2),
        exponential_avg_factor=0.5,
        law=_STATISTICS,
    ),
    S(
        "FusedBatchNormGrad",
        f32(2, 3, 4, 2),
        f32(2, 3, 4, 2),
        f32(2),
        f32(2),
        positive(2),
        law=_STATISTICS,
    ),
    S(
        "FusedBatchNormGradV2",
        bf16(2, 3, 4, 2),
        bf16(2, 3, 4, 2),
        f32(2),
        f32(2),
        positive(2),
        is_training=False,
        law=_STATISTICS,
    ),
    S(
        "BatchNormWithGlobalNormalization",
        f32(2, 3, 4, 2),
        f32(2),
        positive(2),
        f32(2),
        f32(2),
        law=_ONCE,
        **_SCALED,
    ),
    S(
        "BatchNormWithGlobalNormalization",
        f64(2, 3, 4, 2),
        f64(2),
        positive(2, dtype=np.float64),
        f64(2),
        f64(2),
        law=_ONCE,
        **_PLAIN,
    ),
    S(
        "BatchNormWithGlobalNormalizationGrad",
        f32(2, 3, 4, 2),
        f32(2),
        positive(2),
        f32(2),
        f32(2, 3, 4, 2),
        **_SCALED,
    ),
    S(
        "BatchNormWithGlobalNormalizationGrad",
        f32(2, 3, 4, 2),
        f32(2),
        positive(2),
        f32(2),
        f32(2, 3, 4, 2),
        **_PLAIN,
    ),
    S(
        "LRNGrad",
        f32(1, 2, 3, 6),
        f32(1, 2, 3, 6),
        f32(1, 2, 3, 6),
        depth_radius=2,
        bias=2.0,
        alpha=0.5,
        beta=0.75,
    ),
    S("LRNGrad", f16(1, 2, 3, 4), f16(1, 2, 3, 4), f16(1, 2, 3, 4)),
    # convolutions
    S("Conv2DBackpropInputV2", f32(2, 5, 4, 3), f32(3, 2, 3, 2), f32(2, 3, 4, 2), **_CONV),
    S("Conv2DBackpropFilterV2", f32(2, 5, 4, 3), f32(3, 2, 3, 2), f32(2, 3, 4, 2), **_CONV),
    S("Conv3DBackpropInput", f32(1, 3, 4, 3, 2), f32(2, 2, 2, 2, 3), f32(1, 2, 3, 2, 3), **_CONV3),
    S("Conv3DBackpropFilter", f64(1, 3, 4, 3, 2), f64(2, 2, 2, 2, 3), f64(1, 2, 3, 2, 3), **_CONV3),
    S("FusedPadConv2D", f32(1, 3, 4, 2), _EDGES, f32(2, 2, 2, 3), **_FUSED),
    S(
        "FusedResizeAndPadConv2D",
        f32(1, 3, 4, 2),
        np.array([5, 6], np.int32),
        _EDGES,
        f32(2, 2, 2, 3),
        **_FUSED,
    ),
    S(
        "FusedResizeAndPadConv2D",
        f64(1, 3, 4, 2),
        np.array([4, 6], np.int32),
        _EDGES,
        f64(2, 2, 2, 3),
        **_FUSED | {"mode": "SYMMETRIC"},
        resize_align_corners=True,
    ),
    # diagonals
    S("MatrixDiag", f32(2, 3)),
    S("MatrixDiag", i32(0)),
    S("MatrixDiagPart", f32(2, 3, 4)),
    S("MatrixDiagPart", c64(3, 3)),
    S("MatrixSetDiag", f32(2, 3, 4), f32(2, 3)),
    S("MatrixDiagV2", f32(2, 3), np.int32(1), np.int32(-1), np.int32(-1), np.float32(7)),
    S(
        "MatrixDiagV2",
        f32(2, 2, 3),
        np.array([-1, 0], np.int32),
        np.int32(-1),
        np.int32(-1),
        np.float32(0),
    ),
    S("MatrixDiagPartV2", f32(2, 3, 4), np.array([-1, 2], np.int32), np.float32(9)),
    S("MatrixSetDiagV2", f32(3, 4), f32(3, 3), np.array([-1, 1], np.int32)),
    S("BatchMatrixDiag", f32(2, 3)),
    S("BatchMatrixDiagPart", i32(2, 3, 3)),
    S("BatchMatrixSetDiag", f32(2, 3, 3), f32(2, 3)),
    S("BatchMatrixBandPart", f32(2, 3, 4), np.int64(1), np.int64(-1)),
    # matrices
    S("BatchCholesky", _definite(2, 3, 3)),
    S("BatchCholeskyGrad", np.tril(_definite(3, 3)), f32(3, 3)),
    S("BatchMatrixDeterminant", f32(2, 3, 3)),
    S("BatchMatrixInverse", _definite(2, 3, 3, dtype=np.float64), adjoint=True),
    S("BatchMatrixSolve", _definite(2, 3, 3), f32(2, 3, 2)),
    S("BatchMatrixSolveLs", f64(2, 4, 3), f64(2, 4, 2), np.float64(0.1)),
    S("BatchMatrixTriangularSolve", np.tril(_definite(2, 3, 3)), f32(2, 3, 2)),
    S("BatchSelfAdjointEigV2", np.diag([3.0, 1.0, 2.0]).astype(np.float32), compute_v=False),
    S("BatchSelfAdjointEig", np.diag([1.0, 2.0, 4.0]).astype(np.float32)[None]),
    S("SelfAdjointEig", np.diag([1.0, 2.0, 4.0])),
    S("BatchSvd", f32(2, 3, 2), compute_uv=False),
    S("BatchFFT", c64(2, 4)),
    S("BatchFFT2D", c64(2, 3, 4)),
    S("BatchFFT3D", c64(2, 3, 4)),
    S("BatchIFFT", c64(2, 4)),
    S("BatchIFFT2D", c64(2, 3, 4)),
    S("BatchIFFT3D", c64(2, 3, 4)),
    # arrays
    S("Concat", np.int32(1), [f32(2, 3), f32(2, 1)]),
    S("Concat", np.int32(0), [i32(2), i32(0), i32(3)]),
    S("ParallelConcat", [f32(1, 3), f32(1, 3)], shape=(2, 3)),
    S("Gather", f32(4, 3), np.array([[1, 3], [1, 0]], np.int32)),
    S("Gather", i64(4), np.array([2], np.int64), validate_indices=False),
    S("Reverse", f32(2, 3, 2), np.array([True, False, True])),
    S("Reverse", text("a", "b", "c"), np.array([True])),
    S("Reverse", i32(2, 0), np.array([False, True])),
    S("TileGrad", f32(4, 9), np.array([2, 3], np.int32)),
    S("TileGrad", i32(4), np.array([1], np.int64)),
    S("AccumulateNV2", [f32(2, 3), f32(2, 3), f32(2, 3)], shape=(2, 3)),
    S("BiasAddV1", f32(2, 3, 4), f32(4)),
    S("TopK", f32(2, 5), k=3),
    S("TopK", i32(2, 5, low=0, high=99), k=0),
    S("InTopK", f32(3, 5), np.array([0, 4, 7], np.int32), k=2),
    S("InplaceUpdate", f32(4, 2), np.array([2, 0], np.int32), f32(2, 2)),
    S("InplaceUpdate", i32(4), np.array([-1, 5], np.int32), i32(2)),
    S("InplaceAdd", f32(4, 2), np.array([2, 2], np.int32), f32(2, 2)),
    S("InplaceSub", f32(4, 2), np.array([3, 0], np.int32), f32(2, 2)),
    S("ToBool", np.float32(0.0)),
    S("ToBool", i32(0, 3)),
    S("ToBool", boolean(2)),
    S("DeepCopy", f32(2, 3)),
    S("DataFormatDimMap", np.array([0, 1, -1, -2], np.int32)),
    S("DataFormatDimMap", np.array(3, np.int64), src_format="NDHWC", dst_format="NCDHW"),
    S("DataFormatVecPermute", np.array([1, 2, 3, 4], np.int32)),
    S(
        "DataFormatVecPermute",
        np.array([[1, 2], [3, 4]], np.int64),
        src_format="NCHW",
        dst_format="NHWC",
    ),
]
_BOXES = np.array([[0, 0, 2, 2], [0, 0.1, 2, 2], [3, 3, 4, 4]], np.float32)
_SCORES = np.array([0.5, 0.9, 0.1], np.float32)
_STEPS = Law(finite=False, grad=False, why="steps: the gradient passes through")
_HOST = Law(jit=False, order2=False, why="runs on the host, and is differentiated once")
_EXAMPLE = text(
    b"\n\x1e\n\r\n\x01a\x12\x08\x12\x06\n\x04\x00\x00\x80?\n\r\n\x01b\x12\x08\x1a\x06\n\x04\x01\x02\x03\x04"
)
_KEYS = {"sparse_types": ("int64",), "dense_shapes": ((1,),)}
_PROJECTION = np.array([[0.9, 0.2, -1.3, -0.1, 1.1, 2.2, 0.01, 0.02]], np.float32)
_INVERSE = Law(finite=False, grad=False, why="TF's gradient is the inverse transform")


def _scalar(value: bytes) -> np.ndarray:
    return text(value).reshape(())


SAMPLES += [
    S("QuantizeAndDequantize", f32(3, 4), law=_STEPS),
    S(
        "QuantizeAndDequantize",
        f64(3),
        range_given=True,
        input_min=-1.0,
        input_max=1.5,
        num_bits=4,
        law=_STEPS,
    ),
    S("QuantizeAndDequantizeV3", f32(3, 4), np.float32(-1), np.float32(1), np.int32(6), law=_STEPS),
    S(
        "QuantizeAndDequantizeV3",
        f32(3, 2),
        f32(2, high=-1),
        positive(2),
        np.int32(8),
        range_given=False,
        axis=1,
        narrow_range=True,
        law=_STEPS,
    ),
    S("NonMaxSuppression", _BOXES, _SCORES, np.int32(3)),
    S("NonMaxSuppressionV2", _BOXES, _SCORES, np.int32(3), np.float32(0.95)),
    S(
        "ParseExample",
        _EXAMPLE,
        text(),
        [_scalar(b"b")],
        [_scalar(b"a")],
        [np.zeros(1, np.float32)],
        **_KEYS,
    ),
    S(
        "ParseSingleExample",
        _EXAMPLE.reshape(()),
        [np.zeros(1, np.float32)],
        num_sparse=1,
        sparse_keys=("b",),
        dense_keys=("a",),
        **_KEYS,
    ),
    S("ShardedFilename", _scalar(b"/tmp/x"), np.int32(3), np.int32(12)),
    S("ShardedFilespec", _scalar(b"x"), np.int32(123456)),
    S("GRUBlockCell", f32(2, 3), f32(2, 4), f32(7, 8), f32(7, 4), f32(8), f32(4)),
    S(
        "LSTMBlockCell",
        f32(2, 3),
        f32(2, 4),
        f32(2, 4),
        f32(7, 16),
        f32(4),
        f32(4),
        f32(4),
        f32(16),
    ),
    S(
        "LSTMBlockCell",
        f32(2, 3),
        f32(2, 4),
        f32(2, 4),
        f32(7, 16),
        f32(4),
        f32(4),
        f32(4),
        f32(16),
        use_peephole=True,
        cell_clip=0.5,
        forget_bias=0.0,
    ),
    S(
        "LSTMBlockCell",
        f16(2, 3),
        f16(2, 4),
        f16(2, 4),
        f16(7, 16),
        f16(4),
        f16(4),
        f16(4),
        f16(16),
        cell_clip=-1.0,
    ),
    S(
        "RaggedFillEmptyRows",
        np.array([0, 0, 2], np.int64),
        f32(3),
        np.int64(4),
        np.float32(7),
        law=_HOST,
    ),
    S("RaggedFillEmptyRowsGrad", np.array([0, 1, 3], np.int64), f32(5)),
    S("PlaceholderWithDefault", f32(2, 3), shape=(2, 3)),
    S("PlaceholderWithDefault", text("a"), shape=(1,)),
    S("Fingerprint", f32(3, 4), _scalar(b"farmhash64")),
    S("Fingerprint", text("a", "bc"), _scalar(b"farmhash64")),
    S("Fingerprint", text("a", "bc", "", "d").reshape(2, 2), _scalar(b"farmhash64")),
    S("Fingerprint", i32(2, 0), _scalar(b"farmhash64")),
    S("Fingerprint", i32(0, 2), _scalar(b"farmhash64")),
    S(
        "ImageProjectiveTransformV2",
        f32(2, 5, 4, 3),
        _PROJECTION,
        np.array([4, 6], np.int32),
        interpolation="BILINEAR",
        law=_INVERSE,
    ),
    S(
        "ImageProjectiveTransformV3",
        f32(1, 5, 4, 3),
        _PROJECTION,
        np.array([4, 6], np.int32),
        np.float32(3),
        interpolation="BILINEAR",
        fill_mode="REFLECT",
        law=_INVERSE,
    ),
    S(
        "ImageProjectiveTransformV3",
        f64(1, 5, 4, 3),
        _PROJECTION,
        np.array([4, 6], np.int32),
        np.float32(3),
        interpolation="BILINEAR",
        fill_mode="WRAP",
        law=_INVERSE,
    ),
    S(
        "ImageProjectiveTransformV3",
        f32(1, 5, 4, 3),
        _PROJECTION,
        np.array([4, 3], np.int32),
        np.float32(3),
        interpolation="NEAREST",
        fill_mode="NEAREST",
        law=_INVERSE,
    ),
]
