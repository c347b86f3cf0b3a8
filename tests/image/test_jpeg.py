"""JPEG files decoded as TensorFlow decodes them, to the bit.

`tests/golden/jpeg.json` has small files, in several ways to store chroma planes, with the shapes
and the checksums of what TensorFlow 2.21 makes of them for `[channels, dct_method,
fancy_upscaling, ratio]`.
"""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

pytest.importorskip("PIL", reason="JPEG files are read by Pillow")
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "jpeg.json").read_text("utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_pictures_are_tensorflows(case: Any) -> None:
    data = base64.b64decode(case["file"])
    for key, (shape, checksum) in case["decoded"].items():
        channels, method, fancy, ratio = json.loads(key)
        options = {"dct_method": method, "fancy_upscaling": fancy, "ratio": ratio}
        picture = tf.io.decode_jpeg(data, channels, **options).numpy()
        assert list(picture.shape) == shape, key
        assert zlib.crc32(picture.tobytes()) == checksum, key


def test_parts_are_those_of_the_whole() -> None:
    data = base64.b64decode(GOLDEN[0]["file"])
    whole = tf.io.decode_jpeg(data).numpy()
    part = tf.image.decode_and_crop_jpeg(data, [3, 5, 20, 30]).numpy()
    np.testing.assert_array_equal(part, whole[3:23, 5:35])


def test_quality() -> None:
    x = [[[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]], [[0.07, 0.08, 0.09], [0.10, 0.11, 0.12]]]
    again = tf.image.adjust_jpeg_quality(x, 75).numpy() * 255
    assert again.round().ravel().tolist() == [1, 5, 8, 7, 11, 14, 15, 19, 22, 21, 25, 28]
