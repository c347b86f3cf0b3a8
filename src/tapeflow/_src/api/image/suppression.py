"""Non-maximum suppression of overlapping boxes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32, int32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.image import suppression as ops

_NO_THRESHOLD = float("-inf")


@scoped("non_max_suppression")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NO_THRESHOLD,
    name: str | None = None,
) -> Tensor:
    """Select boxes greedily by score, dropping those that overlap a selected one.

    Args:
        boxes: `[boxes, 4]`: `[y1, x1, y2, x2]`.
        scores: One score per box.
        max_output_size: The largest number of boxes to select.
        iou_threshold: Boxes that overlap more (intersection over union) are dropped.
        score_threshold: Boxes with a lower score are dropped.
        name: Name of the op in a graph.

    Returns:
        The indices of the selected boxes, by descending score.

    Example:
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
        >>> tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], max_output_size=3).numpy()
        array([0, 2], dtype=int32)
    """
    return ops.non_max_suppression_v3(
        boxes, scores, max_output_size, iou_threshold, score_threshold, name=name
    )


@scoped("non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NO_THRESHOLD,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Select boxes as `non_max_suppression`; also return scores, decayed by overlap (Soft-NMS).

    Args:
        boxes: `[boxes, 4]`: `[y1, x1, y2, x2]`.
        scores: One score per box.
        max_output_size: The largest number of boxes to select.
        iou_threshold: Boxes that overlap more (intersection over union) are dropped.
        score_threshold: Boxes with a lower score are dropped.
        soft_nms_sigma: Width of the Gaussian by which overlap decays scores; 0 for no decay.

    Returns:
        The indices of the selected boxes, and their scores.

    Example:
        >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 5.0, 1.0, 6.0]]
        >>> indices, scores = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.75], 2)
        >>> indices.numpy(), scores.numpy()
        (array([1, 0], dtype=int32), array([0.75, 0.5 ], dtype=float32))
    """
    selected, lowered, _ = ops.non_max_suppression_v5(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, name=name
    )
    return selected, lowered


@scoped("non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: TensorLike,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = _NO_THRESHOLD,
    name: str | None = None,
) -> Tensor:
    """Select boxes as `non_max_suppression`, from a matrix of pairwise overlaps.

    Args:
        overlaps: Square matrix of the overlap of each pair of boxes.
        scores: One score per box.
        max_output_size: The largest number of boxes to select.
        overlap_threshold: Boxes that overlap more are dropped.
        score_threshold: Boxes with a lower score are dropped.

    Returns:
        The indices of the selected boxes, by descending score.

    Example:
        >>> overlaps = [[1.0, 0.9], [0.9, 1.0]]
        >>> tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.8], 2).numpy()
        array([1], dtype=int32)
    """
    return ops.non_max_suppression_with_overlaps(
        overlaps, scores, max_output_size, overlap_threshold, score_threshold, name=name
    )


@scoped("combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NO_THRESHOLD,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Select the best boxes of all classes for each image of a batch.

    Args:
        boxes: `[batch, boxes, classes, 4]`, or 1 instead of classes if all share the boxes.
        scores: `[batch, boxes, classes]`.
        max_output_size_per_class: The largest number of boxes to select per class.
        max_total_size: The largest number of boxes to select per image.
        iou_threshold: Boxes that overlap more (intersection over union) are dropped.
        score_threshold: Boxes with a lower score are dropped.
        pad_per_class: Whether results are padded to `max_output_size_per_class * classes` where
            that
            is less than `max_total_size`.
        clip_boxes: Whether boxes are clipped to [0, 1].

    Returns:
        Boxes, scores, classes and the number of valid detections of each image.

    Example:
        >>> boxes = tf.constant([[[[0.0, 0.0, 0.5, 0.5]], [[0.5, 0.5, 1.0, 1.0]]]])
        >>> scores = tf.constant([[[0.9, 0.0], [0.0, 0.8]]])
        >>> detections = tf.image.combined_non_max_suppression(
        ...     boxes, scores, 2, 2, score_threshold=0.5
        ... )
        >>> detections.nmsed_classes.numpy(), detections.valid_detections.numpy()
        (array([[0., 1.]], dtype=float32), array([2], dtype=int32))
    """
    detections = ops.combined_non_max_suppression(
        boxes,
        scores,
        convert(max_output_size_per_class, int32),
        convert(max_total_size, int32),
        convert(iou_threshold, float32),
        convert(score_threshold, float32),
        pad_per_class=pad_per_class,
        clip_boxes=clip_boxes,
        name=name,
    )
    return ops.combined_non_max_suppression.result_type(*detections)
