"""Arrays sampled at transformed places, with the borders that SciPy's `ndimage` has."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.lazy import LazyModule

_ndimage = LazyModule("scipy.ndimage", "interpolation of an order above 1", install="scipy")
_MODES = ("nearest", "constant", "reflect", "wrap")


def sample(
    channels: np.ndarray, matrix: np.ndarray, offset: Any, order: int, mode: str, cval: float
) -> np.ndarray:
    """Return `(channels, rows, columns)` sampled at `matrix @ place + offset`.

    Args:
        order: 0 for the nearest value, 1 for linear interpolation; SciPy does the higher ones.
        mode: what is outside: `"nearest"`, `"constant"`, `"reflect"` or `"wrap"`.
        cval: the value outside for `"constant"`.
    """
    if order not in (0, 1):
        return np.stack(
            [
                _ndimage.affine_transform(each, matrix, offset, order=order, mode=mode, cval=cval)
                for each in channels
            ]
        )
    if mode not in _MODES:
        raise ValueError(f"`fill_mode` must be one of {_MODES}. Received: {mode!r}")
    _, height, width = channels.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)[None, :]
    places = [m[0] * rows + m[1] * columns + shift for m, shift in zip(matrix, offset)]
    (y, y_outside), (x, x_outside) = (
        _folded(place, size, mode) for place, size in zip(places, (height, width))
    )
    if order == 0:
        values = channels[:, _index(np.floor(y + 0.5), height), _index(np.floor(x + 0.5), width)]
    else:
        values = _interpolated(channels, y, x)
    if mode == "constant":
        values = np.where(y_outside | x_outside, np.asarray(cval, values.dtype), values)
    return values.astype(channels.dtype, copy=False)


def _folded(place: np.ndarray, size: int, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """Return places brought into the array by a mode, and which ones were outside."""
    outside = (place < 0) | (place > size - 1)
    if mode == "reflect":
        # The edge is repeated: between it and its mirror image the value is constant.
        folded = np.mod(place + 0.5, 2 * size)
        place = np.where(folded > size, 2 * size - folded, folded) - 0.5
    elif mode == "wrap":
        span = max(size - 1, 1)
        place = np.where(outside, place - span * np.floor(place / span), place)
    return np.clip(place, 0, size - 1), outside


def _index(place: np.ndarray, size: int) -> np.ndarray:
    return np.clip(place, 0, size - 1).astype("intp")


def _interpolated(channels: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    _, height, width = channels.shape
    top, left = np.floor(y), np.floor(x)
    down, right = y - top, x - left
    rows = (_index(top, height), _index(top + 1, height))
    columns = (_index(left, width), _index(left + 1, width))
    above = (
        channels[:, rows[0], columns[0]] * (1 - right) + channels[:, rows[0], columns[1]] * right
    )
    below = (
        channels[:, rows[1], columns[0]] * (1 - right) + channels[:, rows[1], columns[1]] * right
    )
    return above * (1 - down) + below * down
