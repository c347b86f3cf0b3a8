"""Suppression of boxes without a threshold for their scores."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core.dtypes import float16, float32
from tapeflow._src.core.registry import Free, Index, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.image.suppression import non_max_suppression_v3
from tapeflow._src.ops.legacy.renaming import infer, run

_HOST = non_max_suppression_v3.host
_ANY_SCORE = np.array(-np.inf, np.float32)
_NUMBER = Spec((), float32)


@op(
    "NonMaxSuppression",
    dtypes=frozenset({float32}),
    outputs=("selected_indices",),
    grad=None,
    host=_HOST,
    checked=True,
)
def non_max_suppression(xp, boxes, scores, max_output_size: Index, *, iou_threshold=0.5):
    """Return the indices of the selected boxes."""
    limit = np.array(iou_threshold, np.float32)
    return run(non_max_suppression_v3, xp, boxes, scores, max_output_size, limit, _ANY_SCORE)


@non_max_suppression.infer
def _(boxes, scores, max_output_size, *, iou_threshold):
    return infer(non_max_suppression_v3, boxes, scores, max_output_size, _NUMBER, _NUMBER)


@op(
    "NonMaxSuppressionV2",
    dtypes=frozenset({float16, float32}),
    outputs=("selected_indices",),
    grad=None,
    host=_HOST,
    checked=True,
)
def non_max_suppression_v2(xp, boxes, scores, max_output_size: Index, iou_threshold: Free):
    """Return the indices of the selected boxes."""
    inputs = (boxes, scores, max_output_size, iou_threshold)
    return run(non_max_suppression_v3, xp, *inputs, _ANY_SCORE)


@non_max_suppression_v2.infer
def _(boxes, scores, max_output_size, iou_threshold):
    return infer(non_max_suppression_v3, boxes, scores, max_output_size, iou_threshold, _NUMBER)
