"""Glimpses: a window of each image around a point, with noise outside the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import shape_from_value
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, Static, op
from tapeflow._src.core.spec import Spec

_NOISE = ("uniform", "gaussian", "zero")


@op(
    "ExtractGlimpseV2",
    dtypes=frozenset({float32}),
    grad=UNREGISTERED,
    effect="io",
    host="draws noise that no seed decides",
    checked=True,
)
def extract_glimpse_v2(
    xp,
    input,
    size: Static,
    offsets: Free,
    *,
    centered=True,
    normalized=True,
    uniform_noise=True,
    noise="uniform",
):
    """Extract windows of `size` at `offsets`, given as (row, column) for each image."""
    glimpse = np.asarray(size)
    space = np.array(input.shape[1:3])
    start = _starts(offsets.astype(np.float32), space, glimpse, centered, normalized)
    rows = start[:, :1] + np.arange(glimpse[0])
    columns = start[:, 1:] + np.arange(glimpse[1])
    inside = ((rows >= 0) & (rows < space[0]))[:, :, None]
    inside = inside & ((columns >= 0) & (columns < space[1]))[:, None, :]
    if not inside.size or not input.size:
        return np.zeros((*inside.shape, input.shape[3]), np.float32)
    picked = input[
        np.arange(len(start))[:, None, None],
        rows.clip(0, space[0] - 1)[:, :, None],
        columns.clip(0, space[1] - 1)[:, None, :],
    ]
    outside = _drawn("uniform" if uniform_noise else noise, input, picked.shape)
    return np.where(inside[..., None], picked, outside)


def _starts(offsets: Any, space: Any, size: Any, centered: bool, normalized: bool) -> Any:
    """Return the first row and column of each window."""
    space, size = space.astype(np.float32), size.astype(np.float32)
    if normalized and centered:
        start = ((offsets + np.float32(1)) * space - size) / np.float32(2)
    elif normalized:
        start = offsets * space
    elif centered:
        start = offsets + space / np.float32(2)
    else:
        start = offsets
    return np.trunc(start).astype(np.int64)


def _drawn(noise: str, input: Any, shape: tuple[int, ...]) -> Any:
    """Return the values beyond the edges: like those of the images, or zeros."""
    if noise == "zero":
        return np.float32(0)
    generator = np.random.default_rng()
    low, high = input.min(), input.max()
    if noise == "uniform":
        return generator.uniform(low, high, shape).astype(np.float32)
    numbers = generator.normal(input.mean(), input.std(), shape)
    return numbers.clip(low, high).astype(np.float32)


@extract_glimpse_v2.infer
def _(input, size, offsets, *, centered, normalized, uniform_noise, noise):
    if noise not in _NOISE:
        raise InferError(f"The noise could only be uniform, gaussian, or zero, got {noise}")
    if input.shape is not None and len(input.shape) != 4:
        raise InferError(
            "input must be 4-dimensional (batch_size, height, width, depth)"
            f"{fmt_shape(input.shape)}"
        )
    if size.shape is not None and size.shape != (2,):
        raise InferError(f"input must be a vector of size 2 (height, width){fmt_shape(size.shape)}")
    if offsets.shape is not None and (len(offsets.shape) != 2 or offsets.shape[1] not in (None, 2)):
        raise InferError(f"input must be a matrix [batch, 2]{fmt_shape(offsets.shape)}")
    batch, depth = (input.shape[0], input.shape[3]) if input.shape else (None, None)
    offset_count = offsets.shape[0] if offsets.shape else None
    if None not in (batch, offset_count) and batch != offset_count:
        raise InferError(f"first dimension should be batch{fmt_shape(offsets.shape)}")
    height, width = shape_from_value(size) or (None, None)
    return Spec((offset_count if batch is None else batch, height, width, depth), float32)
