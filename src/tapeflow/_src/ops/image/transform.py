"""Images under a projective transform.

A transform holds the first eight numbers, row by row, of a 3 x 3 homography whose ninth is 1. It
maps homogeneous output coordinates (x, y, 1) to the input coordinates that are sampled.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING, float32, int32, int64, uint8
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import require_rank, shape_from_value
from tapeflow._src.core.registry import Free, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    concat_v2,
    ones_like,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.solve import matrix_inverse

_DTYPES = FLOATING | {uint8, int32, int64}
_INTERPOLATIONS = ("NEAREST", "BILINEAR")
_FILLS = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
_F32 = np.float32


# -- coordinates -------------------------------------------------------------------------------


def _sources(xp: ModuleType, transforms: Any, height: int, width: int) -> tuple[Any, Any, Any]:
    """Return the source coordinates of each output pixel, and whether they are valid."""
    x = np.arange(width, dtype=_F32)[None, None, :]
    y = np.arange(height, dtype=_F32)[None, :, None]
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, None, None] for i in range(8))
    scale = c0 * x + c1 * y + _F32(1)
    exists = scale != 0
    scale = xp.where(exists, scale, _F32(1))
    return (a0 * x + a1 * y + a2) / scale, (b0 * x + b1 * y + b2) / scale, exists


def _reflected(xp: ModuleType, at: Any, size: int) -> Any:
    twice = _F32(2 * size)
    below = at + twice * xp.trunc(-at / twice)
    below = xp.where(below < -size, below + twice, -below - 1)
    above = at - twice * xp.trunc(at / twice)
    above = xp.where(above >= size, twice - above - 1, above)
    return xp.where(at < 0, below, xp.where(at > size - 1, above, at))


def _wrapped(xp: ModuleType, at: Any, size: int) -> Any:
    last = _F32(size - 1)
    below = at + size * (xp.trunc(-at / last) + 1)
    above = at - size * xp.trunc(at / last)
    return xp.where(at < 0, below, xp.where(at > last, above, at))


def _fill_coordinates(xp: ModuleType, at: Any, size: int, fill_mode: str) -> Any:
    """Map coordinates outside the image into it, according to `fill_mode`."""
    if fill_mode == "CONSTANT":
        return at
    if fill_mode != "NEAREST":
        move = _reflected if fill_mode == "REFLECT" else _wrapped
        at = move(xp, at, size) if size > 1 else xp.zeros_like(at)
    return xp.clip(at, _F32(0), _F32(size - 1)).astype(_F32)


# -- pixels ------------------------------------------------------------------------------------


class _Reader:
    """The pixels of images at integer coordinates, `fill` outside."""

    def __init__(self, xp: Any, images: Any, fill: Any) -> None:
        self._xp, self._fill = xp, xp.cast(fill, images.dtype)
        self.dtype = images.dtype
        _, self._height, self._width, channels = images.shape
        self._flat = images.reshape(images.shape[0], self._height * self._width, channels)

    def __call__(self, y: Any, x: Any) -> Any:
        xp, flat = self._xp, self._flat
        inside = (y >= 0) & (y < self._height) & (x >= 0) & (x < self._width)
        row = xp.clip(y, 0, self._height - 1).astype(np.int32)
        column = xp.clip(x, 0, self._width - 1).astype(np.int32)
        offsets = (row * self._width + column).reshape(flat.shape[0], -1, 1)
        pixels = xp.take_along_axis(flat, offsets, axis=1).reshape(*y.shape, flat.shape[2])
        return xp.where(inside[..., None], pixels, self._fill)


def _rounded(xp: ModuleType, at: Any) -> Any:
    """Round to the nearest integer, halves away from zero."""
    return xp.sign(at) * xp.floor(xp.abs(at) + _F32(0.5))


def _mixed(xp: ModuleType, read: _Reader, y: Any, x: Any) -> Any:
    """Interpolate bilinearly between the four pixels around each coordinate."""
    top, left = xp.floor(y), xp.floor(x)
    bottom, right = top + 1, left + 1

    def mix(first: Any, second: Any, near: Any, far: Any) -> Any:
        return near[..., None] * first.astype(_F32) + far[..., None] * second.astype(_F32)

    upper = mix(read(top, left), read(top, right), right - x, x - left)
    lower = mix(read(bottom, left), read(bottom, right), right - x, x - left)
    return xp.cast(mix(upper, lower, bottom - y, y - top), read.dtype)


def _transformed(
    xp: ModuleType,
    images: Any,
    transforms: Any,
    size: Any,
    fill: Any,
    interpolation: str,
    mode: str,
) -> Any:
    height, width = (int(n) for n in size)
    batch, rows, columns, channels = images.shape
    if not images.size:
        return xp.full((batch, height, width, channels), xp.cast(fill, images.dtype))
    x, y, exists = _sources(xp, transforms, height, width)
    x, y = _fill_coordinates(xp, x, columns, mode), _fill_coordinates(xp, y, rows, mode)
    x, y = (xp.broadcast_to(at, (batch, height, width)) for at in (x, y))
    read = _Reader(xp, images, fill)
    if interpolation == "NEAREST":
        pixels = read(_rounded(xp, y), _rounded(xp, x))
    else:
        pixels = _mixed(xp, read, y, x)
    return xp.where(exists[..., None], pixels, xp.cast(fill, images.dtype))


# -- the ops -----------------------------------------------------------------------------------


def _infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    images, transforms, size = specs[:3]
    _one_of("interpolation", attrs["interpolation"], _INTERPOLATIONS)
    _one_of("fill_mode", attrs["fill_mode"], _FILLS)
    require_rank(images, 4, "images")
    dims = images.shape or (None,) * 4
    matrix_dims = transforms.shape
    if matrix_dims is not None and (
        len(matrix_dims) != 2
        or matrix_dims[1] not in (8, None)
        or (None not in (matrix_dims[0], dims[0]) and matrix_dims[0] not in (dims[0], 1))
    ):
        raise InferError(
            f"Input transform should be num_images x 8 or 1 x 8, got {fmt_shape(matrix_dims)} for "
            f"images of shape {fmt_shape(images.shape)}"
        )
    if transforms.dtype is not float32:
        raise InferError(f"transforms must be float32, got {transforms.dtype.name}")
    if size.shape is not None and size.shape not in ((2,), (None,)):
        raise InferError(f"output shape must be 1-dimensional, with two values: {size.shape}")
    height, width = shape_from_value(size) or (None, None)
    if 0 in (height, width):
        raise InferError(f"output dimensions must be positive, got {[height, width]}")
    return Spec((dims[0], height, width, dims[3]), images.dtype)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InferError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


@op("ImageProjectiveTransformV3", infer=_infer, dtypes=_DTYPES, checked=True)
def image_projective_transform_v3(
    xp,
    images,
    transforms: Free,
    output_shape: Static,
    fill_value: Free,
    *,
    interpolation,
    fill_mode="CONSTANT",
):
    """Apply projective transforms to images; `fill_value` fills pixels outside the image."""
    fill = xp.asarray(fill_value)
    return _transformed(xp, images, transforms, output_shape, fill, interpolation, fill_mode)


@op("ImageProjectiveTransformV2", infer=_infer, dtypes=_DTYPES, checked=True)
def image_projective_transform_v2(
    xp, images, transforms: Free, output_shape: Static, *, interpolation, fill_mode="CONSTANT"
):
    """Apply projective transforms to images; zeros fill pixels outside the image."""
    fill = np.zeros((), np.float32)
    return _transformed(xp, images, transforms, output_shape, fill, interpolation, fill_mode)


def _inverse(transforms: Any) -> Any:
    """Return the inverse transforms, as eight numbers each."""
    last = ones_like(get_item(transforms, (slice(None), slice(0, 1))))
    matrices = reshape(concat_v2([transforms, last], scalar_int(1)), static_ints((-1, 3, 3)))
    numbers = reshape(matrix_inverse(matrices), static_ints((-1, 9)))
    scaled = numbers / get_item(numbers, (slice(None), slice(8, 9)))
    return get_item(scaled, (slice(None), slice(0, 8)))


def _size_of(images: Any) -> Any:
    return get_item(shape_of(images), slice(1, 3))


@image_projective_transform_v2.gradient
def _(dz, *, images, transforms, attrs):
    return image_projective_transform_v2(dz, _inverse(transforms), _size_of(images), **attrs), None


@image_projective_transform_v3.gradient
def _(dz, *, images, transforms, fill_value, attrs):
    size = _size_of(images)
    moved = image_projective_transform_v3(dz, _inverse(transforms), size, fill_value, **attrs)
    return moved, None, None, None
