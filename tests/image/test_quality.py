"""Images through JPEG files of lower quality."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

RAMP = np.linspace(0, 255, 16 * 16 * 3).reshape(16, 16, 3).astype(np.uint8)


@pytest.mark.parametrize(
    "function", [tf.image.random_jpeg_quality, tf.image.stateless_random_jpeg_quality]
)
@pytest.mark.parametrize(("lowest", "highest"), [(-1, 50), (5, 101), (60, 60)])
def test_qualities_out_of_range_are_refused(function: Any, lowest: int, highest: int) -> None:
    with pytest.raises(ValueError, match=r"(?i)jpeg"):
        function(RAMP, lowest, highest, seed=(1, 2))


def test_the_better_the_nearer() -> None:
    pytest.importorskip("PIL", reason="JPEG files are written by Pillow")
    errors = []
    for quality in (5, 50, 95):
        # The quick transform, the default, errs more at high qualities than these do.
        again = tf.image.adjust_jpeg_quality(RAMP, quality, dct_method="INTEGER_ACCURATE")
        assert again.dtype == tf.uint8
        assert again.shape == RAMP.shape
        errors.append(np.abs(again.numpy().astype(int) - RAMP).mean())
    assert errors == sorted(errors, reverse=True)


def test_a_seed_decides() -> None:
    pytest.importorskip("PIL", reason="JPEG files are written by Pillow")
    floats = (RAMP / 255).astype(np.float32)
    first, second = (
        tf.image.stateless_random_jpeg_quality(floats, 5, 90, seed=(1, 2)) for _ in range(2)
    )
    assert first.dtype == tf.float32
    np.testing.assert_array_equal(first, second)
