"""Images sampled at other places: affine, perspective and elastic transformations, and blur."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.ops.warping import distorted as distorted
from tapeflow._src.keras.ops.warping import homography as homography
from tapeflow._src.keras.ops.warping import projected as projected

FILL_MODES = ("reflect", "wrap", "constant", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def channels_last(images: TensorLike, data_format: str) -> Any:
    """Return a batch with its channels as the last axis."""
    return tf.transpose(images, (0, 2, 3, 1)) if data_format == "channels_first" else images


def as_format(images: TensorLike, data_format: str) -> Any:
    """Return a batch with channels as the last axis in a data format: undo `channels_last`."""
    return tf.transpose(images, (0, 3, 1, 2)) if data_format == "channels_first" else images


def affine_matrix(
    angle: Any, height: Any, width: Any, center_x: float = 0.5, center_y: float = 0.5
) -> Any:
    """Return transforms that turn images by angles in degrees."""
    turn = angle * (math.pi / 180)
    x = center_x * (tf.cast(width, angle.dtype) - 1)
    y = center_y * (tf.cast(height, angle.dtype) - 1)
    cosine, sine = tf.cos(turn), tf.sin(turn)
    zero = tf.zeros_like(turn)
    return tf.stack(
        [cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine]
        + [zero, zero],
        axis=1,
    )


def scaling_matrix(scale_x: Any, scale_y: Any, shift_x: Any, shift_y: Any) -> Any:
    """Return transforms from columns of factors and shifts."""
    zero = tf.zeros_like(scale_x)
    return tf.concat([scale_x, zero, shift_x, zero, scale_y, shift_y, zero, zero], axis=1)


def blurred(images: TensorLike, kernel_size: Any, sigma: Any, data_format: str) -> Any:
    """Blur a batch with a Gaussian kernel: pairs of the sizes and the deviations in x and y."""
    batch = channels_last(images, data_format)
    rows = []
    for size, deviation in zip(kernel_size, (sigma[0], sigma[1])):
        count = tf.cast(size, batch.dtype)
        offsets = tf.range(count, dtype=batch.dtype) - (count - 1) / 2
        weights = tf.exp(-0.5 * (offsets / tf.cast(deviation, batch.dtype)) ** 2)
        rows.append(weights / tf.reduce_sum(weights))
    kernel = rows[1][:, None] * rows[0][None, :]
    kernel = tf.tile(kernel[:, :, None, None], (1, 1, tf.shape(batch)[-1], 1))
    outputs = tf.nn.depthwise_conv2d(batch, kernel, strides=[1, 1, 1, 1], padding="SAME")
    return as_format(outputs, data_format)
