"""Affine quantization: weights are about `(level - zero) * scale`, with parameters by group."""

from __future__ import annotations

from typing import Any

import tapeflow as tf


def compute_quantization_parameters(
    x: Any,
    *,
    bits: int,
    symmetric: bool = False,
    per_channel: bool = False,
    group_size: int = -1,
    compute_dtype: str = "float32",
    epsilon: float = 0.0,
    signed: bool = False,
) -> tuple[Any, Any, Any]:
    """Compute the scale and the zero point of each row of a matrix, or of each group of a row.

    Args:
        x: Weights of shape (out_features, in_features).
        bits: The number of bits of a level.
        symmetric: Whether the range is centered on zero.
        per_channel: Whether rows have parameters of their own.
        group_size: The number of neighbours in a row that share parameters; -1 for all.
        compute_dtype: The dtype of the highest level that is returned.
        epsilon: Added to the difference of the largest and the smallest weight.
        signed: Whether levels are centered on zero, or begin at zero.

    Returns:
        The scale and the zero point, both of shape (out_features, groups), and the number of
        the highest level, counted from the lowest.
    """
    if x is None:
        raise ValueError("The weights to quantize cannot be None: pass a matrix.")
    x = tf.convert_to_tensor(x)
    if x.shape.rank < 2:
        raise ValueError(
            f"Expected weights of rank 2 or more to quantize, received shape={x.shape}."
        )
    if 0 in x.shape:
        raise ValueError(f"The weights to quantize cannot be empty. Received: shape={x.shape}")
    rows = x.shape[0]
    grouped = _in_groups(x, group_size if per_channel else -1, per_channel)
    low, high = tf.reduce_min(grouped, -1), tf.reduce_max(grouped, -1)
    if symmetric:
        high = tf.maximum(tf.abs(low), high)
        low = tf.where(low < 0, -high, low)
    elif not signed:
        # Zero points are not negative: the range begins at zero or below.
        low = tf.minimum(low, tf.zeros_like(low))
    constant = low == high
    low, high = tf.where(constant, low - 1, low), tf.where(constant, high + 1, high)
    levels = 2**bits - 1
    scale = (high - low + tf.cast(epsilon, x.dtype)) / tf.cast(levels, x.dtype)
    scale = tf.where(scale <= 0, tf.cast(1e-8, x.dtype), scale)
    lowest = -(2 ** (bits - 1)) if signed else 0
    if symmetric:
        zero = tf.fill(tf.shape(scale), tf.cast((levels + 1) // 2 + lowest, x.dtype))
    else:
        zero = tf.round(-low / scale) + tf.cast(lowest, x.dtype)
    if signed:
        zero = tf.clip_by_value(zero, tf.cast(lowest, x.dtype), tf.cast(lowest + levels, x.dtype))
    scale, zero = (tf.repeat(each, rows // each.shape[0], axis=0) for each in (scale, zero))
    return scale, tf.cast(zero, "int8" if signed else "uint8"), tf.cast(levels, compute_dtype)


def _in_groups(x: Any, group_size: int, per_channel: bool) -> Any:
    """Return the weights as (rows, groups, weights of a group), the last group padded by zeros."""
    rows, columns = x.shape[0], x.shape[1]
    if not per_channel:
        return tf.reshape(x, (1, 1, -1))
    if group_size <= 0 or group_size >= columns:
        return tf.reshape(x, (rows, 1, -1))
    padded = tf.pad(x, [[0, 0], [0, -columns % group_size]])
    return tf.reshape(padded, (rows, -1, group_size))


def quantize_with_zero_point(input_tensor: Any, scale: Any, zero: Any, maxq: Any) -> Any:
    """Return the levels, from 0 to `maxq`, that are nearest to the weights."""
    x, scale = tf.convert_to_tensor(input_tensor), tf.convert_to_tensor(scale)
    scale = tf.where(scale == 0, tf.cast(1e-8, scale.dtype), scale)
    levels = tf.round(x / scale + tf.cast(zero, scale.dtype))
    return tf.clip_by_value(levels, tf.zeros((), levels.dtype), tf.cast(maxq, levels.dtype))


def dequantize_with_zero_point(input_tensor: Any, scale: Any, zero: Any) -> Any:
    """Return the weights that levels stand for."""
    scale = tf.convert_to_tensor(scale)
    return scale * (tf.cast(input_tensor, scale.dtype) - tf.cast(zero, scale.dtype))


def quantize_with_sz_map(
    weights_matrix: Any, scale: Any, zero: Any, g_idx: Any, maxq: Any, group_axis: int = -1
) -> Any:
    """Return the levels of weights whose parameters depend on their group.

    Args:
        weights_matrix: The weights.
        scale: The scale of each group, along `group_axis`.
        zero: The zero point of each group.
        g_idx: The index of the group of each position.
        maxq: The highest level.
        group_axis: The axis along which positions belong to groups.
    """
    scale, zero = _by_position(scale, zero, g_idx, group_axis)
    return quantize_with_zero_point(weights_matrix, scale, zero, maxq)


def dequantize_with_sz_map(
    weights_matrix: Any, scale: Any, zero: Any, g_idx: Any, group_axis: int = -1
) -> Any:
    """Return the weights that levels stand for, with parameters that depend on the group.

    Args:
        weights_matrix: The levels.
        scale: The scale of each group, along `group_axis`.
        zero: The zero point of each group.
        g_idx: The index of the group of each position.
        group_axis: The axis along which positions belong to groups.
    """
    scale, zero = _by_position(scale, zero, g_idx, group_axis)
    return dequantize_with_zero_point(weights_matrix, scale, zero)


def _by_position(scale: Any, zero: Any, g_idx: Any, group_axis: int) -> tuple[Any, Any]:
    groups = tf.cast(tf.convert_to_tensor(g_idx), tf.int32)
    gathered = [
        tf.gather(tf.convert_to_tensor(each), groups, axis=group_axis) for each in (scale, zero)
    ]
    return gathered[0], gathered[1]
