"""Sampling positions and weights of resized images along one axis.

All arithmetic on sizes is in 32 bits, as in TensorFlow, so that values agree.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.types import Array

_ONE = np.float32(1)
_HALF = np.float32(0.5)
_CUBIC_STEPS = 1024


def scale_of(before: int, after: int, align_corners: bool) -> np.float32:
    """Return the number of input pixels per output pixel."""
    if align_corners and after > 1:
        return np.float32(before - 1) / np.float32(after - 1)
    return np.float32(before) / np.float32(after)


def _input_positions(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the input position of each output pixel."""
    scale = scale_of(before, after, align_corners)
    positions = np.arange(after, dtype=np.float32)
    return (positions + _HALF) * scale - _HALF if half_pixel_centers else positions * scale


@lru_cache(maxsize=64)
def nearest(before: int, after: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Return the index of the nearest input pixel for each output pixel."""
    scale = scale_of(before, after, align_corners)
    positions = np.arange(after, dtype=np.float32)
    if align_corners:
        chosen = np.floor(positions * scale + _HALF)
    else:
        chosen = np.floor((positions + _HALF if half_pixel_centers else positions) * scale)
    return np.clip(chosen, 0, before - 1).astype(np.int32)


@lru_cache(maxsize=32)
def nearest_transposed(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the weights `[before, after]` of the gradient of a nearest-neighbour resize."""
    chosen = nearest(before, after, align_corners, half_pixel_centers)
    return (np.arange(before)[:, None] == chosen).astype(np.float32)


@lru_cache(maxsize=64)
def bilinear(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the two neighbours of each output pixel, and the weight of the second."""
    positions = _input_positions(before, after, align_corners, half_pixel_centers)
    floor = np.floor(positions)
    lower = np.maximum(floor, 0).astype(np.intp)
    upper = np.minimum(np.ceil(positions), before - 1).astype(np.intp)
    return lower, upper, positions - floor


@lru_cache(maxsize=64)
def bilinear_columns(
    before: int, after: int, channels: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Like `bilinear`, for the flattened channels of a line of pixels."""
    lower, upper, share = bilinear(before, after, align_corners, half_pixel_centers)
    channel = np.arange(channels)
    first, second = ((index[:, None] * channels + channel).reshape(-1) for index in (lower, upper))
    return first, second, np.repeat(share, channels)


@lru_cache(maxsize=32)
def bilinear_matrix(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the weights `[after, before]` of a bilinear resize."""
    lower, upper, share = bilinear(before, after, align_corners, half_pixel_centers)
    return _matrix(before, np.stack([lower, upper], 1), np.stack([_ONE - share, share], 1))


@lru_cache(maxsize=32)
def bilinear_transposed(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the weights `[before, after]` of the gradient of a bilinear resize."""
    return np.ascontiguousarray(bilinear_matrix(before, after, align_corners, half_pixel_centers).T)


def _matrix(before: int, positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Accumulate the weights of each row at its positions in a matrix."""
    matrix = np.zeros((len(positions), before), np.float32)
    np.add.at(matrix, (np.arange(len(positions))[:, None], positions), weights)
    return matrix


@lru_cache(maxsize=2)
def _cubic_table(sharpness: float) -> tuple[np.ndarray, np.ndarray]:
    """Tabulate Keys' kernel at distances 0 … 1 and 1 … 2, as coarsely as TensorFlow does."""
    a = sharpness
    x = (np.arange(_CUBIC_STEPS + 1) / _CUBIC_STEPS).astype(np.float32).astype(np.float64)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return near.astype(np.float32), far.astype(np.float32)


@lru_cache(maxsize=32)
def bicubic_matrix(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the weights `[after, before]` of a bicubic resize."""
    near, far = _cubic_table(-0.5 if half_pixel_centers else -0.75)
    positions = _input_positions(before, after, align_corners, half_pixel_centers)
    floor = np.floor(positions)
    step = np.rint((positions - floor) * np.float32(_CUBIC_STEPS)).astype(np.int64)
    weights = np.stack([far[step], near[step], near[_CUBIC_STEPS - step], far[_CUBIC_STEPS - step]])
    taps = floor.astype(np.int64)[:, None] + np.arange(-1, 3)
    inside = np.clip(taps, 0, before - 1)
    weights = weights.T
    if half_pixel_centers:
        # Pixels beyond the edge do not count, and their weight is redistributed.
        weights = np.where(inside == taps, weights, np.float32(0))
        weights = weights / weights.sum(1, keepdims=True)
    return _matrix(before, inside, weights)


@lru_cache(maxsize=32)
def bicubic_transposed(
    before: int, after: int, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    """Return the weights `[before, after]` of the gradient of a bicubic resize."""
    return np.ascontiguousarray(bicubic_matrix(before, after, align_corners, half_pixel_centers).T)


@lru_cache(maxsize=32)
def area_matrix(before: int, after: int, align_corners: bool) -> np.ndarray:
    """Return the weights `[after, before]` of an area resize: how much of each pixel is covered."""
    scale = scale_of(before, after, align_corners)
    start = np.arange(after, dtype=np.float32) * scale
    stop = np.arange(1, after + 1, dtype=np.float32) * scale
    count = max(before, int(np.ceil(stop.max(initial=0))))
    pixels = np.arange(count, dtype=np.float32)
    covered = np.minimum(pixels + _ONE, stop[:, None]) - np.maximum(pixels, start[:, None])
    covered = np.maximum(covered, 0)
    # Coverage beyond the edge goes to the last pixel.
    covered[:, before - 1] = covered[:, before - 1 :].sum(1)
    return np.ascontiguousarray(covered[:, :before] / scale)


def _lanczos(radius: float) -> Any:
    def kernel(xp: ModuleType, x: Array) -> Any:
        safe = xp.where(x <= 1e-3, _ONE, x) * np.float32(np.pi)
        value = (
            np.float32(radius) * xp.sin(safe) * xp.sin(safe / np.float32(radius)) / (safe * safe)
        )
        return xp.where(x > radius, np.float32(0), xp.where(x <= 1e-3, _ONE, value))

    return kernel


def _gaussian(xp: ModuleType, x: Array) -> Any:
    return xp.where(x >= 1.5, np.float32(0), xp.exp(-x * x * np.float32(2)))


def _box(xp: ModuleType, x: Array) -> Any:
    return xp.where(x < 0.5, _ONE, xp.where(x == 0.5, _HALF, np.float32(0)))


def _triangle(xp: ModuleType, x: Array) -> Any:
    return xp.maximum(_ONE - x, np.float32(0))


def _cubic(near: tuple[float, float, float], far: tuple[float, float, float, float]) -> Any:
    """Evaluate a kernel of two cubic pieces that meet at 1; the first is flat at 0."""
    n3, n2, n0 = (np.float32(c) for c in near)
    f3, f2, f1, f0 = (np.float32(c) for c in far)

    def kernel(xp: ModuleType, x: Array) -> Any:
        outer = ((f3 * x + f2) * x + f1) * x + f0
        inner = (n3 * x + n2) * x * x + n0
        return xp.where(x >= 2, np.float32(0), xp.where(x >= 1, outer, inner))

    return kernel


# By TensorFlow's names: the radius of a kernel, and its value at a distance.
KERNELS: dict[str, tuple[float, Any]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (0.5, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _cubic((1.5, -2.5, 1.0), (-0.5, 2.5, -4.0, 2.0))),
    "mitchellcubic": (2.0, _cubic((7 / 6, -2.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9))),
}


def kernel_matrix(
    xp: ModuleType, before: int, after: int, scale: Any, shift: Any, kernel: str, antialias: bool
) -> Any:
    """Return the weights `[after, before]` of an image scaled and shifted along one axis."""
    inverse = _ONE / scale
    centre = (np.arange(after, dtype=np.float32) + _HALF) * inverse - inverse * shift
    width = xp.maximum(inverse, _ONE) if antialias else _ONE
    pixels = np.arange(before, dtype=np.float32) + _HALF
    distance = xp.abs((pixels - centre[:, None]) * (_ONE / width))
    weights = KERNELS[kernel][1](xp, distance)
    total = xp.sum(weights, axis=1, keepdims=True)
    enough = xp.abs(total) >= 1000 * np.finfo(np.float32).tiny
    inside = ((centre >= 0) & (centre <= before))[:, None]
    return xp.where(inside, weights / xp.where(enough, total, _ONE), np.float32(0))


@lru_cache(maxsize=64)
def cached_kernel_matrix(
    before: int,
    after: int,
    scale: float,
    shift: float,
    kernel: str,
    antialias: bool,
    transposed: bool,
) -> np.ndarray:
    """Return `kernel_matrix` on NumPy, for numbers."""
    matrix = kernel_matrix(
        np, before, after, np.float32(scale), np.float32(shift), kernel, antialias
    )
    return np.ascontiguousarray(matrix.T if transposed else matrix)
