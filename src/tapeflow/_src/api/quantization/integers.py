"""`tf.quantization`: floats as integers, back, and there and back."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.quantization import quantize as ops


def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """The integers that stand for floats of a range, and the range that they stand for."""
    result = ops.quantize_v2(
        input,
        min_range,
        max_range,
        T=as_dtype(T),
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_counted_from_first(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )
    return ops.quantize_v2.result_type(*result)


def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:
    """The floats that integers stand for."""
    return ops.dequantize(
        input,
        dispatch.convert(min_range, dtypes.float32),
        dispatch.convert(max_range, dtypes.float32),
        mode=mode,
        narrow_range=narrow_range,
        axis=_counted_from_first(input, axis),
        dtype=as_dtype(dtype),
        name=name,
    )


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`input` rounded to what so many bits tell apart; no gradient outside of the range."""
    return ops.quantize_and_dequantize_v4(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_counted_from_first(input, axis),
        name=name,
    )


def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """As `quantize_and_dequantize_v2`, with the gradient of the identity."""
    return ops.quantize_and_dequantize_v2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_counted_from_first(input, axis),
        name=name,
    )


def _counted_from_first(input: Any, axis: int | None) -> int:
    """The axis as the ops take it: not negative, but -1 for none."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    rank = dispatch.convert(input).shape.rank
    if rank is None:
        raise ValueError(
            f"axis={axis} counts from the end, which needs an input of known rank. Pass axis >= 0."
        )
    return axis % rank
