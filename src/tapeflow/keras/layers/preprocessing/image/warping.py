"""Images sampled at other places: affine, perspective and elastic transformations, and blur."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf

FILL_MODES = ("reflect", "wrap", "constant", "nearest")
INTERPOLATIONS = ("nearest", "bilinear")


def channels_last(images: Any, data_format: str) -> Any:
    """Return a batch with its channels as the last axis."""
    return tf.transpose(images, (0, 2, 3, 1)) if data_format == "channels_first" else images


def as_format(images: Any, data_format: str) -> Any:
    """Return a batch with channels as the last axis in a data format: undo `channels_last`."""
    return tf.transpose(images, (0, 3, 1, 2)) if data_format == "channels_first" else images


def projected(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str = "channels_last",
) -> Any:
    """Sample images at projected places.

    Args:
        transform: `(batch, 8)`: for the pixel (x, y) of the output the place
            `(a0 x + a1 y + a2, b0 x + b1 y + b2)`, divided by `c0 x + c1 y + 1`.
    """
    single = len(images.shape) == 3
    batch = channels_last(images[None] if single else images, data_format)
    found = tf.raw_ops.ImageProjectiveTransformV3(
        images=batch,
        transforms=tf.reshape(tf.cast(transform, "float32"), (-1, 8)),
        output_shape=tf.shape(batch)[1:-1],
        fill_value=fill_value,
        interpolation=interpolation.upper(),
        fill_mode=fill_mode.upper(),
    )
    found = as_format(tf.ensure_shape(found, batch.shape), data_format)
    return found[0] if single else found


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


def homography(start_points: Any, end_points: Any) -> Any:
    """Return the transforms that take each four end points to the start points."""
    x, y = end_points[..., 0], end_points[..., 1]
    u, v = start_points[..., 0], start_points[..., 1]
    one, zero = tf.ones_like(x), tf.zeros_like(x)
    for_u = tf.stack([x, y, one, zero, zero, zero, -u * x, -u * y], axis=-1)
    for_v = tf.stack([zero, zero, zero, x, y, one, -v * x, -v * y], axis=-1)
    matrix = tf.reshape(tf.stack([for_u, for_v], axis=2), (-1, 8, 8))
    targets = tf.reshape(tf.stack([u, v], axis=-1), (-1, 8, 1))
    return tf.reshape(tf.linalg.solve(matrix, targets), (-1, 8))


def blurred(images: Any, kernel_size: Any, sigma: Any, data_format: str) -> Any:
    """Blur a batch with a Gaussian kernel: pairs of the sizes and the deviations in x and y."""
    batch = channels_last(images, data_format)
    rows = []
    for size, deviation in zip(kernel_size, (sigma[0], sigma[1])):
        count = tf.cast(size, batch.dtype)
        places = tf.range(count, dtype=batch.dtype) - (count - 1) / 2
        weights = tf.exp(-0.5 * (places / tf.cast(deviation, batch.dtype)) ** 2)
        rows.append(weights / tf.reduce_sum(weights))
    kernel = rows[1][:, None] * rows[0][None, :]
    kernel = tf.tile(kernel[:, :, None, None], (1, 1, tf.shape(batch)[-1], 1))
    found = tf.nn.depthwise_conv2d(batch, kernel, strides=[1, 1, 1, 1], padding="SAME")
    return as_format(found, data_format)


def elastic(
    images: Any,
    alpha: Any,
    sigma: Any,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    seed: Any,
    data_format: str,
) -> Any:
    """Distort images smoothly.

    Args:
        alpha: the strength of the distortion.
        sigma: the scale of the distortion, in pixels.
    """
    single = len(images.shape) == 3
    batch = channels_last(images[None] if single else images, data_format)
    shape = tf.shape(batch)
    sigma = tf.cast(sigma, batch.dtype)
    size = 6 * tf.cast(sigma, "int32") + 1
    drawn = (shape[0], shape[1], shape[2], 1)
    noise = tf.random.stateless_normal(drawn, seed=seed, dtype=batch.dtype)
    shift = blurred(noise * sigma, (size, size), (sigma, sigma), "channels_last")[..., 0]
    shift = tf.cast(alpha, batch.dtype) * shift
    rows = tf.cast(tf.range(shape[1]), batch.dtype)[None, :, None] + shift
    columns = tf.cast(tf.range(shape[2]), batch.dtype)[None, None, :] + shift
    found = _sampled(batch, rows, columns, interpolation, fill_mode, fill_value)
    found = as_format(tf.ensure_shape(found, batch.shape), data_format)
    return found[0] if single else found


def _sampled(
    batch: Any, rows: Any, columns: Any, interpolation: str, fill_mode: str, fill_value: float
) -> Any:
    """Sample a batch at places `(batch, height, width)` that need not be whole numbers."""
    shape = tf.shape(batch)
    flat = tf.reshape(batch, (shape[0], shape[1] * shape[2], shape[3]))
    total: Any = 0.0
    for row, row_weight in _neighbours(rows, interpolation):
        for column, column_weight in _neighbours(columns, interpolation):
            y, inside_y = _filled(row, shape[1], fill_mode)
            x, inside_x = _filled(column, shape[2], fill_mode)
            places = tf.reshape(y * shape[2] + x, (shape[0], -1))
            values = tf.reshape(tf.gather(flat, places, batch_dims=1), shape)
            if fill_mode == "constant":
                inside = (inside_y & inside_x)[..., None]
                values = tf.where(inside, values, tf.cast(fill_value, batch.dtype))
            total += values * (row_weight * column_weight)[..., None]
    return total


def _neighbours(places: Any, interpolation: str) -> list[tuple[Any, Any]]:
    """Return the whole numbers around places, with their weights."""
    if interpolation == "nearest":
        return [(tf.cast(tf.round(places), "int32"), tf.ones_like(places))]
    lower = tf.floor(places)
    share = places - lower
    index = tf.cast(lower, "int32")
    return [(index, 1 - share), (index + 1, share)]


def _filled(index: Any, size: Any, fill_mode: str) -> tuple[Any, Any]:
    """Return indices within the image by a fill mode, and which ones were so already."""
    inside = (index >= 0) & (index < size)
    if fill_mode == "wrap":
        index = index % size
    elif fill_mode == "mirror":
        index = tf.abs((index + size - 1) % (2 * (size - 1)) - (size - 1))
    elif fill_mode == "reflect":
        index = index % (2 * size)
        index = tf.minimum(index, 2 * size - 1 - index)
    return tf.clip_by_value(index, 0, size - 1), inside
