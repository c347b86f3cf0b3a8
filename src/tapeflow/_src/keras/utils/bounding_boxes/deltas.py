"""Boxes as differences from anchors, which detection models predict."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format


def encode_box_to_deltas(
    anchors: Any,
    boxes: Any,
    anchor_format: str,
    box_format: str,
    encoding_format: str = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any:
    """Return the shift of the centres in units of the anchors, and logarithms of size ratios.

    Args:
        anchors: Tensor of shape (..., 4).
        boxes: Tensor of shape (..., 4), which broadcasts with `anchors`.
        anchor_format: Format of the anchors; see `convert_format`.
        box_format: Format of the boxes.
        encoding_format: "center_yxhw" or "center_xywh".
        variance: Four divisors of the differences; None for none.
        image_shape: Tuple (height, width, channels), for relative formats.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        ValueError: `encoding_format` has another value, or `variance` not four numbers.

    Example:
        >>> anchors, boxes = [[0.0, 0.0, 4.0, 4.0]], [[2.0, 0.0, 6.0, 4.0]]
        >>> encode = tf.keras.utils.bounding_boxes.encode_box_to_deltas
        >>> encode(anchors, boxes, "xyxy", "xyxy").numpy()
        array([[0. , 0.5, 0. , 0. ]], dtype=float32)
    """
    variance = _checked(variance, encoding_format)
    height, width = (None, None) if image_shape is None else image_shape[:2]
    anchors = convert_format(anchors, anchor_format, encoding_format, height, width)
    boxes = convert_format(boxes, box_format, encoding_format, height, width)
    anchor_size = tf.maximum(anchors[..., 2:], epsilon())
    box_size = tf.maximum(boxes[..., 2:], epsilon())
    shift = (boxes[..., :2] - anchors[..., :2]) / anchor_size
    deltas = tf.concat([shift, tf.math.log(box_size / anchor_size)], axis=-1)
    return deltas if variance is None else deltas / variance


def decode_deltas_to_boxes(
    anchors: Any,
    boxes_delta: Any,
    anchor_format: str,
    box_format: str,
    encoded_format: str = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any:
    """Return the boxes of differences from anchors: the inverse of `encode_box_to_deltas`.

    Anchors and differences may be dicts with the same keys, the levels of a feature pyramid.

    Args:
        anchors: Tensor of shape (..., 4).
        boxes_delta: Differences from them.
        anchor_format: Format of the anchors; see `convert_format`.
        box_format: Format of the result.
        encoded_format: "center_yxhw" or "center_xywh".
        variance: Four factors of the differences; None for none.
        image_shape: Tuple (height, width, channels), for relative formats.

    Returns:
        A tensor of boxes, or a dict of them.

    Raises:
        ValueError: `encoded_format` has another value, or `variance` not four numbers.

    Example:
        >>> decode = tf.keras.utils.bounding_boxes.decode_deltas_to_boxes
        >>> deltas = tf.constant([[0.0, 0.5, 0.0, 0.0]])
        >>> decode([[0.0, 0.0, 4.0, 4.0]], deltas, "xyxy", "xyxy").numpy()
        array([[2., 0., 6., 4.]], dtype=float32)
    """
    variance = _checked(variance, encoded_format)
    height, width = (None, None) if image_shape is None else image_shape[:2]

    def decode(anchor: Any, delta: Any) -> Any:
        anchor = convert_format(anchor, anchor_format, encoded_format, height, width)
        delta = delta if variance is None else delta * variance
        centre = delta[..., :2] * anchor[..., 2:] + anchor[..., :2]
        box = tf.concat([centre, tf.exp(delta[..., 2:]) * anchor[..., 2:]], axis=-1)
        return convert_format(box, encoded_format, box_format, height, width)

    if isinstance(anchors, dict) and isinstance(boxes_delta, dict):
        return {level: decode(anchor, boxes_delta[level]) for level, anchor in anchors.items()}
    return decode(anchors, boxes_delta)


def _checked(variance: Any, encoding: str) -> Any:
    if encoding not in ("center_xywh", "center_yxhw"):
        raise ValueError(
            f"Boxes are encoded as 'center_xywh' or 'center_yxhw'. Received: {encoding!r}"
        )
    if variance is None:
        return None
    variance = tf.convert_to_tensor(variance, "float32")
    if variance.shape[-1] != 4:
        raise ValueError(f"`variance` must have 4 numbers. Received: {variance}")
    return variance
