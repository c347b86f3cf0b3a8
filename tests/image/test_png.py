"""Small PNG files are decoded without Pillow, to the same pixels."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.kernels.codecs import png

PILLOW = pytest.importorskip("PIL.Image")


def picture(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 3), (9, 7, 4), (5, 6, 2), (40, 30, 3)])
def test_small_files_are_decoded(shape: tuple[int, int, int]) -> None:
    pixels = picture(*shape)
    data = png.encode(pixels)
    decoded = png.decode_small(data)
    assert decoded is not None
    np.testing.assert_array_equal(decoded, pixels)
    np.testing.assert_array_equal(
        np.asarray(PILLOW.open(io.BytesIO(data))), pixels.squeeze(-1) if shape[2] == 1 else pixels
    )
    np.testing.assert_array_equal(tf.io.decode_png(data), pixels)


@pytest.mark.parametrize("filters", [b"\0\0", b"\0\1", b"\1\0"])
def test_rows_may_be_stored_as_they_are(filters: bytes) -> None:
    rows = [bytes([kind, 10, 20, 30]) for kind in filters]
    header = struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0)
    data = png._SIGNATURE + b"".join(
        png._chunk(kind, body)
        for kind, body in (
            (b"IHDR", header),
            (b"IDAT", zlib.compress(b"".join(rows))),
            (b"IEND", b""),
        )
    )
    decoded = png.decode_small(data)
    assert decoded is not None
    expected = np.asarray(PILLOW.open(io.BytesIO(data)))
    np.testing.assert_array_equal(decoded[..., 0], expected)


def test_other_files_are_left_to_pillow() -> None:
    data = png.encode(picture(4, 5, 3))
    assert png.decode_small(data[:-1]) is None
    assert png.decode_small(data + b"\0") is None
    damaged = bytearray(data)
    damaged[50] ^= 1
    assert png.decode_small(bytes(damaged)) is None
    assert png.decode_small(png.encode(picture(200, 200, 3))) is None
    smooth = np.add.outer(np.arange(30), np.arange(30)).astype(np.uint8)
    for mode in ("L", "RGB", "P", "1", "LA"):
        stream = io.BytesIO()
        PILLOW.fromarray(smooth).convert(mode).save(stream, "PNG")
        expected = tf.io.decode_png(png.without_text(stream.getvalue())).numpy()
        small = png.decode_small(stream.getvalue())
        assert small is None or (small == expected).all()
