"""Ops on images."""

from __future__ import annotations

from tapeflow.core.dtypes import float16, float32
from tapeflow.core.infer import require_rank, require_rank_at_least
from tapeflow.core.registry import UNREGISTERED, Free, InferError, op
from tapeflow.core.spec import Spec


@op("AdjustContrastv2", dtypes=frozenset({float16, float32}), grad=UNREGISTERED, checked=True)
def adjust_contrast_v2(xp, images, contrast_factor: Free):
    """Each pixel moved away from the mean of its channel by a factor."""
    wide = images.astype("float32")
    mean = xp.mean(wide, axis=(-3, -2), keepdims=True)
    return ((wide - mean) * contrast_factor + mean).astype(images.dtype)


@adjust_contrast_v2.infer
def _(images, contrast_factor):
    require_rank_at_least(images, 3, "images")
    require_rank(contrast_factor, 0, "contrast_factor")
    if contrast_factor.dtype is not float32:
        raise InferError(f"contrast_factor must be float32, got {contrast_factor.dtype.name}")
    return Spec(images.shape, images.dtype)
