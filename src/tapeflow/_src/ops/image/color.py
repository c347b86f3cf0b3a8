"""Colours of images whose last axis holds red, green and blue."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain, repeat
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import on_first
from tapeflow._src.core.dtypes import FLOATING, float16, float32
from tapeflow._src.core.errors import FailedPreconditionError
from tapeflow._src.core.infer import require_rank, require_rank_at_least
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, greater
from tapeflow._src.ops.math.elementwise import scalar, square
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.logical import logical_and, logical_not

_ADJUSTED = frozenset({float16, float32})


def _infer_adjusted(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    images, amount = specs
    require_rank_at_least(images, 3, "images")
    require_rank(amount, 0, op.input_names[1])
    if amount.dtype is not float32:
        raise InferError(f"{op.input_names[1]} must be float32, got {amount.dtype.name}")
    channels = images.shape[-1] if images.shape else None
    if op.name != "AdjustContrastv2" and channels not in (None, 3):
        raise InferError(f"input must have 3 channels but instead has {channels} channels.")
    return Spec(images.shape, images.dtype)


@op(
    "AdjustContrastv2",
    infer=_infer_adjusted,
    dtypes=_ADJUSTED,
    grad=UNREGISTERED,
    checked=True,
    batch=on_first,
)
def adjust_contrast_v2(xp, images, contrast_factor: Free):
    """Scale the distance of each pixel from the mean of its channel."""
    wide = images.astype("float32")
    # Lines are added first: their channels lie together.
    rows = wide.reshape(*images.shape[:-3], images.shape[-3], -1)
    lines = _total_of_lines(xp, rows).reshape(*images.shape[:-3], 1, *images.shape[-2:])
    total = xp.sum(lines, axis=-2, keepdims=True).astype("float32")
    pixels = images.shape[-3] * images.shape[-2]
    mean = total * (np.float32(1) / np.float32(pixels))
    return ((wide - mean) * contrast_factor + mean).astype(images.dtype)


def _total_of_lines(xp: Any, rows: Any) -> Any:
    """Add lines in double precision, sixteen at a time in single, which is several times faster."""
    *images, height, size = rows.shape
    whole = height - height % _ADDED_LINES
    groups = rows[..., :whole, :].reshape(*images, whole // _ADDED_LINES, _ADDED_LINES, size)
    rest = xp.sum(rows[..., whole:, :], axis=-2, keepdims=True)
    sums = xp.concatenate([xp.sum(groups, axis=-2), rest], axis=-2)
    return xp.sum(sums.astype("float64"), axis=-2)


_ADDED_LINES = 16


# -- hue and saturation -----------------------------------------------------------------------

# For each sixth of the circle of hues, whether red, green and blue are the greatest (0), the one
# between (1) or the least (2).
_RANKS = ((0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0), (1, 2, 0), (0, 2, 1))
# Pixels of a block: its channels stay in the cache.
_BLOCK = 16384
# Numbers up to which Python's arithmetic is faster than thirty calls of NumPy.
_FEW_NUMBERS = 48


def _by_pixels(xp: ModuleType, images: Any, change: Callable[..., Any]) -> Any:
    """Compute `change(red, green, blue)`, three channels again, in the dtype of the images."""
    if not isinstance(images, np.ndarray):
        return xp.stack(change(*(images[..., i] for i in range(3))), axis=-1).astype(images.dtype)
    pixels = images.reshape(-1, 3)
    result = np.empty(pixels.shape, images.dtype)
    for start in range(0, len(pixels), _BLOCK):
        block = slice(start, start + _BLOCK)
        channels = change(*np.ascontiguousarray(pixels[block].T))
        for index, channel in enumerate(channels):
            result[block, index] = channel
    return result.reshape(images.shape)


def _few_pixels(images: Any, change: Callable[..., Any], *amounts: Any) -> Any:
    """Compute `change` of the channels of each pixel; None unless all are few and finite."""
    if not isinstance(images, np.ndarray) or images.size > _FEW_NUMBERS:
        return None
    numbers = images.reshape(-1).tolist()
    scalars = [float(amount) for amount in amounts] if amounts else []
    if not math.isfinite(sum(numbers, sum(scalars))):
        return None
    channels = numbers[0::3], numbers[1::3], numbers[2::3]
    changed = map(change, *channels, *map(repeat, scalars))
    # NumPy takes longer for a list of pixels.
    return np.array([*chain.from_iterable(changed)], images.dtype).reshape(images.shape)


def _by_rank(xp: ModuleType, sixth: Any, values: tuple[Any, Any, Any]) -> list[Any]:
    """Return red, green and blue of colours in sixths of the circle, from their sorted values."""
    most, middle, least = values
    channels = []
    for ranks in zip(*_RANKS):
        first, second = (i for i in range(6) if ranks[i] == 0)
        is_most = (sixth == first) | (sixth == second)
        first, second = (i for i in range(6) if ranks[i] == 1)
        is_middle = (sixth == first) | (sixth == second)
        channels.append(xp.where(is_most, most, xp.where(is_middle, middle, least)))
    return channels


@op(
    "AdjustHue",
    infer=_infer_adjusted,
    dtypes=_ADJUSTED,
    grad=UNREGISTERED,
    checked=True,
    batch=on_first,
)
def adjust_hue(xp, images, delta: Free):
    """Rotate hues by `delta` of the full circle; each pixel's largest and smallest channel stay."""
    few = _few_pixels(images, _rotate_pixel, delta)
    if few is not None:
        return few

    def rotate(*channels: Any) -> list[Any]:
        red, green, blue = (channel.astype("float32") for channel in channels)
        most = xp.maximum(xp.maximum(red, green), blue)
        least = xp.minimum(xp.minimum(red, green), blue)
        span = most - least
        # The sixth of the circle a colour lies in: 0 from red to yellow … 5 from magenta to red.
        sixth = xp.where(
            red < green,
            xp.where(blue < red, 1, xp.where(blue > green, 3, 2)),
            xp.where(blue < green, 0, xp.where(blue > red, 4, 5)),
        ).astype("int32")
        middle = xp.maximum(xp.minimum(xp.maximum(red, green), blue), xp.minimum(red, green))
        share = (middle - least) / xp.where(span > 0, span, np.float32(1))
        hue = xp.where(sixth & 1 == 0, sixth + share, sixth + 1 - share).astype("float32")
        hue = xp.where(span > 0, hue, np.float32(0)) + delta * np.float32(6)
        hue = hue - np.float32(6) * xp.floor(hue / np.float32(6))
        sixth = xp.clip(hue.astype("int32"), 0, 5)
        share = hue - sixth.astype("float32")
        share = xp.where(sixth & 1 == 0, share, np.float32(1) - share)
        return _by_rank(xp, sixth, (most, least + share * span, least))

    return _by_pixels(xp, images, rotate)


def _rotate_pixel(red: float, green: float, blue: float, delta: float) -> list[float]:
    """Compute what `adjust_hue` does, of one pixel."""
    hue, _, most = _pixel_to_hsv(red, green, blue)
    least = min(red, green, blue)
    turn = (hue + delta) * 6
    turn -= 6 * math.floor(turn / 6)
    sixth = min(int(turn), 5)
    share = 1 - (turn - sixth) if sixth & 1 else turn - sixth
    values = most, least + share * (most - least), least
    return [values[rank] for rank in _RANKS[sixth]]


def _saturate_pixel(red: float, green: float, blue: float, scale: float) -> list[float]:
    """Compute what `adjust_saturation` does, of one pixel."""
    hue, saturation, value = _pixel_to_hsv(red, green, blue)
    chroma = min(1.0, max(0.0, saturation * scale)) * value
    turn = hue * 6
    between = chroma * (1 - abs(turn % 2 - 1))
    values = value, between + value - chroma, value - chroma
    return [values[rank] for rank in _RANKS[min(max(int(turn), 0), 5)]]


@op(
    "AdjustSaturation",
    infer=_infer_adjusted,
    dtypes=_ADJUSTED,
    grad=UNREGISTERED,
    checked=True,
    batch=on_first,
)
def adjust_saturation(xp, images, scale: Free):
    """Multiply saturations by `scale`, clipped to [0, 1]."""
    few = _few_pixels(images, _saturate_pixel, scale)
    if few is not None:
        return few

    def saturate(*channels: Any) -> list[Any]:
        red, green, blue = (channel.astype("float32") for channel in channels)
        hue, saturation, value = _to_hsv(xp, red, green, blue, np.float64)
        saturation = xp.minimum(np.float32(1), xp.maximum(np.float32(0), saturation * scale))
        chroma = saturation * value
        turn = hue * np.float32(6)
        sixth = xp.clip(turn.astype("int32"), 0, 5)
        # How far along its third of the circle a colour lies.
        along = turn - 2 * xp.floor(turn / 2)
        between = chroma * (np.float32(1) - xp.abs(along - np.float32(1)))
        white = value - chroma
        mixed = _by_rank(xp, sixth, (chroma, between, xp.zeros_like(chroma)))
        return [channel + white for channel in mixed]

    return _by_pixels(xp, images, saturate)


# -- hue, saturation, value -------------------------------------------------------------------


def _infer_colors(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    (images,) = specs
    require_rank_at_least(images, 1, "input")
    channels = images.shape[-1] if images.shape else None
    if channels not in (None, 3):
        raise FailedPreconditionError(
            None, None, f"input must have 3 channels but input only has {channels} channels."
        )
    return Spec(images.shape, images.dtype)


def _to_hsv(
    xp: ModuleType, red: Any, green: Any, blue: Any, turned_in: Any = None
) -> tuple[Any, Any, Any]:
    """Compute hue, saturation and value.

    Thirds of the circle are added in the precision `turned_in`.
    """
    kind = red.dtype.type
    third = (turned_in or kind)(1) / (turned_in or kind)(3)
    value = xp.maximum(xp.maximum(red, green), blue)
    span = value - xp.minimum(xp.minimum(red, green), blue)
    colored = span > 0
    saturation = xp.where(value > 0, span / xp.where(value > 0, value, kind(1)), kind(0))
    norm = kind(1) / (kind(6) * xp.where(colored, span, kind(1)))
    hue = xp.where(
        red == value,
        norm * (green - blue),
        xp.where(
            green == value,
            norm * (blue - red) + third,
            norm * (red - green) + 2 * third,
        ),
    ).astype(red.dtype)
    hue = xp.where(colored, hue, kind(0))
    return xp.where(hue < 0, hue + kind(1), hue), saturation, value


def _pixel_to_hsv(red: float, green: float, blue: float) -> tuple[float, float, float]:
    """Compute what `_to_hsv` does, of one pixel."""
    value = max(red, green, blue)
    span = value - min(red, green, blue)
    saturation = span / value if value > 0 else 0.0
    if span <= 0:
        return 0.0, saturation, value
    if red == value:
        hue = (green - blue) / (6 * span)
    elif green == value:
        hue = (blue - red) / (6 * span) + 1 / 3
    else:
        hue = (red - green) / (6 * span) + 2 / 3
    return (hue + 1 if hue < 0 else hue), saturation, value


def _wide(images: Any) -> Any:
    return images if images.dtype == np.float64 else images.astype("float32")


@op("RGBToHSV", infer=_infer_colors, dtypes=FLOATING, checked=True)
def rgb_to_hsv(xp, images):
    """Convert RGB to hue, saturation and value, each between 0 and 1."""
    few = _few_pixels(images, _pixel_to_hsv)
    if few is not None:
        return few
    return _by_pixels(xp, images, lambda *channels: _to_hsv(xp, *map(_wide, channels)))


@rgb_to_hsv.gradient
def _(dz, *, images):
    red, green, blue = unpack(images, num=3, axis=-1)
    d_hue, d_saturation, d_value = unpack(dz, num=3, axis=-1)
    most = maximum(maximum(red, green), blue)
    least = minimum(minimum(red, green), blue)
    span = sub(most, least)
    first, second, third = _only_one(equal(red, most), equal(green, most), images.dtype)
    lowest = _only_one(equal(red, least), equal(green, least), images.dtype)
    per_span = _inverse(mul(span, scalar(6, span)))
    per_value = _inverse(most)
    difference = add_v2(
        add_v2(mul(first, sub(green, blue)), mul(second, sub(blue, red))),
        mul(third, sub(red, green)),
    )
    # Hue is `difference / (6 span)`, saturation is `span / most`.
    d_difference = mul(d_hue, per_span)
    d_span = mul(mul(d_difference, difference), _inverse(span))
    d_most = add_v2(d_value, sub(mul(d_saturation, mul(least, square(per_value))), d_span))
    d_least = sub(d_span, mul(d_saturation, per_value))
    turns = (sub(third, second), sub(first, third), sub(second, first))
    channels = [
        add_v2(add_v2(mul(d_most, top), mul(d_least, low)), mul(d_difference, turn))
        for top, low, turn in zip((first, second, third), lowest, turns, strict=True)
    ]
    return pack(channels, axis=-1)


def _only_one(red: Any, green: Any, dtype: DTypeLike) -> tuple[Any, Any, Any]:
    """Return ones for the first selected channel of a pixel."""
    others = logical_not(red)
    flags = red, logical_and(others, green), logical_and(others, logical_not(green))
    return tuple(cast(flag, DstT=dtype) for flag in flags)  # type: ignore[return-value]


def _inverse(x: Any) -> Any:
    """Compute 1 / x, and 0 where x is not positive."""
    positive = greater(x, zeros_like(x))
    safe = select_v2(positive, x, add_v2(zeros_like(x), scalar(1, x)))
    return real_div(cast(positive, DstT=x.dtype), safe)


def _pixel_to_rgb(hue: float, saturation: float, value: float) -> tuple[float, float, float]:
    """Compute what `hsv_to_rgb` does, of one pixel."""
    turn = hue * 6
    white = 1 - saturation
    red, green, blue = abs(turn - 3) - 1, 2 - abs(turn - 2), 2 - abs(turn - 4)
    # Comparisons take a third of the time of `min` and `max`.
    return (
        (white + saturation * (0 if red < 0 else red if red < 1 else 1)) * value,
        (white + saturation * (0 if green < 0 else green if green < 1 else 1)) * value,
        (white + saturation * (0 if blue < 0 else blue if blue < 1 else 1)) * value,
    )


@op("HSVToRGB", infer=_infer_colors, dtypes=FLOATING, grad=None, checked=True)
def hsv_to_rgb(xp, images):
    """Convert hue, saturation and value to red, green and blue."""
    few = _few_pixels(images, _pixel_to_rgb)
    if few is not None:
        return few

    def mix(*channels: Any) -> list[Any]:
        hue, saturation, value = map(_wide, channels)
        kind = hue.dtype.type
        turn = hue * kind(6)
        zero, one = kind(0), kind(1)
        shares = (
            xp.abs(turn - kind(3)) - one,
            kind(2) - xp.abs(turn - kind(2)),
            kind(2) - xp.abs(turn - kind(4)),
        )
        white = one - saturation
        return [(white + saturation * xp.clip(c, zero, one)) * value for c in shares]

    return _by_pixels(xp, images, mix)
