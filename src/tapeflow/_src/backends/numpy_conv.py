"""Convolutions on NumPy arrays: oneDNN for the dtypes it supports, else sums over the taps.

Activations are `[batch, *space, channels]`, filters `[*space, channels in a group, channels out]`.
`window` is the strides, the dilations and the padding before and after, one entry per axis.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow._src.backends import onednn
from tapeflow._src.core.types import Array

Window = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def conv(x: Array, w: Any, window: Window, groups: int) -> np.ndarray:
    """Convolve `x` with the filter `w`."""
    if onednn.supports(x.dtype):
        return onednn.conv_forward(x, w, *window, groups)
    return by_taps(x, w, window, groups)


def conv_input_gradient(
    dy: Any, w: Any, input_shape: tuple[int, ...], window: Window, groups: int
) -> np.ndarray:
    """Return the input gradient."""
    if onednn.supports(dy.dtype):
        return onednn.conv_backward_input(dy, w, input_shape, *window, groups)
    return input_gradient_by_taps(dy, w, input_shape, window, groups)


def conv_filter_gradient(
    x: Array, dy: Any, filter_shape: tuple[int, ...], window: Window, groups: int
) -> np.ndarray:
    """Return the gradient with respect to the filter."""
    if onednn.supports(dy.dtype):
        return onednn.conv_backward_filter(x, dy, filter_shape, *window, groups)
    return filter_gradient_by_taps(x, dy, filter_shape, window, groups)


# -- without oneDNN ----------------------------------------------------------------------------


def output_space(space: tuple[int, ...], kernel: tuple[int, ...], window: Window) -> list[int]:
    """Return the sizes of the result along the spatial axes."""
    return [
        max(0, (n + low + high - (k - 1) * dilation - 1) // stride + 1)
        for n, k, stride, dilation, low, high in zip(space, kernel, *window, strict=True)
    ]


def taps(
    kernel: tuple[int, ...], space: list[int], window: Window
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Yield each tap of the filter, with its slice of the padded input."""
    strides, dilations, _, _ = window
    for tap in itertools.product(*map(range, kernel)):
        yield (
            tap,
            (
                slice(None),
                *(
                    slice(t * dilation, t * dilation + (n - 1) * stride + 1 if n else 0, stride)
                    for t, dilation, n, stride in zip(tap, dilations, space, strides, strict=True)
                ),
            ),
        )


def _padded(x: np.ndarray, window: Window) -> np.ndarray:
    _, _, before, after = window
    if not any((*before, *after)):
        return x
    return np.pad(x, ((0, 0), *zip(before, after, strict=True), (0, 0)))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def _grouped(matrix: np.ndarray, groups: int) -> np.ndarray:
    """Reshape `[..., channels]` to `[groups, rows, channels in a group]`."""
    # Without -1, which NumPy cannot infer if there are no channels.
    count = int(np.prod(matrix.shape[:-1]))
    rows = matrix.reshape(count, groups, matrix.shape[-1] // groups)
    return rows.transpose(1, 0, 2)


def by_taps(x: np.ndarray, w: np.ndarray, window: Window, groups: int) -> np.ndarray:
    """Like `conv`, in plain NumPy."""
    kernel = w.shape[:-2]
    space = output_space(x.shape[1:-1], kernel, window)
    padded, weights = _padded(_wide(x), window), _wide(w)
    rows = x.shape[0] * int(np.prod(space))
    total = np.zeros((groups, rows, w.shape[-1] // groups), padded.dtype)
    for tap, part in taps(kernel, space, window):
        total += _grouped(padded[part], groups) @ _grouped(weights[tap], groups)
    result = total.transpose(1, 0, 2).reshape(x.shape[0], *space, w.shape[-1])
    return result.astype(x.dtype)


def input_gradient_by_taps(
    dy: np.ndarray, w: np.ndarray, input_shape: tuple[int, ...], window: Window, groups: int
) -> np.ndarray:
    """Like `conv_input_gradient`, in plain NumPy."""
    _, _, before, after = window
    kernel, space = w.shape[:-2], list(dy.shape[1:-1])
    upstream, weights = _grouped(_wide(dy), groups), _wide(w)
    sizes = [n + b + a for n, b, a in zip(input_shape[1:-1], before, after, strict=True)]
    padded = np.zeros((input_shape[0], *sizes, input_shape[-1]), weights.dtype)
    for tap, part in taps(kernel, space, window):
        share = upstream @ _grouped(weights[tap], groups).transpose(0, 2, 1)
        padded[part] += share.transpose(1, 0, 2).reshape(*dy.shape[:-1], input_shape[-1])
    inner = tuple(slice(b, b + n) for b, n in zip(before, input_shape[1:-1], strict=True))
    return padded[(slice(None), *inner)].astype(dy.dtype)


def filter_gradient_by_taps(
    x: np.ndarray, dy: np.ndarray, filter_shape: tuple[int, ...], window: Window, groups: int
) -> np.ndarray:
    """Like `conv_filter_gradient`, in plain NumPy."""
    kernel, space = filter_shape[:-2], list(dy.shape[1:-1])
    padded, upstream = _padded(_wide(x), window), _grouped(_wide(dy), groups)
    result = np.zeros(filter_shape, padded.dtype)
    for tap, part in taps(kernel, space, window):
        share = _grouped(padded[part], groups).transpose(0, 2, 1) @ upstream
        result[tap] = share.transpose(1, 0, 2).reshape(filter_shape[-2:])
    return result.astype(dy.dtype)
