"""Samples of ops on files and on strings of bytes that hold values."""

import base64
import importlib.util

import numpy as np

import tapeflow as tf
from tests.ops.harness import S, boolean, c64, f32, i32, i64, text, u8, u16


def _ints(*values: int) -> tf.train.Feature:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


_FLOATS = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
_BYTES = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b"y"]))
_EXAMPLES = [
    tf.train.Example(
        features=tf.train.Features(feature={"i": _ints(*row), "f": _FLOATS, "s": _BYTES})
    ).SerializeToString(deterministic=True)
    for row in ([1, 2], [3, 4, 5, 6])
]
_PARSED = {
    "num_sparse": 2,
    "sparse_types": ("int64", "string"),
    "ragged_value_types": ("int64",),
    "ragged_split_types": ("int32",),
    "dense_shapes": ((), (None,)),
}
_KEYS = text("i", "s"), text("f", "i"), text("i")
_DEFAULTS = [np.zeros(0, np.float32), np.array(7, np.int64)]

_SEQUENCE = tf.train.SequenceExample(
    context=tf.train.Features(feature={"c": _ints(5), "v": _ints(1, 2)}),
    feature_lists=tf.train.FeatureLists(
        feature_list={
            "a": tf.train.FeatureList(feature=[_ints(1), _ints(2)]),
            "b": tf.train.FeatureList(feature=[_ints(1, 2, 3), _ints()]),
        }
    ),
).SerializeToString(deterministic=True)
_SEQUENCE_KEYS = (text("v"), text("c"), text("v"), text("b"), text("a", "zz"), text("b"))
_MISSING = np.array([False, True]), [np.zeros(0, np.int64)]
_SEQUENCES = {
    "Ncontext_sparse": 1,
    "context_sparse_types": ("int64",),
    "context_ragged_value_types": ("int64",),
    "context_ragged_split_types": ("int64",),
    "context_dense_shapes": ((),),
    "Nfeature_list_sparse": 1,
    "Nfeature_list_dense": 2,
    "feature_list_dense_types": ("int64", "float32"),
    "feature_list_sparse_types": ("int64",),
    "feature_list_ragged_value_types": ("int64",),
    "feature_list_ragged_split_types": ("int32",),
    "feature_list_dense_shapes": ((), (2,)),
}
_LISTS = {"message_type": "tensorflow.Int64List", "field_names": ("value",)}
_AT, _SHAPE = np.array([[0, 1], [2, 0]], np.int64), np.array([3, 4], np.int64)
_MANY = tf.io.serialize_many_sparse(tf.SparseTensor(_AT, f32(2), _SHAPE)).numpy()
_BMP = base64.b64decode(
    "Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAADEDgAAxA4AAAAAAAAAAAAAAQIDBAUGAAAHCAkKCwwAAA=="
)

_WEBP = base64.b64decode("UklGRigAAABXRUJQVlA4IBwAAACQAQCdASoEAAQAB0CWJaQAAudPjMAA/uQMRAAA")
_JPEG_FILE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarY"
    "qMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4"
    "+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAIAAYDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAw"
    "QFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkK"
    "FhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmq"
    "KjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB"
    "AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRob"
    "HBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOE"
    "hYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+P"
    "n6/9oADAMBAAIRAxEAPwCotp7UUUUAf//Z"
)
_JPEG = text(_JPEG_FILE).reshape(())

SAMPLES = [
    S("ReadFile", text("/dev/null").reshape(())),
    S("WriteFile", text("/dev/null").reshape(()), text("x").reshape(())),
    S("MatchingFiles", text("/dev/null", "/no/such/*")),
    S("MatchingFiles", text("/dev/nul?").reshape(())),
    S("DecodeCSV", text('1,2.5,"a,b"', "4,,c"), [i32(1), np.array([1.5], np.float32), text("")]),
    S("DecodeCSV", text("1|NA").reshape(()), [i64()], field_delim="|", na_value="NA",
      select_cols=(1,)),
    S("SerializeTensor", f32(2, 3)),
    S("SerializeTensor", text("a", "bc")),
    S("SerializeTensor", c64()),
    S("ParseTensor", text(tf.io.serialize_tensor(i32(2, 3)).numpy()).reshape(()),
      out_type="int32"),
    S("SerializeSparse", _AT, f32(2), _SHAPE),
    S("SerializeManySparse", _AT, boolean(2), _SHAPE),
    S("DeserializeManySparse", _MANY, dtype="float32"),
    S("DeserializeSparse", _MANY[0], dtype="float32"),
    S("DeserializeSparse", _MANY.reshape(1, 3, 3), dtype="float32"),
    S("ParseExampleV2", text(*_EXAMPLES), text(), *_KEYS, _DEFAULTS, **_PARSED),
    S("ParseExampleV2", text(_EXAMPLES[0]).reshape(()), text(), *_KEYS, _DEFAULTS, **_PARSED),
    S("ParseSequenceExampleV2", text(_SEQUENCE, _SEQUENCE), text(), *_SEQUENCE_KEYS, *_MISSING,
      **_SEQUENCES),
    S("ParseSequenceExampleV2", text(_SEQUENCE).reshape(()), text(), *_SEQUENCE_KEYS, *_MISSING,
      **_SEQUENCES),
    S("DecodeJSONExample",
      text('{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}}}}', "{}")),
    S("DecodeProtoV2", text(b"\n\x02\x01\x02", b""), output_types=("int64",), **_LISTS),
    S("EncodeProto", np.array([[2], [1]], np.int32), [i64(2, 2)], **_LISTS),
    S("EncodePng", u8(2, 3, 4, high=255)),
    S("EncodePng", u16(2, 2, 3, 1, high=65535), compression=9),
    S("DecodePng", text(tf.io.encode_png(u16(3, 2, 3, high=65535)).numpy()).reshape(()),
      dtype="uint16"),
    S("DecodePng", text(tf.io.encode_png(u16(3, 2, 1, high=65535)).numpy()).reshape(()),
      channels=3),
    S("DecodeBmp", text(_BMP).reshape(())),
    S("DecodeImage", text(_BMP).reshape(()), channels=3, dtype="float32"),
    S("DecodeImage", text(_BMP).reshape(()), expand_animations=False),
    S("DecodeGif", text(_BMP).reshape(())),
    S("DecodeJpeg", text(_BMP).reshape(())),
    S("ExtractJpegShape", _JPEG),
    S("ExtractJpegShape", _JPEG, output_type="int64"),
]  # fmt: skip

# What these do is Pillow's work, and Pillow is not everywhere.
PILLOW = {"DecodeAndCropJpeg", "DecodeWebP", "EncodeJpeg", "EncodeJpegVariableQuality"}
if importlib.util.find_spec("PIL"):
    SAMPLES += [
        S("DecodeJpeg", _JPEG, channels=1),
        S("DecodeAndCropJpeg", _JPEG, np.array([1, 2, 3, 4], np.int32)),
        S("DecodeWebP", text(_WEBP).reshape(())),
        S("EncodeJpeg", u8(4, 3, 3, high=255), quality=80, density_unit="cm"),
        S("EncodeJpeg", u8(4, 3, 1, high=255), progressive=True, optimize_size=True),
        S("EncodeJpegVariableQuality", u8(4, 3, 3, high=255), np.int32(50)),
    ]
    PILLOW = set()
