"""Galleries of images, with Matplotlib."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.visualization.drawing import (
    check_batch,
    draw_bounding_boxes,
    draw_segmentation_masks,
)

_pyplot = LazyModule("matplotlib.pyplot", "galleries of images", install="matplotlib")
_patches = LazyModule("matplotlib.patches", "legends", install="matplotlib")


def plot_image_gallery(
    images: Any,
    y_true: Any = None,
    y_pred: Any = None,
    label_map: dict[int, str] | None = None,
    rows: int | None = None,
    cols: int | None = None,
    value_range: Any = (0, 255),
    scale: float = 2,
    path: Any = None,
    show: bool | None = None,
    transparent: bool = True,
    dpi: int = 60,
    legend_handles: Any = None,
    data_format: str | None = None,
) -> None:
    """Show a batch of images in rows and columns, or save the picture.

    Args:
        images: A batch (4 axes).
        y_true: Labels, which are written above the images.
        y_pred: Predicted labels, likewise.
        label_map: Names of the labels; needed with labels.
        rows: Number of rows; None makes the gallery about square.
        cols: Number of columns; None follows from the rows.
        value_range: Range of pixel values.
        scale: Size of an image, in inches.
        path: File to save; None shows the gallery.
        show: Whether to show it; None if there is no `path`.
        transparent: Whether the background of the file is transparent.
        dpi: Dots per inch of the file.
        legend_handles: Matplotlib's handles of a legend below the images.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        None.

    Raises:
        ValueError: `path` comes with `show=True`, or labels come without `label_map`.
    """
    if path is not None and show:
        raise ValueError("Pass `path` to save the gallery or show=True to see it, not both.")
    if label_map is None and (y_true is not None or y_pred is not None):
        raise ValueError("`label_map` is needed to name the labels of `y_true` and `y_pred`.")
    pictures = _channels_last(images, data_format)
    low, high = value_range
    pictures = ((pictures - low) / (high - low) * 255).astype("uint8")
    rows = rows or math.ceil(math.sqrt(len(pictures)))
    cols = cols or math.ceil(len(pictures) / rows)
    titles = [_title(number, y_true, y_pred, label_map or {}) for number in range(len(pictures))]
    figure = _figure(pictures, titles, rows, cols, scale, legend_handles)
    if path is not None:
        figure.savefig(path, pad_inches=0, bbox_inches="tight", transparent=transparent, dpi=dpi)
    elif show is None or show:
        _pyplot.show()
    _pyplot.close(figure)


def _figure(
    pictures: Any, titles: list[str], rows: int, cols: int, scale: float, legend_handles: Any
) -> Any:
    """Return a figure with the pictures in rows and columns."""
    figure, axes = _pyplot.subplots(
        rows, cols, figsize=(cols * scale, rows * scale), layout="tight", squeeze=False
    )
    if legend_handles is not None:
        figure.legend(handles=legend_handles, loc="lower center")
    for number, axis in enumerate(axes.ravel()):
        axis.axis("off")
        if number < len(pictures):
            axis.imshow(np.squeeze(pictures[number]))
            axis.set_title(titles[number], fontsize=8)
    return figure


def _title(number: int, y_true: Any, y_pred: Any, names: dict[int, str]) -> str:
    """Return what is written above an image."""
    parts = []
    for word, labels in (("Label", y_true), ("Pred", y_pred)):
        if labels is not None and number < len(labels):
            parts.append(f"{word}: {names.get(int(np.asarray(labels)[number]), 'Unknown')}")
    return "  ".join(parts)


def plot_bounding_box_gallery(
    images: Any,
    bounding_box_format: str,
    y_true: Any = None,
    y_pred: Any = None,
    value_range: Any = (0, 255),
    true_color: Any = (0, 188, 212),
    pred_color: Any = (255, 235, 59),
    line_thickness: int = 2,
    font_scale: float = 1.0,
    text_thickness: int | None = None,
    class_mapping: dict[int, str] | None = None,
    ground_truth_mapping: dict[int, str] | None = None,
    prediction_mapping: dict[int, str] | None = None,
    legend: bool = False,
    legend_handles: Any = None,
    rows: int | None = None,
    cols: int | None = None,
    data_format: str | None = None,
    **kwargs: Any,
) -> None:
    """Show a batch of images with their boxes, `y_true` and `y_pred`, in two colours.

    Args:
        images: A batch (4 axes).
        bounding_box_format: Format of the boxes.
        y_true: Dict of boxes and labels.
        y_pred: Dict of predicted boxes and labels.
        value_range: Range of pixel values.
        true_color: Colour of `y_true`.
        pred_color: Colour of `y_pred`.
        line_thickness: Thickness of lines, in pixels.
        font_scale: Factor of the size of texts.
        text_thickness: Thickness of letters, in pixels; None is that of lines.
        class_mapping: Names of labels.
        ground_truth_mapping: Names of labels of `y_true`, instead.
        prediction_mapping: Names of labels of `y_pred`, instead.
        legend: Whether to add a legend of the two colours.
        legend_handles: Matplotlib's handles of a legend, instead.
        rows: Number of rows.
        cols: Number of columns.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        **kwargs: Arguments of `plot_image_gallery`.

    Returns:
        None.
    """
    if legend and legend_handles:
        raise ValueError("Pass `legend` or `legend_handles`, not both.")
    pictures = _channels_last(images, data_format)
    sides = (
        (y_true, true_color, ground_truth_mapping, "Ground Truth"),
        (y_pred, pred_color, prediction_mapping, "Prediction"),
    )
    style = (line_thickness, text_thickness, font_scale)
    pictures = _with_boxes(pictures, sides, bounding_box_format, class_mapping, style)
    if legend:
        legend_handles = [_patch(color, word) for _, color, _, word in sides]
    kwargs = {**kwargs, "rows": rows, "cols": cols, "legend_handles": legend_handles}
    plot_image_gallery(pictures, value_range=value_range, data_format="channels_last", **kwargs)


def _channels_last(images: Any, data_format: str | None) -> np.ndarray:
    check_batch(images)
    pictures = np.asarray(images)
    first = standardize_data_format(data_format) == "channels_first"
    return pictures.transpose(0, 2, 3, 1) if first else pictures


def _with_boxes(
    pictures: Any,
    sides: Any,
    bounding_box_format: str,
    class_mapping: Any,
    style: tuple[int, int | None, float],
) -> Any:
    """Draw the boxes of both sides into pictures, in lines and texts of a thickness and a scale."""
    for boxes, color, mapping, _ in sides:
        if boxes is not None:
            arguments = (bounding_box_format, mapping or class_mapping, color, *style)
            pictures = draw_bounding_boxes(pictures, boxes, *arguments, data_format="channels_last")
    return pictures


def _patch(color: Any, label: str) -> Any:
    return _patches.Patch(color=np.array(color) / 255.0, label=label)


def plot_segmentation_mask_gallery(
    images: Any,
    num_classes: int,
    value_range: Any = (0, 255),
    y_true: Any = None,
    y_pred: Any = None,
    color_mapping: dict[int, Any] | None = None,
    blend: bool = True,
    alpha: float = 0.8,
    ignore_index: int = -1,
    data_format: str | None = None,
    **kwargs: Any,
) -> None:
    """Show each image of a batch beside itself with its masks, `y_true` and `y_pred`.

    Args:
        images: A batch (4 axes).
        num_classes: How many classes are coloured.
        value_range: Range of pixel values.
        y_true: Masks, integers with one channel.
        y_pred: Predicted masks.
        color_mapping: The colour of each class; None chooses them.
        blend: Whether colours are mixed with the images.
        alpha: How opaque colours are.
        ignore_index: Pixels of this class stay as they are.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        **kwargs: Arguments of `plot_image_gallery`.

    Returns:
        None.
    """
    check_batch(images)
    first = standardize_data_format(data_format) == "channels_first"

    def last(values: Any) -> np.ndarray:
        values = np.asarray(values)
        return values.transpose(0, 2, 3, 1) if first else values

    pictures = last(images)
    columns = [pictures]
    for masks in (y_true, y_pred):
        if masks is not None:
            columns.append(
                draw_segmentation_masks(
                    *(pictures, last(masks).astype("int32"), num_classes, color_mapping),
                    *(alpha, blend, ignore_index, "channels_last"),
                )
            )
    gallery = np.stack(columns, axis=1).reshape(-1, *pictures.shape[1:])
    kwargs = {**kwargs, "rows": len(pictures), "cols": len(columns)}
    plot_image_gallery(gallery, value_range=value_range, data_format="channels_last", **kwargs)
