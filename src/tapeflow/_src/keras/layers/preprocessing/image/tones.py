"""Pixel values mapped to others: `Solarization`, `RandomPosterization` and equalisation."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    batch_size,
    clipped,
    images_of,
    per_image,
    static_sizes,
    strict_range,
    value_limits,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import as_format, channels_last
from tapeflow.keras import random

_BYTES = (0, 255)


class Solarization(BaseImagePreprocessingLayer):
    """Adds a random amount to pixels, and inverts those above a random threshold, in training.

    Args:
        addition_factor: Limits of the amount, as fractions of the value range; one number is the
            upper limit.
        threshold_factor: Limits of the threshold, likewise.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A factor is not between 0 and 1, or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.Solarization(threshold_factor=(0.5, 0.5))
        >>> layer(tf.constant([[[[0.0], [255.0]]]]), training=True).numpy().ravel()
        array([0., 0.], dtype=float32)
    """

    _USE_BASE_FACTOR = False
    _settings = ("value_range", "addition_factor", "threshold_factor", "seed")

    def __init__(
        self,
        addition_factor: Any = 0.0,
        threshold_factor: Any = 0.0,
        value_range: Any = (0, 255),
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        bounds = (0.0, 1.0)
        self.addition_factor = strict_range(addition_factor, bounds, "addition_factor", False)
        self.threshold_factor = strict_range(threshold_factor, bounds, "threshold_factor", False)
        self.value_range = value_limits(value_range)
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        shape = (1, 1, 1) if len(images.shape) == 3 else (batch_size(images), 1, 1, 1)

        def drawn(factor: Any) -> Any:
            return self._uniform(shape, (factor[0], factor[1] * 255), seed, self.compute_dtype)

        return {
            "additions": drawn(self.addition_factor),
            "thresholds": drawn(self.threshold_factor),
        }

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        pixels = self._in_range(images, self.value_range, _BYTES) + transformation["additions"]
        pixels = clipped(pixels, _BYTES)
        pixels = tf.where(pixels < transformation["thresholds"], pixels, 255 - pixels)
        return self._in_range(pixels, _BYTES, self.value_range)


class RandomPosterization(BaseImagePreprocessingLayer):
    """Keeps only the highest bits of each color in training.

    Args:
        factor: Limits of the number of bits, from 1 to 8; the upper one is excluded unless both are
            equal. One number is the upper limit.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomPosterization((1, 1))
        >>> layer(tf.constant([[[[100.0], [200.0]]]]), training=True).numpy().ravel()
        array([  0., 128.], dtype=float32)
    """

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (1, 8)
    _settings = ("factor", "value_range", "seed")

    def __init__(
        self,
        factor: Any,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        self.value_range = value_limits(value_range)
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        shape = (batch_size(images_of(data)),)
        lower, upper = self.factor
        if lower == upper:
            bits = tf.fill(shape, tf.cast(lower, "uint8"))
        else:
            seed = self.generator if seed is None else seed
            bits = random.randint(shape, int(lower), int(upper), dtype="uint8", seed=seed)
        return {"shift_factor": tf.constant(8, "uint8") - bits}

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        shift = per_image(tf.cast(transformation["shift_factor"], "uint8"))
        pixels = tf.cast(self._in_range(images, self.value_range, _BYTES), "uint8")
        pixels = tf.bitwise.left_shift(tf.bitwise.right_shift(pixels, shift), shift)
        pixels = tf.cast(pixels, self.compute_dtype)
        return self._in_range(pixels, _BYTES, self.value_range)


class AutoContrast(BaseImagePreprocessingLayer):
    """Stretches each channel of each image to the whole value range.

    Nothing is random: it does so in inference as well. Channels of one value stay as they are.

    Args:
        value_range: Lowest and highest pixel value.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `value_range` is not two numbers.

    Example:
        >>> layer = tf.keras.layers.AutoContrast()
        >>> layer(tf.constant([[[[100.0], [150.0]]]])).numpy().ravel()
        array([  0., 255.], dtype=float32)
    """

    _USE_BASE_FACTOR = False
    _settings = ("value_range",)

    def __init__(self, value_range: Any = (0, 255), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.value_range = value_limits(value_range)

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        pixels = self._in_range(images, self.value_range, _BYTES)
        low = tf.reduce_min(pixels, axis=(1, 2), keepdims=True)
        high = tf.reduce_max(pixels, axis=(1, 2), keepdims=True)
        flat = high == low
        scale = 255.0 / tf.where(flat, tf.ones_like(high), high - low)
        pixels = clipped(pixels * scale - low * scale, _BYTES)
        return tf.where(flat, images, self._in_range(pixels, _BYTES, self.value_range))


class Equalization(BaseImagePreprocessingLayer):
    """Equalizes the histogram of each channel, over the whole batch, in training.

    Args:
        value_range: Lowest and highest pixel value.
        bins: Number of bins of the histogram.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `value_range` is not two numbers.

    Example:
        >>> layer = tf.keras.layers.Equalization()
        >>> layer(tf.constant([[[[10.0], [20.0], [30.0]]]])).numpy().ravel()
        array([  0., 128., 255.], dtype=float32)
    """

    _settings = ("value_range", "bins")

    def __init__(
        self,
        value_range: Any = (0, 255),
        bins: int = 256,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.bins = bins
        self.value_range = value_limits(value_range)

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        batch = channels_last(self._in_range(images, self.value_range, _BYTES), self.data_format)
        *outer, channels = static_sizes(batch)
        columns = tf.transpose(tf.reshape(batch, (-1, channels)))
        bin_indices = tf.cast(columns * ((self.bins - 1) / 255.0), "int32")
        bin_indices = tf.clip_by_value(bin_indices, 0, self.bins - 1)
        starts = tf.range(channels)[:, None] * self.bins
        histogram = tf.math.bincount(bin_indices + starts, minlength=channels * self.bins)
        histogram = tf.reshape(histogram[: channels * self.bins], (channels, self.bins))
        tables = self._tables(histogram)
        outputs = tf.cast(tf.gather(tables, bin_indices, batch_dims=1), columns.dtype)
        several = tf.math.count_nonzero(histogram, axis=1, keepdims=True) > 1
        outputs = tf.where(several, outputs, columns)
        outputs = tf.reshape(tf.transpose(outputs), (*outer, channels))
        outputs = as_format(outputs, self.data_format)
        return tf.cast(self._in_range(outputs, _BYTES, self.value_range), self.compute_dtype)

    def _tables(self, histogram: Any) -> Any:
        """Return what each bin of each channel becomes."""
        total = tf.cumsum(histogram, axis=1)
        last = total[:, -1:]
        first = tf.reduce_min(tf.where(total > 0, total, last), axis=1, keepdims=True)
        span = tf.where(last == first, tf.ones_like(last), last - first)
        values = tf.cast((total - first) * 255, "float64") / tf.cast(span, "float64")
        return tf.clip_by_value(tf.round(values), 0, 255)


class ContrastLimitedAdaptiveHistogramEqualization(BaseImagePreprocessingLayer):
    """Equalizes histograms of the tiles of an image (CLAHE), blended between tiles.

    Nothing is random: it does so in inference as well.

    Args:
        value_range: Lowest and highest pixel value.
        clip_limit: Largest share of a bin, in multiples of an even share; what exceeds it is spread
            over all bins. 0 for no limit.
        tile_grid_size: Number of tiles along height and width.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Example:
        >>> layer = tf.keras.layers.ContrastLimitedAdaptiveHistogramEqualization(
        ...     tile_grid_size=(2, 2)
        ... )
        >>> layer(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 8, 8, 3])
    """

    _settings = ("value_range", "clip_limit", "tile_grid_size")

    def __init__(
        self,
        value_range: Any = (0, 255),
        clip_limit: float = 4.0,
        tile_grid_size: Any = (8, 8),
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.value_range, self.clip_limit = value_range, clip_limit
        self.tile_grid_size = tile_grid_size

    def transform_images(
        self, images: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        batch = channels_last(images, self.data_format)
        batch = self._in_range(tf.cast(batch, "float32"), self.value_range, _BYTES, "float32")
        outputs = self._in_range(self._equalized(batch), _BYTES, self.value_range, "float32")
        return as_format(tf.cast(outputs, images.dtype), self.data_format)

    def _equalized(self, batch: Any) -> Any:
        count, height, width, channels = static_sizes(batch)
        rows, columns = self.tile_grid_size
        tile_height, tile_width = -(-height // rows), -(-width // columns)
        below, beside = tile_height * rows - height, tile_width * columns - width
        padded = tf.pad(batch, [[0, 0], [0, below], [0, beside], [0, 0]], mode="SYMMETRIC")
        pixels = tf.clip_by_value(tf.cast(padded, "int32"), 0, 255)
        tiles = tf.reshape(pixels, (count, rows, tile_height, columns, tile_width, channels))
        tiles = tf.transpose(tiles, (0, 1, 3, 5, 2, 4))
        size = tile_height * tile_width
        tables = self._tables(tf.reshape(tiles, (-1, size)), size)
        tables = tf.reshape(tables, (count, rows, columns, channels, 256))
        above = _blend(tables, pixels, rows, tile_height, columns, tile_width)
        return above[:, :height, :width, :]

    def _tables(self, tiles: Any, size: Any) -> Any:
        """Return what each value becomes in each tile, from rows of pixels."""
        starts = tf.range(tf.shape(tiles)[0])[:, None] * 256
        length = tf.shape(tiles)[0] * 256
        histogram = tf.math.bincount(tiles + starts, minlength=length)[:length]
        histogram = tf.cast(tf.reshape(histogram, (-1, 256)), "float32")
        size = tf.cast(size, "float32")
        if self.clip_limit > 0:
            clipped_counts = tf.minimum(histogram, self.clip_limit * size / 256.0)
            excess = tf.reduce_sum(histogram - clipped_counts, axis=-1, keepdims=True)
            histogram = clipped_counts + excess / 256.0
        total = tf.cumsum(histogram, axis=-1)
        first = tf.reduce_min(total, axis=-1, keepdims=True)
        span = tf.where(size == first, tf.ones_like(first), size - first)
        return tf.clip_by_value((total - first) * 255.0 / span, 0.0, 255.0)


def _blend(
    tables: Any, pixels: Any, rows: int, tile_height: Any, columns: int, tile_width: Any
) -> Any:
    """Look up pixels in the tables of the four nearest tiles, and blend the results."""
    count, height, width, channels = static_sizes(pixels)
    flat = tf.reshape(tables, (-1,))
    strides = tf.stack([rows * columns * channels, columns * channels, channels, 1]) * 256
    base = pixels + tf.range(count)[:, None, None, None] * strides[0]
    base += tf.range(channels)[None, None, None, :] * strides[3]
    total: Any = 0.0
    for row, row_weight in _tiles(height, tile_height, rows):
        for column, column_weight in _tiles(width, tile_width, columns):
            indices = base + (row * strides[1])[None, :, None, None]
            indices += (column * strides[2])[None, None, :, None]
            weight = row_weight[None, :, None, None] * column_weight[None, None, :, None]
            total += tf.gather(flat, indices) * weight
    return total


def _tiles(length: Any, tile: Any, count: int) -> list[tuple[Any, Any]]:
    """Return the tiles before and after each place along an axis, with their weights."""
    tile = tf.cast(tile, "float32")
    positions = (tf.cast(tf.range(length), "float32") - tile / 2.0) / tile
    lower = tf.floor(positions)
    share = positions - lower
    index = tf.cast(lower, "int32")
    return [
        (tf.clip_by_value(index, 0, count - 1), 1.0 - share),
        (tf.clip_by_value(index + 1, 0, count - 1), share),
    ]
