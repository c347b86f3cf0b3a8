"""Samples of ops that join, cut, match, hash and convert strings."""

import numpy as np

from tests.ops.harness import S, boolean, c64, f16, f32, i8, i32, text, u8

_ONE = text("a").reshape(())
_SPLITS = np.array([0, 2, 2, 3], np.int64)
_WIDTHS = {"ngram_widths": (1, 2), "left_pad": "<", "right_pad": ">", "separator": " "}

SAMPLES = [
    S("StringJoin", [text("a", "b"), _ONE, text("c", "d")], separator="-"),
    S("StringJoin", [text("a", "b").reshape(2, 1), text("c", "").reshape(2, 1)]),
    S("ReduceJoin", text("a", "b", "c", "d").reshape(2, 2), [1, 0], separator="."),
    S("ReduceJoin", text("a", "b", "c", "d").reshape(2, 2), [-2], keep_dims=True),
    S("ReduceJoin", text().reshape(2, 0), [1]),
    S("ReduceJoin", text("a", "b"), []),
    S("UnsortedSegmentJoin", text("a", "b", "c"), [1, 0, 1], 3, separator=","),
    S("UnsortedSegmentJoin", text("a", "b", "c", "d").reshape(2, 2), [1, 1], np.int64(2)),
    S("UnsortedSegmentJoin", text(), np.zeros(0, np.int64), 2),
    S("StringLower", text("aB", "ÀÉ"), encoding="utf-8"),
    S("StringUpper", text("aB", "àé").reshape(2, 1)),
    S("StringStrip", text(" a\t", "b", "")),
    S("StringLength", text("aé", ""), unit="UTF8_CHAR"),
    S("StringLength", text("aé", "").reshape(1, 2)),
    S("Substr", text("hello", "world"), [1, -2], [3, 2]),
    S("Substr", text("aé😀"), np.int64(1), np.int64(2), unit="UTF8_CHAR"),
    S("Substr", text("abc", "def").reshape(2, 1), [0, 1], [1, 1]),
    S("StringNGrams", text("a", "b", "c"), _SPLITS, pad_width=-1, **_WIDTHS,
      preserve_short_sequences=False),
    S("StringNGrams", text("a", "b", "c"), _SPLITS.astype(np.int32), pad_width=0, ngram_widths=(3,),
      left_pad="", right_pad="", separator="|", preserve_short_sequences=True),
    S("AsString", f32(2, 2), precision=3, width=9, fill="0"),
    S("AsString", f16(2), shortest=True),
    S("AsString", i8(3), width=5, fill="-"),
    S("AsString", c64(2), scientific=True),
    S("AsString", boolean(2)),
    S("AsString", text("a", "b"), width=3),
    S("AsString", u8(2, high=200), fill="+"),
    S("StringToHashBucket", text("a", "hello", ""), num_buckets=100),
    S("StringToHashBucketFast", text("a", "hello", "x" * 40, "y" * 100), num_buckets=1000),
    S("StringToHashBucketStrong", text("a", "hello").reshape(1, 2), num_buckets=9, key=(1, -2)),
    S("RegexFullMatch", text("abc", "ab"), text("a.c").reshape(())),
    S("StaticRegexFullMatch", text("abc", "ab"), pattern="ab?"),
    S("RegexReplace", text("abc"), text("b").reshape(()), text(r"<\0>").reshape(())),
    S("StaticRegexReplace", text("abab"), pattern="(a)", rewrite=r"\1!", replace_global=False),
    S("UnicodeDecodeWithOffsets", text("aé", ""), input_encoding="UTF-8"),
    S("UnicodeDecodeWithOffsets", text(b"\0a\0b"), input_encoding="UTF-16-BE", Tsplits="int32"),
    S("UnicodeTranscode", text("aé", b"\xff"), input_encoding="UTF-8",
      output_encoding="UTF-16-BE"),
    S("UnicodeScript", i32(3, low=60, high=130)),
    S("DecodePaddedRaw", text("ab", "c"), 4, out_type="int16"),
    S("DecodePaddedRaw", text("ab", "c").reshape(2, 1), 2, out_type="uint8", little_endian=False),
    S("EncodeBase64", text("a", "ab", ""), pad=True),
    S("DecodeBase64", text("YQ", "YWI=")),
    S("DecodeCompressed", text("abc")),
    S("DecodeCompressed", text(b"x\x9cKLJ\x06\x00\x02M\x01'"), compression_type="ZLIB"),
]  # fmt: skip
