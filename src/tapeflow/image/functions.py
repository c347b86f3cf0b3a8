"""`tf.image`: images as tensors `[height, width, channels]`, or batches of them."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.ops.cast import cast
from tapeflow.ops.extremes import clip_by_value
from tapeflow.ops.image import adjust_contrast_v2


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Each pixel moved away from the mean of its channel by `contrast_factor`."""
    images = dispatch.convert(images)
    if images.dtype.is_floating:
        return adjust_contrast_v2(images, dispatch.convert(contrast_factor, dtypes.float32))
    # Integers are scaled to [0, 1] and back, cut off at the ends of their range.
    top = float(images.dtype.max)
    scaled = cast(images, DstT=dtypes.float32) * (1.0 / top)
    moved = adjust_contrast_v2(scaled, dispatch.convert(contrast_factor, dtypes.float32))
    rounded = moved * (top + 0.5)
    limits = dispatch.convert(0.0), dispatch.convert(top)
    return cast(clip_by_value(rounded, *limits), DstT=images.dtype)
