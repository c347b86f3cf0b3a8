"""How TensorFlow decodes JPEG files: the quick inverse transform, chroma planes upsampled smoothly.

`simplejpeg` does so, where it is installed, with whole pictures in color or gray. All else, and
what is said about damaged files, is left to Pillow.

Pillow's drafts use the quick transform, but repeat chroma values. Where a picture's chroma planes
are smaller than the picture, they are taken out of a draft, and upsampled and turned into colors
here, by the library's own formulas.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule

_turbo = LazyModule("simplejpeg", "quick decoding of JPEG files")


@cache
def _turbo_functions() -> tuple[Any, Any] | None:
    """What reads a header and what decodes a file, or None where the library is not installed."""
    try:
        return _turbo.decode_jpeg_header, _turbo.decode_jpeg
    except ImportError:
        return None


def decoded(data: bytes, channels: int, most_pixels: int) -> np.ndarray | None:
    """A picture in full size, or None where it is for Pillow to decode it."""
    functions = _turbo_functions()
    if functions is None or channels == 4:
        return None
    read_header, decode = functions
    try:
        height, width, colors, _ = read_header(data)
        if colors not in _COLORS or height * width > most_pixels:
            return None
        own = 1 if colors == "Gray" else 3
        mode = "GRAY" if (channels or own) == 1 else "RGB"
        # Strict: a file that is not read without a warning is one for Pillow.
        picture: np.ndarray = decode(data, mode, fastdct=True, strict=True)
    except ValueError:
        return None
    return picture


_COLORS = frozenset({"Gray", "YCbCr", "RGB"})


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
    small = pixels[:: by[1], :: by[0], 1:].transpose(2, 0, 1)
    chroma = _SMOOTH[by](small.astype(np.int16, order="C"))[:, :height, :width]
    blue, red = chroma.astype(np.int32) - 128
    luma = pixels[..., 0].astype(np.int32)
    half = 1 << 15
    found = np.empty((height, width, 3), np.uint8)
    for channel, added in enumerate(
        (91881 * red + half, -22554 * blue - 46802 * red + half, 116130 * blue + half)
    ):
        added >>= 16
        added += luma
        np.maximum(added, 0, out=added)
        found[..., channel] = np.minimum(added, 255, out=added)
    return found


def from_cmyk(pixels: np.ndarray) -> np.ndarray:
    """The colors of inks: what each leaves of the light, cut to whole numbers."""
    light = 255 - pixels.astype(np.uint16)
    return (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)


def _doubled(planes: np.ndarray, axis: int, first: int, second: int, shift: int) -> np.ndarray:
    """Twice as many values along an axis: each is three parts itself and one its neighbour.

    `first` and `second` are added to those that lean back and forth before they are shifted. At
    the ends a value is its own neighbour.
    """
    shape = list(planes.shape)
    shape[axis] *= 2
    found = np.empty(shape, np.int16)
    values, doubled = (each if axis == 2 else each.swapaxes(1, 2) for each in (planes, found))
    back, forth = doubled[..., 0::2], doubled[..., 1::2]
    triple = values * 3
    np.add(triple[..., 1:], values[..., :-1], out=back[..., 1:])
    np.add(triple[..., :-1], values[..., 1:], out=forth[..., :-1])
    back[..., 0], forth[..., -1] = 4 * values[..., 0], 4 * values[..., -1]
    if shift:
        back += first
        forth += second
        found >>= shift
    return found


def _across(planes: np.ndarray) -> np.ndarray:
    return _doubled(planes, 2, 1, 2, 2)


def _down(planes: np.ndarray) -> np.ndarray:
    return _doubled(planes, 1, 1, 2, 2)


def _both(planes: np.ndarray) -> np.ndarray:
    return _doubled(_doubled(planes, 1, 0, 0, 0), 2, 8, 7, 4)


_SMOOTH = {(2, 1): _across, (1, 2): _down, (2, 2): _both}
