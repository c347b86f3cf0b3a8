"""`MaxNumBoundingBoxes`: the same number of boxes for each image."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.base import BaseImagePreprocessingLayer


class MaxNumBoundingBoxes(BaseImagePreprocessingLayer):
    """Cuts or pads the boxes of each image to one number.

    Images stay as they are.

    Args:
        max_number: Number of boxes that each image has afterwards.
        fill_value: Coordinates and label of boxes that are added.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Example:
        >>> layer = tf.keras.layers.MaxNumBoundingBoxes(3, bounding_box_format="xyxy")
        >>> boxes = {"boxes": tf.ones((1, 2, 4)), "labels": tf.ones((1, 2))}
        >>> outputs = layer({"images": tf.ones((1, 8, 8, 3)), "bounding_boxes": boxes})
        >>> outputs["bounding_boxes"]["labels"].numpy()
        array([[ 1.,  1., -1.]], dtype=float32)
    """

    _settings = ("max_number",)

    def __init__(self, max_number: int, fill_value: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.max_number = int(max_number)
        self.fill_value = int(fill_value)

    def transform_images(
        self, images: TensorLike, transformation: Any = None, training: bool = True
    ) -> Any:
        return images

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        outputs = dict(bounding_boxes)
        for key in ("boxes", "labels"):
            values = tf.convert_to_tensor(bounding_boxes[key])[:, : self.max_number]
            missing = self.max_number - tf.shape(values)[1]
            borders = [[0, 0], [0, missing]] + [[0, 0]] * (len(values.shape) - 2)
            fill = tf.constant(self.fill_value, values.dtype)
            padded = tf.pad(values, borders, constant_values=fill)
            shape = [values.shape[0], self.max_number, *values.shape[2:]]
            outputs[key] = tf.ensure_shape(padded, shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        if not isinstance(input_shape, dict) or "bounding_boxes" not in input_shape:
            return input_shape
        shapes = input_shape["bounding_boxes"]
        extra = set(shapes) - {"boxes", "labels"}
        if extra:
            raise KeyError(f"Unsupported keys in `bounding_boxes`: {sorted(extra)}")
        padded_shapes = {k: (v[0], self.max_number, *v[2:]) for k, v in shapes.items()}
        return {**input_shape, "bounding_boxes": padded_shapes}
