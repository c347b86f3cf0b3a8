"""WebP files have frames, also those of a single picture, as TensorFlow has them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

pillow = pytest.importorskip("PIL.Image", reason="WebP files are read by Pillow")


def file(count: int) -> bytes:
    frames = [pillow.fromarray(np.full((4, 5, 3), 50 * k, np.uint8)) for k in range(count)]
    written = io.BytesIO()
    more: dict[str, Any] = {"save_all": True, "append_images": frames[1:]} if count > 1 else {}
    frames[0].save(written, "WEBP", lossless=True, **more)
    return written.getvalue()


@pytest.mark.parametrize("count", [1, 3])
def test_all_frames_are_decoded(count: int) -> None:
    for decoded in (tf.io.decode_webp(file(count)), tf.io.decode_image(file(count))):
        assert decoded.shape == (count, 4, 5, 3)
        assert decoded[:, 0, 0, 0].numpy().tolist() == [0, 50, 100][:count]


def test_animations_that_are_not_expanded_are_the_first_frame() -> None:
    for count in (1, 3):
        decoded = tf.io.decode_image(file(count), expand_animations=False)
        assert decoded.shape == (4, 5, 3)
        assert not decoded.numpy().any()


def test_the_shape_is_known_in_graphs() -> None:
    @tf.function
    def decoded(contents: Any) -> Any:
        picture = tf.io.decode_webp(contents, channels=3)
        assert picture.shape.as_list() == [None, None, None, 3]
        return picture

    assert decoded(file(1)).shape == (1, 4, 5, 3)
