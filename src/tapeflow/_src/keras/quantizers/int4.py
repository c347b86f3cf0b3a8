"""Four-bit integers: two of them in each byte, with a zero point for each group of weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import epsilon as default_epsilon
from tapeflow._src.keras.config import standardize_dtype

_BYTES = ("int8", "uint8")


def _check_byte(dtype: Any) -> None:
    if dtype not in _BYTES:
        raise ValueError(f"`dtype` must be 'int8' or 'uint8'. Received: dtype={dtype!r}")


def pack_int4(arr: Any, axis: int = 0, dtype: str = "int8") -> tuple[Any, tuple[int, ...], int]:
    """Pack pairs of 4-bit integers into bytes, the first of each pair into the low bits.

    Args:
        arr: A tensor of the dtype `dtype` with values from -8 to 7.
        axis: The axis along which neighbours are packed; an odd one is padded with zero.
        dtype: `"int8"` or `"uint8"`.

    Returns:
        The packed tensor, its shape, and the length of `axis` before.

    Example:

    >>> packed, shape, length = tf.keras.quantizers.pack_int4(tf.constant([1, 2, -1], tf.int8))
    >>> tf.keras.quantizers.unpack_int4(packed, length).numpy()
    array([ 1,  2, -1], dtype=int8)
    """
    _check_byte(dtype)
    if standardize_dtype(arr.dtype) != dtype:
        raise TypeError(
            f"`pack_int4` expected a tensor of the dtype {dtype}. Received: "
            f"{standardize_dtype(arr.dtype)}"
        )
    values = np.moveaxis(np.asarray(arr), axis, 0)
    length = values.shape[0]
    if length % 2:
        values = np.concatenate([values, np.zeros_like(values[:1])])
    nibbles = np.ascontiguousarray(values).view(np.uint8) & 0x0F
    packed = (nibbles[0::2] | (nibbles[1::2] << 4)).view(dtype)
    packed = np.moveaxis(packed, 0, axis)
    return tf.constant(packed), tuple(packed.shape), length


def unpack_int4(packed: Any, orig_len: int, axis: int = 0, dtype: str = "int8") -> Any:
    """Undo `pack_int4`.

    Args:
        packed: A tensor of bytes.
        orig_len: The length of `axis` before it was packed.
        axis: The axis along which values were packed.
        dtype: `"int8"` for values from -8 to 7, `"uint8"` for values from 0 to 15.

    Returns:
        A tensor of `orig_len` values along `axis`.

    Raises:
        TypeError: `packed` is not a tensor of bytes.
        ValueError: `dtype` has another value.

    Example:
        >>> packed, shape, length = tf.keras.quantizers.pack_int4(tf.constant([1, 2, -1], tf.int8))
        >>> tf.keras.quantizers.unpack_int4(packed, length).numpy()
        array([ 1,  2, -1], dtype=int8)
    """
    _check_byte(dtype)
    if standardize_dtype(packed.dtype) not in _BYTES:
        raise TypeError(
            f"`unpack_int4` expected a tensor of bytes. Received: {standardize_dtype(packed.dtype)}"
        )
    packed = tf.convert_to_tensor(packed)
    rank = packed.shape.rank
    axis = axis % rank
    wide = tf.cast(packed, tf.int32)
    pair = tf.stack(
        [tf.bitwise.bitwise_and(wide, 15), tf.bitwise.bitwise_and(wide // 16, 15)], axis + 1
    )
    sizes = tf.shape(packed)
    whole = tf.reshape(pair, tf.concat([sizes[:axis], [-1], sizes[axis + 1 :]], 0))
    values = tf.gather(whole, tf.range(orig_len), axis=axis)
    if dtype == "int8":
        values = tf.where(values > 7, values - 16, values)
    return tf.cast(values, dtype)


def abs_max_quantize_grouped_with_zero_point(
    inputs: Any,
    block_size: int,
    value_range: tuple[int, int] = (-8, 7),
    dtype: str = "int8",
    epsilon: float = default_epsilon(),
    to_numpy: bool = False,
) -> tuple[Any, Any, Any]:
    """Quantize a matrix with a scale and a zero point for each group of rows of a column.

    Args:
        inputs: A matrix of shape (rows, columns).
        block_size: The number of rows of a group.
        value_range: The smallest and the largest quantized value.
        dtype: The dtype of the quantized values.
        epsilon: Added to the difference of the largest and the smallest value.
        to_numpy: Whether memory of the device must be saved; it makes no difference on CPUs.

    Returns:
        The quantized values, and for each group the scale and the zero point (int8), both of
        shape (groups, columns): `inputs` are about `(values - zero) * scale`.
    """
    x = tf.convert_to_tensor(inputs)
    rows, columns = (int(size) for size in x.shape)
    groups = math.ceil(rows / block_size)
    padded = tf.pad(x, [[0, groups * block_size - rows], [0, 0]])
    grouped = tf.reshape(padded, (groups, block_size, columns))
    lowest = tf.reduce_min(grouped, 1, keepdims=True)
    highest = tf.reduce_max(grouped, 1, keepdims=True)
    least, most = (tf.cast(value, x.dtype) for value in value_range)
    scale = (highest - lowest + tf.cast(epsilon, x.dtype)) / (most - least)
    zero = tf.clip_by_value(tf.round(-lowest / scale) + least, least, most)
    values = tf.clip_by_value(tf.round(grouped / scale) + zero, least, most)
    values = tf.reshape(values, (groups * block_size, columns))[:rows]
    return tf.cast(values, dtype), scale[:, 0], tf.cast(zero[:, 0], tf.int8)
