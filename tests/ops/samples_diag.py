"""Samples of diagonals, bands and the cross product."""

import numpy as np

from tests.ops.harness import S, bf16, boolean, c64, f16, f32, f64, i8, i32, i64

ANY = np.int32(-1)
ZERO = np.float32(0)

SAMPLES = [
    S("MatrixDiagV3", f32(3), 0, ANY, ANY, ZERO),
    S("MatrixDiagV3", f32(2, 3), 1, ANY, ANY, f32()),
    S("MatrixDiagV3", f32(2, 3), [-1, 0], ANY, ANY, f32()),
    S("MatrixDiagV3", f32(2, 3, 3), [-1, 1], ANY, ANY, f32(), align="LEFT_RIGHT"),
    S("MatrixDiagV3", f32(2, 3), [-1, 0], 4, 3, f32(), align="LEFT_LEFT"),
    S("MatrixDiagV3", f32(3), -2, ANY, 3, f32(), align="RIGHT_RIGHT"),
    S("MatrixDiagV3", c64(3), 0, ANY, ANY, c64()),
    S("MatrixDiagV3", i32(2, 3), [0, 1], ANY, ANY, i32()),
    S("MatrixDiagV3", boolean(3), 0, ANY, ANY, boolean()),
    S("MatrixDiagV3", f32(2, 0), 0, ANY, ANY, ZERO),
    S("MatrixDiagPartV3", f32(3, 4), 0, f32()),
    S("MatrixDiagPartV3", f32(2, 3, 4), 1, f32()),
    S("MatrixDiagPartV3", f32(2, 3, 4), [-1, 2], f32()),
    S("MatrixDiagPartV3", f32(3, 4), [-2, -1], f32(), align="LEFT_RIGHT"),
    S("MatrixDiagPartV3", f32(4, 3), [-3, 1], f32(), align="LEFT_LEFT"),
    S("MatrixDiagPartV3", f32(4, 3), [-1, 1], f32(), align="RIGHT_RIGHT"),
    S("MatrixDiagPartV3", f16(3, 3), [-1, 0], f16()),
    S("MatrixDiagPartV3", i64(3, 3), [-1, 0], i64()),
    S("MatrixDiagPartV3", f32(2, 0, 3), 0, ZERO),
    S("MatrixSetDiagV3", f32(3, 4), f32(3), 0),
    S("MatrixSetDiagV3", f32(2, 3, 4), f32(2, 3), 1),
    S("MatrixSetDiagV3", f32(3, 4), f32(4, 3), [-1, 2]),
    S("MatrixSetDiagV3", f32(3, 4), f32(3, 3), [-1, 1], align="LEFT_RIGHT"),
    S("MatrixSetDiagV3", c64(3, 3), c64(3), 0),
    S("MatrixSetDiagV3", i32(3, 3), i32(2, 3), [0, 1]),
    S("MatrixSetDiagV3", f32(0, 3), f32(0), 0),
    S("MatrixBandPart", f32(3, 4), 1, 0),
    S("MatrixBandPart", f32(2, 3, 4), -1, 1),
    S("MatrixBandPart", f64(3, 3), np.int64(0), np.int64(-1)),
    S("MatrixBandPart", c64(3, 3), 0, 0),
    S("MatrixBandPart", bf16(3, 3), 1, 1),
    S("MatrixBandPart", boolean(3, 3), 0, -1),
    S("MatrixBandPart", f32(0, 0), 0, 0),
    S("Diag", f32(3)),
    S("Diag", f32(2, 3)),
    S("Diag", c64(2)),
    S("Diag", i32(0)),
    S("DiagPart", f32(3, 3)),
    S("DiagPart", f32(2, 3, 2, 3)),
    S("DiagPart", i64(2, 2)),
    S("Cross", f32(3), f32(3)),
    S("Cross", f32(2, 3), f32(2, 3)),
    S("Cross", i8(3), i8(3)),
    S("Cross", bf16(2, 3), bf16(2, 3)),
    S("Cross", f32(0, 3), f32(0, 3)),
]
