"""Arithmetic of two operands."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops import sparse, specs
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import (
    dtype_of,
    floating,
    operand,
    promoted,
    promoted_to_float,
    result_type,
    strongly_promoted,
    to_tensor,
)

_binary = functools.partial(declare, family="numpy", call=("x1", "x2"))
_promoted = specs.broadcast()
_float = specs.broadcast(float)
_strong = specs.broadcast(weak=False, boolean="int32")


@_binary(sparse=sparse.union(tf.sparse.add), output_spec=_promoted)
def add(x1: Any, x2: Any) -> Any:
    """Adds two tensors element-wise.

    >>> tf.keras.ops.add([1, 2], 0.5).numpy().tolist()
    [1.5, 2.5]
    """
    x1, x2 = promoted(x1, x2)
    return tf.add(x1, x2)


@_binary(
    sparse=sparse.union(lambda x1, x2: tf.sparse.add(x1, sparse.unary(tf.negative, x2))),
    output_spec=_promoted,
)
def subtract(x1: Any, x2: Any) -> Any:
    """Subtracts `x2` from `x1` element-wise."""
    x1, x2 = promoted(x1, x2)
    return tf.subtract(x1, x2)


@_binary(sparse=sparse.intersection, output_spec=_promoted)
def multiply(x1: Any, x2: Any) -> Any:
    """Multiplies two tensors element-wise."""
    x1, x2 = promoted(x1, x2)
    if x1.dtype is tf.bool:
        return tf.logical_and(x1, x2)
    return tf.multiply(x1, x2)


@_binary(sparse=sparse.division, output_spec=_float)
def divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise; the result is floating-point."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.division, output_spec=_float)
def true_divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise, as `divide`."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_float)
def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise; the result is 0 where `x2` is 0."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.math.divide_no_nan(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_promoted)
def floor_divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise and rounds towards negative infinity."""
    x1, x2 = promoted(x1, x2)
    return tf.math.floordiv(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_strong)
def mod(x1: Any, x2: Any) -> Any:
    """Computes the remainder of `x1 / x2`, which has the sign of `x2`."""
    x1, x2 = strongly_promoted(x1, x2, boolean="int32")
    return tf.math.floormod(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_promoted)
def power(x1: Any, x2: Any) -> Any:
    """Computes `x1**x2` element-wise."""
    x1, x2 = operand(x1), operand(x2)
    dtype = result_type(dtype_of(x1), dtype_of(x2))
    if "uint" in dtype:
        return tf.cast(tf.pow(to_tensor(x1, "int32"), to_tensor(x2, "int32")), dtype)
    return tf.pow(to_tensor(x1, dtype), to_tensor(x2, dtype))


@_binary(sparse=sparse.densified, output_spec=_strong)
def fmod(x1: Any, x2: Any) -> Any:
    """Computes the remainder of `x1 / x2`, which has the sign of `x1`."""
    x1, x2 = strongly_promoted(x1, x2, boolean="int32")
    dtype = x1.dtype
    if dtype.is_unsigned:
        return tf.math.floormod(x1, x2)
    return tf.sign(x1) * tf.math.floormod(tf.abs(x1), tf.abs(x2))


@_binary(sparse=sparse.union(tf.sparse.maximum), output_spec=_promoted)
def maximum(x1: Any, x2: Any) -> Any:
    """Returns the larger of two elements; NaN if one of them is."""
    x1, x2 = promoted(x1, x2)
    return tf.logical_or(x1, x2) if x1.dtype is tf.bool else tf.maximum(x1, x2)


@_binary(sparse=sparse.union(tf.sparse.minimum), output_spec=_promoted)
def minimum(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two elements; NaN if one of them is."""
    x1, x2 = promoted(x1, x2)
    return tf.logical_and(x1, x2) if x1.dtype is tf.bool else tf.minimum(x1, x2)


def _without_nan(function: Any, x1: Any, x2: Any) -> Any:
    """`function` of two operands, of which one that is NaN does not count."""
    if not x1.dtype.is_floating:
        return function(x1, x2)
    first, second = tf.math.is_nan(x1), tf.math.is_nan(x2)
    result = function(x1, x2)
    result = tf.where(first, x2, result)
    return tf.where(second, x1, result)


@_binary(sparse=sparse.densified, output_spec=_promoted)
def fmax(x1: Any, x2: Any) -> Any:
    """Returns the larger of two elements; NaN only if both are."""
    return _without_nan(maximum, *promoted(x1, x2))


@_binary(sparse=sparse.densified, output_spec=_promoted)
def fmin(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two elements; NaN only if both are."""
    return _without_nan(minimum, *promoted(x1, x2))


@_binary(sparse=sparse.densified)
def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 where `x1` is negative, 1 where it is positive, `x2` where it is 0."""
    x1, x2 = (floating(x, int64="float64") for x in strongly_promoted(x1, x2))
    step = tf.where(x1 > 0, tf.ones_like(x1), tf.zeros_like(x1))
    return tf.where(tf.equal(x1, 0), x2, step)


@_binary(sparse=sparse.densified)
def nextafter(x1: Any, x2: Any) -> Any:
    """Returns the neighbour of `x1` among numbers on the side of `x2`."""
    x1, x2 = to_tensor(x1), to_tensor(x2)
    dtype = result_type(x1.dtype, x2.dtype, float)
    wide = tf.math.nextafter(tf.cast(x1, tf.float64), tf.cast(x2, tf.float64))
    return tf.cast(wide, dtype)
