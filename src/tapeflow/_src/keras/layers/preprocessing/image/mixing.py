"""Parts of images replaced, and images of a batch mixed: `RandomErasing`, `CutMix`, `MixUp`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    batch_size,
    clipped,
    factor_range,
    images_of,
    per_image,
    static_sizes,
)
from tapeflow.keras import random


class _Rectangles(BaseImagePreprocessingLayer):
    """Layers that draw a rectangle in each image."""

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)

    def _interval(self, length: Any, share: Any, seed: Any) -> tuple[Any, Any]:
        """Draw where a part of an axis begins and ends; `share` is how much of it."""
        size = share * tf.cast(length, self.compute_dtype)
        start = self._uniform(tf.shape(share), (0.0, 1.0), seed, self.compute_dtype)
        start = start * (tf.cast(length, self.compute_dtype) - size)
        return start, start + size

    def _masks(self, shape: ShapeLike, x: tuple[Any, Any], y: tuple[Any, Any]) -> Any:
        """Return where the rectangles are, as booleans with one channel."""
        height, width = self._sizes(shape)
        rows = _inside(height, y, self.compute_dtype)[:, :, None]
        columns = _inside(width, x, self.compute_dtype)[:, None, :]
        return tf.expand_dims(rows & columns, -1 if self.data_format == "channels_last" else 1)


def _inside(length: Any, ends: tuple[Any, Any], dtype: DTypeLike) -> Any:
    positions = tf.cast(tf.range(length), dtype)[None, :]
    return (positions >= ends[0][:, None]) & (positions < ends[1][:, None])


class RandomErasing(_Rectangles):
    """Fills a rectangle of some of the images in training.

    Args:
        factor: Probability that an image is transformed: one number for the range from 0, or two
            numbers to draw it between.
        scale: Range of the rectangle's area, as a fraction of the image's.
        fill_value: A number or three, one per channel; None for noise.
        value_range: Lowest and highest pixel value.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: A range is not between 0 and 1, or `fill_value` is invalid.

    Example:
        >>> layer = tf.keras.layers.RandomErasing(fill_value=0.0)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = ("factor", "scale", "fill_value", "value_range", "seed")

    def __init__(
        self,
        factor: Any = 1.0,
        scale: Any = (0.02, 0.33),
        fill_value: Any = None,
        value_range: Any = (0, 255),
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        self.scale = factor_range(scale, self._FACTOR_BOUNDS, "scale")
        self.fill_value, self.value_range = fill_value, value_range
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        images = images_of(data)
        shape = static_sizes(images)
        height, width = self._sizes(shape)
        drawn = (batch_size(images), 2)
        share = tf.sqrt(self._uniform(drawn, self.scale, seed, self.compute_dtype))
        x = self._interval(width, share[:, 0], seed)
        y = self._interval(height, share[:, 1], seed)
        return {
            "apply_erasing": self._chosen(data, seed),
            "batch_masks": self._masks(shape, x, y),
            "fill_value": self._fill(shape, seed),
        }

    def _fill(self, shape: ShapeLike, seed: Any) -> Any:
        """Return what rectangles are filled with."""
        value, dtype = self.fill_value, self.compute_dtype
        if value is None:
            seed = self.generator if seed is None else seed
            value = random.normal(shape, dtype=dtype, seed=seed) * self.value_range[1]
        elif isinstance(value, (tuple, list)) and len(value) == 3:
            value = tf.constant(value, dtype)
            if self.data_format == "channels_first":
                value = value[:, None, None]
        elif isinstance(value, (int, float)):
            value = tf.constant(value, dtype)
        else:
            raise ValueError(
                f"`fill_value` must be None, a number or three numbers. Received: {value}"
            )
        return clipped(value, self.value_range)

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training:
            return images
        chosen = per_image(transformation["apply_erasing"])
        masks = tf.cast(transformation["batch_masks"], "bool") & chosen
        return tf.where(masks, tf.cast(transformation["fill_value"], images.dtype), images)


class CutMix(_Rectangles):
    """Replaces a rectangle of each image by that of another one of the batch in training.

    Labels, as one-hot vectors, are mixed by the areas. Single images stay as they are, and
    bounding boxes are not supported.

    Args:
        factor: Range of the parameter of the beta distribution of areas, between 0 and 1.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.
        NotImplementedError: The input has bounding boxes.

    Example:
        >>> data = {"images": tf.ones((2, 8, 8, 3)), "labels": tf.eye(2)}
        >>> outputs = tf.keras.layers.CutMix()(data, training=True)
        >>> outputs["labels"].shape
        TensorShape([2, 2])
    """

    _settings = ("factor", "seed")

    def __init__(
        self,
        factor: Any = 1.0,
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self._set_factor(factor)
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        images = images_of(data)
        if not training or len(images.shape) == 3:
            return None
        seed = self.generator if seed is None else seed
        shape, dtype = static_sizes(images), self.compute_dtype
        height, width = self._sizes(shape)
        alpha = self._uniform((), self.factor, seed, dtype) + 1e-6
        weight = random.beta((shape[0],), alpha, alpha, dtype=dtype, seed=seed)
        share = tf.sqrt(1.0 - weight)
        x, y = self._interval(width, share, seed), self._interval(height, share, seed)
        area = tf.cast(width * height, dtype)
        return {
            "permutation_order": random.shuffle(tf.range(shape[0]), seed=seed),
            "batch_masks": self._masks(shape, x, y),
            "mix_weight": per_image(1.0 - (x[1] - x[0]) * (y[1] - y[0]) / area),
        }

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        others = tf.gather(images, transformation["permutation_order"])
        return tf.where(tf.cast(transformation["batch_masks"], "bool"), others, images)

    def transform_labels(
        self, labels: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training or transformation is None:
            return labels
        return _mixed(labels, transformation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        return self.transform_images(segmentation_masks, transformation, training)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        raise NotImplementedError("CutMix cannot cut bounding boxes: use MixUp for them.")


def _mixed(values: Any, transformation: Any) -> Any:
    """Mix each value with that of another sample, by the weights of a transformation."""
    weight = tf.convert_to_tensor(transformation["mix_weight"])
    weight = weight if weight.dtype.is_floating else tf.cast(weight, "float32")
    weight = tf.reshape(weight, [-1] + [1] * (values.shape.rank - 1))
    values = tf.cast(values, weight.dtype)
    others = tf.gather(values, transformation["permutation_order"])
    return weight * values + (1.0 - weight) * others


class MixUp(BaseImagePreprocessingLayer):
    """Blends each image and its label with another one of the batch in training.

    Labels must be one-hot vectors. Boxes of both images are kept.

    Args:
        alpha: Parameter of the beta distribution of weights; a small one mixes little.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        seed: Seed of the random numbers; None for a new one.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Example:
        >>> data = {"images": tf.ones((2, 8, 8, 3)), "labels": tf.eye(2)}
        >>> outputs = tf.keras.layers.MixUp()(data, training=True)
        >>> tf.reduce_sum(outputs["labels"], axis=1).numpy()
        array([1., 1.], dtype=float32)
    """

    _settings = ("alpha", "seed")

    def __init__(
        self,
        alpha: float = 0.2,
        data_format: str | None = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.alpha = alpha
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        count = batch_size(images_of(data))
        seed = self.generator if seed is None else seed
        order = tf.range(tf.cast(count, "int64"))
        return {
            "permutation_order": random.shuffle(order, seed=seed),
            "mix_weight": random.beta((count,), self.alpha, self.alpha, seed=seed),
        }

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        if not training:
            return images
        weight = tf.cast(transformation["mix_weight"], self.compute_dtype)
        images = tf.cast(images, self.compute_dtype)
        others = tf.gather(images, transformation["permutation_order"])
        return per_image(weight) * images + (1.0 - per_image(weight)) * others

    def transform_labels(
        self, labels: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        return _mixed(labels, transformation) if training else labels

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        return _mixed(segmentation_masks, transformation) if training else segmentation_masks

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        order = transformation["permutation_order"]
        boxes, labels = (tf.convert_to_tensor(bounding_boxes[k]) for k in ("boxes", "labels"))
        return {
            "boxes": tf.concat([boxes, tf.gather(boxes, order)], axis=1),
            # Boxes of one image only have labels of rank 1.
            "labels": tf.concat(
                [labels, tf.gather(labels, order)], axis=min(1, len(labels.shape) - 1)
            ),
        }
