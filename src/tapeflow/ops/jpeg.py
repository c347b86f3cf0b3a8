"""How TensorFlow decodes JPEG files with Pillow's library: the quick inverse transform, and chroma
planes upsampled smoothly.

Pillow's drafts use the quick transform, but repeat chroma values. Where a picture's chroma planes
are smaller than the picture, they are taken out of a draft, and upsampled and turned into colors
here, by the library's own formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def prepare(image: Any, channels: int, ratio: int, quick: bool, smooth: bool) -> Any:
    """Set how an opened picture is decoded; whether its chroma planes are left to `smoothed`."""
    width, height = image.size
    by = None
    if quick and smooth and channels != 1 and image.mode == "RGB":
        by = _sampling(image, ratio)
    mode = "L" if channels == 1 else "YCbCr" if by is not None else image.mode
    # Pillow takes the largest scale that leaves at least this size.
    image.draft(mode, (max(1, width // ratio), max(1, height // ratio)))
    if quick or not smooth:
        scale = image.decoderconfig[0] if image.decoderconfig else 1
        # A draft: the quick transform, and chroma values that are repeated.
        image.decoderconfig = (scale, 1)
    return by


def _sampling(image: Any, ratio: int) -> tuple[int, int] | None:
    """How many pixels across and down share a chroma value, if these are upsampled smoothly."""
    if image.info.get("adobe_transform") == 0 or len(image.layer) != 3:
        return None
    factors = [(across, down) for _, across, down, _ in image.layer]
    (across, down), *others = factors
    if others[0] != others[1] or across % others[0][0] or down % others[0][1]:
        return None
    by = (across // others[0][0], down // others[0][1])
    # A smaller picture has chroma planes of its own size, if these are smaller both ways.
    wanted = ratio == 1 or (ratio < 8 and by != (2, 2))
    narrow = by[0] == 2 and image.size[0] <= 4 * ratio
    return by if by in _SMOOTH and wanted and not narrow else None


def smoothed(pixels: np.ndarray, by: tuple[int, int]) -> np.ndarray:
    """The colors of a draft in luma and repeated chroma values, these upsampled smoothly."""
    height, width = pixels.shape[:2]
    luma = pixels[..., 0].astype(np.int32)
    small = pixels[:: by[1], :: by[0], 1:].astype(np.int32)
    blue, red = (_SMOOTH[by](small[..., i])[:height, :width] - 128 for i in (0, 1))
    half = 1 << 15
    colors = (
        luma + ((91881 * red + half) >> 16),
        luma + ((-22554 * blue - 46802 * red + half) >> 16),
        luma + ((116130 * blue + half) >> 16),
    )
    return np.clip(np.stack(colors, -1), 0, 255).astype(np.uint8)


def _neighbours(plane: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Each value's neighbour before and after it, its own value at the ends."""
    padding = [(1, 1) if i == axis else (0, 0) for i in range(2)]
    padded = np.pad(plane, padding, "edge")
    size = plane.shape[axis]
    return padded.take(range(size), axis), padded.take(range(2, size + 2), axis)


def _interleaved(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    pairs = np.stack([first, second], axis + 1)
    shape = list(first.shape)
    shape[axis] *= 2
    return pairs.reshape(shape)


def _across(plane: np.ndarray) -> np.ndarray:
    before, after = _neighbours(plane, 1)
    return _interleaved((plane * 3 + before + 1) >> 2, (plane * 3 + after + 2) >> 2, 1)


def _down(plane: np.ndarray) -> np.ndarray:
    above, below = _neighbours(plane, 0)
    return _interleaved((plane * 3 + above + 1) >> 2, (plane * 3 + below + 2) >> 2, 0)


def _both(plane: np.ndarray) -> np.ndarray:
    above, below = _neighbours(plane, 0)
    rows = _interleaved(plane * 3 + above, plane * 3 + below, 0)
    before, after = _neighbours(rows, 1)
    return _interleaved((rows * 3 + before + 8) >> 4, (rows * 3 + after + 7) >> 4, 1)


_SMOOTH = {(2, 1): _across, (1, 2): _down, (2, 2): _both}
