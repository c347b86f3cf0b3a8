"""Samples of ops on strings, sparse coordinates and images."""

import numpy as np

from tests.ops.harness import S, boolean, f16, f32, text

_AT = np.array([[0, 1], [2, 0]], np.int64)
_SHAPE = np.array([3, 2], np.int64)

SAMPLES = [
    S("StringSplitV2", text("a b", " c"), text("").reshape(())),
    S("StringSplitV2", text("a,,b", "c"), text(",").reshape(()), maxsplit=1),
    S("StringSplit", text("ab", "c"), text("").reshape(())),
    S("StringSplit", text("a,b;c", ""), text(",;").reshape(()), skip_empty=False),
    S("StringToNumber", text("1", "2.5"), out_type="float64"),
    S("StringToNumber", text("1", "-2"), out_type="int32"),
    S("UnicodeDecode", text("aé", ""), input_encoding="UTF-8"),
    S(
        "UnicodeEncode",
        np.array([97, 233], np.int32),
        np.array([0, 1, 2], np.int64),
        output_encoding="UTF-8",
    ),
    S("DecodeRaw", text("abcd", "efgh"), out_type="int16"),
    S("DecodeRaw", text("ab"), out_type="uint8", little_endian=False),
    S("SparseToDense", _AT, _SHAPE, f32(2), f32()),
    S("SparseToDense", np.array([1, 3], np.int32), np.array([5], np.int32), f32(), f32()),
    S("SparseToDense", _AT, _SHAPE, boolean(2), boolean()),
    S("EditDistance", _AT, text("a", "b"), _SHAPE, _AT, text("a", "c"), _SHAPE),
    S("EditDistance", _AT, f32(2), _SHAPE, _AT[:1], f32(1), _SHAPE, normalize=False),
    S("AdjustContrastv2", f32(2, 3, 3), np.float32(2.0)),
    S("AdjustContrastv2", f16(2, 2, 3, 3), np.float32(0.5)),
]
