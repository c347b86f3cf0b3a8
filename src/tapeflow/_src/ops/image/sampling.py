"""Crops drawn at random that still show something of the boxes in an image.

Runs on the host, one attempt after another, since the next depends on whether the last one failed.
The draws are TensorFlow's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.random_state import reserves
from tapeflow._src.core.registry import UNREGISTERED, Free, Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.random.fill import uniform_full_int
from tapeflow._src.kernels.random.philox import seeded_stream

_SIZES = frozenset({dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
_OUTPUTS = ("begin", "size", "bboxes")
_HOST = "tries crops one after another"
_RATIOS = (0.75, 1.33)
_AREAS = (0.05, 1.0)
# Whole pixels: smaller boxes and crops do not count.
_LEAST_AREA = 1.0


class _Box(NamedTuple):
    """A rectangle of whole pixels; the last row and column are outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        return max(self.right - self.left, 0) * max(self.bottom - self.top, 0)

    def shared(self, other: _Box) -> _Box:
        return _Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


class _Draws:
    """Numbers drawn one by one from a stream of random words."""

    def __init__(self, stream: np.ndarray) -> None:
        self._stream = stream
        self._words: list[int] = []
        self._at = 0

    def _word(self) -> int:
        if self._at == len(self._words):
            count = max(64, 2 * len(self._words))
            self._words = uniform_full_int(np, self._stream, count, np.uint32).tolist()
        self._at += 1
        return self._words[self._at - 1]

    def fraction(self) -> np.float32:
        return np.float32((self._word() & 0x7FFFFF) * 2.0**-23)

    def below(self, bound: int) -> int:
        """Draw a number in `[0, bound)` without bias, by rejection."""
        word = self._word()
        if bound & (bound - 1) == 0:
            return word & (bound - 1)
        spare = 0xFFFFFFFF % bound + 1
        while word < spare:
            word = self._word()
        return word % bound


def _rounded(x: Any) -> int:
    return int(np.rint(np.float32(x)))


def _heights(
    width: int, height: int, least: np.float32, most: np.float32, ratio: np.float32
) -> tuple[int, int]:
    """Return the lowest and the highest crop of this ratio with an area in range that fits."""
    lowest = _rounded(np.sqrt(least / ratio))
    highest = _rounded(np.sqrt(most / ratio))
    if _rounded(np.float32(highest) * ratio) > width:
        highest = int(np.float32(width + 0.5 - 1e-7) / ratio)
        if _rounded(np.float32(highest) * ratio) > width:
            highest -= 1
    highest = min(highest, height)
    return min(lowest, highest), highest


def _random_crop(
    width: int, height: int, areas: tuple[float, float], ratio: np.float32, draws: _Draws
) -> _Box | None:
    """Return a crop of this aspect ratio, or None if the attempt failed."""
    whole = np.float32(width * height)
    least, most = (np.float32(area) * whole for area in areas)
    crop_height, highest = _heights(width, height, least, most, ratio)
    if crop_height < highest:
        crop_height += draws.below(highest - crop_height + 1)
    crop_width = _rounded(np.float32(crop_height) * ratio)
    # Rounding alone must not make an attempt fail.
    if crop_width * crop_height < least:
        crop_height += 1
        crop_width = _rounded(np.float32(crop_height) * ratio)
    if crop_width * crop_height > most:
        crop_height -= 1
        crop_width = _rounded(np.float32(crop_height) * ratio)
    area = crop_width * crop_height
    fits = 0 < crop_width <= width and 0 < crop_height <= height
    if not fits or not least <= area <= most:
        return None
    top = draws.below(height - crop_height) if crop_height < height else 0
    left = draws.below(width - crop_width) if crop_width < width else 0
    return _Box(left, top, left + crop_width, top + crop_height)


def _shows_enough(crop: _Box, boxes: list[_Box], covered: np.float32) -> bool:
    """Whether the crop shows a large enough part of one of the boxes."""
    if crop.area < _LEAST_AREA:
        return False
    return any(
        np.float32(crop.shared(box).area) / np.float32(box.area) >= covered
        for box in boxes
        if box.area >= _LEAST_AREA
    )


def _sample(
    image_size: np.ndarray, boxes: np.ndarray, covered: Any, stream: np.ndarray, attrs: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    height, width = int(image_size[0]), int(image_size[1])
    objects = _pixels(boxes.reshape(-1, 4), height, width, attrs["use_image_if_no_bounding_boxes"])
    low, high = (np.float32(r) for r in attrs["aspect_ratio_range"])
    least, most = (float(a) for a in attrs["area_range"])
    if not float(covered) >= 0:
        raise InvalidArgumentError(
            None, None, f"Min object covered must be non-negative: {float(covered)}"
        )
    for name, size in (("height", height), ("width", width)):
        if not 0 <= size < 2**31:
            raise InvalidArgumentError(None, None, f"image {name} must be in [0, 2**31): {size}")
    draws = _Draws(stream)
    chosen = _Box(0, 0, width, height)
    for _ in range(attrs["max_attempts"]):
        ratio = draws.fraction() * (high - low) + low
        crop = _random_crop(width, height, (least, most), ratio, draws)
        if crop is not None and _shows_enough(crop, objects, np.float32(covered)):
            chosen = crop
            break
    kind = image_size.dtype
    corners = np.array([chosen.top, chosen.left, chosen.bottom, chosen.right], np.float32)
    relative = corners / np.array([height, width, height, width], np.float32)
    return (
        np.array([chosen.top, chosen.left, 0]).astype(kind),
        np.array([chosen.bottom - chosen.top, chosen.right - chosen.left, -1]).astype(kind),
        relative.reshape(1, 1, 4),
    )


def _pixels(boxes: np.ndarray, height: int, width: int, whole_if_none: bool) -> list[_Box]:
    if not len(boxes):
        if not whole_if_none:
            raise InvalidArgumentError(
                None,
                None,
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes.",
            )
        return [_Box(0, 0, width, height)]
    for box in boxes:
        if not (box >= 0).all() or not (box <= 1).all():
            raise InvalidArgumentError(
                None, None, f"All bounding box coordinates must be in [0.0, 1.0]: {box}"
            )
    scaled = (boxes * np.array([height, width, height, width], np.float32)).astype(np.int64)
    return [_Box(left, top, right, bottom) for top, left, bottom, right in scaled.tolist()]


def _infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[Spec, ...]:
    image_size, boxes = specs[0], specs[1]
    if image_size.shape is not None and image_size.shape != (3,) and None not in image_size.shape:
        raise InferError(
            "image_size must be 1-dimensional and contain 3 elements, got shape "
            f"{fmt_shape(image_size.shape)}"
        )
    if boxes.shape is not None and (len(boxes.shape) != 3 or boxes.shape[2] not in (None, 4)):
        raise InferError(
            "input boxes must be 3-dimensional [batch, num_boxes, coords], got shape "
            f"{fmt_shape(boxes.shape)}"
        )
    for name in ("aspect_ratio_range", "area_range"):
        limits = attrs[name]
        if len(limits) != 2:
            raise InferError(f"{name} must specify 2 numbers: {list(limits)}")
        if min(limits) <= 0:
            raise InferError(f"{name} must be positive: {list(limits)}")
    if max(attrs["area_range"]) > 1:
        raise InferError(f"area_range must be at most 1: {list(attrs['area_range'])}")
    if attrs["max_attempts"] <= 0:
        raise InferError(f"Max attempts must be positive: {attrs['max_attempts']}")
    return (
        Spec((3,), image_size.dtype),
        Spec((3,), image_size.dtype),
        Spec((1, 1, 4), float32),
    )


@op(
    "SampleDistortedBoundingBoxV2",
    infer=_infer,
    dtypes=_SIZES,
    outputs=_OUTPUTS,
    effect="random",
    host=_HOST,
    grad=None,
    checked=True,
)
def sample_distorted_bounding_box_v2(
    xp,
    image_size,
    bounding_boxes: Free,
    min_object_covered: Free,
    *,
    seed=0,
    seed2=0,
    aspect_ratio_range=_RATIOS,
    area_range=_AREAS,
    max_attempts=100,
    use_image_if_no_bounding_boxes=False,
    counter,
):
    """Return the start and size of a random crop, and both as a box."""
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    return _sample(image_size, bounding_boxes, min_object_covered, counter, attrs)


@reserves("SampleDistortedBoundingBoxV2")
def _(arrays, attrs):
    # Four words of 32 bits, a block, an attempt.
    return attrs["max_attempts"]


@op(
    "StatelessSampleDistortedBoundingBox",
    infer=_infer,
    dtypes=_SIZES,
    outputs=_OUTPUTS,
    host=_HOST,
    grad=UNREGISTERED,
    checked=True,
)
def stateless_sample_distorted_bounding_box(
    xp,
    image_size,
    bounding_boxes: Free,
    min_object_covered: Free,
    seed: Index,
    *,
    aspect_ratio_range=_RATIOS,
    area_range=_AREAS,
    max_attempts=100,
    use_image_if_no_bounding_boxes=False,
):
    """Like the stateful op, from a seed of two integers."""
    if seed.shape != (2,):
        raise InvalidArgumentError(
            None, None, f"seed must have shape [2], not {fmt_shape(seed.shape)}"
        )
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    return _sample(image_size, bounding_boxes, min_object_covered, seeded_stream(xp, seed), attrs)
