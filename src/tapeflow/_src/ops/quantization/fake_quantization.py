"""Fake quantization: floats rounded to quantized values, for training.

A range is first moved a little so that zero is among the values that there are.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import InferError, Op, op
from tapeflow._src.core.spec import Spec

_FLOAT = frozenset({float32})
_GRADIENTS = ("backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max")


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise InferError(f"num_bits must be between 2 and 16, inclusive, got {num_bits}")


def _nudged(xp: ModuleType, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    """Return the range shifted so that zero is one of its steps, and the step size."""
    first, last = np.float32(narrow_range), np.float32(2**num_bits - 1)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    # Half a step goes away from zero, as C rounds.
    zero = xp.floor(xp.clip(zero, first, last) + np.float32(0.5))
    return (first - zero) * scale, (last - zero) * scale, scale


def _rounded(
    xp: ModuleType, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool
) -> Any:
    lowest, highest, scale = _nudged(xp, low, high, num_bits, narrow_range)
    half = np.float32(0.5)
    inverse = np.float32(1) / scale
    origin = xp.floor(-lowest * inverse + half)
    steps = (xp.clip(inputs, lowest, highest) - lowest) * inverse
    return xp.floor(steps - origin + half) * scale


# -- a range that is fixed ---------------------------------------------------------------------


def _check_range(num_bits: int, low: float, high: float) -> None:
    _check_bits(num_bits)
    if low >= high:
        raise InferError(f"min has to be smaller than max, was: {low} >= {high}")


@op("FakeQuantWithMinMaxArgs", dtypes=_FLOAT, checked=True, outputs=("outputs",))
def fake_quant_with_min_max_args(xp, inputs, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    """Round the inputs to the steps of a fixed range."""
    return _rounded(xp, inputs, np.float32(min), np.float32(max), num_bits, narrow_range)


@fake_quant_with_min_max_args.infer
def _(inputs, *, min, max, num_bits, narrow_range):
    _check_range(num_bits, min, max)
    return Spec(inputs.shape, inputs.dtype)


@fake_quant_with_min_max_args.gradient
def _(dz, *, inputs, attrs):
    return fake_quant_with_min_max_args_gradient(dz, inputs, **attrs)


@op(
    "FakeQuantWithMinMaxArgsGradient",
    dtypes=_FLOAT,
    grad=None,
    checked=True,
    outputs=("backprops",),
)
def fake_quant_with_min_max_args_gradient(
    xp, gradients, inputs, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False
):
    """Compute the gradient, zero outside of the range."""
    lowest, highest, _ = _nudged(xp, np.float32(min), np.float32(max), num_bits, narrow_range)
    return gradients * ((inputs >= lowest) & (inputs <= highest))


@fake_quant_with_min_max_args_gradient.infer
def _(gradients, inputs, *, min, max, num_bits, narrow_range):
    _check_range(num_bits, min, max)
    shape = merge_shape(gradients.shape, inputs.shape, "gradients and inputs must be the same size")
    return Spec(shape, inputs.dtype)


# -- a range that is learned -------------------------------------------------------------------


def _infer_ranges(specs: tuple[Any, ...], num_bits: int, per_channel: bool) -> tuple[Any, Any]:
    """Infer the shapes of the inputs and of the limits of the range."""
    _check_bits(num_bits)
    *data, low, high = specs
    shape = None
    for spec in data:
        shape = merge_shape(shape, spec.shape, "gradients and inputs must be the same size")
    for name, spec in (("min", low), ("max", high)):
        require_rank(spec, int(per_channel), f"`{name}`")
        if per_channel and shape is not None and spec.shape is not None:
            if not shape:
                raise InferError("inputs must have at least 1 axis, got a scalar")
            if None not in (shape[-1], spec.shape[0]) and shape[-1] != spec.shape[0]:
                raise InferError(
                    f"{name} has incorrect size, expected {shape[-1]} was {spec.shape[0]}: inputs "
                    f"have shape {fmt_shape(shape)}"
                )
    return shape, merge_shape(low.shape, high.shape, "min and max must be the same size")


def _declare_learned(suffix: str, per_channel: bool) -> tuple[Op, Op]:
    """Declare rounding to a range given as tensors, per tensor or per channel; and its gradient."""

    @op(f"FakeQuantWithMinMaxVars{suffix}", dtypes=_FLOAT, checked=True, outputs=("outputs",))
    def forward(xp, inputs, min, max, *, num_bits=8, narrow_range=False):
        xp.require(xp.all(min <= max), "min has to be smaller than max")
        is_empty = (min == 0) & (max == 0)
        wide = xp.where(is_empty, np.float32(1), max)
        rounded = _rounded(xp, inputs, min, wide, num_bits, narrow_range)
        return xp.where(is_empty, np.float32(0), rounded)

    @forward.infer
    def _(inputs, min, max, *, num_bits, narrow_range):
        shape, _ = _infer_ranges((inputs, min, max), num_bits, per_channel)
        return Spec(shape, inputs.dtype)

    @op(
        f"FakeQuantWithMinMaxVars{suffix}Gradient",
        dtypes=_FLOAT,
        grad=None,
        checked=True,
        outputs=_GRADIENTS,
    )
    def backward(xp, gradients, inputs, min, max, *, num_bits=8, narrow_range=False):
        is_empty = (min == 0) & (max == 0)
        wide = xp.where(is_empty, np.float32(1), max)
        lowest, highest, _ = _nudged(xp, min, wide, num_bits, narrow_range)
        below = ~is_empty & (inputs < lowest)
        above = ~is_empty & (inputs > highest)
        axes = tuple(range(inputs.ndim - per_channel))
        sums = [xp.sum(gradients * where, axis=axes) for where in (below, above)]
        return gradients * ~(below | above), *(xp.asarray(s, gradients.dtype) for s in sums)

    @backward.infer
    def _(gradients, inputs, min, max, *, num_bits, narrow_range):
        shape, limits = _infer_ranges((gradients, inputs, min, max), num_bits, per_channel)
        return Spec(shape, float32), Spec(limits, float32), Spec(limits, float32)

    @forward.gradient
    def _(dz, *, inputs, min, max, attrs):
        return backward(dz, inputs, min, max, **attrs)

    return forward, backward


fake_quant_with_min_max_vars, fake_quant_with_min_max_vars_gradient = _declare_learned("", False)
fake_quant_with_min_max_vars_per_channel, fake_quant_with_min_max_vars_per_channel_gradient = (
    _declare_learned("PerChannel", True)
)
