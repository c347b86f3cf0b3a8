"""Element-wise functions of one tensor that keep its dtype where they can."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow.keras.ops import sparse
from tapeflow.keras.ops.declaring import declare
from tapeflow.keras.ops.promotion import to_tensor

_unary = functools.partial(declare, family="numpy", sparse=sparse.unary)


@_unary()
def absolute(x: Any) -> Any:
    """Computes the absolute value element-wise."""
    x = to_tensor(x)
    return x if x.dtype.is_unsigned or x.dtype is tf.bool else tf.abs(x)


def abs(x: Any) -> Any:
    """Computes the absolute value element-wise, as `absolute`."""
    return absolute(x)


@_unary()
def negative(x: Any) -> Any:
    """Computes `-x` element-wise."""
    return tf.negative(to_tensor(x))


@_unary()
def square(x: Any) -> Any:
    """Computes `x * x` element-wise."""
    x = to_tensor(x)
    return tf.square(tf.cast(x, tf.int32) if x.dtype is tf.bool else x)
