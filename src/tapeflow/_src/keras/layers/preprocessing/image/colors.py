"""Random changes of light and colour, which leave boxes, masks and labels alone."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    batch_size,
    clipped,
    images_of,
    per_image,
    value_limits,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import as_format, channels_last


class _Color(BaseImagePreprocessingLayer):
    """Layers with a random factor and a range of pixel values."""

    _settings: tuple[str, ...] = ("factor", "value_range", "seed")

    def _drawn_factors(
        self, data: Any, limits: Any, seed: Any, dtype: DTypeLike = "float32"
    ) -> Any:
        """Draw one number for each image, of the shape of the images' axes."""
        images = images_of(data)
        rank = len(images.shape)
        if rank not in (3, 4):
            raise ValueError(
                f"{type(self).__name__}: expected images of rank 3 or 4. Received the shape "
                f"{images.shape}"
            )
        shape = (1, 1, 1) if rank == 3 else (batch_size(images), 1, 1, 1)
        return self._uniform(shape, limits, seed, dtype)

    def _gray(self, images: TensorLike) -> Any:
        """Return the luminance of a batch, with one channel."""
        gray = tf.image.rgb_to_grayscale(channels_last(images, self.data_format))
        return as_format(gray, self.data_format)


class RandomBrightness(_Color):
    """Makes each image brighter or darker at random in training.

    Args:
        factor: Limits of the change as fractions of the value range, between -1 and 1; one number
            for both directions.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomBrightness((0.2, 0.2), value_range=(0.0, 1.0))
        >>> layer(tf.zeros((1, 1, 2, 1)), training=True).numpy().ravel()
        array([0.2, 0.2], dtype=float32)
    """

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(factor=factor, **kwargs)
        self.value_range = value_limits(value_range)
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        limits = self.factor if training else (0.0, 0.0)
        delta = self._drawn_factors(data, limits, seed)
        return {"rgb_delta": delta * (self.value_range[1] - self.value_range[0])}

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        if not training:
            return images
        delta = tf.cast(transformation["rgb_delta"], images.dtype)
        return clipped(images + delta, self.value_range)


class RandomContrast(_Color):
    """Changes the contrast of each image at random in training.

    Args:
        factor: Limits of the change, between 0 and 1: differences to the mean of a channel are
            multiplied by a number between `1 - factor[0]` and `1 + factor[1]`.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.RandomContrast(0.2)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _FACTOR_BOUNDS = (0, 1)

    def __init__(
        self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_factor(factor)
        self.value_range = value_range
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        limits = (1.0 - self.factor[0], 1.0 + self.factor[1]) if training else (0.0, 0.0)
        return {"contrast_factor": self._drawn_factors(data, limits, seed, self.compute_dtype)}

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        factor = tf.cast(transformation["contrast_factor"], images.dtype)
        mean = tf.reduce_mean(images, axis=self._axes[0], keepdims=True)
        mean = tf.reduce_mean(mean, axis=self._axes[1], keepdims=True)
        return clipped((images - mean) * factor + mean, self.value_range)


class _ColorOfFormat(_Color):
    """Layers with the signature of the newer colour layers."""

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

    def _hsv(self, images: TensorLike) -> list[Any]:
        """Return hue, saturation and value of a batch."""
        images = channels_last(images, self.data_format)
        return tf.unstack(tf.image.rgb_to_hsv(images), axis=-1)

    def _rgb(self, *channels: Any) -> Any:
        return as_format(tf.image.hsv_to_rgb(tf.stack(channels, axis=-1)), self.data_format)


class RandomHue(_ColorOfFormat):
    """Shifts the hue of each RGB image at random in training.

    Args:
        factor: Limits of the shift, between 0 and 1, where 1 is half of the color wheel.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomHue(0.2)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _USE_BASE_FACTOR = True
    _FACTOR_BOUNDS = (0, 1)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        shape = (batch_size(images_of(data)),)
        invert = self._uniform(shape, (0.0, 1.0), seed)
        sign = tf.where(invert > 0.5, -tf.ones_like(invert), tf.ones_like(invert))
        return {"factor": sign * self._uniform(shape, self.factor, seed) * 0.5}

    def transform_images(
        self, images: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        images = self._in_range(images, self.value_range, (0, 1))
        hue, saturation, value = self._hsv(images)
        hue += tf.reshape(tf.cast(transformation["factor"], images.dtype), (-1, 1, 1))
        hue = tf.where(hue > 1.0, hue - 1.0, hue)
        hue = tf.where(hue < 0.0, hue + 1.0, hue)
        images = clipped(self._rgb(hue, saturation, value), (0, 1))
        return tf.cast(self._in_range(images, (0, 1), self.value_range), self.compute_dtype)


class RandomSaturation(_ColorOfFormat):
    """Changes the saturation of each RGB image at random in training.

    Args:
        factor: Limits of a number between 0 and 1: 0 makes images gray, 0.5 leaves them, 1
            saturates them fully.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomSaturation((0.4, 0.6))
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        factor = super().get_random_transformation(data, training, seed)["factor"]
        return {"factor": factor / (1 - factor + epsilon())}

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        factor = tf.cast(transformation["factor"], self.compute_dtype)
        images = self._in_range(images, self.value_range, (0, 1))
        hue, saturation, value = self._hsv(images)
        saturation = clipped(saturation * tf.reshape(factor, (-1, 1, 1)), (0, 1))
        return self._in_range(self._rgb(hue, saturation, value), (0, 1), self.value_range)


class RandomColorDegeneration(_ColorOfFormat):
    """Mixes each RGB image with its gray version at random in training.

    Args:
        factor: Limits of the share of gray, between 0 and 1.
        value_range: Lowest and highest pixel value.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `value_range` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomColorDegeneration((0.0, 0.5))
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        share = per_image(tf.cast(transformation["factor"], self.compute_dtype))
        return clipped(images + share * (self._gray(images) - images), self.value_range)

    def compute_output_shape(self, input_shape: Any) -> Any:
        if len(input_shape) not in (3, 4) or input_shape[self._axes[2]] not in (3, None):
            raise ValueError(
                f"Expected images of rank 3 or 4 with 3 channels. Received: "
                f"input_shape={input_shape}"
            )
        return input_shape


class RandomGrayscale(_Color):
    """Makes some of the RGB images gray in training; they keep their three channels.

    Args:
        factor: Probability of an image to become gray, between 0 and 1.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.RandomGrayscale(1.0)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = ("factor", "seed")

    def __init__(
        self,
        factor: float = 0.5,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        if not 0 <= factor <= 1:
            raise ValueError(f"`factor` must be between 0 and 1. Received: factor={factor}")
        self.factor = factor  # type: ignore[assignment]
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        drawn = self._uniform((batch_size(images_of(data)),), (0.0, 1.0), seed)
        return per_image(drawn < self.factor)

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return images
        if transformation is None:
            transformation = self.get_random_transformation(images)
        return tf.where(transformation, self._gray(images), images)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        config.pop("seed")
        return config


class RandomInvert(_Color):
    """Inverts some of the images in training: `value_range[1] - images`.

    Args:
        factor: Probability that an image is transformed: one number for the range from 0, or two
            numbers to draw it between.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.RandomInvert((1.0, 1.0))
        >>> layer(tf.zeros((1, 1, 2, 1)), training=True).numpy().ravel()
        array([255., 255.], dtype=float32)
    """

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)

    def __init__(
        self,
        factor: Any = 1.0,
        value_range: Any = (0, 255),
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        self.value_range = value_range
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        return {"apply_inversion": self._chosen(data, seed)} if training else None

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        chosen = per_image(transformation["apply_inversion"])
        return tf.where(chosen, tf.cast(self.value_range[1], images.dtype) - images, images)


class RandomColorJitter(_Color):
    """Changes brightness, contrast, saturation and hue at random, in this order, in training.

    Args:
        value_range: Lowest and highest pixel value.
        brightness_factor: As `factor` of `RandomBrightness`; None for no change, like the others.
        contrast_factor: As `factor` of `RandomContrast`.
        saturation_factor: As `factor` of `RandomSaturation`.
        hue_factor: As `factor` of `RandomHue`.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A factor is out of range.

    Example:
        >>> layer = tf.keras.layers.RandomColorJitter(brightness_factor=0.2, hue_factor=0.1)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = (
        *("value_range", "brightness_factor", "contrast_factor", "saturation_factor"),
        *("hue_factor", "seed"),
    )

    def __init__(
        self,
        value_range: Any = (0, 255),
        brightness_factor: Any = None,
        contrast_factor: Any = None,
        saturation_factor: Any = None,
        hue_factor: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.value_range = value_range
        self.brightness_factor, self.contrast_factor = brightness_factor, contrast_factor
        self.saturation_factor, self.hue_factor = saturation_factor, hue_factor
        self._set_seed(seed)
        shared = {"value_range": value_range, "seed": seed, "data_format": data_format}

        def create(layer: Any, factor: Any) -> Any:
            return None if factor is None else layer(factor, **shared)

        self.random_brightness = create(RandomBrightness, brightness_factor)
        self.random_contrast = create(RandomContrast, contrast_factor)
        self.random_saturation = create(RandomSaturation, saturation_factor)
        self.random_hue = create(RandomHue, hue_factor)

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return images
        images = tf.cast(images, self.compute_dtype)
        for name in ("brightness", "contrast", "saturation", "hue"):
            layer = getattr(self, f"random_{name}")
            if layer is not None:
                drawn = layer.get_random_transformation(images, seed=self.generator)
                images = layer.transform_images(images, drawn)
        return tf.cast(images, self.compute_dtype)
