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
from tapeflow._src.kernels.codecs import jpeg

pytest.importorskip("PIL", reason="JPEG files are read by Pillow")
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "jpeg.json").read_text("utf-8"))

# Two by three pixels of four inks, and what TensorFlow 2.21 makes of them.
CMYK = (
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4L"
    "CxAWEBETFBUVFQwPFxgWFBgSFBUU/8AAFAgAAgADBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAcI"
    "/8QAIxAAAgICAgEEAwAAAAAAAAAAAQIDBAUGAAcRCBIxQSEicf/aAA4EQwBNAFkASwAAPwBt6cu2K/XOKginljhg"
    "aeGKNHIWNFnkVEUfAUKAAB+AAByVu17c9zerrzzSTusFWJWkYsQiV41RQT9KqqoH0AAPjgLjsxfzOCwdzIXrN63J"
    "iqPvsWZWkkbxWjA8sxJPgAD+Acpr0Z9S6N216cdY2neNM17c9nuWMjHZzWwYuC/dnWLIWYYVeaVGdgkUccagn9VR"
    "VHgADn//2Q=="
)
CMYK_COLORS = [
    [[28, 65, 94], [174, 241, 226], [22, 4, 9]],
    [[36, 27, 0], [6, 8, 8], [174, 50, 75]],
]


@pytest.fixture(params=["simplejpeg", "pillow"])
def decoder(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The library that decodes whole pictures."""
    if request.param == "pillow":
        monkeypatch.setattr(jpeg, "_turbo_functions", lambda: None)
    else:
        pytest.importorskip("simplejpeg", reason="Pillow decodes all files where it is missing")
    return request.param


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_pictures_are_tensorflows(case: Any, decoder: str) -> None:
    data = base64.b64decode(case["file"])
    for key, (shape, checksum) in case["decoded"].items():
        channels, method, fancy, ratio = json.loads(key)
        options = {"dct_method": method, "fancy_upscaling": fancy, "ratio": ratio}
        picture = tf.io.decode_jpeg(data, channels, **options).numpy()
        assert list(picture.shape) == shape, key
        assert zlib.crc32(picture.tobytes()) == checksum, key


def test_damaged_files_have_the_same_outcome_by_both() -> None:
    pytest.importorskip("simplejpeg", reason="Pillow decodes all files where it is missing")
    data = base64.b64decode(GOLDEN[0]["file"])
    for damaged in (data[:-200], data[:100], data[:3], data[:300] + data[400:]):
        expected = jpeg_outcome(damaged, by_pillow=True)
        assert jpeg_outcome(damaged, by_pillow=False) == expected


def test_inks_become_colors_as_in_tensorflow() -> None:
    picture = tf.io.decode_jpeg(base64.b64decode(CMYK)).numpy()
    assert picture.tolist() == CMYK_COLORS
    with pytest.raises(tf.errors.InvalidArgumentError, match="CMYK"):
        tf.io.decode_jpeg(base64.b64decode(CMYK), channels=1)


def jpeg_outcome(data: bytes, by_pillow: bool) -> Any:
    """The picture, or the class of the error."""
    with pytest.MonkeyPatch.context() as patch:
        if by_pillow:
            patch.setattr(jpeg, "_turbo_functions", lambda: None)
        try:
            return tf.io.decode_jpeg(data).numpy().tobytes()
        except tf.errors.OpError as error:
            return type(error)


def test_parts_are_those_of_the_whole() -> None:
    data = base64.b64decode(GOLDEN[0]["file"])
    whole = tf.io.decode_jpeg(data).numpy()
    part = tf.image.decode_and_crop_jpeg(data, [3, 5, 20, 30]).numpy()
    np.testing.assert_array_equal(part, whole[3:23, 5:35])


def test_quality() -> None:
    x = [[[0.01, 0.02, 0.03], [0.04, 0.05, 0.06]], [[0.07, 0.08, 0.09], [0.10, 0.11, 0.12]]]
    again = tf.image.adjust_jpeg_quality(x, 75).numpy() * 255
    assert again.round().ravel().tolist() == [1, 5, 8, 7, 11, 14, 15, 19, 22, 21, 25, 28]
