"""Eight-bit floating-point numbers with scales that follow the largest values of late."""

from __future__ import annotations

from typing import Any

import ml_dtypes

import tapeflow as tf


def compute_float8_scale(amax: Any, scale: Any, dtype_max: Any, margin: int = 0) -> Any:
    """Return the scale that brings `amax` to `dtype_max`; `scale` if `amax` is 0 or infinite.

    Args:
        amax: Largest absolute value.
        scale: The scale so far.
        dtype_max: Largest number of the 8-bit dtype.
        margin: Powers of 2 to stay below it.

    Returns:
        A tensor: values divided by it fit into the dtype.

    Example:
        >>> tf.keras.quantizers.compute_float8_scale(8.0, 1.0, 448.0).numpy().round(4)
        np.float32(0.0179)
    """
    amax, scale = tf.convert_to_tensor(amax), tf.convert_to_tensor(scale)
    usable = tf.logical_and(amax > 0, tf.math.is_finite(amax))
    safe = tf.where(usable, amax, tf.ones_like(amax))
    factor = tf.cast(dtype_max, amax.dtype) / safe / 2**margin
    return tf.where(usable, 1 / factor, scale)


def compute_float8_amax_history(x: Any, amax_history: Any) -> Any:
    """Return `amax_history` moved by one, with the largest absolute value of `x` in front.

    Args:
        x: A tensor.
        amax_history: A vector of largest absolute values, the latest at index 0.

    Returns:
        A vector of the same length.

    Example:
        >>> tf.keras.quantizers.compute_float8_amax_history([1.0, -3.0], [2.0, 5.0, 4.0]).numpy()
        array([3., 4., 2.], dtype=float32)
    """
    history = tf.roll(tf.convert_to_tensor(amax_history), -1, 0)
    latest = tf.cast(tf.reduce_max(tf.abs(tf.convert_to_tensor(x))), history.dtype)
    return tf.concat([tf.reshape(latest, (1,)), history[1:]], 0)


def largest_of(dtype: str) -> float:
    """The largest number of an 8-bit floating-point dtype."""
    return float(ml_dtypes.finfo(dtype).max)


def quantize_and_dequantize(
    inputs: Any, scale: Any, quantized_dtype: str, compute_dtype: str
) -> Any:
    """Round `inputs` to what `quantized_dtype` can represent times `scale`.

    Args:
        inputs: Floating-point tensor.
        scale: Divisor of the inputs before rounding.
        quantized_dtype: "float8_e4m3fn" or "float8_e5m2".
        compute_dtype: Dtype of the result.

    Returns:
        A tensor of the shape of `inputs`.

    Example:
        >>> round_trip = tf.keras.quantizers.quantize_and_dequantize
        >>> round_trip([1.0, 1.06], 1.0, "float8_e4m3fn", "float32").numpy()
        array([1., 1.], dtype=float32)
    """
    largest = tf.cast(largest_of(quantized_dtype), compute_dtype)
    scale = tf.cast(scale, compute_dtype)
    x = tf.clip_by_value(tf.cast(inputs, compute_dtype) / scale, -largest, largest)
    return tf.cast(tf.cast(x, quantized_dtype), compute_dtype) * scale
