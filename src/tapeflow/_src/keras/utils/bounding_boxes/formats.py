"""The formats of bounding boxes, and conversion between them.

Every format is four numbers a box; those of `rel_` formats are fractions of the image's size.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf

# From the four numbers of a format to the corners x1, y1, x2, y2.
_TO_CORNERS: dict[str, Any] = {
    "xyxy": lambda a, b, c, d: (a, b, c, d),
    "yxyx": lambda a, b, c, d: (b, a, d, c),
    "xywh": lambda a, b, c, d: (a, b, a + c, b + d),
    "center_xywh": lambda a, b, c, d: (a - c / 2, b - d / 2, a + c / 2, b + d / 2),
    "center_yxhw": lambda a, b, c, d: (b - d / 2, a - c / 2, b + d / 2, a + c / 2),
}
_FROM_CORNERS: dict[str, Any] = {
    "xyxy": lambda x1, y1, x2, y2: (x1, y1, x2, y2),
    "yxyx": lambda x1, y1, x2, y2: (y1, x1, y2, x2),
    "xywh": lambda x1, y1, x2, y2: (x1, y1, x2 - x1, y2 - y1),
    "center_xywh": lambda x1, y1, x2, y2: (
        *(x1 + (x2 - x1) / 2, y1 + (y2 - y1) / 2, x2 - x1, y2 - y1),
    ),
    "center_yxhw": lambda x1, y1, x2, y2: (
        *(y1 + (y2 - y1) / 2, x1 + (x2 - x1) / 2, y2 - y1, x2 - x1),
    ),
}
_RELATIVE = ("rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh")
FORMATS = (*_TO_CORNERS, *_RELATIVE)


def convert_format(
    boxes: Any,
    source: str,
    target: str,
    height: Any = None,
    width: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Convert boxes from one format to another.

    Args:
        boxes: A tensor (..., 4), or a dict with one as "boxes", of which a new dict is made.
        source: Their format: "xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy",
            "rel_yxyx", "rel_xywh" or "rel_center_xywh".
        target: Format of the result.
        height: Height of the images; needed for relative formats.
        width: Width of the images; needed for relative formats.
        dtype: Dtype of the result.

    Returns:
        A tensor, or a dict.

    Raises:
        ValueError: A format is not one of these, boxes do not have 4 numbers, or sizes are missing.

    Example:
        >>> convert = tf.keras.utils.bounding_boxes.convert_format
        >>> convert([[1.0, 2.0, 3.0, 4.0]], "xywh", "xyxy").numpy()
        array([[1., 2., 4., 6.]], dtype=float32)
        >>> convert([[1.0, 2.0, 3.0, 4.0]], "xyxy", "rel_xyxy", height=4, width=10).numpy()
        array([[0.1, 0.5, 0.3, 1. ]], dtype=float32)
    """
    if isinstance(boxes, dict):
        converted = convert_format(boxes["boxes"], source, target, height, width, dtype)
        return {**boxes, "boxes": converted}
    source, target = source.lower(), target.lower()
    for name in (source, target):
        if name not in FORMATS:
            raise ValueError(f"Unknown format of boxes: {name!r}. Expected one of {FORMATS}")
    boxes = tf.cast(boxes, dtype)
    if boxes.shape[-1] != 4:
        raise ValueError(f"`boxes` must have 4 numbers each. Received the shape {boxes.shape}")
    relative = [name.startswith("rel_") for name in (source, target)]
    if any(relative) and (height is None or width is None):
        raise ValueError(
            f"`height` and `width` of the images are needed between {source!r} and {target!r}. "
            f"Received: height={height}, width={width}"
        )
    if source == target:
        return boxes
    corners = _TO_CORNERS[source.removeprefix("rel_")](*tf.split(boxes, 4, axis=-1))
    if relative[0] != relative[1]:
        size = (tf.cast(width, dtype), tf.cast(height, dtype)) * 2
        if relative[0]:
            corners = tuple(value * scale for value, scale in zip(corners, size))
        else:
            corners = tuple(value / scale for value, scale in zip(corners, size))
    return tf.concat(_FROM_CORNERS[target.removeprefix("rel_")](*corners), axis=-1)
