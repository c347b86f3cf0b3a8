"""Images turned, zoomed, moved and sheared at random."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    batch_size,
    images_of,
    one_of,
    static_sizes,
    strict_range,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import (
    FILL_MODES,
    INTERPOLATIONS,
    affine_matrix,
    projected,
    scaling_matrix,
)
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format
from tapeflow._src.keras.utils.bounding_boxes.geometry import (
    affine_transform,
    clip,
    clip_to_image_size,
)


class _Affine(BaseImagePreprocessingLayer):
    """Layers that sample images at places which a matrix tells.

    Args:
        fill_mode: what is outside of images: `"reflect"`, `"wrap"`, `"nearest"` or
            `"constant"`, which is `fill_value`.
        interpolation: `"bilinear"` or `"nearest"`.
        seed: of the random numbers.
    """

    _USE_BASE_FACTOR = False

    def _set_sampling(
        self, fill_mode: str, fill_value: float, interpolation: str, seed: int | None
    ) -> None:
        self.fill_mode = one_of(fill_mode, FILL_MODES, "fill_mode")
        self.fill_value = fill_value
        self.interpolation = one_of(interpolation, INTERPOLATIONS, "interpolation")
        self.supports_jit = False
        self._set_seed(seed)

    def _matrix(self, transformation: Any, images: TensorLike) -> Any:
        """Return the transforms of images."""
        raise NotImplementedError(f"{type(self).__name__} must define its matrix.")

    def _moved(self, images: TensorLike, transformation: Any, interpolation: str) -> Any:
        matrix = self._matrix(transformation, images)
        return projected(
            *(images, matrix, interpolation, self.fill_mode, self.fill_value, self.data_format)
        )

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        return self._moved(images, transformation, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training or transformation is None:
            return segmentation_masks
        return self._moved(segmentation_masks, transformation, "nearest")


class RandomRotation(_Affine):
    """Rotates each image by a random angle in training.

    Args:
        factor: Limits of the angle as fractions of a full turn; one number for both directions.
            Positive ones turn counter-clockwise.
        fill_mode: What lies outside of images: `"reflect"`, `"wrap"`, `"nearest"` or `"constant"`,
            which is `fill_value`.
        interpolation: `"bilinear"` or `"nearest"`; masks are always sampled with `"nearest"`.
        seed: Seed of the random numbers; None for a new one.
        fill_value: Pixel value outside of images with `fill_mode="constant"`.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is out of range.
        NotImplementedError: `fill_mode` or `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomRotation(0.1)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _USE_BASE_FACTOR = True
    _settings = ("factor", "fill_mode", "fill_value", "interpolation", "seed")

    def __init__(
        self,
        factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(factor=factor, data_format=data_format, **kwargs)
        self._set_sampling(fill_mode, fill_value, interpolation, seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        height, width = self._sizes(static_sizes(images))
        count = batch_size(images)
        angle = self._uniform((count,), [each * 360.0 for each in self.factor], seed)
        return {
            "angle": angle,
            "rotation_matrix": affine_matrix(angle, height, width),
            "image_height": height,
            "image_width": width,
            "batch_size": count,
        }

    def _matrix(self, transformation: Any, images: TensorLike) -> Any:
        return transformation["rotation_matrix"]

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        angle = tf.convert_to_tensor(transformation["angle"])
        height, width = transformation["image_height"], transformation["image_width"]
        zero, one = tf.zeros_like(angle), tf.ones_like(angle)

        def turned(boxes: TensorLike) -> Any:
            return affine_transform(boxes, angle, zero, zero, one, zero, zero, height, width)

        return self._boxes_through(bounding_boxes, turned, height, width)


class RandomTranslation(_Affine):
    """Shifts each image by a random distance in training.

    Args:
        height_factor: Limits of the shift as fractions of the height; one number for both
            directions. Positive ones move down.
        width_factor: Limits as fractions of the width; positive ones move to the right.
        fill_mode: What lies outside of images: `"reflect"`, `"wrap"`, `"nearest"` or `"constant"`,
            which is `fill_value`.
        interpolation: `"bilinear"` or `"nearest"`; masks are always sampled with `"nearest"`.
        seed: Seed of the random numbers; None for a new one.
        fill_value: Pixel value outside of images with `fill_mode="constant"`.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A factor is not between -1 and 1.
        NotImplementedError: `fill_mode` or `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomTranslation((0.5, 0.5), 0.0, fill_mode="constant")
        >>> layer(tf.ones((1, 4, 1, 1)), training=True).numpy().ravel()
        array([0., 0., 1., 1.], dtype=float32)
    """

    _settings = (
        *("height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value"),
    )

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        limits = strict_range(height_factor, (-1.0, 1.0), "height_factor")
        self.height_lower, self.height_upper = limits
        limits = strict_range(width_factor, (-1.0, 1.0), "width_factor")
        self.width_lower, self.width_upper = limits
        self._set_sampling(fill_mode, fill_value, interpolation, seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        shape = static_sizes(images)
        height, width = self._sizes(shape)
        drawn = (batch_size(images), 1)
        down = self._uniform(drawn, (self.height_lower, self.height_upper), seed)
        right = self._uniform(drawn, (self.width_lower, self.width_upper), seed)
        moves = [right * tf.cast(width, "float32"), down * tf.cast(height, "float32")]
        return {"translations": tf.concat(moves, axis=1), "input_shape": shape}

    def _matrix(self, transformation: Any, images: TensorLike) -> Any:
        moves = tf.cast(transformation["translations"], "float32")
        one = tf.ones_like(moves[:, :1])
        return scaling_matrix(one, one, -moves[:, :1], -moves[:, 1:])

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        moves = tf.cast(transformation["translations"], "float32")

        def moved(boxes: Any) -> Any:
            shift = tf.tile(moves, (1, 2))
            return boxes + (shift[:, None, :] if boxes.shape.rank == 3 else shift)

        height, width = self._sizes(transformation["input_shape"])
        return self._boxes_through(bounding_boxes, moved, height, width)


class RandomZoom(_Affine):
    """Zooms each image by a random factor in training.

    Args:
        height_factor: Limits of the change of the visible height, such as `(-0.2, 0.3)`: negative
            ones zoom in, positive ones out. One number for both directions.
        width_factor: The same for the width; None to keep the proportions.
        fill_mode: What lies outside of images: `"reflect"`, `"wrap"`, `"nearest"` or `"constant"`,
            which is `fill_value`.
        interpolation: `"bilinear"` or `"nearest"`; masks are always sampled with `"nearest"`.
        seed: Seed of the random numbers; None for a new one.
        fill_value: Pixel value outside of images with `fill_mode="constant"`.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A factor is not above -1 and at most 1.
        NotImplementedError: `fill_mode` or `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomZoom(0.2)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = (
        *("height_factor", "width_factor", "fill_mode", "interpolation", "seed", "fill_value"),
    )

    def __init__(
        self,
        height_factor: Any,
        width_factor: Any = None,
        fill_mode: str = "reflect",
        interpolation: str = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height_factor, self.width_factor = height_factor, width_factor
        self.height_lower, self.height_upper = _zoom_range(height_factor, "height_factor")
        if width_factor is not None:
            self.width_lower, self.width_upper = _zoom_range(width_factor, "width_factor")
        self._set_sampling(fill_mode, fill_value, interpolation, seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        drawn = (batch_size(images), 1)
        height = self._uniform(drawn, (1.0 + self.height_lower, 1.0 + self.height_upper), seed)
        width = height
        if self.width_factor is not None:
            width = self._uniform(drawn, (1.0 + self.width_lower, 1.0 + self.width_upper), seed)
        return {"height_zoom": height, "width_zoom": width, "input_shape": static_sizes(images)}

    def _matrix(self, transformation: Any, images: TensorLike) -> Any:
        return scaling_matrix(*self._window(transformation, *self._sizes(static_sizes(images))))

    def _window(self, transformation: Any, height: Any, width: Any) -> tuple[Any, Any, Any, Any]:
        """Return the factors of the visible part, and where it begins."""
        x, y = (
            tf.reshape(tf.cast(transformation[name], "float32"), (-1, 1))
            for name in ("width_zoom", "height_zoom")
        )
        left = (tf.cast(width, "float32") - 1.0) / 2.0 * (1.0 - x)
        top = (tf.cast(height, "float32") - 1.0) / 2.0 * (1.0 - y)
        return x, y, left, top

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        height, width = self._sizes(transformation["input_shape"])
        own = self.bounding_box_format or "xyxy"
        boxes = convert_format(bounding_boxes, own, "xyxy", height, width)
        x, y, left, top = (each[:, None] for each in self._window(transformation, height, width))
        visible = (x * tf.cast(width, "float32"), y * tf.cast(height, "float32"))
        parts = zip(tf.split(boxes["boxes"], 4, axis=-1), (left, top) * 2, visible * 2)
        moved = [(clip(value, start, start + size) - start) / size for value, start, size in parts]
        boxes = {**boxes, "boxes": tf.concat(moved, axis=-1)}
        boxes = clip_to_image_size(boxes, bounding_box_format="rel_xyxy")
        return convert_format(boxes, "rel_xyxy", own, height, width)


def _zoom_range(factor: Any, name: str) -> tuple[float, float]:
    limits = strict_range(factor, (-1.0, 1.0), name)
    if limits[0] <= -1 and not (isinstance(factor, (int, float)) and factor > 0):
        raise ValueError(f"`{name}` must be above -1. Received: {name}={factor}")
    return limits


class RandomShear(_Affine):
    """Shears each image by a random amount in training.

    Args:
        x_factor: Limits, between 0 and 1, of the horizontal shear per row; one number for both
            directions.
        y_factor: Limits of the vertical shear per column.
        interpolation: `"bilinear"` or `"nearest"`; masks are always sampled with `"nearest"`.
        fill_mode: What lies outside of images: `"reflect"`, `"wrap"`, `"nearest"` or `"constant"`,
            which is `fill_value`.
        fill_value: Pixel value outside of images with `fill_mode="constant"`.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A factor is not between 0 and 1.
        NotImplementedError: `fill_mode` or `interpolation` is unknown.

    Example:
        >>> layer = tf.keras.layers.RandomShear(x_factor=0.3, y_factor=0.2)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _FACTOR_BOUNDS = (0, 1)
    _settings = ("x_factor", "y_factor", "fill_mode", "interpolation", "seed", "fill_value")

    def __init__(
        self,
        x_factor: Any = 0.0,
        y_factor: Any = 0.0,
        interpolation: str = "bilinear",
        fill_mode: str = "reflect",
        fill_value: float = 0.0,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        # A config has the limits of a single number, of which one is negative.
        self.x_factor = _shear_range(x_factor, "x_factor")
        self.y_factor = _shear_range(y_factor, "y_factor")
        self._set_sampling(fill_mode, fill_value, interpolation, seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        drawn, dtype = (batch_size(images), 1), self.compute_dtype
        invert = self._uniform(drawn, (0.0, 1.0), seed, dtype)
        y = self._uniform(drawn, self.y_factor, seed, dtype)
        x = self._uniform(drawn, self.x_factor, seed, dtype)
        sign = tf.where(invert > 0.5, -tf.ones_like(invert), tf.ones_like(invert))
        factor = tf.concat([x, y], axis=1) * sign
        return {"shear_factor": factor, "input_shape": static_sizes(images)}

    def _matrix(self, transformation: Any, images: TensorLike) -> Any:
        x, y = tf.unstack(tf.cast(transformation["shear_factor"], "float32"), axis=1)
        one, zero = tf.ones_like(x), tf.zeros_like(x)
        return tf.stack([one, x, zero, y, one, zero, zero, zero], axis=1)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        x, y = tf.split(tf.cast(transformation["shear_factor"], "float32"), 2, axis=-1)

        def sheared(boxes: TensorLike) -> Any:
            x1, y1, x2, y2 = tf.unstack(boxes, axis=-1)
            x1, x2 = (
                tf.where(x < 0, x1 - x * y1, x1 - x * y2),
                tf.where(x < 0, x2 - x * y2, x2 - x * y1),
            )
            y1, y2 = (
                tf.where(y > 0, y1 - y * x2, y1 - y * x1),
                tf.where(y > 0, y2 - y * x1, y2 - y * x2),
            )
            return tf.stack([x1, y1, x2, y2], axis=-1)

        height, width = self._sizes(transformation["input_shape"])
        return self._boxes_through(bounding_boxes, sheared, height, width, "rel_xyxy")


def _shear_range(factor: Any, name: str) -> tuple[float, float]:
    if isinstance(factor, (tuple, list)) and len(factor) == 2 and factor[0] == -factor[1]:
        factor = abs(factor[1])
    return strict_range(factor, (0.0, 1.0), name)
