"""Boxes drawn into images."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import float16, float32
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, op
from tapeflow._src.core.spec import Spec

_DTYPES = frozenset({float16, float32})
# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia: used in turn.
_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


def _check(images: Spec, boxes: Spec) -> Spec:
    if boxes.dtype is not float32:
        raise InferError(f"boxes must be float32, got {boxes.dtype.name}")
    if images.shape is not None:
        if len(images.shape) != 4:
            raise InferError(f"The rank of the images should be 4, got {fmt_shape(images.shape)}")
        if images.shape[3] not in (None, 1, 3, 4):
            raise InferError("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape is not None:
        if len(boxes.shape) != 3:
            raise InferError("The rank of the boxes tensor should be 3")
        if boxes.shape[2] not in (None, 4):
            raise InferError(
                f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
            )
    sizes = {s.shape[0] for s in (images, boxes) if s.shape and s.shape[0] is not None}
    if len(sizes) > 1:
        raise InferError("The batch sizes should be the same")
    return Spec(images.shape, images.dtype)


def _edges(xp: ModuleType, images: Any, boxes: Any) -> tuple[Any, ...]:
    """Return the first and last row and column of each box, and which boxes touch the image."""
    height, width = images.shape[1:3]
    scale = np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
    whole = (boxes * scale).astype("int64")
    top, left, bottom, right = (whole[..., i] for i in range(4))
    seen = (top <= bottom) & (left <= right) & (top < height) & (left < width)
    return top, left, bottom, right, seen & (bottom >= 0) & (right >= 0)


def _draw(xp: ModuleType, images: Any, boxes: Any, colors: Any) -> Any:
    height, width, depth = images.shape[1:]
    top, left, bottom, right, seen = (e[..., None] for e in _edges(xp, images, boxes))
    rows, columns = np.arange(height), np.arange(width)
    on_row = ((rows == top) | (rows == bottom)) & seen
    on_column = ((columns == left) | (columns == right)) & seen
    in_rows = (rows >= top) & (rows <= bottom)
    in_columns = (columns >= left) & (columns <= right)
    drawn = (on_row[..., None] & in_columns[:, :, None, :]) | (
        in_rows[..., None] & on_column[:, :, None, :]
    )
    # Of several boxes the last one is seen.
    number = np.arange(1, boxes.shape[1] + 1)[:, None, None]
    last = xp.max(xp.where(drawn, number, 0), axis=1, initial=0)
    palette = xp.asarray(colors)[:, :depth].astype(images.dtype)
    return xp.where(
        (last > 0)[..., None], xp.take(palette, (last - 1) % palette.shape[0], axis=0), images
    )


def _paint(xp: ModuleType, images: Any, boxes: Any, colors: Any) -> Any:
    """Like `_draw`, one box after another: needs much less memory for many boxes."""
    result = images.copy()
    height, width, depth = images.shape[1:]
    edges = [e.tolist() for e in _edges(xp, images, boxes)]
    palette = colors[:, :depth].astype(images.dtype)
    for i, j in np.ndindex(boxes.shape[:2]):
        top, left, bottom, right, seen = (e[i][j] for e in edges)
        if not seen:
            continue
        color = palette[j % len(palette)]
        rows = slice(max(top, 0), bottom + 1)
        columns = slice(max(left, 0), right + 1)
        for row in {top, bottom} & {*range(height)}:
            result[i, row, columns] = color
        for column in {left, right} & {*range(width)}:
            result[i, rows, column] = color
    return result


def _palette(depth: int) -> np.ndarray:
    return np.ones_like(_COLORS) if depth == 1 else _COLORS


@op("DrawBoundingBoxes", dtypes=_DTYPES, grad=None, checked=True)
def draw_bounding_boxes(xp, images, boxes: Free):
    """Draw the outlines of boxes in ten colours, one after the other."""
    return _draw(xp, images, boxes, _palette(images.shape[3]))


@draw_bounding_boxes.kernel("numpy")
def _(xp, images, boxes):
    return _paint(xp, images, boxes, _palette(images.shape[3]))


@draw_bounding_boxes.infer
def _(images, boxes):
    return _check(images, boxes)


@op("DrawBoundingBoxesV2", dtypes=_DTYPES, grad=UNREGISTERED, checked=True)
def draw_bounding_boxes_v2(xp, images, boxes: Free, colors: Free):
    """Draw the outlines of boxes in the colours `colors`, one after the other."""
    palette = colors if colors.shape[0] else _palette(images.shape[3])
    return _draw(xp, images, boxes, palette)


@draw_bounding_boxes_v2.kernel("numpy")
def _(xp, images, boxes, colors):
    palette = colors if colors.shape[0] else _palette(images.shape[3])
    return _paint(xp, images, boxes, palette)


@draw_bounding_boxes_v2.infer
def _(images, boxes, colors):
    checked = _check(images, boxes)
    if colors.dtype is not float32:
        raise InferError(f"colors must be float32, got {colors.dtype.name}")
    if colors.shape is not None:
        if len(colors.shape) != 2:
            raise InferError(f"colors must be a 2-D matrix, got shape {fmt_shape(colors.shape)}")
        depth = images.shape[3] if images.shape else None
        if None not in (depth, colors.shape[1]) and colors.shape[1] < depth:
            raise InferError(
                "colors must have equal or more channels than the image provided: "
                f"{fmt_shape(colors.shape)}"
            )
    return checked
