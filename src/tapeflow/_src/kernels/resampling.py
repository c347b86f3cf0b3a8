"""Separable resampling of images on NumPy: along the width, then along the height.

A row of weights is zero but for a few neighbours, so matrices of weights are cut into bands: some
rows, and the columns in which these are not zero. A band times the lines it reaches is a small
matrix product. Images with few channels are resampled along the width as lines of numbers, by
weights that are repeated for each channel. Images are divided among the cores.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tapeflow._src.backends import blas
from tapeflow._src.backends.threads import cores, for_each

_F32 = np.dtype(np.float32)
# Rows of a band: more would multiply more zeros, fewer are more calls.
_BAND = 16
# Up to this many channels, lines of numbers times repeated weights are quicker than pixels.
_FEW_CHANNELS = 4
# Numbers of a result from which on images are divided among the cores.
_MANY = 1 << 18
# Numbers of the images that are resampled together.
_STACK_NUMBERS = 1 << 20
# Bytes of a block of lines that is interpolated while it is in the cache.
_BLOCK_BYTES = 1 << 18
_MOST_CACHED = 128
# Bands along the height: they multiply whole lines.
_LINES = 0


class _Band(NamedTuple):
    """The weights of some rows of the result, and which rows of the input they reach."""

    rows: slice
    reach: slice
    weights: np.ndarray


_cached: OrderedDict[tuple[int, int], tuple[np.ndarray, list[_Band]]] = OrderedDict()
_caching = threading.Lock()


def weigh(images: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Multiply float32 images by a matrix of weights along the height, and one along the width.

    The matrices must not change: what is derived from them is cached.
    """
    batch, height, width, channels = images.shape
    result = np.empty((batch, len(rows), len(columns), channels), _F32)
    down = _bands(rows, _LINES)
    across = _bands(columns, channels) if channels <= _FEW_CHANNELS else []

    def resample(part: slice) -> None:
        stack, target = np.ascontiguousarray(images[part]), result[part]
        if len(rows) < height:
            half = np.empty((len(stack), len(rows), width, channels), _F32)
            _along_height(stack, half, down)
            _along_width(half, target, columns, across)
        else:
            half = np.empty((len(stack), height, len(columns), channels), _F32)
            _along_width(stack, half, columns, across)
            _along_height(half, target, down)

    with blas.one_thread():
        _for_stacks(resample, result)
    return result


def _for_stacks(work: Callable[[slice], object], result: np.ndarray) -> None:
    """Call `work` for some images at a time, so that products last longer than waits for the GIL.

    A stack fits the cache that cores share.
    """
    count = len(result)
    size = min(max(1, _STACK_NUMBERS * count // max(1, result.size)), -(-count // cores()))
    parts = [slice(start, start + size) for start in range(0, count, max(1, size))]
    if result.size < _MANY:
        for part in parts:
            work(part)
    else:
        for_each(work, parts)


def _for_images(work: Callable[[int], object], result: np.ndarray) -> None:
    if result.size < _MANY:
        for index in range(len(result)):
            work(index)
    else:
        for_each(work, range(len(result)))


def _along_height(images: np.ndarray, result: np.ndarray, bands: list[_Band]) -> None:
    lines = images.reshape(*images.shape[:2], -1)
    target = result.reshape(*result.shape[:2], -1)
    for rows, reach, weights in bands:
        np.matmul(weights, lines[:, reach], out=target[:, rows])


def _along_width(
    images: np.ndarray, result: np.ndarray, columns: np.ndarray, bands: list[_Band]
) -> None:
    if images.shape[-1] > _FEW_CHANNELS:
        np.matmul(columns, images, out=result)
        return
    height = images.shape[0] * images.shape[1]
    lines, target = images.reshape(height, -1), result.reshape(height, -1)
    for rows, reach, weights in bands:
        np.matmul(lines[:, reach], weights, out=target[:, rows])


def _bands(matrix: np.ndarray, channels: int) -> list[_Band]:
    """Return the bands of a matrix for lines, or for the numbers of pixels with `channels`."""
    key = id(matrix), channels
    with _caching:
        entry = _cached.get(key)
        if entry is not None and entry[0] is matrix:
            _cached.move_to_end(key)
            return entry[1]
    bands = [_band(matrix, start, channels) for start in range(0, len(matrix), _BAND)]
    with _caching:
        _cached[key] = matrix, bands
        while len(_cached) > _MOST_CACHED:
            _cached.popitem(last=False)
    return bands


def _band(matrix: np.ndarray, start: int, channels: int) -> _Band:
    part = matrix[start : start + _BAND]
    used = np.flatnonzero(part.any(0))
    first, last = (int(used[0]), int(used[-1]) + 1) if used.size else (0, 1)
    weights, end = part[:, first:last], start + len(part)
    if channels == _LINES:
        return _Band(slice(start, end), slice(first, last), np.ascontiguousarray(weights))
    repeated = np.kron(weights.T, np.eye(channels, dtype=_F32))
    rows, reach = (slice(channels * a, channels * b) for a, b in ((start, end), (first, last)))
    return _Band(rows, reach, np.ascontiguousarray(repeated))


# -- bilinear ----------------------------------------------------------------------------------

Neighbours = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The two neighbours of each pixel of the result, and the weight of the second one."""


def interpolate(
    images: np.ndarray, rows: Neighbours, columns: Neighbours, numbers: Neighbours
) -> np.ndarray:
    """Interpolate linearly along the width, then along the height.

    `columns` are neighbours of pixels, `numbers` those of their flattened channels.
    """
    batch, height, width, channels = images.shape
    result = np.empty((batch, len(rows[0]), len(columns[0]), channels), _F32)
    along, size, share = (
        (numbers, width * channels, numbers[2])
        if channels <= _FEW_CHANNELS
        else (columns, width, columns[2][:, None])
    )

    def resample(index: int) -> None:
        pixels = images[index].reshape(height, size, -1)
        lower, upper = (pixels.take(side, 1).astype(_F32, copy=False) for side in along[:2])
        _mix(lower, upper, share.reshape(-1, 1))
        lines = upper.reshape(height, -1)
        _interpolate_lines(lines, rows, result[index].reshape(len(rows[0]), -1))

    _for_images(resample, result)
    return result


def _interpolate_lines(lines: np.ndarray, rows: Neighbours, result: np.ndarray) -> None:
    lower, upper, share = rows
    block = max(1, _BLOCK_BYTES // (4 * max(1, lines.shape[1])))
    scratch = np.empty((min(block, len(result)), lines.shape[1]), _F32)
    for start in range(0, len(result), block):
        part = slice(start, start + block)
        target = result[part]
        first = scratch[: len(target)]
        # A mode other than "raise" lets NumPy write to the array itself.
        lines.take(lower[part], 0, out=first, mode="clip")
        lines.take(upper[part], 0, out=target, mode="clip")
        _mix(first, target, share[part, None])


def _mix(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> None:
    """Compute `first + (second - first) * share`, in the memory of `second`."""
    second -= first
    second *= share
    second += first
