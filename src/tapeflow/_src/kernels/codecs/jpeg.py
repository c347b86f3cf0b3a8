"""JPEG decoding as in TensorFlow: fast inverse DCT, smooth chroma upsampling.

`simplejpeg` does so, if installed, for whole images in color or gray. Everything else, and the
errors for damaged files, is left to Pillow.

Pillow's drafts use the fast transform, but repeat chroma values. Subsampled chroma planes are
therefore extracted from a draft, upsampled and converted to RGB here, by the library's own
formulas.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule

_simplejpeg = LazyModule("simplejpeg", "quick decoding of JPEG files")


@cache
def _turbo_functions() -> tuple[Any, Any] | None:
    """Return the header reader and the decoder, or None if the library is not installed."""
    try:
        return _simplejpeg.decode_jpeg_header, _simplejpeg.decode_jpeg
    except ImportError:
        return None


def decoded(data: bytes, channels: int, most_pixels: int) -> np.ndarray | None:
    """Decode an image in full size, or return None if Pillow has to."""
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
        # Strict: a file that is read with a warning is left to Pillow.
        picture: np.ndarray = decode(data, mode, fastdct=True, strict=True)
    except ValueError:
        return None
    return picture


_COLORS = frozenset({"Gray", "YCbCr", "RGB"})


def prepare(image: Any, channels: int, ratio: int, quick: bool, smooth: bool) -> Any:
    """Configure the decoding of an opened image; return whether `smoothed` upsamples its chroma."""
    width, height = image.size
    by = None
    if quick and smooth and channels != 1 and image.mode == "RGB":
        by = _sampling(image, ratio)
    mode = "L" if channels == 1 else "YCbCr" if by is not None else image.mode
    # Pillow uses the largest scale that leaves at least this size.
    image.draft(mode, (max(1, width // ratio), max(1, height // ratio)))
    if quick or not smooth:
        scale = image.decoderconfig[0] if image.decoderconfig else 1
        # A draft: the fast transform, with repeated chroma values.
        image.decoderconfig = (scale, 1)
    return by


def _sampling(image: Any, ratio: int) -> tuple[int, int] | None:
    """Return the chroma subsampling factors, if chroma is upsampled smoothly."""
    if image.info.get("adobe_transform") == 0 or len(image.layer) != 3:
        return None
    factors = [(across, down) for _, across, down, _ in image.layer]
    (across, down), *others = factors
    if others[0] != others[1] or across % others[0][0] or down % others[0][1]:
        return None
    by = (across // others[0][0], down // others[0][1])
    # A downscaled image has chroma planes of its own size, if these are smaller both ways.
    supported = ratio == 1 or (ratio < 8 and by != (2, 2))
    narrow = by[0] == 2 and image.size[0] <= 4 * ratio
    return by if by in _SMOOTH and supported and not narrow else None


def smoothed(pixels: np.ndarray, by: tuple[int, int]) -> np.ndarray:
    """Convert a draft of luma and repeated chroma values to RGB, with smooth chroma upsampling."""
    height, width = pixels.shape[:2]
    small = pixels[:: by[1], :: by[0], 1:].transpose(2, 0, 1)
    chroma = _SMOOTH[by](small.astype(np.int16, order="C"))[:, :height, :width]
    blue, red = chroma.astype(np.int32) - 128
    luma = pixels[..., 0].astype(np.int32)
    half = 1 << 15
    rgb = np.empty((height, width, 3), np.uint8)
    for channel, added in enumerate(
        (91881 * red + half, -22554 * blue - 46802 * red + half, 116130 * blue + half)
    ):
        added >>= 16
        added += luma
        np.maximum(added, 0, out=added)
        rgb[..., channel] = np.minimum(added, 255, out=added)
    return rgb


def from_cmyk(pixels: np.ndarray) -> np.ndarray:
    """Convert CMYK to RGB, truncated to integers."""
    light = 255 - pixels.astype(np.uint16)
    return (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)


def _doubled(planes: np.ndarray, axis: int, first: int, second: int, shift: int) -> np.ndarray:
    """Upsample along an axis by two: each value is three parts itself and one its neighbour.

    `first` and `second` are the rounding terms of even and odd samples, added before the shift. At
    the ends a value is its own neighbour.
    """
    shape = list(planes.shape)
    shape[axis] *= 2
    samples = np.empty(shape, np.int16)
    values, doubled = (each if axis == 2 else each.swapaxes(1, 2) for each in (planes, samples))
    back, forth = doubled[..., 0::2], doubled[..., 1::2]
    triple = values * 3
    np.add(triple[..., 1:], values[..., :-1], out=back[..., 1:])
    np.add(triple[..., :-1], values[..., 1:], out=forth[..., :-1])
    back[..., 0], forth[..., -1] = 4 * values[..., 0], 4 * values[..., -1]
    if shift:
        back += first
        forth += second
        samples >>= shift
    return samples


def _upsample_columns(planes: np.ndarray) -> np.ndarray:
    return _doubled(planes, 2, 1, 2, 2)


def _upsample_rows(planes: np.ndarray) -> np.ndarray:
    return _doubled(planes, 1, 1, 2, 2)


def _upsample_both(planes: np.ndarray) -> np.ndarray:
    return _doubled(_doubled(planes, 1, 0, 0, 0), 2, 8, 7, 4)


_SMOOTH = {(2, 1): _upsample_columns, (1, 2): _upsample_rows, (2, 2): _upsample_both}
