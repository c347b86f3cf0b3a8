"""Bounding boxes and segmentation masks drawn into images, with Pillow and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format

_pillow = LazyModule("PIL.Image", "drawing boxes", install="pillow")
_drawing = LazyModule("PIL.ImageDraw", "drawing boxes", install="pillow")
_fonts = LazyModule("PIL.ImageFont", "drawing boxes", install="pillow")
_FONT_PIXELS = 24
_PALETTE = np.array([2**25 - 1, 2**15 - 1, 2**21 - 1])


def check_batch(images: Any) -> None:
    """Raise ValueError unless images are a batch."""
    if len(images.shape) != 4:
        raise ValueError(f"`images` must be a batch of rank 4. Received: {images.shape}")


def _check_boxes(bounding_boxes: Any) -> None:
    if not isinstance(bounding_boxes, dict):
        raise TypeError(
            f"`bounding_boxes` must be a dict. Received: {bounding_boxes} of type "
            f"{type(bounding_boxes).__name__}"
        )
    if not {"boxes", "labels"} <= bounding_boxes.keys():
        raise ValueError(
            f"`bounding_boxes` needs the keys 'boxes' and 'labels'. Received: "
            f"{sorted(bounding_boxes)}"
        )


def draw_bounding_boxes(
    images: Any,
    bounding_boxes: Any,
    bounding_box_format: str,
    class_mapping: dict[int, str] | None = None,
    color: Any = (128, 128, 128),
    line_thickness: int = 2,
    text_thickness: int | None = 1,
    font_scale: float = 1.0,
    data_format: str | None = None,
) -> np.ndarray:
    """Return images of uint8 with boxes drawn into them.

    Args:
        images: A batch (4 axes); floats of at most 1 are taken as fractions of 255.
        bounding_boxes: Dict with "boxes" and "labels", and perhaps "confidences". Boxes of the
            label -1 are not drawn.
        bounding_box_format: Format such as "xyxy"; see `keras.utils.bounding_boxes.convert_format`.
        class_mapping: Names of labels, which are written beside the boxes.
        color: Colour of lines and texts.
        line_thickness: Thickness of lines, in pixels.
        text_thickness: Thickness of letters, in pixels.
        font_scale: Factor of the size of texts.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        An array of the shape of `images`.

    Raises:
        TypeError: `bounding_boxes` is not a dict.
        ValueError: `images` is not a batch, or a key is missing.

    Example:
        >>> boxes = {"boxes": np.array([[[2, 2, 6, 6]]]), "labels": np.array([[0]])}
        >>> tf.keras.visualization.draw_bounding_boxes(np.zeros((1, 8, 8, 3)), boxes, "xyxy").shape
        (1, 8, 8, 3)
    """
    data_format = standardize_data_format(data_format)
    check_batch(images)
    _check_boxes(bounding_boxes)
    axes = (1, 2) if data_format == "channels_last" else (2, 3)
    height, width = (images.shape[axis] for axis in axes)
    boxes = convert_format(bounding_boxes["boxes"], bounding_box_format, "xyxy", height, width)
    drawn = []
    for number, picture in enumerate(_as_bytes(images)):
        canvas = _pillow.fromarray(np.ascontiguousarray(picture))
        pen = _drawing.Draw(canvas)
        for place, box in enumerate(np.asarray(boxes[number]).astype("int32").tolist()):
            label = int(np.asarray(bounding_boxes["labels"])[number][place])
            if label == -1:
                continue
            text = (class_mapping or {}).get(label)
            if text is not None and "confidences" in bounding_boxes:
                share = float(np.asarray(bounding_boxes["confidences"])[number][place])
                text = f"{text} | {share:.2f}"
            _draw(pen, box, text, tuple(color), line_thickness, text_thickness, font_scale)
        drawn.append(np.asarray(canvas))
    return np.stack(drawn)


def _as_bytes(images: Any) -> np.ndarray:
    images = np.asarray(images)
    if images.dtype.kind == "f" and images.size:
        images = np.clip(images, 0, 1) * 255 if images.max() <= 1 else np.clip(images, 0, 255)
    return images.astype("uint8")


def _draw(
    pen: Any,
    box: list[int],
    text: str | None,
    color: Any,
    line_thickness: int,
    text_thickness: int | None,
    font_scale: float,
) -> None:
    """Draw one box, with a text above it or, where there is no room, inside."""
    x1, y1, x2, y2 = box
    ordered = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
    pen.rectangle(ordered, outline=color, width=line_thickness)
    if text is None:
        return
    font = _fonts.load_default(size=max(int(_FONT_PIXELS * font_scale * 0.75), 1))
    height = int(_FONT_PIXELS * font_scale)
    above = y1 - 8 - height
    place = (x1, above) if above > 0 else (x1 + 3, y1 + line_thickness)
    stroke = max((text_thickness or line_thickness) - 1, 0)
    pen.text(place, text, fill=color, font=font, stroke_width=stroke)


def draw_segmentation_masks(
    images: Any,
    segmentation_masks: Any,
    num_classes: int | None = None,
    color_mapping: dict[int, Any] | None = None,
    alpha: float = 0.8,
    blend: bool = True,
    ignore_index: int = -1,
    data_format: str | None = None,
) -> np.ndarray:
    """Return images with the pixels of each class coloured.

    Args:
        images: A batch (4 axes) with values up to 255.
        segmentation_masks: Classes of pixels, as integers with one channel.
        num_classes: How many classes are coloured; None is all but the largest one.
        color_mapping: The colour of each class; None chooses them.
        alpha: How opaque colours are, between 0 and 1.
        blend: Whether colours are mixed with the images.
        ignore_index: Pixels of this class stay as they are.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        An array of images with channels last.

    Raises:
        TypeError: The masks are not integers.
        ValueError: `images` is not a batch.

    Example:
        >>> masks = np.ones((1, 8, 8, 1), "int32")
        >>> tf.keras.visualization.draw_segmentation_masks(np.zeros((1, 8, 8, 3)), masks, 2).shape
        (1, 8, 8, 3)
    """
    data_format = standardize_data_format(data_format)
    check_batch(images)
    pictures = np.asarray(images).astype("float32")
    classes = np.asarray(segmentation_masks)
    if classes.dtype.kind not in "iu":
        raise TypeError(f"`segmentation_masks` must be integers. Received: {classes.dtype.name}")
    if data_format == "channels_first":
        pictures, classes = pictures.transpose(0, 2, 3, 1), classes.transpose(0, 2, 3, 1)
    classes = classes[..., 0]
    count = int(classes.max()) if num_classes is None else num_classes
    colored = pictures.copy()
    for number in range(count):
        color = (number * _PALETTE) % 255 if color_mapping is None else color_mapping[number]
        colored[classes == number] = np.asarray(color, "float32")
    if not blend:
        return colored
    mixed = pictures * (1 - alpha) + colored * alpha
    return np.where((classes != ignore_index)[..., None], mixed, pictures).astype("uint8")
