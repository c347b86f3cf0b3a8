"""`tf.quantization`: quantize, dequantize, and both in one step."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.quantization import quantize as ops


def quantize(
    input: TensorLike,
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
    """Quantize floats to integers; also return the range that they represent.

    Args:
        input: The floats.
        min_range: The lowest value that is represented.
        max_range: The highest value that is represented.
        T: The quantized dtype: qint8, quint8, qint16, quint16 or qint32.
        mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
        round_mode: "HALF_AWAY_FROM_ZERO" or "HALF_TO_EVEN" (for "SCALED").
        narrow_range: Whether to leave out the lowest integer.
        axis: The axis with a range for each slice.
        ensure_minimum_range: The least width of the range.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the integers, and the lowest and highest value they represent.

    Example:

        >>> q, low, high = tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8)
        >>> tf.cast(q, tf.int32).numpy().tolist()
        [0, 128, 255]
    """
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
    input: TensorLike,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Convert quantized integers to floats.

    Args:
        input: Quantized integers, from `quantize`.
        min_range: The lowest value that is represented.
        max_range: The highest value that is represented.
        mode: The mode of `quantize`.
        axis: The axis with a range for each slice.
        narrow_range: Whether the lowest integer was left out.
        dtype: float32 (the default) or bfloat16.
        name: Name of the op in a graph.

    Returns:
        A floating-point tensor.

    Example:

        >>> q, low, high = tf.quantization.quantize([0.0, 1.0], 0.0, 1.0, tf.quint8)
        >>> tf.quantization.dequantize(q, low, high).numpy().round(2).tolist()
        [0.0, 1.0]
    """
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
    input: TensorLike,
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
    """Quantize and dequantize `input`; the gradient is 0 outside of the range.

    Args:
        input: A floating-point tensor.
        input_min: The lower end of the range, if `range_given`.
        input_max: The upper end of the range, if `range_given`.
        signed_input: Whether the integers are signed.
        num_bits: The number of bits.
        range_given: Whether the range is that of the arguments; else that of `input`.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: Whether to leave out the lowest integer.
        axis: The axis with a range for each slice.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `input`.

    Example:

        >>> x = tf.constant([0.0, 0.3, 1.0])
        >>> tf.quantization.quantize_and_dequantize_v2(x, 0.0, 1.0, num_bits=2).numpy().tolist()
        [0.0, 0.0, 1.0]
    """
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
    input: TensorLike,
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
    """Quantize and dequantize `input`; the gradient is that of the identity.

    Args:
        input: A floating-point tensor.
        input_min: The lower end of the range, if `range_given`.
        input_max: The upper end of the range, if `range_given`.
        signed_input: Whether the integers are signed.
        num_bits: The number of bits.
        range_given: Whether the range is that of the arguments; else that of `input`.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: Whether to leave out the lowest integer.
        axis: The axis with a range for each slice.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `input`.

    Example:

        >>> x = tf.constant([0.0, 0.3, 1.0])
        >>> tf.quantization.quantize_and_dequantize(x, 0.0, 1.0, num_bits=2).numpy().tolist()
        [0.0, 0.0, 1.0]
    """
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


def _counted_from_first(input: TensorLike, axis: int | None) -> int:
    """Return the axis as the ops expect it: non-negative, or -1 for none."""
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
