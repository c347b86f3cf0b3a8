"""`Resizing`, `CenterCrop` and `RandomCrop`: images of another size."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    images_of,
    static_sizes,
)
from tapeflow._src.keras.layers.preprocessing.image.warping import as_format, channels_last
from tapeflow._src.keras.random.seed_generator import make_default_seed
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format
from tapeflow._src.keras.utils.bounding_boxes.geometry import clip, clip_to_image_size
from tapeflow._src.keras.utils.images import smart_resize

_METHODS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")


class _OfSize(BaseImagePreprocessingLayer):
    """Layers whose outputs have the height and the width they were made with."""

    _USE_BASE_FACTOR = False
    _settings: tuple[str, ...] = ("height", "width")
    height: int
    width: int

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape)
        if any(isinstance(size, (list, tuple)) for size in shape) or len(shape) not in (3, 4):
            raise ValueError(
                f"Expected the shape of an image or of a batch, of rank 3 or 4. Received: "
                f"input_shape={input_shape}"
            )
        shape[self._axes[0]], shape[self._axes[1]] = self.height, self.width
        return tuple(shape)

    def _part(self, images: Any, top: Any, left: Any) -> Any:
        """Cut a part of the layer's size out of the images."""
        rows, columns = slice(top, top + self.height), slice(left, left + self.width)
        if self.data_format == "channels_last":
            return images[..., rows, columns, :]
        return images[..., rows, columns]


class Resizing(_OfSize):
    """Resizes images to a height and a width, in training and in inference.

    Args:
        height: Height of the outputs.
        width: Width of the outputs.
        interpolation: `"bilinear"`, `"nearest"`, `"bicubic"`, `"lanczos3"` or `"lanczos5"`.
        crop_to_aspect_ratio: Whether to crop images of other proportions first.
        pad_to_aspect_ratio: Whether to pad them instead, with `fill_value`.
        fill_mode: `"constant"`, the only mode of padding.
        fill_value: Pixel value of the padding.
        antialias: Whether to average over pixels when images become smaller.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `interpolation` or `fill_mode` is unknown, or both cropping and padding are set;
            raised by the call.

    Example:
        >>> tf.keras.layers.Resizing(2, 3)(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 2, 3, 3])
    """

    _settings = (
        *("height", "width", "interpolation", "crop_to_aspect_ratio", "pad_to_aspect_ratio"),
        *("fill_mode", "fill_value", "antialias"),
    )

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False,
        fill_mode: str = "constant",
        fill_value: float = 0.0,
        antialias: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height, self.width = height, width
        self.interpolation = interpolation
        self.crop_to_aspect_ratio = crop_to_aspect_ratio
        self.pad_to_aspect_ratio = pad_to_aspect_ratio
        self.fill_mode, self.fill_value = fill_mode, fill_value
        self.antialias = bool(antialias)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        return self._sizes(static_sizes(images_of(data)))

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        return self._resized(images, self.interpolation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any = None, training: bool = True
    ) -> Any:
        return self._resized(segmentation_masks, "nearest")

    def _resized(self, images: Any, interpolation: str) -> Any:
        self._check(interpolation)
        single = len(images.shape) == 3
        batch = channels_last(images[None] if single else images, self.data_format)
        size = (self.height, self.width)
        if self.crop_to_aspect_ratio:
            resized = smart_resize(batch, size, interpolation)
        else:
            if self.pad_to_aspect_ratio:
                batch = self._padded(batch)
            resized = tf.image.resize(batch, size, interpolation, antialias=self.antialias)
        if images.dtype.is_integer and resized.dtype != images.dtype:
            resized = tf.round(resized)
        resized = tf.saturate_cast(resized, images.dtype)
        resized = as_format(resized, self.data_format)
        return resized[0] if single else resized

    def _check(self, interpolation: str) -> None:
        if interpolation not in _METHODS:
            raise ValueError(
                f"`interpolation` must be one of {_METHODS}. Received: {interpolation!r}"
            )
        if self.fill_mode != "constant":
            raise ValueError(f"`fill_mode` must be 'constant'. Received: {self.fill_mode!r}")
        if self.crop_to_aspect_ratio and self.pad_to_aspect_ratio:
            raise ValueError(
                "`crop_to_aspect_ratio` and `pad_to_aspect_ratio` exclude each other: choose one."
            )

    def _padded(self, batch: Any) -> Any:
        """Add equal borders on both sides, so that the proportions are those of the outputs."""
        _, height, width, _ = static_sizes(batch)
        below = _truncated(width * self.height, self.width)
        beside = _truncated(height * self.width, self.height)
        rows = _truncated(tf.maximum(below - height, 0), 2)
        columns = _truncated(tf.maximum(beside - width, 0), 2)
        borders = [[0, 0], [rows, rows], [columns, columns], [0, 0]]
        fill = tf.cast(self.fill_value, batch.dtype)
        return tf.pad(batch, borders, constant_values=fill)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        height, width = transformation
        own = self.bounding_box_format or "xyxy"
        boxes = tf.convert_to_tensor(bounding_boxes["boxes"])
        unused = tf.reduce_all(boxes == -1, axis=-1) | tf.reduce_all(boxes == 0, axis=-1)
        resized = convert_format(bounding_boxes, own, "xyxy", height, width)
        scale, shift = self._scale_and_shift(height, width)
        resized = {**resized, "boxes": resized["boxes"] * tf.stack(scale * 2) + tf.stack(shift * 2)}
        resized = clip_to_image_size(resized, self.height, self.width)
        coordinates = tf.where(unused[..., None], tf.zeros_like(resized["boxes"]), resized["boxes"])
        return convert_format(
            {**resized, "boxes": coordinates}, "xyxy", own, self.height, self.width
        )

    def _scale_and_shift(self, height: Any, width: Any) -> tuple[list[Any], list[Any]]:
        """Return factors and shifts of x and y from the input to the output."""
        height, width = tf.cast(height, "float32"), tf.cast(width, "float32")
        x, y = self.width / width, self.height / height
        if self.pad_to_aspect_ratio:
            x = y = tf.minimum(x, y)
        elif self.crop_to_aspect_ratio:
            x = y = tf.maximum(x, y)
        shift = [(self.width - width * x) // 2, (self.height - height * y) // 2]
        if self.crop_to_aspect_ratio:
            shift = [-((width * x - self.width) // 2), -((height * y - self.height) // 2)]
        return [x, y], shift


def _truncated(value: Any, by: int) -> Any:
    """Divide in float32, and cut off the fraction."""
    return tf.cast(tf.cast(value, "float32") / by, "int32")


class CenterCrop(_OfSize):
    """Cuts out the middle of images; smaller ones are resized without distortion.

    It does so in training and in inference.

    Args:
        height: Height of the outputs.
        width: Width of the outputs.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Example:
        >>> tf.keras.layers.CenterCrop(4, 4)(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 4, 4, 3])
    """

    def __init__(
        self, height: int, width: int, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.height, self.width = height, width

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        return {"input_shape": static_sizes(images_of(data))}

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        height, width = self._sizes(static_sizes(images))
        rows, columns = height - self.height, width - self.width

        def cut() -> Any:
            return self._part(images, rows // 2, columns // 2)

        def resized() -> Any:
            outputs = smart_resize(images, [self.height, self.width], data_format=self.data_format)
            return tf.cast(outputs, self.compute_dtype)

        if isinstance(rows, int) and isinstance(columns, int):
            return cut() if rows >= 0 and columns >= 0 else resized()
        outputs = tf.cond((rows >= 0) & (columns >= 0), cut, resized)
        return tf.ensure_shape(outputs, self.compute_output_shape(images.shape))

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        return self.transform_images(segmentation_masks, transformation, training=training)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        height, width = self._sizes(transformation["input_shape"])
        own = self.bounding_box_format or "xyxy"
        boxes = convert_format(bounding_boxes, own, "xyxy", height, width)
        if height >= self.height and width >= self.width:
            rows, columns = self.height, self.width
        else:
            rows = max(min(height, int(width * self.height / self.width)), 1)
            columns = max(min(width, int(height * self.width / self.height)), 1)
        top, left = (height - rows) // 2, (width - columns) // 2
        x1, y1, x2, y2 = tf.split(boxes["boxes"], 4, axis=-1)
        scale = (self.width / columns, self.height / rows) * 2
        starts, ends = (left, top) * 2, (left + columns, top + rows) * 2
        moved = [
            (clip(value, start, end) - start) * factor
            for value, start, end, factor in zip((x1, y1, x2, y2), starts, ends, scale)
        ]
        boxes = {**boxes, "boxes": tf.concat(moved, axis=-1)}
        boxes = clip_to_image_size(boxes, self.height, self.width)
        return convert_format(boxes, "xyxy", own, self.height, self.width)


class RandomCrop(_OfSize):
    """Cuts a part out of images, at one random position for a batch; smaller ones are resized.

    At inference images pass as they are.

    Args:
        height: Height of the outputs.
        width: Width of the outputs.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Example:
        >>> tf.keras.layers.RandomCrop(4, 4)(tf.ones((1, 8, 8, 3)), training=True).shape
        TensorShape([1, 4, 4, 3])
    """

    _USE_BASE_FACTOR = True
    _settings = ("height", "width", "seed")

    def __init__(
        self,
        height: int,
        width: int,
        seed: int | None = None,
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, data_format=data_format, **kwargs)
        self.height, self.width = height, width
        self._set_seed(seed)
        self.seed = make_default_seed() if seed is None else seed

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        height, width = self._sizes(static_sizes(images_of(data)))
        if not isinstance(height, int) or not isinstance(width, int):
            return self._place(height - self.height, seed), self._place(width - self.width, seed)
        if training and height > self.height and width > self.width:
            return self._place(height - self.height, seed), self._place(width - self.width, seed)
        rows = max(min(height, int(width * self.height / self.width)), 1)
        columns = max(min(width, int(height * self.width / self.height)), 1)
        return (height - rows) // 2, (width - columns) // 2

    def _place(self, room: Any, seed: Any) -> Any:
        """Draw where the part begins, if there is room for `room` places more than one."""
        limit = tf.cast(room, "float32") + 1.0
        return tf.cast(self._uniform((), (0.0, 1.0), seed) * limit, "int32")

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        if not training:
            return images
        shape = self.compute_output_shape(images.shape)
        height, width = self._sizes(images.shape)
        images = self._part(tf.cast(images, self.compute_dtype), *transformation)
        large = height is not None and width is not None
        if large and height >= self.height and width >= self.width:
            return tf.ensure_shape(images, shape)
        return self._stretched(images)

    def _stretched(self, images: Any) -> Any:
        single = len(images.shape) == 3
        batch = channels_last(images[None] if single else images, self.data_format)
        batch = tf.image.resize(batch, (self.height, self.width))
        batch = as_format(tf.cast(batch, self.compute_dtype), self.data_format)
        return batch[0] if single else batch

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        return self.transform_images(segmentation_masks, transformation, training=training)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        top, left = (tf.cast(each, "float32") for each in transformation)

        def moved(boxes: TensorLike) -> Any:
            return boxes - tf.stack([left, top, left, top])

        return self._boxes_through(bounding_boxes, moved, self.height, self.width)
