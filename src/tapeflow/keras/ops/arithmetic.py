"""Arithmetic of two operands."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow.keras.ops import sparse
from tapeflow.keras.ops.declaring import declare
from tapeflow.keras.ops.promotion import (
    dtype_of,
    operand,
    promoted,
    promoted_to_float,
    result_type,
    strongly_promoted,
    to_tensor,
)

_binary = functools.partial(declare, family="numpy", call=("x1", "x2"))


@_binary(sparse=sparse.union(tf.sparse.add))
def add(x1: Any, x2: Any) -> Any:
    """Adds two tensors element-wise.

    >>> tf.keras.ops.add([1, 2], 0.5)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2.5], dtype=float32)>
    """
    x1, x2 = promoted(x1, x2)
    return tf.add(x1, x2)


@_binary(sparse=sparse.union(lambda x1, x2: tf.sparse.add(x1, sparse.unary(tf.negative, x2))))
def subtract(x1: Any, x2: Any) -> Any:
    """Subtracts `x2` from `x1` element-wise."""
    x1, x2 = promoted(x1, x2)
    return tf.subtract(x1, x2)


@_binary(sparse=sparse.intersection)
def multiply(x1: Any, x2: Any) -> Any:
    """Multiplies two tensors element-wise."""
    x1, x2 = promoted(x1, x2)
    if x1.dtype is tf.bool:
        return tf.logical_and(x1, x2)
    return tf.multiply(x1, x2)


@_binary(sparse=sparse.division)
def divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise; the result is floating-point."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.division)
def true_divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise, as `divide`."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.densified)
def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise; the result is 0 where `x2` is 0."""
    x1, x2 = promoted_to_float(x1, x2)
    return tf.math.divide_no_nan(x1, x2)


@_binary(sparse=sparse.densified)
def floor_divide(x1: Any, x2: Any) -> Any:
    """Divides `x1` by `x2` element-wise and rounds towards negative infinity."""
    x1, x2 = promoted(x1, x2)
    return tf.math.floordiv(x1, x2)


@_binary(sparse=sparse.densified)
def mod(x1: Any, x2: Any) -> Any:
    """Computes the remainder of `x1 / x2`, which has the sign of `x2`."""
    x1, x2 = strongly_promoted(x1, x2, boolean="int32")
    return tf.math.floormod(x1, x2)


@_binary(sparse=sparse.densified)
def power(x1: Any, x2: Any) -> Any:
    """Computes `x1` to the power of `x2` element-wise."""
    x1, x2 = operand(x1), operand(x2)
    dtype = result_type(dtype_of(x1), dtype_of(x2))
    if "uint" in dtype:
        return tf.cast(tf.pow(to_tensor(x1, "int32"), to_tensor(x2, "int32")), dtype)
    return tf.pow(to_tensor(x1, dtype), to_tensor(x2, dtype))
