"""Eight-bit floating-point numbers with scales that follow the largest values of late."""

from __future__ import annotations

from typing import Any

import ml_dtypes

import tapeflow as tf


def compute_float8_scale(amax: Any, scale: Any, dtype_max: Any, margin: int = 0) -> Any:
    """Return the scale that brings `amax` to `dtype_max`; `scale` if `amax` is 0 or infinite."""
    amax, scale = tf.convert_to_tensor(amax), tf.convert_to_tensor(scale)
    usable = tf.logical_and(amax > 0, tf.math.is_finite(amax))
    safe = tf.where(usable, amax, tf.ones_like(amax))
    factor = tf.cast(dtype_max, amax.dtype) / safe / 2**margin
    return tf.where(usable, 1 / factor, scale)


def compute_float8_amax_history(x: Any, amax_history: Any) -> Any:
    """Return `amax_history` moved by one, with the largest absolute value of `x` in front."""
    history = tf.roll(tf.convert_to_tensor(amax_history), -1, 0)
    latest = tf.cast(tf.reduce_max(tf.abs(tf.convert_to_tensor(x))), history.dtype)
    return tf.concat([tf.reshape(latest, (1,)), history[1:]], 0)


def largest_of(dtype: str) -> float:
    """The largest number of an 8-bit floating-point dtype."""
    return float(ml_dtypes.finfo(dtype).max)


def quantize_and_dequantize(
    inputs: Any, scale: Any, quantized_dtype: str, compute_dtype: str
) -> Any:
    """Round `inputs` to what `quantized_dtype` can represent times `scale`."""
    largest = tf.cast(largest_of(quantized_dtype), compute_dtype)
    scale = tf.cast(scale, compute_dtype)
    x = tf.clip_by_value(tf.cast(inputs, compute_dtype) / scale, -largest, largest)
    return tf.cast(tf.cast(x, quantized_dtype), compute_dtype) * scale
