"""How much bounding boxes overlap."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format


def compute_iou(
    boxes1: Any,
    boxes2: Any,
    bounding_box_format: str,
    use_masking: bool = False,
    mask_val: float = -1,
    image_shape: Any = None,
) -> Any:
    """Return the intersection over the union of each pair of boxes, `(..., n, m)`.

    Args:
        boxes1: `(n, 4)` or `(batch, n, 4)`.
        boxes2: `(m, 4)` or `(batch, m, 4)`.
        use_masking: whether pairs with a box of negative numbers get `mask_val`.
        image_shape: `(height, width, channels)`, for relative formats.
    """
    for name, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        rank = len(boxes.shape)
        if rank not in (2, 3):
            raise ValueError(f"`{name}` must have rank 2 or 3. Received: rank {rank}")
    first, second = (_corners(b, bounding_box_format, image_shape) for b in (boxes1, boxes2))
    a, b = first[..., :, None, :], second[..., None, :, :]
    size = tf.minimum(a[..., 2:], b[..., 2:]) - tf.maximum(a[..., :2], b[..., :2])
    intersection = tf.reduce_prod(tf.maximum(size, 0), axis=-1)
    areas = [tf.reduce_prod(each[..., 2:] - each[..., :2], axis=-1) for each in (a, b)]
    iou = intersection / (areas[0] + areas[1] - intersection + epsilon())
    if not use_masking:
        return iou
    masked = (tf.reduce_max(a, axis=-1) < 0) | (tf.reduce_max(b, axis=-1) < 0)
    return tf.where(masked, tf.cast(mask_val, iou.dtype), iou)


def compute_ciou(
    boxes1: Any, boxes2: Any, bounding_box_format: str, image_shape: Any = None
) -> Any:
    """Return the complete IoU of boxes one by one.

    It is the IoU less a penalty for distant centres and for other proportions.
    """
    first, second = (_corners(b, bounding_box_format, image_shape) for b in (boxes1, boxes2))
    small = epsilon()
    low, high = tf.minimum(first, second), tf.maximum(first, second)
    size1, size2 = (each[..., 2:] - each[..., :2] for each in (first, second))
    height1, height2 = size1[..., 1] + small, size2[..., 1] + small
    width1, width2 = size1[..., 0], size2[..., 0]
    intersection = tf.reduce_prod(tf.maximum(low[..., 2:] - high[..., :2], 0), axis=-1)
    union = width1 * height1 + width2 * height2 - intersection + small
    iou = intersection / (union + small)
    diagonal = tf.reduce_sum((high[..., 2:] - low[..., :2]) ** 2, axis=-1) + small
    centres = [(each[..., :2] + each[..., 2:]) / 2 for each in (first, second)]
    distance = tf.reduce_sum((centres[0] - centres[1]) ** 2, axis=-1)
    proportion = tf.atan(width2 / height2) - tf.atan(width1 / height1)
    shape = 4 / math.pi**2 * proportion**2
    return iou - (distance / diagonal + shape * shape / (shape - iou + 1 + small))


def _corners(boxes: Any, bounding_box_format: str, image_shape: Any) -> Any:
    if bounding_box_format.startswith("rel") and image_shape is None:
        raise ValueError(
            f"`image_shape` is needed for the relative format {bounding_box_format!r}."
        )
    height, width = (None, None) if image_shape is None else image_shape[:2]
    return convert_format(boxes, bounding_box_format, "xyxy", height, width)
