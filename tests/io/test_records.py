"""TFRecord files: what is written is read again, by TensorFlow's layout, and damage is found."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow._src.api.io.records import read_records
from tapeflow._src.core.crc32c import crc32c, masked_crc32c

RECORDS = [b"", b"a", b"rec" * 100, bytes(range(256)) * 20]


def write(path: Path, records: list[bytes] = RECORDS, options: Any = None) -> bytes:
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for record in records:
            writer.write(record)
    return path.read_bytes()


def slow_crc32c(data: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


def test_check_sums_known_to_all() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0
    assert masked_crc32c(b"") == 0xA282EAD8


@given(st.binary(max_size=1500), st.integers(0, 1500))
def test_check_sums(data: bytes, cut: int) -> None:
    assert crc32c(data) == slow_crc32c(data)
    assert crc32c(data[cut:], crc32c(data[:cut])) == crc32c(data)


def test_check_sums_of_long_data() -> None:
    data = bytes(i * 7 % 251 for i in range(3000)) * 1000
    parts = 0
    for at in range(0, len(data), 100_001):
        parts = crc32c(data[at : at + 100_001], parts)
    assert crc32c(data) == parts == crc32c(memoryview(data))


@pytest.mark.parametrize(
    ("options", "compression"),
    [
        (None, ""),
        ("GZIP", "GZIP"),
        (tf.io.TFRecordOptions("ZLIB"), "ZLIB"),
        (tf.io.TFRecordOptions("GZIP", compression_level=1, window_bits=9, mem_level=1), "GZIP"),
    ],
)
def test_read_what_was_written(tmp_path: Path, options: Any, compression: str) -> None:
    write(tmp_path / "r", options=options)
    assert list(read_records(tmp_path / "r", compression)) == RECORDS


def test_the_layout(tmp_path: Path) -> None:
    data = write(tmp_path / "r", [b"abc"])
    length = struct.pack("<Q", 3)
    expected = length + struct.pack("<I", masked_crc32c(length))
    assert data == expected + b"abc" + struct.pack("<I", masked_crc32c(b"abc"))
    assert zlib.decompress(write(tmp_path / "z", [b"abc"], "ZLIB")) == data
    assert gzip.decompress(write(tmp_path / "g", [b"abc"], "GZIP")) == data


def test_compressed_parts_one_after_the_other(tmp_path: Path) -> None:
    twice = write(tmp_path / "r", options="GZIP") * 2
    (tmp_path / "r").write_bytes(twice)
    assert list(read_records(tmp_path / "r", "GZIP")) == RECORDS * 2


def read(path: Path, data: bytes, compression: str = "") -> list[bytes]:
    path.write_bytes(data)
    return list(read_records(path, compression))


@pytest.mark.parametrize("cut", range(1, 20))
def test_truncated(tmp_path: Path, cut: int) -> None:
    data = write(tmp_path / "r", [b"first", b"abcd"])
    place = 16 + len(b"first")
    with pytest.raises(tf.errors.DataLossError, match=f"truncated record at {place}"):
        read(tmp_path / "cut", data[:-cut])


@pytest.mark.parametrize("place", range(16 + 5, 16 + 5 + 16 + 4))
def test_damaged(tmp_path: Path, place: int) -> None:
    data = bytearray(write(tmp_path / "r", [b"first", b"abcd"]))
    data[place] ^= 4
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 21"):
        read(tmp_path / "damaged", bytes(data))


def test_good_records_come_before_the_damage(tmp_path: Path) -> None:
    data = write(tmp_path / "r", [b"first", b"abcd"])
    (tmp_path / "r").write_bytes(data[:-1])
    records = read_records(tmp_path / "r")
    assert next(records) == b"first"
    with pytest.raises(tf.errors.DataLossError):
        next(records)


def test_damaged_compression(tmp_path: Path) -> None:
    data = write(tmp_path / "r", options="GZIP")
    with pytest.raises(tf.errors.DataLossError, match="expected GZIP data"):
        read(tmp_path / "x", b"no gzip", "GZIP")
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        read(tmp_path / "x", data[:-40], "GZIP")


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="nope"):
        list(read_records(tmp_path / "nope"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.TFRecordWriter(str(tmp_path / "no" / "r"))
    with pytest.raises(ValueError, match="FOO"):
        tf.io.TFRecordWriter(str(tmp_path / "r"), "FOO")
    with pytest.raises(ValueError, match="FOO"):
        tf.io.TFRecordOptions("FOO")
    writer = tf.io.TFRecordWriter(str(tmp_path / "r"))
    with pytest.raises(TypeError, match="int"):
        writer.write(3)
    writer.flush()
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.write(b"x")


def test_options() -> None:
    name = tf.io.TFRecordOptions.get_compression_type_string
    assert [name(None), name(""), name("ZLIB"), name(tf.io.TFRecordOptions("GZIP"))] == [
        *("", "", "ZLIB", "GZIP")
    ]
