"""How much bounding boxes overlap."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
        boxes1: Tensor of shape (n, 4) or (batch, n, 4).
        boxes2: Tensor of shape (m, 4) or (batch, m, 4).
        bounding_box_format: Format of the boxes; see `convert_format`.
        use_masking: Whether pairs with a box of negative numbers get `mask_val`.
        mask_val: Value of such pairs.
        image_shape: Tuple (height, width, channels), for relative formats.

    Returns:
        A tensor of shape (..., n, m) with values between 0 and 1.

    Raises:
        ValueError: The boxes have another rank, or `image_shape` is missing.

    Example:
        >>> first, second = tf.constant([[0.0, 0.0, 2.0, 2.0]]), tf.constant([[1.0, 0.0, 3.0, 2.0]])
        >>> tf.keras.utils.bounding_boxes.compute_iou(first, second, "xyxy").numpy().round(4)
        array([[0.3333]], dtype=float32)
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

    Args:
        boxes1: Tensor of shape (..., 4).
        boxes2: Tensor of the same shape.
        bounding_box_format: Format of the boxes; see `convert_format`.
        image_shape: Tuple (height, width, channels), for relative formats.

    Returns:
        A tensor of shape (...), at most 1.

    Raises:
        ValueError: `image_shape` is missing.

    Example:
        >>> boxes = tf.constant([[0.0, 0.0, 2.0, 2.0]])
        >>> tf.keras.utils.bounding_boxes.compute_ciou(boxes, boxes, "xyxy").numpy().round(3)
        array([1.], dtype=float32)
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


def _corners(boxes: TensorLike, bounding_box_format: str, image_shape: Any) -> Any:
    if bounding_box_format.startswith("rel") and image_shape is None:
        raise ValueError(
            f"`image_shape` is needed for the relative format {bounding_box_format!r}."
        )
    height, width = (None, None) if image_shape is None else image_shape[:2]
    return convert_format(boxes, bounding_box_format, "xyxy", height, width)
