"""Bounding boxes moved, cut and transformed along with their images."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike


def clip_to_image_size(
    bounding_boxes: dict[str, Any],
    height: Any = None,
    width: Any = None,
    bounding_box_format: str = "xyxy",
) -> dict[str, Any]:
    """Clip boxes to the image; labels of boxes that are empty then become -1.

    Args:
        bounding_boxes: A dict with "boxes", and perhaps "labels".
        height: Height of the image, for "xyxy".
        width: Width of the image, for "xyxy".
        bounding_box_format: "xyxy" or "rel_xyxy".

    Returns:
        A new dict.

    Raises:
        NotImplementedError: The format is another one.
        ValueError: `height` or `width` is missing.

    Example:
        >>> boxes = {"boxes": [[-2.0, 1.0, 5.0, 9.0]], "labels": [3]}
        >>> clipped = tf.keras.utils.bounding_boxes.clip_to_image_size(boxes, height=8, width=4)
        >>> clipped["boxes"].numpy()
        array([[0., 1., 4., 8.]], dtype=float32)
    """
    if bounding_box_format not in ("xyxy", "rel_xyxy"):
        raise NotImplementedError(
            f"Boxes are clipped in the formats 'xyxy' and 'rel_xyxy'. Received: "
            f"{bounding_box_format!r}"
        )
    if bounding_box_format == "rel_xyxy":
        height = width = 1
    elif height is None or width is None:
        raise ValueError("`height` and `width` are needed to clip boxes of the format 'xyxy'.")
    boxes = tf.convert_to_tensor(bounding_boxes["boxes"])
    boxes = _clipped(tf.split(boxes, 4, axis=-1), height, width)
    clipped = {**bounding_boxes, "boxes": boxes}
    if bounding_boxes.get("labels") is not None:
        labels = tf.convert_to_tensor(bounding_boxes["labels"])
        area = (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
        clipped["labels"] = tf.where(area > 0, labels, tf.constant(-1, labels.dtype))
    return clipped


def _clipped(corners: Any, height: Any, width: Any) -> Any:
    """Join corners that are moved into an image of that size."""
    limits = (width, height) * 2
    return tf.concat(
        [clip(value, 0, limit) for value, limit in zip(corners, limits)],
        axis=-1,
    )


def clip(value: Any, lower: TensorLike, upper: TensorLike) -> Any:
    """Clip to limits that may be tensors of other shapes."""
    lower, upper = tf.cast(lower, value.dtype), tf.cast(upper, value.dtype)
    return tf.minimum(tf.maximum(value, lower), upper)


def affine_transform(
    boxes: TensorLike,
    angle: Any,
    translate_x: Any,
    translate_y: Any,
    scale: TensorLike,
    shear_x: Any,
    shear_y: Any,
    height: Any,
    width: Any,
    center_x: float | None = None,
    center_y: float | None = None,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return the boxes around transformed boxes.

    Args:
        boxes: Tensor of shape (batch, boxes, 4).
        angle: Rotation in degrees: one number for each image, as of the other tensors.
        translate_x: Shift as a fraction of the width.
        translate_y: Shift as a fraction of the height.
        scale: Factor of the size.
        shear_x: Shear in degrees.
        shear_y: Shear in degrees.
        height: Height of the images.
        width: Width of the images.
        center_x: Centre of the rotation as a fraction of the width; None is 0.5.
        center_y: Centre of the rotation as a fraction of the height; None is 0.5.
        bounding_box_format: "xyxy".

    Returns:
        A tensor of the shape of `boxes`.

    Raises:
        NotImplementedError: The format is another one.
    """
    _only_corners(bounding_box_format)
    x = 0.5 if center_x is None else center_x
    y = 0.5 if center_y is None else center_y
    matrix = _inverse_matrix(
        x, y, angle, translate_x, translate_y, scale, shear_x, shear_y, height, width
    )
    x1, y1, x2, y2 = tf.unstack(tf.cast(boxes, matrix.dtype), axis=-1)
    one = tf.ones_like(x1)
    corners = [tf.stack([x, y, one], -1) for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
    moved = tf.einsum("bnkc,brc->bnkr", tf.stack(corners, axis=2), matrix)
    return tf.concat([tf.reduce_min(moved, axis=2), tf.reduce_max(moved, axis=2)], axis=-1)


def _inverse_matrix(
    center_x: Any,
    center_y: Any,
    angle: Any,
    translate_x: Any,
    translate_y: Any,
    scale: TensorLike,
    shear_x: Any,
    shear_y: Any,
    height: Any,
    width: Any,
) -> Any:
    """Return matrices `(batch, 2, 3)` from places in the input to places in the output."""
    angle = tf.convert_to_tensor(angle)
    width, height = (tf.cast(size, angle.dtype) - 1 for size in (width, height))
    x, y = center_x * width, center_y * height
    moved_x, moved_y = x - translate_x * width, y - translate_y * height
    turn, lean_x, lean_y = (-value * (math.pi / 180) for value in (angle, shear_x, shear_y))
    a = tf.cos(turn - lean_y) / tf.cos(lean_y)
    b = a * tf.tan(lean_x) + tf.sin(turn)
    c = -tf.sin(turn - lean_y) / tf.cos(lean_y)
    d = tf.cos(turn) - c * tf.tan(lean_x)
    a0, a1, b0, b1 = d * scale, -b * scale, -c * scale, a * scale
    rows = [[a0, a1, x - a0 * moved_x - a1 * moved_y], [b0, b1, y - b0 * moved_x - b1 * moved_y]]
    return tf.stack([tf.stack(row, axis=-1) for row in rows], axis=1)


def crop(
    boxes: TensorLike,
    top: Any,
    left: Any,
    height: Any,
    width: Any,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return boxes in a part of the image that begins at (`top`, `left`), clipped to it.

    Args:
        boxes: Tensor of shape (..., 4).
        top: First row of the part.
        left: First column of the part.
        height: Height of the part.
        width: Width of the part.
        bounding_box_format: "xyxy".

    Returns:
        A tensor of the shape of `boxes`.

    Raises:
        NotImplementedError: The format is another one.

    Example:
        >>> tf.keras.utils.bounding_boxes.crop([[1.0, 1.0, 9.0, 9.0]], 2, 2, 4, 4).numpy()
        array([[0., 0., 4., 4.]], dtype=float32)
    """
    _only_corners(bounding_box_format)
    return _clipped(_moved(boxes, -left, -top), height, width)


def pad(
    boxes: TensorLike,
    top: Any,
    left: Any,
    height: Any = None,
    width: Any = None,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return boxes in an image that has grown by `top` rows and `left` columns.

    Args:
        boxes: Tensor of shape (..., 4).
        top: Rows added above.
        left: Columns added on the left.
        height: Accepted; not used.
        width: Accepted; not used.
        bounding_box_format: "xyxy".

    Returns:
        A tensor of the shape of `boxes`.

    Raises:
        NotImplementedError: The format is another one.

    Example:
        >>> tf.keras.utils.bounding_boxes.pad([[1.0, 1.0, 3.0, 3.0]], top=2, left=5).numpy()
        array([[6., 3., 8., 5.]], dtype=float32)
    """
    _only_corners(bounding_box_format)
    return tf.concat(_moved(boxes, left, top), axis=-1)


def _moved(boxes: TensorLike, x: TensorLike, y: TensorLike) -> list[Any]:
    boxes = tf.convert_to_tensor(boxes)
    shift = (tf.cast(x, boxes.dtype), tf.cast(y, boxes.dtype)) * 2
    return [value + by for value, by in zip(tf.split(boxes, 4, axis=-1), shift)]


def _only_corners(bounding_box_format: str) -> None:
    if bounding_box_format != "xyxy":
        raise NotImplementedError(
            f"Expected boxes of the format 'xyxy': use `convert_format` before. Received: "
            f"{bounding_box_format!r}"
        )
