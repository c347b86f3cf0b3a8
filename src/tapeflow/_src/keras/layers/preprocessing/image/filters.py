"""Images sharpened and blurred at random."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    batch_size,
    clipped,
    factor_range,
    images_of,
    per_image,
    value_limits,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import as_format, blurred, channels_last


class RandomSharpness(BaseImagePreprocessingLayer):
    """Sharpens or smooths each image at random in training.

    Args:
        factor: Limits of a number between 0 and 1: 0 smooths, 0.5 leaves the image, 1 sharpens.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomSharpness((0.4, 0.6))
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)
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
        return {"factor": self._uniform((batch_size(images_of(data)),), self.factor, seed)}

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training:
            return images
        batch = channels_last(images, self.data_format)
        factor = per_image(tf.cast(transformation["factor"] * 2, batch.dtype))
        around, centre = 1.0 / 13.0, 5.0 / 13.0
        kernel = [[around] * 3, [around, centre, around], [around] * 3]
        weights = tf.constant(kernel, batch.dtype)[:, :, None, None]
        weights = tf.tile(weights, (1, 1, tf.shape(batch)[-1], 1))
        smooth = tf.nn.depthwise_conv2d(batch, weights, strides=[1, 1, 1, 1], padding="SAME")
        batch = clipped(batch + (1.0 - factor) * (smooth - batch), self.value_range)
        return as_format(batch, self.data_format)


class RandomGaussianBlur(BaseImagePreprocessingLayer):
    """Blurs some of the images in training.

    Args:
        factor: Probability that an image is transformed: one number for the range from 0, or two
            numbers to draw it between.
        kernel_size: Odd sizes of the kernel along width and height; one number for both.
        sigma: Range of the standard deviation, between 0 and 1.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `kernel_size` is not odd, or a range is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.RandomGaussianBlur(kernel_size=3)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)
    _settings = ("factor", "kernel_size", "sigma", "value_range", "seed")

    def __init__(
        self,
        factor: Any = 1.0,
        kernel_size: Any = 3,
        sigma: Any = 1.0,
        value_range: Any = (0, 255),
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        sizes = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size,) * 2
        numbers = all(isinstance(size, (int, float)) for size in sizes)
        if len(sizes) != 2 or not numbers or any(size % 2 == 0 for size in sizes):
            raise ValueError(
                f"`kernel_size` must be one or two odd numbers. Received: {kernel_size}"
            )
        self.kernel_size = tuple(sizes)
        self.sigma = factor_range(sigma, self._FACTOR_BOUNDS, "sigma")
        self.value_range = value_range
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        return {
            "should_apply_blur": self._chosen(data, seed),
            "blur_factor": self._uniform((2,), self.sigma, seed, self.compute_dtype) + 1e-6,
        }

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        sigma = transformation["blur_factor"]
        outputs = blurred(images, self.kernel_size, sigma, self.data_format)
        outputs = tf.where(per_image(transformation["should_apply_blur"]), outputs, images)
        return clipped(outputs, self.value_range)
