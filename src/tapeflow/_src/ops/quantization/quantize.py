"""Floats as integers of few bits, and back."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, QUANTIZED, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype, merge_shape
from tapeflow._src.core.registry import Free, InferError, Op, op
from tapeflow._src.core.spec import Spec

_HOST = "quantized dtypes"
_FLOAT = frozenset({dtypes.float32})
_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDED = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
_LARGEST = np.float32(np.finfo(np.float32).max)


def _one_of(attr: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        names = ", ".join(f'"{name}"' for name in allowed)
        raise InferError(
            f"Value for attr '{attr}' of \"{value}\" is not in the list of allowed values: {names}"
        )


def _reshape_limits(limits: Any, axis: int, rank: int) -> Any:
    """Reshape the limits along an axis; a scalar if there is no axis."""
    if axis == -1:
        return limits.reshape(())
    return limits.reshape([-1 if i == axis else 1 for i in range(rank)])


def _limits_of(kind: Any, narrow_range: bool) -> tuple[Any, Any, Any]:
    """Return the limits of a quantized dtype, and half the number of its values."""
    info = np.iinfo(as_dtype(kind).np[0])
    lowest, highest = np.float32(info.min + narrow_range), np.float32(info.max)
    half = np.float32((float(info.max) - float(info.min) + 1) / 2 if info.min < 0 else 0)
    return lowest, highest, half


def _away_from_zero(x: Any) -> Any:
    return np.trunc(x + np.copysign(np.float32(0.5), x))


def _steps_of(kind: Any) -> np.float32:
    return np.float32(2.0 ** (8 * as_dtype(kind).np.itemsize))


def _check_channels(data: Spec, limits: tuple[tuple[str, Spec], ...], axis: int) -> None:
    if axis < -1 or (data.shape is not None and axis >= len(data.shape)):
        raise InferError(f"Axis must be -1 or in [0, {data.rank}), got {axis}")
    for name, spec in limits:
        if spec.shape is None:
            continue
        if axis == -1 and spec.shape not in ((), (1,)):
            raise InferError(f"{name} must be a scalar, got shape {fmt_shape(spec.shape)}")
        size = data.shape[axis] if axis != -1 and data.shape is not None else None
        if axis != -1 and (
            len(spec.shape) != 1 or (None not in (size, spec.shape[0]) and size != spec.shape[0])
        ):
            raise InferError(
                f"{name} must have one element for each of the {size} channels, got shape "
                f"{fmt_shape(spec.shape)}"
            )


# -- there -------------------------------------------------------------------------------------


@op(
    "QuantizeV2",
    dtypes=_FLOAT,
    grad=None,
    host=_HOST,
    checked=True,
    outputs=("output", "output_min", "output_max"),
)
def quantize_v2(
    xp,
    input,
    min_range,
    max_range,
    *,
    T,
    mode="MIN_COMBINED",
    round_mode="HALF_AWAY_FROM_ZERO",
    narrow_range=False,
    axis=-1,
    ensure_minimum_range=0.01,
):
    """Quantize floats of a range; return the integers and the range they represent."""
    xp.require(
        (min_range <= max_range).all(), "input_max_range must be larger than input_min_range."
    )
    low = np.minimum(np.float32(0), min_range)
    width = np.maximum(1, np.maximum(np.abs(min_range), np.abs(max_range))) * ensure_minimum_range
    high = np.maximum(np.float32(0), np.maximum(max_range, (low + width).astype(np.float32)))
    first, last = _reshape_limits(low, axis, input.ndim), _reshape_limits(high, axis, input.ndim)
    if mode == "SCALED":
        even = round_mode == "HALF_TO_EVEN"
        steps, first, last = _scaled(input, first, last, T, narrow_range, even)
        low, high = first.reshape(low.shape), last.reshape(high.shape)
    elif mode == "MIN_FIRST":
        steps = _from_first(input, first, last, T)
    else:
        lowest, highest, half = _limits_of(T, False)
        steps = (np.clip(input, first, last) - first) * ((highest - lowest) / (last - first))
        steps = _away_from_zero(steps - half)
    return xp.cast(steps.astype(np.float32), as_dtype(T).np), low, high


def _from_first(input: Any, low: Any, high: Any, kind: Any) -> Any:
    lowest, highest, _ = _limits_of(kind, False)
    # In float32 the steps of a range around zero would not meet at it.
    count = np.float64(_steps_of(kind))
    scale = count / ((high - low) * (count / (count - 1)))
    if as_dtype(kind) is dtypes.quint8:
        # TensorFlow rounds once here, and twice for all other dtypes.
        steps = _away_from_zero((input - low) * scale)
    else:
        steps = _away_from_zero(input * scale) - _away_from_zero(low * scale) + lowest
    # 2**31 - 1 is no float32: the next below it is.
    return np.clip(steps, lowest, highest if highest < 2**31 else np.nextafter(highest, lowest))


def _scaled(
    input: Any, low: Any, high: Any, kind: Any, narrow_range: bool, even: bool
) -> tuple[Any, Any, Any]:
    """Quantize floats with the largest scale that keeps the range representable."""
    lowest, highest, _ = _limits_of(kind, narrow_range)
    if even and lowest < 0:
        # As wide to both sides, with all steps between.
        limit = np.maximum(np.abs(low), np.abs(high))
        factor = (highest - lowest) / (2 * limit)
        steps = np.clip(np.rint(np.clip(input, -limit, limit) * factor), lowest, highest)
        return steps, -limit, limit
    by_low = np.where(lowest * low > 0, lowest / np.where(low == 0, 1, low), _LARGEST)
    by_high = np.where(highest * high > 0, highest / np.where(high == 0, 1, high), _LARGEST)
    factor = np.minimum(by_low, by_high).astype(np.float32)
    low, high = lowest / factor, highest / factor
    steps = np.clip(input, low, high) * factor
    return np.rint(steps) if even else _away_from_zero(steps), low, high


@quantize_v2.infer
def _(input, min_range, max_range, *, T, mode, round_mode, axis, **_):
    _one_of("mode", mode, _MODES)
    _one_of("round_mode", round_mode, _ROUNDED)
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise InferError(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', got {mode}.")
    _check_channels(input, (("min_range", min_range), ("max_range", max_range)), axis)
    limits = Spec(min_range.shape, dtypes.float32)
    return Spec(input.shape, allowed_dtype("T", T, QUANTIZED)), limits, limits


# -- back --------------------------------------------------------------------------------------


@op("Dequantize", dtypes=QUANTIZED, grad=None, host=_HOST, checked=True)
def dequantize(
    xp,
    input,
    min_range: Free,
    max_range: Free,
    *,
    mode="MIN_COMBINED",
    narrow_range=False,
    axis=-1,
    dtype=dtypes.float32,
):
    """Convert quantized integers to floats."""
    kind = dtypes.FROM_NUMPY[input.dtype]
    steps = xp.cast(input, np.dtype(np.float32))
    low, high = (_reshape_limits(limit, axis, input.ndim) for limit in (min_range, max_range))
    lowest, highest, half = _limits_of(kind, narrow_range and mode == "SCALED")
    if mode == "SCALED":
        by_low = low / lowest if lowest else np.float32(0)
        result = steps * np.maximum(by_low, high / highest)
    elif mode == "MIN_FIRST":
        count = _steps_of(kind)
        width = (high - low) * (count / (count - 1)) / count
        result = _away_from_zero(low / width) * width + (steps - lowest) * width
    else:
        result = (steps + half) * ((high - low) / (highest - lowest)) + low
    return result.astype(as_dtype(dtype).np)


@dequantize.infer
def _(input, min_range, max_range, *, mode, narrow_range, axis, dtype):
    _one_of("mode", mode, _MODES)
    _check_channels(input, (("min_range", min_range), ("max_range", max_range)), axis)
    kinds = frozenset({dtypes.float32, dtypes.bfloat16})
    return Spec(input.shape, allowed_dtype("dtype", dtype, kinds))


# -- quantize and dequantize -------------------------------------------------------------------


def _quantize_dequantize(
    xp: ModuleType, x: Any, low: Any, high: Any, bits: int, axis: int, attrs: dict[str, Any]
) -> Any:
    """Round floats to the values that integers of so many bits represent."""
    narrow = x.dtype.itemsize == 2
    x = x.astype(np.float32) if narrow else x
    wide = x.dtype.type
    if attrs["range_given"]:
        xp.require(xp.all(low <= high), "Invalid range: input_min > input_max")
        low, high = (_reshape_limits(v.astype(x.dtype), axis, x.ndim) for v in (low, high))
    else:
        others = tuple(i for i in range(x.ndim) if i != axis)
        low, high = xp.min(x, axis=others, keepdims=True), xp.max(x, axis=others, keepdims=True)
    signed = attrs["signed_input"]
    lowest = wide(-(2.0 ** (bits - 1)) + attrs["narrow_range"] if signed else 0)
    highest = wide(2.0 ** (bits - 1) - 1 if signed else 2.0**bits - 1)
    one, most = wide(1), wide(np.finfo(x.dtype).max)
    by_low = xp.where(lowest * low > 0, lowest / xp.where(low == 0, one, low), most)
    by_high = xp.where(highest * high > 0, highest / xp.where(high == 0, one, high), most)
    use_low = by_low < by_high
    step = xp.where(use_low, low / (lowest or one), high / highest)
    scale = xp.where(use_low, by_low, by_high)
    # A range computed from the values does not clip them, not even if it is unsigned.
    clipped = xp.clip(x, lowest * step, highest * step) if attrs["range_given"] else x
    if attrs["round_mode"] == "HALF_UP":
        rounded = xp.floor(clipped * scale + wide(0.5))
    else:
        rounded = xp.round(clipped * scale)
    return rounded * step


def _check_bits(bits: int | None, signed: bool) -> None:
    if bits is not None and not (2 if signed else 1) <= bits <= (62 if signed else 63):
        raise InferError(f"num_bits is out of range: {bits} with signed_input_ {int(signed)}")


def _declare_quantize_dequantize(version: int) -> Op:
    @op(f"QuantizeAndDequantizeV{version}", dtypes=FLOATING, checked=True)
    def quantize_dequantize(
        xp,
        input,
        input_min,
        input_max,
        *,
        signed_input=True,
        num_bits=8,
        range_given=False,
        round_mode="HALF_TO_EVEN",
        narrow_range=False,
        axis=-1,
    ):
        attrs = {
            "range_given": range_given,
            "signed_input": signed_input,
            "narrow_range": narrow_range,
            "round_mode": round_mode,
        }
        result = _quantize_dequantize(xp, input, input_min, input_max, num_bits, axis, attrs)
        return result.astype(input.dtype)

    @quantize_dequantize.infer
    def _(input, input_min, input_max, *, signed_input, num_bits, round_mode, axis, **_):
        _one_of("round_mode", round_mode, ("HALF_TO_EVEN", "HALF_UP"))
        _check_bits(num_bits, signed_input)
        _check_channels(input, (("input_min", input_min), ("input_max", input_max)), axis)
        return Spec(input.shape, input.dtype)

    return quantize_dequantize


quantize_and_dequantize_v2 = _declare_quantize_dequantize(2)
quantize_and_dequantize_v4 = _declare_quantize_dequantize(4)


@quantize_and_dequantize_v2.gradient
def _(dz):
    return dz, None, None


@quantize_and_dequantize_v4.gradient
def _(dz, *, input, input_min, input_max, axis):
    return quantize_and_dequantize_v4_grad(dz, input, input_min, input_max, axis=axis)


@op(
    "QuantizeAndDequantizeV4Grad",
    dtypes=FLOATING,
    checked=True,
    outputs=("input_backprop", "input_min_backprop", "input_max_backprop"),
)
def quantize_and_dequantize_v4_grad(xp, gradients, input, input_min, input_max, *, axis=-1):
    """Compute the gradient, zero outside of the range; none w.r.t. the range."""
    low, high = (_reshape_limits(limit, axis, input.ndim) for limit in (input_min, input_max))
    inside = (input >= low) & (input <= high)
    zero = xp.zeros(input_min.shape, input.dtype)
    return xp.where(inside, gradients, xp.zeros_like(gradients)), zero, zero


@quantize_and_dequantize_v4_grad.infer
def _(gradients, input, input_min, input_max, *, axis):
    _check_channels(input, (("input_min", input_min), ("input_max", input_max)), axis)
    merge_shape(gradients.shape, input.shape, "gradient and input must be the same size")
    limits = Spec(input_min.shape, input.dtype)
    return Spec(input.shape, input.dtype), limits, limits


@quantize_and_dequantize_v4_grad.gradient
def _(dz, dmin, dmax, *, input, input_min, input_max, axis):
    by_gradients, _, _ = quantize_and_dequantize_v4_grad(dz, input, input_min, input_max, axis=axis)
    return by_gradients, None, None, None
