"""`RandomPerspective` and `RandomElasticTransform`."""

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
    one_of,
    per_image,
    static_sizes,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import (
    INTERPOLATIONS,
    distorted,
    homography,
    projected,
)
from tapeflow._src.keras.random.seed_generator import draw_seed

_ELASTIC_FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


class _Distortion(BaseImagePreprocessingLayer):
    """Layers that distort images with a probability from the range `factor`."""

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)
    interpolation: str

    def _distorted(self, images: TensorLike, transformation: Any, interpolation: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define how it distorts.")

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        return self._distorted(images, transformation, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training or transformation is None:
            return segmentation_masks
        return self._distorted(segmentation_masks, transformation, "nearest")


class RandomPerspective(_Distortion):
    """Moves the corners of images at random in training.

    Args:
        factor: Probability that an image is transformed: one number for the range from 0, or two
            numbers to draw it between.
        scale: How far corners move, between 0 and 1.
        interpolation: `"bilinear"` or `"nearest"`.
        fill_value: Pixel value outside of images.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `scale` is not between 0 and 1.
        NotImplementedError: `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomPerspective(scale=0.2)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = ("factor", "scale", "interpolation", "fill_value", "seed")

    def __init__(
        self,
        factor: Any = 1.0,
        scale: float = 1.0,
        interpolation: str = "bilinear",
        fill_value: float = 0.0,
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        if not 0 <= scale <= 1:
            raise ValueError(f"`scale` must be between 0 and 1. Received: scale={scale}")
        self.scale, self.fill_value = scale, fill_value
        self.interpolation = one_of(interpolation, INTERPOLATIONS, "interpolation")
        self.supports_jit = False
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        chosen = self._chosen(data, seed)
        dtype = self.compute_dtype
        limits = (-0.5 * self.scale, 0.5 * self.scale)
        moves = self._uniform((batch_size(images), 4, 2), limits, seed, dtype)
        shape = static_sizes(images)
        bottom, right = (tf.cast(size, dtype) - 1 for size in self._sizes(shape))
        zero = tf.zeros_like(right)
        points = [[zero, zero], [right, zero], [zero, bottom], [right, bottom]]
        start = tf.stack([tf.stack(point) for point in points]) + tf.zeros_like(moves)
        return {
            "apply_perspective": chosen,
            "start_points": start,
            "end_points": start + start * moves,
            "input_shape": shape,
        }

    def _distorted(self, images: Any, transformation: Any, interpolation: str) -> Any:
        matrix = homography(
            *(tf.cast(transformation[f"{name}_points"], "float32") for name in ("start", "end"))
        )
        outputs = projected(
            *(images, matrix, interpolation, "constant", self.fill_value, self.data_format)
        )
        chosen = tf.cast(transformation["apply_perspective"], "bool")
        return tf.where(per_image(chosen) if images.shape.rank == 4 else chosen, outputs, images)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training or transformation is None:
            return bounding_boxes
        start, end = (
            tf.cast(transformation[f"{name}_points"], "float32") for name in ("start", "end")
        )
        # The other way round: from places in the input to those in the output.
        values = homography(end, start)
        matrix = tf.reshape(tf.concat([values, tf.ones_like(values[:, :1])], -1), (-1, 3, 3))

        def moved(boxes: TensorLike) -> Any:
            x1, y1, x2, y2 = tf.unstack(boxes, axis=-1)
            one = tf.ones_like(x1)
            corners = ((x1, y1), (x2, y2), (x1, y2), (x2, y1))
            points = tf.stack([tf.stack([x, y, one], -1) for x, y in corners], axis=-2)
            points = tf.einsum("...nkc,...rc->...nkr", points, matrix)
            points = points[..., :2] / points[..., 2:]
            ends = [tf.reduce_min(points, axis=-2), tf.reduce_max(points, axis=-2)]
            chosen = tf.cast(transformation["apply_perspective"], "bool")[:, None, None]
            return tf.where(chosen, tf.concat(ends, axis=-1), boxes)

        height, width = self._sizes(transformation["input_shape"])
        return self._boxes_through(bounding_boxes, moved, height, width)


class RandomElasticTransform(_Distortion):
    """Distorts images smoothly at random in training.

    Args:
        factor: Probability that an image is transformed: one number for the range from 0, or two
            numbers to draw it between.
        scale: Range of the strength, between 0 and 1.
        interpolation: `"bilinear"` or `"nearest"`.
        fill_mode: What lies outside of images: `"constant"`, `"nearest"`, `"wrap"`, `"mirror"` or
            `"reflect"`.
        fill_value: Pixel value outside of images with `fill_mode="constant"`.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` or `scale` is not between 0 and 1.
        NotImplementedError: `fill_mode` or `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomElasticTransform(scale=0.5)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = (
        *("factor", "scale", "interpolation", "fill_mode", "fill_value", "value_range", "seed"),
    )

    def __init__(
        self,
        factor: Any = 1.0,
        scale: Any = 1.0,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        value_range: Any = (0, 255),
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        self.scale = factor_range(scale, self._FACTOR_BOUNDS, "scale")
        self.interpolation = one_of(interpolation, INTERPOLATIONS, "interpolation")
        self.fill_mode = one_of(fill_mode, _ELASTIC_FILL_MODES, "fill_mode")
        self.fill_value, self.value_range = fill_value, value_range
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training or not self.scale[1] or not self.factor[1]:
            return None
        return {
            "apply_transform": self._chosen(data, seed),
            "distortion_factor": self._uniform((), self.scale, seed, self.compute_dtype),
            # One seed, so that masks are distorted as their images are.
            "seed": draw_seed(self.generator if seed is None else seed),
        }

    def _distorted(self, images: Any, transformation: Any, interpolation: str) -> Any:
        factor = transformation["distortion_factor"]
        height, width = (tf.cast(s, images.dtype) for s in self._sizes(static_sizes(images)))
        factor = tf.cast(factor, images.dtype)
        seed = transformation["seed"]
        outputs = distorted(
            images,
            tf.maximum(height, width) * 0.1 * factor,
            tf.minimum(height, width) * 0.05 * factor,
            *(interpolation, self.fill_mode, self.fill_value),
            seed if tf.is_tensor(seed) else draw_seed(seed),
            self.data_format,
        )
        chosen = transformation["apply_transform"]
        chosen = per_image(chosen) if images.shape.rank == 4 else chosen[:, None, None]
        outputs = tf.where(chosen, outputs, images)
        return tf.cast(clipped(outputs, self.value_range), self.compute_dtype)
