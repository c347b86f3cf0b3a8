"""Batch normalisation by batch statistics, and its gradient, over the last axis.

Two passes over the memory where NumPy makes six; a fused ReLU takes none more. Normalising by given
statistics is left to NumPy: it is one multiplication and one addition.
"""

from __future__ import annotations

import ctypes
import functools
import math

import numpy as np

from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.backends.onednn_library import Arg, Binary, DataType, Handle, Query, library
from tapeflow._src.backends.onednn_plan import (
    PLAN_CAPACITY,
    Array,
    Ints,
    Plan,
    descriptor,
    num_threads,
    omp_threads,
    operands,
    threads_for,
)

_FORWARD_TRAINING = 64
_BACKWARD = 128
_SCALE_AND_SHIFT = 2 | 4
_RECTIFIED = 8
# The cost of a value, in multiplications of a convolution.
_VALUE_WORK = 20
# Measured: vectorised code needs channels in fours, and below this many values NumPy is as fast.
_PAYING_CHANNELS = 4
_PAYING_SIZE = 1 << 14
# Measured: oneDNN splits images among threads. With one large image, or pixels that are images of
# their own, it takes two to three times as long as with images of 4 to 64 pixels.
_PIXELS = 64


def batch_norm_pays(shape: Ints) -> bool:
    """Whether oneDNN is faster for an input of `shape`."""
    return shape[-1] % _PAYING_CHANNELS == 0 and math.prod(shape) >= _PAYING_SIZE


def batch_norm_forward(
    x: Array, scale: Array, shift: Array, epsilon: float
) -> tuple[Array, Array, Array]:
    """Return normalised `x`, then its mean and its biased variance for each channel."""
    dtype, x, scale, shift = operands("batch_norm_forward", x, scale, shift)
    _check("batch_norm_forward", dtype, x, scale, shift)
    if x.size == 0:
        return x.copy(), np.full_like(scale, np.nan), np.full_like(scale, np.nan)
    y = aligned_empty(x.shape, x.dtype)
    mean, variance = np.empty_like(scale), np.empty_like(scale)
    plan = forward_plan(x.size // x.shape[-1], x.shape[-1], epsilon, num_threads())
    plan.run(*map(address, (x, scale, shift, mean, variance, y)))
    return y, mean, variance


def batch_norm_backward(
    x: Array, dy: Array, scale: Array, mean: Array, variance: Array, epsilon: float
) -> tuple[Array, Array, Array]:
    """Return the gradients w.r.t. `x`, scale and shift, from the upstream gradient `dy`."""
    op = "batch_norm_backward"
    dtype, x, dy, scale, mean, variance = operands(op, x, dy, scale, mean, variance)
    _check(op, dtype, x, scale, mean, variance)
    if dy.shape != x.shape:
        raise ValueError(f"{op}: dy has shape {dy.shape}, x has {x.shape}")
    if x.size == 0:
        return x.copy(), np.zeros_like(scale), np.zeros_like(scale)
    dx = aligned_empty(x.shape, x.dtype)
    dscale, dshift = np.empty_like(scale), np.empty_like(scale)
    plan = backward_plan(x.size // x.shape[-1], x.shape[-1], epsilon, num_threads())
    plan.run(*map(address, (x, dy, scale, mean, variance, dx, dscale, dshift)))
    return dx, dscale, dshift


def _check(op: str, dtype: DataType, x: Array, *by_channel: Array) -> None:
    if dtype != DataType.float32:
        raise TypeError(f"{op}: batch normalisation runs in float32, not in {x.dtype}; cast first")
    if x.ndim < 2 or any(array.shape != x.shape[-1:] for array in by_channel):
        received = [array.shape for array in by_channel]
        raise ValueError(f"{op}: x of shape {x.shape} needs one value a channel; got {received}")


@functools.lru_cache(PLAN_CAPACITY)
def forward_plan(
    rows: int, channels: int, epsilon: float, threads: int, rectified: bool = False
) -> Plan:
    """Plan over the buffers x, scale, shift, mean, variance and y; then the signs, if rectified."""
    with omp_threads(threads_for(_VALUE_WORK * rows * channels, threads)):
        x, by_channel = _descriptors(rows, channels)
        desc = _forward_desc(x, epsilon, rectified)
        arguments = [Arg.SRC, Arg.SCALE, Arg.SHIFT, Arg.MEAN, Arg.VARIANCE, Arg.DST]
        buffers: list[Handle | int] = [x, *[by_channel] * 4, x]
        if rectified:
            arguments.append(Arg.WORKSPACE)
            buffers.append(library().primitive_desc_query_md(desc, Query.WORKSPACE, 0))
        plan = Plan(buffers)
        plan.step(desc, {arg: slot for slot, arg in enumerate(arguments)})
    return plan


@functools.lru_cache(PLAN_CAPACITY)
def backward_plan(
    rows: int, channels: int, epsilon: float, threads: int, rectified: bool = False
) -> Plan:
    """Plan over the buffers x, dy, scale, mean, variance, dx, dscale and dshift; then the signs."""
    loaded = library()
    with omp_threads(threads_for(_VALUE_WORK * rows * channels, threads)):
        x, by_channel = _descriptors(rows, channels)
        forward = _forward_desc(x, epsilon, rectified)
        desc = loaded.create(
            "primitive_desc",
            loaded.engine,
            _BACKWARD,
            x,
            x,
            x,
            epsilon,
            _flags(rectified),
            forward,
            loaded.attributes,
            using="batch_normalization_backward_primitive_desc_create",
        )
        arguments = [Arg.SRC, Arg.DIFF_DST, Arg.SCALE, Arg.MEAN, Arg.VARIANCE]
        arguments += [Arg.DIFF_SRC, Arg.DIFF_SCALE, Arg.DIFF_SHIFT]
        buffers: list[Handle | int] = [x, x, *[by_channel] * 3, x, *[by_channel] * 2]
        if rectified:
            arguments.append(Arg.WORKSPACE)
            buffers.append(loaded.primitive_desc_query_md(desc, Query.WORKSPACE, 0))
        plan = Plan(buffers)
        plan.step(desc, {arg: slot for slot, arg in enumerate(arguments)})
    return plan


@functools.lru_cache(PLAN_CAPACITY)
def signs_size(rows: int, channels: int, epsilon: float) -> int:
    """Return the size in bytes of the mask of positive values."""
    loaded = library()
    desc = _forward_desc(_descriptors(rows, channels)[0], epsilon, rectified=True)
    layout = loaded.primitive_desc_query_md(desc, Query.WORKSPACE, 0)
    size: int = loaded.memory_desc_get_size(layout)
    return size


class RectifiedPlan:
    """Fused batch normalisation and ReLU. oneDNN turns NaN into zeros; here it stays NaN.

    The statistics show whether there can be any. `epsilon` must be positive: without it, channels
    without variance become NaN.
    """

    def __init__(self, rows: int, channels: int, epsilon: float, threads: int) -> None:
        self._fused = forward_plan(rows, channels, epsilon, threads, rectified=True)
        self._plain = forward_plan(rows, channels, epsilon, threads)
        self._rows, self._channels = rows, channels

    def run(self, *addresses: int) -> None:
        """Run over the buffers of `forward_plan`, including the signs."""
        self._fused.run(*addresses)
        _, scale, shift, _, variance, y, _ = addresses
        by_channel = [_floats(at, self._channels) for at in (scale, shift, variance)]
        if not _is_bounded(self._rows, *by_channel):
            self._plain.run(*addresses[:-1])
            values = _floats(y, self._rows * self._channels)
            np.maximum(values, np.float32(0), out=values)


class SummedPlan:
    """Fused batch normalisation, residual add and ReLU.

    As max(-n, a) - (-n), with n the normalised values and a the residual: one operation with a
    post-op, in place. If one of two operands is NaN, oneDNN's maximum is the second, so that a NaN
    of the residual stays. n must have none, and no infinities.
    """

    def __init__(self, rows: int, channels: int, epsilon: float, threads: int) -> None:
        self._plain = forward_plan(rows, channels, epsilon, threads)
        self._sum = _sum_plan(rows, channels, threads)
        self._rows, self._channels = rows, channels

    def run(self, *addresses: int) -> None:
        """Run over the buffers x, scale, shift, mean, variance, y, and the residual."""
        x, scale, shift, mean, variance, y, side_input = addresses
        negated = -_floats(scale, self._channels), -_floats(shift, self._channels)
        self._plain.run(x, *map(address, negated), mean, variance, y)
        if _is_bounded(self._rows, *negated, _floats(variance, self._channels)):
            self._sum.run(y, side_input, y, y)
            return
        self._plain.run(*addresses[:-1])
        count = self._rows * self._channels
        values = _floats(y, count)
        with np.errstate(all="ignore"):
            values += _floats(side_input, count)
            np.maximum(values, np.float32(0), out=values)


def _is_bounded(rows: int, scale: Array, shift: Array, variance: Array) -> bool:
    """Whether all normalised values are finite.

    Their distance from 0 is bounded by scale and shift, and the variance includes every value.
    """
    with np.errstate(all="ignore"):
        most = np.abs(scale) * np.float32(math.sqrt(rows)) + np.abs(shift) + variance
        return math.isfinite(most.sum())


@functools.lru_cache(PLAN_CAPACITY)
def _sum_plan(rows: int, channels: int, threads: int) -> Plan:
    """Plan over the buffers a, b, result and c: max(a, b) - c."""
    loaded = library()
    with omp_threads(threads_for(_VALUE_WORK * rows * channels, threads)):
        values, _ = _descriptors(rows, channels)
        attributes = loaded.attributes_then(Binary.SUB, values)
        using = "binary_primitive_desc_create"
        same = (values, values, values)
        desc = loaded.create(
            "primitive_desc", loaded.engine, Binary.MAX, *same, attributes, using=using
        )
        plan = Plan([values, *same])
        plan.step(desc, {Arg.SRC: 0, Arg.SRC_1: 1, Arg.DST: 2, Arg.POST_OP_SRC_1: 3})
    return plan


def _floats(at: int, count: int) -> Array:
    """Return the memory at an address, as an array."""
    return np.frombuffer(memoryview((ctypes.c_float * count).from_address(at)), np.float32)


def _descriptors(rows: int, channels: int) -> tuple[Handle, Handle]:
    """Describe values as many small images of `rows` pixels in all, and one value per channel."""
    pixels = next(count for count in range(_PIXELS, 0, -1) if rows % count == 0)
    images = (rows // pixels, pixels) if pixels > 1 else (1, rows)
    image = descriptor((*images, channels), (0, 2, 1), DataType.float32)
    return image, descriptor((channels,), (0,), DataType.float32)


def _flags(rectified: bool) -> int:
    return _SCALE_AND_SHIFT | _RECTIFIED if rectified else _SCALE_AND_SHIFT


def _forward_desc(x: Handle, epsilon: float, rectified: bool) -> Handle:
    loaded = library()
    return loaded.create(
        "primitive_desc",
        loaded.engine,
        _FORWARD_TRAINING,
        x,
        x,
        epsilon,
        _flags(rectified),
        loaded.attributes,
        using="batch_normalization_forward_primitive_desc_create",
    )
