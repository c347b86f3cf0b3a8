"""What readers allocate is bounded by the input and by what valid data of that size can hold.

Headers that claim more are refused before anything is allocated for them; compressed data is read
in pieces. Each claim runs in a child whose memory may grow by 48 MiB.
"""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapeflow as tf
from tapeflow._src.core.crc32c import masked_crc32c
from tests import fuzzing

MEMORY = 48 << 20
BOMB = 96 << 20


def _refused(read: Callable[[bytes], Any], data: bytes, error: str) -> None:
    """The reader raises that error, in little memory."""
    report = fuzzing.run(read, [data], memory=MEMORY, shorten=False)
    assert not report.findings, str(report)
    assert list(report.raised) == [error]


def _read(read: Callable[[bytes], Any], data: bytes) -> None:
    """The reader returns, in little memory."""
    report = fuzzing.run(read, [data], memory=MEMORY, shorten=False)
    assert report.returned == 1, str(report)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(width: int, height: int, bits: int, pixels: bytes, extra: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + extra + _chunk(b"IDAT", zlib.compress(pixels))
    return b"\x89PNG\r\n\x1a\n" + chunks + _chunk(b"IEND", b"")


def _bmp(width: int, height: int) -> bytes:
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + info


def _gif(width: int, height: int, frames: int) -> bytes:
    buffer = io.BytesIO()
    pictures = [Image.fromarray(np.full((8, 8), i, np.uint8)) for i in range(frames)]
    pictures[0].save(buffer, "GIF", save_all=True, append_images=pictures[1:])
    data = bytearray(buffer.getvalue())
    data[6:10] = struct.pack("<HH", width, height)
    return bytes(data)


def _jpeg(width: int, height: int) -> bytes:
    data = bytearray(tf.io.encode_jpeg(np.zeros((8, 8, 3), np.uint8)).numpy())
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.parametrize("size", [(2**31 - 1, 2**31 - 1), (65536, 65536), (20000, 20000)])
@pytest.mark.parametrize("bits", [8, 16])
def test_pixels_that_a_png_file_cannot_hold_are_refused(size: tuple[int, int], bits: int) -> None:
    _refused(tf.io.decode_png, _png(*size, bits, b"\0" * 100), "InvalidArgumentError")


@pytest.mark.parametrize("bits", [8, 16])
def test_a_png_file_that_unpacks_to_more_than_its_pixels_is_read_in_little_memory(
    bits: int,
) -> None:
    _read(tf.io.decode_png, _png(4, 4, bits, bytes(BOMB)))


def test_text_in_a_png_file_is_not_unpacked() -> None:
    text = _chunk(b"zTXt", b"key\0\0" + zlib.compress(bytes(BOMB)))
    data = _png(4, 4, 8, bytes(20), text)
    _read(tf.io.decode_png, data)
    assert tf.io.decode_png(data).shape == (4, 4, 1)


@pytest.mark.parametrize(
    "data",
    [_bmp(2**31 - 1, 2**31 - 1), _bmp(2, -(2**31)), _gif(65535, 65535, 1), _jpeg(65535, 65535)],
    ids=["bmp", "bmp upside down", "gif", "jpeg"],
)
def test_pictures_of_too_many_pixels_are_refused(data: bytes) -> None:
    _refused(tf.io.decode_image, data, "InvalidArgumentError")


def test_animations_of_too_many_frames_are_refused() -> None:
    data = _gif(10000, 10000, 40)
    _refused(tf.io.decode_gif, data, "ResourceExhaustedError")


def test_large_pictures_are_read_without_a_warning() -> None:
    side = 9500  # Pillow warns from 89 million pixels on
    rows = (b"\0" + bytes(side // 8 + 1)) * side
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    picture = tf.io.decode_png(b"\x89PNG\r\n\x1a\n" + chunks)
    assert picture.shape == (side, side, 1)


def test_samples_that_a_sound_file_does_not_hold_are_refused() -> None:
    data = bytearray(tf.audio.encode_wav(np.zeros((4, 1), np.float32), 8000).numpy())
    data[40:44] = struct.pack("<I", 2**32 - 1)
    _refused(tf.audio.decode_wav, bytes(data), "InvalidArgumentError")


@pytest.mark.parametrize("dims", [[2**40], [2**31, 2**31], [2**62, 4], [-5]])
@pytest.mark.parametrize("dtype", [tf.float32, tf.string])
def test_elements_that_a_message_does_not_hold_are_refused(dims: list[int], dtype: Any) -> None:
    shape = b"".join(_field(2, b"\x08" + fuzzing.varint(size % 2**64)) for size in dims)
    data = b"\x08" + bytes([dtype.as_datatype_enum]) + _field(2, shape)
    _refused(partial(tf.io.parse_tensor, out_type=dtype), data, "InvalidArgumentError")


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + fuzzing.varint(len(content)) + content


# -- files ----------------------------------------------------------------------------------------


def _consume(make: Callable[[str], Any], path: Path, data: bytes) -> None:
    path.write_bytes(data)
    for _ in make(str(path)).take(5):
        pass


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_of_a_claimed_size_are_read_as_they_arrive(kind: str, tmp_path: Path) -> None:
    pack = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[kind]
    for size in (2**63 - 1, 2**40, 2**32):
        whole = fuzzing.as_record(b"")
        length = struct.pack("<Q", size)
        header = length + struct.pack("<I", masked_crc32c(length))
        read = partial(_consume, lambda name: tf.data.TFRecordDataset(name, kind), tmp_path / "r")
        _refused(read, pack(whole + header + b"short"), "DataLossError")


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_compressed_files_are_read_in_pieces(kind: str, tmp_path: Path) -> None:
    pack = {"GZIP": gzip.compress, "ZLIB": zlib.compress}[kind]
    bomb = pack(b"x\n" * (BOMB // 2))
    lines = partial(_consume, lambda name: tf.data.TextLineDataset(name, kind), tmp_path / "t")
    _read(lines, bomb)

    def fixed(size: int, name: str) -> Any:
        return tf.data.FixedLengthRecordDataset(name, size, compression_type=kind)

    _read(partial(_consume, partial(fixed, 8), tmp_path / "f"), bomb)
    short = pack(b"12345")
    _refused(partial(_consume, partial(fixed, 2**40), tmp_path / "f"), short, "DataLossError")


# -- damage that mutations rarely make ------------------------------------------------------------


@pytest.mark.parametrize("text", [b"[" * 20_000, b'{"features":' * 5_000 + b"1" + b"}" * 5_000])
def test_deeply_nested_json_is_refused(text: bytes) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"JSON.*nested"):
        tf.io.decode_json_example(text)


def test_sparse_tensors_of_negative_size_are_refused() -> None:
    parts = tf.io.serialize_sparse(tf.sparse.from_dense([[1, 0], [0, 2]])).numpy().tolist()
    parts[2] = tf.io.serialize_tensor(tf.constant([-5, 4], tf.int64)).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="-5"):
        tf.io.deserialize_many_sparse([parts, parts], tf.int32)


def test_names_with_a_nul_byte_are_not_found() -> None:
    calls: list[Callable[[str], Any]] = [
        tf.io.read_file,
        tf.io.gfile.stat,
        lambda name: tf.io.gfile.GFile(name, "rb").read(),
        lambda name: list(tf.data.TextLineDataset(name)),
    ]
    for call in calls:
        with pytest.raises(tf.errors.NotFoundError, match="NUL"):
            call("a\0b")
    assert not tf.io.gfile.exists("a\0b")
