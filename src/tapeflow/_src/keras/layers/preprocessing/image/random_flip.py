"""`RandomFlip`: images mirrored at random."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import (
    BaseImagePreprocessingLayer,
    images_of,
    static_sizes,
)

_MODES = ("horizontal", "vertical", "horizontal_and_vertical")


class RandomFlip(BaseImagePreprocessingLayer):
    """Mirrors each image with probability 0.5 in training.

    Args:
        mode: `"horizontal"` (left to right), `"vertical"` or `"horizontal_and_vertical"`.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `mode` is unknown.

    Example:
        >>> tf.keras.layers.RandomFlip("horizontal")(tf.ones((2, 4, 4, 3))).shape
        TensorShape([2, 4, 4, 3])
    """

    _USE_BASE_FACTOR = False
    _settings = ("mode", "seed")

    def __init__(
        self,
        mode: str = "horizontal_and_vertical",
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        if mode not in _MODES:
            raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
        self.mode = mode
        self._set_seed(seed)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        shape = static_sizes(images_of(data))
        drawn = (1, 1, 1) if len(shape) == 3 else (shape[0], 1, 1, 1)
        return {"flips": self._uniform(drawn, (0.0, 1.0), seed) <= 0.5, "input_shape": shape}

    def _directions(self) -> list[int]:
        """Return the axes of flips, as positions in `_axes`: 1 is from left to right."""
        return [axis for axis, word in ((1, "horizontal"), (0, "vertical")) if word in self.mode]

    def transform_images(self, images: Any, transformation: Any, training: bool = True) -> Any:
        images = tf.cast(images, self.compute_dtype)
        if not training or transformation is None:
            return images
        rank = images.shape.rank
        axes = [rank + self._axes[each] for each in self._directions()]
        return tf.where(transformation["flips"], tf.reverse(images, axes), images)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        return self.transform_images(segmentation_masks, transformation, training=training)

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        flips = tf.convert_to_tensor(transformation["flips"])[..., 0]
        directions = self._directions()

        def flipped(boxes: TensorLike) -> Any:
            x1, y1, x2, y2 = tf.split(boxes, 4, axis=-1)
            if 1 in directions:
                x1, x2 = 1 - x2, 1 - x1
            if 0 in directions:
                y1, y2 = 1 - y2, 1 - y1
            return tf.where(flips, tf.concat([x1, y1, x2, y2], axis=-1), boxes)

        height, width = self._sizes(transformation["input_shape"])
        return self._boxes_through(bounding_boxes, flipped, height, width, "rel_xyxy")
