"""Convolutions and their two gradients, straight on TensorFlow's memory layouts.

Activations are `[batch, *spatial, channels]`, filters `[*spatial, in / groups, out]`, with one to
three spatial dimensions. A depthwise filter `[*spatial, channels, multiplier]` is the same memory
as `[*spatial, 1, channels * multiplier]` with as many groups as channels.

Measured on AVX-512: activations stay as they are, since reordering them costs more than any layout
wins. A filter is worth a reorder to the layout oneDNN likes best: forward 5 to 60 % of the time
saved, gradients 2 to 5 times faster, depthwise 15 to 100 times. Only an ungrouped forward
convolution with few output positions reads it in place, since each weight is then used too rarely
to pay for being moved.
"""

from __future__ import annotations

import functools
import math
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from tapeflow._src.backends.memory import address, aligned_empty
from tapeflow._src.backends.onednn_library import (
    Arg,
    DataType,
    Dims,
    Handle,
    OneDnnError,
    Query,
    available,
    library,
)
from tapeflow._src.backends.onednn_plan import (
    PLAN_CAPACITY,
    Array,
    Ints,
    Plan,
    activation_order,
    data_type,
    descriptor,
    free_descriptor,
    num_threads,
    omp_threads,
    operands,
    threads_for,
)

_FORWARD_TRAINING = 64
_DIRECT = 1
# Output positions, over batch and space, from which reordering the filter pays.
_REORDER_POSITIONS = 256

Direction = Literal["forward", "backward_data", "backward_weights"]
# The buffers of a plan, in this order in all directions.
_X, _W, _Y = range(3)


class Geometry(NamedTuple):
    """A convolution without its values."""

    x: tuple[int, ...]
    w: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    groups: int

    @classmethod
    def of(cls, x: Ints, w: Ints, geometry: tuple[Ints, Ints, Ints, Ints], groups: int) -> Self:
        strides, dilations, before, after = map(tuple, geometry)
        return cls(tuple(x), tuple(w), strides, dilations, before, after, groups)

    def output_shape(self) -> tuple[int, ...]:
        """Return the shape of the result; raise ValueError if the operands do not match."""
        rank = len(self.x) - 2
        if not 1 <= rank <= 3 or len(self.w) != rank + 2:
            raise ValueError(f"a convolution has 1 to 3 spatial dimensions; received {self}")
        if any(len(item) != rank for item in self[2:6]):
            raise ValueError(f"strides, dilations and pads need {rank} items each; received {self}")
        if min(self.strides + self.dilations) < 1 or min(self.before + self.after) < 0:
            raise ValueError(f"strides and dilations start at 1, pads at 0; received {self}")
        if self.groups < 1 or self.x[-1] != self.w[-2] * self.groups or self.w[-1] % self.groups:
            raise ValueError(f"the channels of x, w and groups do not fit; received {self}")
        spatial = (
            max(0, (size + low + high - (k - 1) * dilation - 1) // stride + 1)
            for size, k, stride, dilation, low, high in zip(self.x[1:], self.w, *self[2:6])
        )
        return (self.x[0], *spatial, self.w[-1])


class Prepared(NamedTuple):
    """A prepared plan; None where there is nothing to compute."""

    output_shape: tuple[int, ...]
    plan: Plan | None


def conv_forward(
    x: Array,
    w: Array,
    strides: Ints,
    dilations: Ints,
    pads_before: Ints,
    pads_after: Ints,
    groups: int = 1,
) -> Array:
    """Convolve `x` with the filter `w`."""
    dtype, x, w = operands("conv_forward", x, w)
    window = (strides, dilations, pads_before, pads_after)
    geometry = Geometry.of(x.shape, w.shape, window, groups)
    shape, plan = prepare("forward", geometry, dtype, num_threads())
    if plan is None:
        return np.zeros(shape, x.dtype)
    y = aligned_empty(shape, x.dtype)
    plan.run(address(x), address(w), address(y))
    return y


def conv_backward_input(
    dy: Array,
    w: Array,
    input_shape: Ints,
    strides: Ints,
    dilations: Ints,
    pads_before: Ints,
    pads_after: Ints,
    groups: int = 1,
) -> Array:
    """Return the input gradient, of `input_shape`, from the upstream gradient `dy`."""
    dtype, dy, w = operands("conv_backward_input", dy, w)
    window = (strides, dilations, pads_before, pads_after)
    geometry = Geometry.of(input_shape, w.shape, window, groups)
    shape, plan = prepare("backward_data", geometry, dtype, num_threads())
    _check_gradient("conv_backward_input", dy, shape, geometry)
    if plan is None:
        return np.zeros(geometry.x, dy.dtype)
    dx = aligned_empty(geometry.x, dy.dtype)
    plan.run(address(dx), address(w), address(dy))
    return dx


def conv_backward_filter(
    x: Array,
    dy: Array,
    filter_shape: Ints,
    strides: Ints,
    dilations: Ints,
    pads_before: Ints,
    pads_after: Ints,
    groups: int = 1,
) -> Array:
    """Return the gradient w.r.t. the filter, of `filter_shape`, from the upstream gradient `dy`."""
    dtype, x, dy = operands("conv_backward_filter", x, dy)
    window = (strides, dilations, pads_before, pads_after)
    geometry = Geometry.of(x.shape, filter_shape, window, groups)
    shape, plan = prepare("backward_weights", geometry, dtype, num_threads())
    _check_gradient("conv_backward_filter", dy, shape, geometry)
    if plan is None:
        return np.zeros(geometry.w, dy.dtype)
    dw = aligned_empty(geometry.w, dy.dtype)
    plan.run(address(x), address(dw), address(dy))
    return dw


@functools.cache
def supports(dtype: npt.DTypeLike) -> bool:
    """Whether oneDNN computes in `dtype` on this processor: float32, and shorter ones on some."""
    if not available():
        return False
    try:
        kind = data_type("supports", np.dtype(dtype))
    except TypeError:
        return False
    sample = Geometry((1, 4, 4, 16), (3, 3, 16, 16), (1, 1), (1, 1), (0, 0), (0, 0), 1)
    try:
        for direction in get_args(Direction):
            prepare(direction, sample, kind, 1)
    except OneDnnError:
        return False
    return True


def _check_gradient(op: str, dy: Array, shape: tuple[int, ...], geometry: Geometry) -> None:
    if dy.shape != shape:
        raise ValueError(f"{op}: dy has shape {dy.shape}, the result has {shape} for {geometry}")


@functools.lru_cache(PLAN_CAPACITY)
def prepare(direction: Direction, geometry: Geometry, dtype: DataType, threads: int) -> Prepared:
    """Return the plan for one shape, over the buffers of input, filter and result."""
    shape = geometry.output_shape()
    if 0 in geometry.x or 0 in geometry.w or 0 in shape:
        return Prepared(shape, None)
    team = threads_for(math.prod(shape) * math.prod(geometry.w[:-1]), threads)
    with omp_threads(team):
        return Prepared(shape, _make_plan(direction, geometry, shape, dtype))


def _make_plan(
    direction: Direction,
    geometry: Geometry,
    output_shape: tuple[int, ...],
    dtype: DataType,
) -> Plan:
    rank = len(geometry.strides)
    order = activation_order(rank)
    x, y = descriptor(geometry.x, order, dtype), descriptor(output_shape, order, dtype)
    stored, filter_order = _filter_axes(geometry)
    in_place = descriptor(stored, filter_order, dtype)
    plan = Plan((x, in_place, y))
    few_positions = math.prod(output_shape[:-1]) < _REORDER_POSITIONS
    if direction == "forward" and geometry.groups == 1 and few_positions:
        desc = _primitive_desc(direction, geometry, x, in_place, y)
        # Other implementations that read the filter in place are several times slower than the
        # one the free choice would give.
        if library().implementation(desc).startswith("brg"):
            plan.step(desc, {Arg.SRC: _X, Arg.WEIGHTS: _W, Arg.DST: _Y})
            return plan
    free = free_descriptor(stored, filter_order, dtype)
    desc = _primitive_desc(direction, geometry, x, free, y)
    _add_steps(plan, direction, desc)
    return plan


def _filter_axes(geometry: Geometry) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of the filter in memory, and its axes as oneDNN lists them: out, in,
    spatial.
    """
    rank, groups = len(geometry.strides), geometry.groups
    if groups == 1:
        return geometry.w, (rank + 1, rank, *range(rank))
    stored = (*geometry.w[:-1], groups, geometry.w[-1] // groups)
    return stored, (rank + 1, rank + 2, rank, *range(rank))


def _add_steps(plan: Plan, direction: Direction, desc: Handle) -> None:
    """Run `desc`, with a reorder where it has its own layout of the filter."""
    query = Query.DIFF_WEIGHTS if direction == "backward_weights" else Query.WEIGHTS
    layout = plan.layout(desc, query)
    w = _W if library().memory_desc_equal(layout, plan.slots[_W]) else plan.intermediate(layout)
    if direction == "backward_weights":
        plan.step(desc, {Arg.SRC: _X, Arg.DIFF_WEIGHTS: w, Arg.DIFF_DST: _Y})
        if w != _W:
            plan.reorder(w, _W)
        return
    if w != _W:
        plan.reorder(_W, w)
    if direction == "forward":
        plan.step(desc, {Arg.SRC: _X, Arg.WEIGHTS: w, Arg.DST: _Y})
    else:
        plan.step(desc, {Arg.DIFF_SRC: _X, Arg.WEIGHTS: w, Arg.DIFF_DST: _Y})


def _primitive_desc(
    direction: Direction, geometry: Geometry, x: Handle, w: Handle, y: Handle
) -> Handle:
    loaded = library()
    window = (
        Dims(*geometry.strides),
        Dims(*(dilation - 1 for dilation in geometry.dilations)),  # oneDNN counts from 0
        Dims(*geometry.before),
        Dims(*geometry.after),
    )
    engine, attributes = loaded.engine, loaded.attributes

    def create(which: Direction, *arguments: object) -> Handle:
        using = f"convolution_{which}_primitive_desc_create"
        return loaded.create("primitive_desc", engine, *arguments, attributes, using=using)

    forward = create("forward", _FORWARD_TRAINING, _DIRECT, x, w, None, y, *window)
    if direction == "forward":
        return forward
    if direction == "backward_data":
        return create(direction, _DIRECT, x, w, y, *window, forward)
    return create(direction, _DIRECT, x, w, None, y, *window, forward)
