"""The readers of this library as functions of bytes, with valid samples: what fuzz tests attack."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tapeflow as tf
from tests import fuzzing


@dataclass(frozen=True)
class Reader:
    """A function of bytes, a function that makes valid samples, and what may wrap mutations."""

    read: Callable[[bytes], Any]
    samples: Callable[[], Sequence[bytes]]
    wrap: Callable[[bytes], bytes] | None = None
    # One input may add that much to the resident memory: samples are small, and so is what they
    # claim, unless a reader believes a claim before it looks at the data.
    memory: int = 256 << 20


# Few bytes of these formats may stand for a large picture of one color.
_LARGE_PICTURES = 3 << 30

# -- images and sound ---------------------------------------------------------------------------


def _picture(channels: int, dtype: Any = np.uint8) -> np.ndarray:
    values = np.random.default_rng(channels).integers(0, 256, (9, 13, channels))
    return values.astype(dtype)


def _pillow(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(_picture(3)).convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


@cache
def _png() -> list[bytes]:
    wide = tf.io.encode_png(_picture(3, np.uint16) * 200).numpy()
    own = [tf.io.encode_png(_picture(channels)).numpy() for channels in (1, 2, 3, 4)]
    return [*own, wide, _pillow("PNG", "P"), _pillow("PNG", "1")]


@cache
def _jpeg() -> list[bytes]:
    return [
        tf.io.encode_jpeg(_picture(3)).numpy(),
        tf.io.encode_jpeg(_picture(1)).numpy(),
        _pillow("JPEG", progressive=True),
        _pillow("JPEG", "CMYK"),
        _pillow("JPEG", subsampling=2),
    ]


@cache
def _gif() -> list[bytes]:
    frames = [Image.fromarray(_picture(3) // (i + 1)) for i in range(3)]
    return [_pillow("GIF"), _pillow("GIF", save_all=True, append_images=frames[1:])]


@cache
def _bmp() -> list[bytes]:
    return [_pillow("BMP"), _pillow("BMP", "RGBA"), _pillow("BMP", "L")]


@cache
def _webp() -> list[bytes]:
    frames = [Image.fromarray(_picture(3) // (i + 1)) for i in range(2)]
    return [
        _pillow("WEBP"),
        _pillow("WEBP", lossless=True),
        _pillow("WEBP", save_all=True, append_images=frames[1:]),
    ]


def _all_images() -> list[bytes]:
    return [*_png(), *_jpeg(), *_gif(), *_bmp(), *_webp()]


@cache
def _wav() -> list[bytes]:
    audio = np.sin(np.linspace(0, 9, 60, dtype=np.float32)).reshape(-1, 2)
    return [tf.audio.encode_wav(part, 8000).numpy() for part in (audio, audio[:, :1])]


def _decode_wav(data: bytes) -> None:
    tf.audio.decode_wav(data)
    tf.audio.decode_wav(data, desired_channels=3, desired_samples=5)


def _decode_jpeg(data: bytes) -> None:
    tf.io.decode_jpeg(data, ratio=2)
    # Inks, which Adobe's mark stands before, cannot be turned to gray.
    channels = 3 if b"Adobe" in data else 1
    tf.io.decode_jpeg(data, channels=channels, dct_method="INTEGER_ACCURATE")
    tf.io.decode_and_crop_jpeg(data, [1, 2, 3, 4])


# -- protocol buffers -----------------------------------------------------------------------------

_FLOATS = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5, -2.0, 3.0]))
_INTS = tf.train.Feature(int64_list=tf.train.Int64List(value=[4, -5, 2**40]))
_BYTES = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"ab", b"", b"c" * 20]))


@cache
def _examples() -> list[bytes]:
    features = {"f": _FLOATS, "i": _INTS, "s": _BYTES, "index": _INTS}
    whole = tf.train.Example(features=tf.train.Features(feature=features))
    few = tf.train.Example(features=tf.train.Features(feature={"f": _FLOATS}))
    return [whole.SerializeToString(), few.SerializeToString()]


_EXAMPLE_SPEC = {
    "f": tf.io.FixedLenFeature([3], tf.float32, [0.0, 0.0, 0.0]),
    "i": tf.io.VarLenFeature(tf.int64),
    "s": tf.io.RaggedFeature(tf.string),
    "many": tf.io.FixedLenSequenceFeature([1], tf.float32, allow_missing=True),
    "sparse": tf.io.SparseFeature(["index"], "i", tf.int64, [2**50]),
}


def _parse_examples(data: bytes) -> None:
    tf.io.parse_single_example(data, _EXAMPLE_SPEC)
    tf.io.parse_example([data, data], _EXAMPLE_SPEC)


@cache
def _sequence_examples() -> list[bytes]:
    context = tf.train.Features(feature={"c": _INTS})
    lists = tf.train.FeatureLists(
        feature_list={
            "f": tf.train.FeatureList(feature=[_FLOATS, _FLOATS]),
            "s": tf.train.FeatureList(feature=[_BYTES]),
        }
    )
    made = tf.train.SequenceExample(context=context, feature_lists=lists)
    return [made.SerializeToString(), tf.train.SequenceExample(context=context).SerializeToString()]


_LISTS_SPEC = {
    "f": tf.io.FixedLenSequenceFeature([3], tf.float32, allow_missing=True),
    "s": tf.io.VarLenFeature(tf.string),
}


def _parse_sequence_examples(data: bytes) -> None:
    context = {"c": tf.io.VarLenFeature(tf.int64)}
    tf.io.parse_single_sequence_example(data, context, _LISTS_SPEC)
    tf.io.parse_sequence_example([data, data], context, _LISTS_SPEC)


_DTYPES = ("float32", "string", "int32", "float16", "bool", "complex64", "int64", "bfloat16")


@cache
def _tensors() -> list[bytes]:
    numbers = [
        tf.io.serialize_tensor(tf.cast(tf.constant([[1, 0], [3, 4]]), dtype)).numpy()
        for dtype in _DTYPES
        if dtype != "string"
    ]
    listed = [
        tf.make_tensor_proto([1.0, 2.0, 3.0]),
        tf.make_tensor_proto([7], shape=[2, 3]),
        tf.make_tensor_proto(["a", "bc"]),
    ]
    return [*numbers, *(proto.SerializeToString() for proto in listed)]


def _parse_tensor(data: bytes) -> None:
    """The dtype in the data decides which one is asked for, if there is one."""
    dtypes = [tf.float32, tf.string, tf.int32, tf.half, tf.bool, tf.complex64, tf.int64]
    for dtype in dtypes[data[1] % len(dtypes) if len(data) > 1 else 0 :]:
        try:
            tf.io.parse_tensor(data, dtype)
            return
        except tf.errors.InvalidArgumentError:
            continue


@cache
def _sparse() -> list[bytes]:
    """Three parts, with their lengths before them."""
    numbers = tf.sparse.SparseTensor([[0, 1], [2, 3]], [1, 2], [3, 4])
    texts = tf.sparse.SparseTensor([[0, 1], [2, 3]], ["a", "bc"], [3, 4])
    made = []
    for sparse in (numbers, texts):
        parts = tf.io.serialize_sparse(sparse).numpy().tolist()
        made.append(b"".join(len(part).to_bytes(2, "little") + part for part in parts))
    return made


def _deserialize_sparse(data: bytes) -> None:
    parts = []
    for _ in range(3):
        size = int.from_bytes(data[:2], "little")
        parts.append(data[2 : 2 + size])
        data = data[2 + size :]
    for dtype in (tf.int32, tf.string):
        try:
            tf.io.deserialize_many_sparse([parts, parts], dtype)
            tf.raw_ops.DeserializeSparse(serialized_sparse=parts, dtype=dtype)
            return
        except tf.errors.InvalidArgumentError:
            continue


def _json() -> list[bytes]:
    feature = {"f": {"floatList": {"value": [1.5, 2]}}, "s": {"bytesList": {"value": ["YWI="]}}}
    deep = {"features": {"feature": {**feature, "i": {"int64List": {"value": ["12", 3]}}}}}
    return [json.dumps(deep).encode(), b"{}"]


def _decode_proto(data: bytes) -> None:
    tf.io.decode_proto(
        data,
        "tensorflow.Example",
        ["features"],
        [tf.string],
        descriptor_source="local://",
    )


# -- text -----------------------------------------------------------------------------------------


def _decode_csv(data: bytes) -> None:
    tf.io.decode_csv([data], [[0.0], [1], ["x"]])
    tf.io.decode_csv([data], [[0.0], ["x"]], select_cols=[0, 2], use_quote_delim=False)


def _decode_unicode(data: bytes) -> None:
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE", "LATIN1"):
        tf.strings.unicode_decode([data], encoding)
        tf.strings.unicode_transcode(data, encoding, "UTF-16-BE", replace_control_characters=True)
    tf.strings.unicode_decode_with_offsets(data, "UTF-8", errors="ignore")
    tf.strings.unicode_split(data, "UTF-8")
    tf.strings.length(data, "UTF8_CHAR")
    tf.strings.substr(data, 0, 1, "UTF8_CHAR")
    tf.strings.unicode_transcode(data, "UTF-8", "UTF-8", errors="strict")


def _decode_raw(data: bytes) -> None:
    tf.io.decode_raw(data, tf.uint8)
    tf.io.decode_raw(data, tf.float32, fixed_length=8)
    tf.strings.to_number(data)
    tf.strings.to_number(data, tf.int64)


def _texts() -> list[bytes]:
    return ["a é 漢 😀\n".encode(), b"plain text", "e\u0301\u200d".encode()]


# -- files ----------------------------------------------------------------------------------------

_FOLDER = tempfile.TemporaryDirectory(prefix="readers")


def _file(data: bytes) -> str:
    path = Path(_FOLDER.name) / "input"
    path.write_bytes(data)
    return str(path)


def _consume(dataset: Any) -> None:
    for _ in dataset.take(1000):
        pass


_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    "GZIP": fuzzing.as_gzip,
    "ZLIB": fuzzing.as_zlib,
}
_LINES = b"".join(b"line %d\r\n" % i for i in range(12))
_RECORDS = b"".join(fuzzing.as_record(b"record %d" % i) for i in range(4))


def _file_readers() -> dict[str, Reader]:
    readers = {}
    for kind, pack in _PACKERS.items():

        def records(data: bytes, kind: str = kind) -> None:
            _consume(tf.data.TFRecordDataset(_file(data), kind))

        def lines(data: bytes, kind: str = kind) -> None:
            _consume(tf.data.TextLineDataset(_file(data), kind))

        def fixed(data: bytes, kind: str = kind) -> None:
            name = _file(data)
            _consume(tf.data.FixedLengthRecordDataset(name, 7, 3, 3, compression_type=kind))

        name = kind or "plain"
        wrap = pack if kind else fuzzing.as_record
        readers[f"TFRecordDataset {name}"] = Reader(records, lambda p=pack: [p(_RECORDS)], wrap)
        readers[f"TextLineDataset {name}"] = Reader(lines, lambda p=pack: [p(_LINES)], wrap)
        readers[f"FixedLengthRecordDataset {name}"] = Reader(
            fixed, lambda p=pack: [p(b"hdr" + b"1234567" * 5 + b"ftr")], wrap
        )
    return readers


def _lookup_table(data: bytes) -> None:
    for dtype, column in ((tf.string, 0), (tf.int64, 0)):
        initializer = tf.lookup.TextFileInitializer(
            _file(data), dtype, column, tf.int64, 1, delimiter=","
        )
        table = tf.lookup.StaticHashTable(initializer, -1)
        table.lookup(tf.constant(["1"] if dtype is tf.string else [1], dtype))


def _vocabulary(data: bytes) -> None:
    initializer = tf.lookup.TextFileInitializer(
        _file(data),
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    table = tf.lookup.StaticVocabularyTable(initializer, 1)
    table.lookup(tf.constant(["a", "b"]))


READERS: dict[str, Reader] = {
    "decode_png": Reader(tf.io.decode_png, _png, fuzzing.with_png_checksums),
    "decode_png uint16": Reader(
        lambda data: tf.io.decode_png(data, 3, tf.uint16), _png, fuzzing.with_png_checksums
    ),
    "decode_jpeg": Reader(_decode_jpeg, _jpeg),
    "extract_jpeg_shape": Reader(tf.io.extract_jpeg_shape, _jpeg),
    "decode_gif": Reader(tf.io.decode_gif, _gif, memory=_LARGE_PICTURES),
    "decode_bmp": Reader(tf.io.decode_bmp, _bmp),
    "decode_webp": Reader(tf.io.decode_webp, _webp, memory=_LARGE_PICTURES),
    "decode_image": Reader(
        lambda data: tf.io.decode_image(data, dtype=tf.float32),
        _all_images,
        fuzzing.with_png_checksums,
        _LARGE_PICTURES,
    ),
    "decode_wav": Reader(_decode_wav, _wav),
    "parse_example": Reader(_parse_examples, _examples),
    "parse_sequence_example": Reader(_parse_sequence_examples, _sequence_examples),
    "parse_tensor": Reader(_parse_tensor, _tensors),
    "deserialize_sparse": Reader(_deserialize_sparse, _sparse),
    "decode_json_example": Reader(tf.io.decode_json_example, _json),
    "decode_proto": Reader(_decode_proto, _examples),
    "decode_csv": Reader(_decode_csv, lambda: [b'1.5,2,"a, b"', "-1e3,,é".encode()]),
    "unicode": Reader(_decode_unicode, _texts),
    "decode_raw": Reader(_decode_raw, lambda: [b"12345678", b"12"]),
    "decode_base64": Reader(
        tf.io.decode_base64, lambda: [b"aGVsbG8gd29ybGQ", b"aGVsbG8gd29ybGQ_-w=="]
    ),
    "decode_compressed GZIP": Reader(
        lambda data: tf.io.decode_compressed(data, "GZIP"),
        lambda: [gzip.compress(_LINES, mtime=0)],
        fuzzing.as_gzip,
    ),
    "decode_compressed ZLIB": Reader(
        lambda data: tf.io.decode_compressed(data, "ZLIB"),
        lambda: [zlib.compress(_LINES)],
        fuzzing.as_zlib,
    ),
    **_file_readers(),
    "lookup table": Reader(_lookup_table, lambda: [b"1,2\n3,4\n", b"5,-6\n7,8"]),
    "vocabulary": Reader(_vocabulary, lambda: ["a\nb\né\n".encode()]),
}
