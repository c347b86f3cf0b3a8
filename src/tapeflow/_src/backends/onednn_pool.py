"""Max and average pooling and their gradients, on `[batch, *spatial, channels]` in place.

As in TensorFlow, an average excludes padding from its count, and the gradient of a maximum goes to
the first of equal values.
"""

from __future__ import annotations

import functools
import math
from typing import Literal, NamedTuple, Self

import numpy as np

from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.backends.onednn_library import Arg, DataType, Dims, Handle, Query, library
from tapeflow._src.backends.onednn_plan import (
    PLAN_CAPACITY,
    Array,
    Ints,
    Plan,
    activation_order,
    descriptor,
    num_threads,
    omp_threads,
    operands,
    threads_for,
)

_FORWARD_TRAINING = 64
_FORWARD_INFERENCE = 96
# The cost of a value in a window, in multiplications of a convolution.
_TAP_WORK = 10
_ALGORITHMS = {"max": 0x1FF, "avg": 0x3FF}  # the average that excludes padding

Kind = Literal["max", "avg"]


class Window(NamedTuple):
    """A pooling without its values."""

    kind: Kind
    x: tuple[int, ...]
    ksize: tuple[int, ...]
    strides: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, kind: Kind, x: Ints, window: tuple[Ints, Ints, Ints, Ints]) -> Self:
        ksize, strides, before, after = map(tuple, window)
        return cls(kind, tuple(x), ksize, strides, before, after)

    def output_shape(self) -> tuple[int, ...]:
        """Return the shape of the result; raise ValueError if the operands do not match."""
        rank = len(self.x) - 2
        if not 1 <= rank <= 3:
            raise ValueError(f"pooling takes 1 to 3 spatial dimensions; received {self}")
        if any(len(item) != rank for item in self[2:]):
            raise ValueError(f"ksize, strides and pads need {rank} items each; received {self}")
        if min(self.strides + self.ksize) < 1:
            raise ValueError(f"ksize and strides start at 1; received {self}")
        if any(not 0 <= pad < k for k, *pads in zip(self.ksize, *self[4:]) for pad in pads):
            raise ValueError(f"pads must be smaller than ksize, so no window is empty: {self}")
        spatial = (
            max(0, (size + low + high - k) // stride + 1)
            for size, k, stride, low, high in zip(self.x[1:], *self[2:])
        )
        return (self.x[0], *spatial, self.x[-1])


class Prepared(NamedTuple):
    """A prepared plan; None where there is nothing to compute."""

    output_shape: tuple[int, ...]
    plan: Plan | None


def max_pool_forward(
    x: Array, ksize: Ints, strides: Ints, pads_before: Ints, pads_after: Ints
) -> Array:
    """Compute the maximum of each window."""
    return _forward("max", x, (ksize, strides, pads_before, pads_after))


def avg_pool_forward(
    x: Array, ksize: Ints, strides: Ints, pads_before: Ints, pads_after: Ints
) -> Array:
    """Compute the mean of each window, excluding padding."""
    return _forward("avg", x, (ksize, strides, pads_before, pads_after))


def max_pool_backward(
    x: Array, dy: Array, ksize: Ints, strides: Ints, pads_before: Ints, pads_after: Ints
) -> Array:
    """Return the input gradient `x`, from the upstream gradient `dy`."""
    dtype, x, dy = operands("max_pool_backward", x, dy)
    window = Window.of("max", x.shape, (ksize, strides, pads_before, pads_after))
    shape, plan = prepare_backward(window, dtype, num_threads())
    _check_gradient("max_pool_backward", dy, shape, window)
    if plan is None:
        return np.zeros(x.shape, x.dtype)
    dx = aligned_empty(x.shape, x.dtype)
    plan.run(address(dx), address(dy), address(x))
    return dx


def avg_pool_backward(
    dy: Array,
    input_shape: Ints,
    ksize: Ints,
    strides: Ints,
    pads_before: Ints,
    pads_after: Ints,
) -> Array:
    """Return the input gradient, of `input_shape`, from the upstream gradient `dy`."""
    dtype, dy = operands("avg_pool_backward", dy)
    window = Window.of("avg", input_shape, (ksize, strides, pads_before, pads_after))
    shape, plan = prepare_backward(window, dtype, num_threads())
    _check_gradient("avg_pool_backward", dy, shape, window)
    if plan is None:
        return np.zeros(window.x, dy.dtype)
    dx = aligned_empty(window.x, dy.dtype)
    plan.run(address(dx), address(dy))
    return dx


def _forward(kind: Kind, x: Array, parts: tuple[Ints, Ints, Ints, Ints]) -> Array:
    dtype, x = operands(f"{kind}_pool_forward", x)
    shape, plan = prepare_forward(Window.of(kind, x.shape, parts), dtype, num_threads())
    y = aligned_empty(shape, x.dtype)
    if plan is not None:
        plan.run(address(x), address(y))
    return y


def _check_gradient(op: str, dy: Array, shape: tuple[int, ...], window: Window) -> None:
    if dy.shape != shape:
        raise ValueError(f"{op}: dy has shape {dy.shape}, the result has {shape} for {window}")


@functools.lru_cache(PLAN_CAPACITY)
def prepare_forward(window: Window, dtype: DataType, threads: int) -> Prepared:
    """Plan over the buffers x and y."""
    shape = window.output_shape()
    if 0 in shape or 0 in window.x:
        return Prepared(shape, None)
    team = threads_for(_TAP_WORK * math.prod(shape) * math.prod(window.ksize), threads)
    with omp_threads(team):
        x, y = _descriptors(window, shape, dtype)
        plan = Plan((x, y))
        desc = _forward_desc(_FORWARD_INFERENCE, window, x, y)
        plan.step(desc, {Arg.SRC: 0, Arg.DST: 1})
    return Prepared(shape, plan)


@functools.lru_cache(PLAN_CAPACITY)
def prepare_backward(window: Window, dtype: DataType, threads: int) -> Prepared:
    """Plan over the buffers dx, dy and, for a maximum, x.

    The argmax is recomputed by pooling forward again: TensorFlow's gradient op receives the input
    and the result, not the positions.
    """
    shape = window.output_shape()
    if 0 in shape or 0 in window.x:
        return Prepared(shape, None)
    team = threads_for(_TAP_WORK * math.prod(shape) * math.prod(window.ksize), threads)
    with omp_threads(team):
        x, y = _descriptors(window, shape, dtype)
        forward = _forward_desc(_FORWARD_TRAINING, window, x, y)
        backward = _backward_desc(window, x, y, forward)
        if window.kind == "avg":
            plan = Plan((x, y))
            plan.step(backward, {Arg.DIFF_SRC: 0, Arg.DIFF_DST: 1})
            return Prepared(shape, plan)
        plan = Plan((x, y, x))
        pooled = plan.intermediate(y)
        positions = plan.intermediate(plan.layout(forward, Query.WORKSPACE))
        plan.step(forward, {Arg.SRC: 2, Arg.DST: pooled, Arg.WORKSPACE: positions})
        plan.step(backward, {Arg.DIFF_SRC: 0, Arg.DIFF_DST: 1, Arg.WORKSPACE: positions})
    return Prepared(shape, plan)


class Training(NamedTuple):
    """Max pooling that stores the argmax positions, and the gradient that uses them."""

    forward: Plan  # over the buffers x, y and argmax
    backward: Plan  # over the buffers dx, dy and argmax
    places_size: int  # bytes


@functools.lru_cache(PLAN_CAPACITY)
def prepare_training(window: Window, dtype: DataType, threads: int) -> Training:
    """Plan for a maximum with something to compute."""
    shape = window.output_shape()
    team = threads_for(_TAP_WORK * math.prod(shape) * math.prod(window.ksize), threads)
    with omp_threads(team):
        x, y = _descriptors(window, shape, dtype)
        desc = _forward_desc(_FORWARD_TRAINING, window, x, y)
        loaded = library()
        positions = loaded.primitive_desc_query_md(desc, Query.WORKSPACE, 0)
        forward, backward = Plan((x, y, positions)), Plan((x, y, positions))
        forward.step(desc, {Arg.SRC: 0, Arg.DST: 1, Arg.WORKSPACE: 2})
        gradient = _backward_desc(window, x, y, desc)
        backward.step(gradient, {Arg.DIFF_SRC: 0, Arg.DIFF_DST: 1, Arg.WORKSPACE: 2})
        # The layout of the positions is borrowed from the forward step.
        backward.keep(desc)
    return Training(forward, backward, loaded.memory_desc_get_size(positions))


def _descriptors(window: Window, shape: Ints, dtype: DataType) -> tuple[Handle, Handle]:
    order = activation_order(len(window.ksize))
    return descriptor(window.x, order, dtype), descriptor(shape, order, dtype)


def _dims(window: Window) -> tuple[object, ...]:
    """Return strides, kernel, dilation, pads before and after."""
    none = (0,) * len(window.ksize)
    parts = (window.strides, window.ksize, none, window.before, window.after)
    return tuple(Dims(*part) for part in parts)


def _forward_desc(propagation: int, window: Window, x: Handle, y: Handle) -> Handle:
    loaded = library()
    return loaded.create(
        "primitive_desc",
        loaded.engine,
        propagation,
        _ALGORITHMS[window.kind],
        x,
        y,
        *_dims(window),
        loaded.attributes,
        using="pooling_forward_primitive_desc_create",
    )


def _backward_desc(window: Window, x: Handle, y: Handle, forward: Handle) -> Handle:
    loaded = library()
    return loaded.create(
        "primitive_desc",
        loaded.engine,
        _ALGORITHMS[window.kind],
        x,
        y,
        *_dims(window),
        forward,
        loaded.attributes,
        using="pooling_backward_primitive_desc_create",
    )
