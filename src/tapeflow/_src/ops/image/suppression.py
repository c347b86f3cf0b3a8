"""Non-maximum suppression: of boxes that overlap much, the one with the highest score is selected.

Runs on the host: how many boxes are selected depends on their values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import float16, float32, int32
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.registry import UNREGISTERED, Free, Index, InferError, Static, op
from tapeflow._src.core.spec import Spec

_DTYPES = frozenset({float16, float32})
_HOST = "how many boxes are kept depends on their values"
# The overlaps of one box, by index, with others.
Overlap = Callable[[int, np.ndarray], np.ndarray]


def _overlap_of(boxes: np.ndarray) -> Overlap:
    """Compute the intersection over union of boxes `[y1, x1, y2, x2]`, corners in any order."""
    boxes = boxes.astype(np.float32)
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, axis=1)

    def overlap(one: int, others: np.ndarray) -> np.ndarray:
        sides = np.minimum(high[others], high[one]) - np.maximum(low[others], low[one])
        shared = np.prod(np.maximum(sides, 0), axis=1)
        union = areas[others] + areas[one] - shared
        some = (areas[others] > 0) & (areas[one] > 0)
        return np.where(some, shared / np.where(some, union, 1), 0).astype(np.float32)

    return overlap


def _keep(
    scores: np.ndarray, overlap: Overlap, most: int, limit: float, threshold: float
) -> np.ndarray:
    """Return the indices of the selected boxes, in descending order of scores."""
    scores = scores.astype(np.float32)
    waiting = np.flatnonzero(scores > threshold)
    waiting = waiting[np.argsort(-scores[waiting], kind="stable")]
    selected: list[int] = []
    while waiting.size and len(selected) < most:
        best, waiting = int(waiting[0]), waiting[1:]
        selected.append(best)
        waiting = waiting[overlap(best, waiting) <= limit]
    return np.array(selected, np.int32)


def _keep_softly(
    scores: np.ndarray, overlap: Overlap, most: int, threshold: float, sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """Like `_keep`, but overlaps lower the scores of the remaining boxes, and drop none."""
    scores = scores.astype(np.float32)
    scale = np.float32(-0.5) / np.float32(sigma)
    waiting = np.flatnonzero(scores > threshold)
    selected: list[int] = []
    while waiting.size and len(selected) < most:
        best = int(waiting[np.argmax(scores[waiting])])
        selected.append(best)
        waiting = waiting[waiting != best]
        shared = overlap(best, waiting)
        scores[waiting] *= np.exp(scale * shared * shared)
        waiting = waiting[scores[waiting] > threshold]
    chosen = np.array(selected, np.int32)
    return chosen, scores[chosen]


def _output_limit(max_output_size: np.ndarray) -> int:
    most = int(max_output_size)
    if most < 0:
        raise InvalidArgumentError(None, None, f"output size must be non-negative, got {most}")
    return most


def _limit(iou_threshold: np.ndarray) -> float:
    limit = float(iou_threshold)
    if not 0 <= limit <= 1:
        raise InvalidArgumentError(None, None, f"iou_threshold must be in [0, 1], got {limit}")
    return limit


def _padded(values: np.ndarray, length: int) -> np.ndarray:
    return np.pad(values, (0, length - values.size))


# -- what is accepted -------------------------------------------------------------------------


def _check_boxes(boxes: Spec, scores: Spec, square: str = "") -> None:
    name = square or "boxes"
    if boxes.shape is not None:
        if len(boxes.shape) != 2:
            raise InferError(f"{name} must be 2-D{fmt_shape(boxes.shape)}")
        if not square and boxes.shape[1] not in (None, 4):
            raise InferError(f"boxes must have 4 columns, got shape {fmt_shape(boxes.shape)}")
        if square and None not in boxes.shape and boxes.shape[0] != boxes.shape[1]:
            raise InferError(f"{name} must be square{fmt_shape(boxes.shape)}")
    if scores.shape is not None and len(scores.shape) != 1:
        raise InferError(f"scores must be 1-D{fmt_shape(scores.shape)}")
    counts = {s.shape[0] for s in (boxes, scores) if s.shape and s.shape[0] is not None}
    if len(counts) > 1:
        raise InferError(f"scores has incompatible shape: {name} and scores are {sorted(counts)}")


def _check_scalars(**scalars: Spec) -> None:
    for name, spec in scalars.items():
        if spec.shape:
            raise InferError(f"{name} must be 0-D, got shape {fmt_shape(spec.shape)}")


def _static_size(max_output_size: Spec, padded: bool) -> Any:
    if not padded or max_output_size.value is None:
        return None
    return max(int(max_output_size.value), 0)


# -- boxes of one image -----------------------------------------------------------------------


@op("NonMaxSuppressionV3", dtypes=_DTYPES, host=_HOST, grad=UNREGISTERED, checked=True)
def non_max_suppression_v3(
    xp, boxes, scores, max_output_size: Index, iou_threshold: Free, score_threshold: Free
):
    """Return the indices of the selected boxes."""
    most, limit = _output_limit(max_output_size), _limit(iou_threshold)
    return _keep(scores, _overlap_of(boxes), most, limit, float(score_threshold))


@non_max_suppression_v3.infer
def _(boxes, scores, max_output_size, iou_threshold, score_threshold):
    _check_boxes(boxes, scores)
    _check_scalars(
        max_output_size=max_output_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
    )
    return Spec((None,), int32)


@op(
    "NonMaxSuppressionV4",
    dtypes=_DTYPES,
    host=_HOST,
    grad=UNREGISTERED,
    outputs=("selected_indices", "valid_outputs"),
    checked=True,
)
def non_max_suppression_v4(
    xp,
    boxes,
    scores,
    max_output_size: Index,
    iou_threshold: Free,
    score_threshold: Free,
    *,
    pad_to_max_output_size=False,
):
    """Return the indices of the selected boxes, zero-padded on request, and their number."""
    most, limit = _output_limit(max_output_size), _limit(iou_threshold)
    selected = _keep(scores, _overlap_of(boxes), most, limit, float(score_threshold))
    return _padded(selected, most) if pad_to_max_output_size else selected, np.int32(selected.size)


@non_max_suppression_v4.infer
def _(boxes, scores, max_output_size, iou_threshold, score_threshold, *, pad_to_max_output_size):
    _check_boxes(boxes, scores)
    _check_scalars(
        max_output_size=max_output_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
    )
    return Spec((_static_size(max_output_size, pad_to_max_output_size),), int32), Spec((), int32)


@op(
    "NonMaxSuppressionV5",
    dtypes=_DTYPES,
    host=_HOST,
    grad=UNREGISTERED,
    outputs=("selected_indices", "selected_scores", "valid_outputs"),
    checked=True,
)
def non_max_suppression_v5(
    xp,
    boxes,
    scores,
    max_output_size: Index,
    iou_threshold,
    score_threshold,
    soft_nms_sigma,
    *,
    pad_to_max_output_size=False,
):
    """Return the indices of the selected boxes and their scores, which overlaps lower if sigma is
    not 0.
    """
    most, limit, sigma = (
        _output_limit(max_output_size),
        _limit(iou_threshold),
        float(soft_nms_sigma),
    )
    if sigma < 0:
        raise InvalidArgumentError(None, None, f"soft_nms_sigma_val must be >= 0, got {sigma}")
    overlap, threshold = _overlap_of(boxes), float(score_threshold)
    if sigma:
        selected, lowered = _keep_softly(scores, overlap, most, threshold, sigma)
        lowered = lowered.astype(scores.dtype)
    else:
        selected = _keep(scores, overlap, most, limit, threshold)
        lowered = scores[selected]
    count = np.int32(selected.size)
    if pad_to_max_output_size:
        selected, lowered = _padded(selected, most), _padded(lowered, most)
    return selected, lowered, count


@non_max_suppression_v5.infer
def _(
    boxes,
    scores,
    max_output_size,
    iou_threshold,
    score_threshold,
    soft_nms_sigma,
    *,
    pad_to_max_output_size,
):
    _check_boxes(boxes, scores)
    _check_scalars(
        max_output_size=max_output_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
        soft_nms_sigma=soft_nms_sigma,
    )
    size = _static_size(max_output_size, pad_to_max_output_size)
    return Spec((size,), int32), Spec((size,), scores.dtype), Spec((), int32)


@op(
    "NonMaxSuppressionWithOverlaps",
    dtypes=frozenset({float32}),
    host=_HOST,
    grad=None,
    checked=True,
)
def non_max_suppression_with_overlaps(
    xp, overlaps, scores, max_output_size: Index, overlap_threshold, score_threshold
):
    """Return the indices of the selected boxes, for pairwise overlaps."""
    most = _output_limit(max_output_size)
    return _keep(
        scores,
        lambda one, others: overlaps[others, one],
        most,
        float(overlap_threshold),
        float(score_threshold),
    )


@non_max_suppression_with_overlaps.infer
def _(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    _check_boxes(overlaps, scores, square="overlaps")
    _check_scalars(
        max_output_size=max_output_size,
        overlap_threshold=overlap_threshold,
        score_threshold=score_threshold,
    )
    return Spec((None,), int32)


# -- a batch of images, several classes -------------------------------------------------------


def _image_detections(
    boxes: np.ndarray, scores: np.ndarray, per_class: int, limit: float, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the selected boxes of one image, their scores and classes, in descending order of
    scores.
    """
    detections = []
    for label in range(scores.shape[1]):
        candidates = boxes[:, min(label, boxes.shape[1] - 1)]
        selected = _keep(scores[:, label], _overlap_of(candidates), per_class, limit, threshold)
        detections.append(
            (candidates[selected], scores[selected, label], np.full(selected.size, label))
        )
    kept_boxes, kept_scores, labels = (
        np.concatenate(parts) for parts in zip(*detections, strict=True)
    )
    order = np.argsort(-kept_scores, kind="stable")
    return kept_boxes[order], kept_scores[order], labels[order]


@op(
    "CombinedNonMaxSuppression",
    dtypes=frozenset({float32}),
    host=_HOST,
    grad=UNREGISTERED,
    outputs=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"),
    checked=True,
)
def combined_non_max_suppression(
    xp,
    boxes,
    scores,
    max_output_size_per_class: Static,
    max_total_size: Static,
    iou_threshold,
    score_threshold,
    *,
    pad_per_class=False,
    clip_boxes=True,
):
    """Return for each image the best boxes of all classes, zero-padded."""
    per_class, limit = int(max_output_size_per_class), _limit(iou_threshold)
    total = _total(per_class, int(max_total_size), scores.shape[2], pad_per_class)
    batch = boxes.shape[0]
    out_boxes = np.zeros((batch, total, 4), np.float32)
    out_scores = np.zeros((batch, total), np.float32)
    out_classes = np.zeros((batch, total), np.float32)
    valid = np.zeros(batch, np.int32)
    for i in range(batch):
        detections = _image_detections(
            boxes[i], scores[i], per_class, limit, float(score_threshold)
        )
        count = valid[i] = min(total, len(detections[0]))
        for out, values in zip((out_boxes, out_scores, out_classes), detections, strict=True):
            out[i, :count] = values[:count]
    if clip_boxes:
        out_boxes = np.clip(out_boxes, np.float32(0), np.float32(1))
    return out_boxes, out_scores, out_classes, valid


def _total(per_class: int, total: int, classes: int, pad_per_class: bool) -> int:
    return min(total, per_class * classes) if pad_per_class else total


@combined_non_max_suppression.infer
def _(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold,
    score_threshold,
    *,
    pad_per_class,
    clip_boxes,
):
    _check_scalars(
        max_output_size_per_class=max_output_size_per_class,
        max_total_size=max_total_size,
        iou_threshold=iou_threshold,
        score_threshold=score_threshold,
    )
    _check_detections(boxes, scores)
    per_class, total = max_output_size_per_class.value, max_total_size.value
    if per_class is not None and per_class <= 0:
        raise InferError(f"max_size_per_class must be positive, got {per_class}")
    if total is not None and total <= 0:
        raise InferError(f"max_total_size must be > 0, got {total}")
    classes = scores.shape[2] if scores.shape else None
    size = None if total is None else int(total)
    if pad_per_class and size is not None:
        is_static = per_class is not None and classes is not None
        size = _total(int(per_class), size, classes, True) if is_static else None
    batch = boxes.shape[0] if boxes.shape else None
    return (
        Spec((batch, size, 4), dtypes.float32),
        Spec((batch, size), dtypes.float32),
        Spec((batch, size), dtypes.float32),
        Spec((batch,), int32),
    )


def _check_detections(boxes: Spec, scores: Spec) -> None:
    if boxes.shape is not None and len(boxes.shape) != 4:
        raise InferError(f"boxes must be 4-D{fmt_shape(boxes.shape)}")
    if scores.shape is not None and len(scores.shape) != 3:
        raise InferError(f"scores must be 3-D{fmt_shape(scores.shape)}")
    if boxes.shape is None or scores.shape is None:
        return
    for a, b, what in (
        (boxes.shape[0], scores.shape[0], "boxes and scores must have the same batch size"),
        (boxes.shape[1], scores.shape[1], "scores has incompatible shape"),
    ):
        if None not in (a, b) and a != b:
            raise InferError(f"{what}: {fmt_shape(boxes.shape)} and {fmt_shape(scores.shape)}")
    if boxes.shape[3] not in (None, 4):
        raise InferError(f"boxes must have 4 columns, got shape {fmt_shape(boxes.shape)}")
    if None not in (boxes.shape[2], scores.shape[2]) and boxes.shape[2] not in (1, scores.shape[2]):
        raise InferError(
            "third dimension of boxes must be either 1 or equal to the third dimension of scores: "
            f"{fmt_shape(boxes.shape)} and {fmt_shape(scores.shape)}"
        )
