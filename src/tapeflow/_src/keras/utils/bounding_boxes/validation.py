"""Bounding boxes as layers receive them: checked, and with the same number for each image."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf


def densify_bounding_boxes(
    bounding_boxes: Any,
    is_batched: bool = False,
    max_boxes: int | None = None,
    boxes_default_value: float = 0,
    labels_default_value: int = -1,
) -> dict[str, Any]:
    """Return `"boxes"` and `"labels"` as tensors; ragged ones and lists are padded.

    Args:
        max_boxes: the number of boxes of each image; by default the largest one.
    """
    validate_bounding_boxes(bounding_boxes)
    boxes, labels = bounding_boxes["boxes"], bounding_boxes["labels"]
    if isinstance(boxes, tf.RaggedTensor):
        shape = [None, max_boxes] if is_batched else [max_boxes]
        boxes = boxes.to_tensor(boxes_default_value, shape=[*shape, 4])
        inner = [None] * (labels.shape.rank - len(shape))
        labels = labels.to_tensor(labels_default_value, shape=[*shape, *inner])
    elif isinstance(boxes, list) and len({len(row) for row in boxes}) > 1:
        count = max_boxes or max(len(row) for row in boxes)
        boxes = _padded(boxes, count, boxes_default_value, (4,))
        labels = _padded(labels, count, labels_default_value, ()).astype("int32")
    return {
        **bounding_boxes,
        "boxes": tf.cast(boxes, "float32"),
        "labels": tf.convert_to_tensor(labels),
    }


def _padded(rows: list[Any], count: int, value: float, shape: tuple[int, ...]) -> np.ndarray:
    padded = np.full((len(rows), count, *shape), value, "float32")
    for number, row in enumerate(rows):
        values = list(row)[:count]
        if values:
            padded[number, : len(values)] = values
    return padded


def validate_bounding_boxes(bounding_boxes: Any) -> None:
    """Raise ValueError for boxes and labels that do not fit together."""
    if not isinstance(bounding_boxes, dict) or not {"boxes", "labels"} <= bounding_boxes.keys():
        raise ValueError(
            f"`bounding_boxes` must be a dict with 'boxes' and 'labels'. Received: {bounding_boxes}"
        )
    boxes, labels = bounding_boxes["boxes"], bounding_boxes["labels"]
    for kind in (list, tf.RaggedTensor):
        if isinstance(boxes, kind) and not isinstance(labels, kind):
            raise ValueError(
                f"Boxes in a {kind.__name__} need labels in one. Received: labels={labels}"
            )
    if isinstance(boxes, tf.RaggedTensor):
        return
    if isinstance(boxes, list):
        if len(boxes) != len(labels):
            raise ValueError(
                f"Boxes and labels must be of the same length. Received: {len(boxes)} and "
                f"{len(labels)}"
            )
        return
    rank, label_rank = len(boxes.shape), len(labels.shape)
    if rank not in (2, 3):
        raise ValueError(
            f"Boxes must be of shape (boxes, 4) or (batch, boxes, 4). Received: {boxes.shape}"
        )
    if label_rank not in (rank - 1, rank):
        raise ValueError(
            f"Labels of boxes of shape {boxes.shape} must have rank {rank - 1} or {rank}. "
            f"Received: {labels.shape}"
        )
