"""Element-wise functions of one tensor: signs, rounding, complex numbers."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, to_tensor

# Functions that map 0 to 0, and those that do not.
_unary = functools.partial(declare, family="numpy", sparse=sparse.unary)
_dense = functools.partial(declare, family="numpy", sparse=sparse.densified)
_BITS = {2: tf.int16, 4: tf.int32, 8: tf.int64}


def _keeps(x: Any) -> bool:
    """Whether the elements are integers or booleans."""
    return x.dtype.is_integer or x.dtype is tf.bool


@_unary()
def absolute(x: Any) -> Any:
    """Computes the absolute value element-wise."""
    x = to_tensor(x)
    return x if x.dtype.is_unsigned or x.dtype is tf.bool else tf.abs(x)


# Keras has a class for the alias, too.
_unary("Abs")(inspect.unwrap(absolute))


def abs(x: Any) -> Any:
    """Computes the absolute value element-wise, as `absolute`."""
    return absolute(x)


@_unary()
def fabs(x: Any) -> Any:
    """Computes the absolute value element-wise, as floating-point numbers."""
    x = to_tensor(x)
    if x.dtype.is_complex:
        raise TypeError(
            f"`fabs` takes real numbers; use `absolute` for complex ones. Received: x of dtype "
            f"{x.dtype.name}"
        )
    return tf.abs(tf.cast(x, floatx()) if _keeps(x) else x)


@_unary()
def negative(x: Any) -> Any:
    """Computes `-x` element-wise."""
    return tf.negative(to_tensor(x))


@_dense()
def reciprocal(x: Any) -> Any:
    """Computes `1 / x` element-wise."""
    return tf.math.reciprocal(to_tensor(x))


@_unary()
def sign(x: Any) -> Any:
    """Returns -1, 0 or 1 for negative, zero and positive elements."""
    x = to_tensor(x)
    if x.dtype.is_unsigned:
        return tf.cast(tf.sign(tf.cast(x, tf.int32)), x.dtype)
    return tf.sign(x)


@_unary()
def signbit(x: Any) -> Any:
    """Returns whether the sign bit is set, as it is of -0.0."""
    x = to_tensor(x)
    if x.dtype is tf.bool:
        return tf.zeros_like(x)
    if x.dtype.is_integer:
        return x < 0
    return tf.bitcast(x, _BITS[x.dtype.size]) < 0


@_unary()
def ceil(x: Any) -> Any:
    """Rounds towards positive infinity."""
    return tf.math.ceil(floating(x))


@_unary()
def floor(x: Any) -> Any:
    """Rounds towards negative infinity."""
    return tf.floor(floating(x))


@_unary()
def trunc(x: Any) -> Any:
    """Rounds towards zero."""
    x = to_tensor(x)
    return x if _keeps(x) else tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


@_unary()
def round(x: Any, decimals: int = 0) -> Any:
    """Rounds to `decimals` digits after the point, halves to even."""
    x = to_tensor(x)
    if decimals == 0:
        return tf.round(x)
    if _keeps(x):
        if decimals > 0:
            return x
        return tf.cast(round(tf.cast(x, floatx()), decimals), x.dtype)
    factor = tf.constant(10.0**decimals, x.dtype)
    return tf.round(x * factor) / factor


@_dense()
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Limits elements to the interval from `x_min` to `x_max`.

    >>> tf.keras.ops.clip([1, 5, 9], 2, 6).numpy().tolist()
    [2, 5, 6]
    """
    x = to_tensor(x)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.int32)
    return tf.clip_by_value(x, to_tensor(x_min, x.dtype), to_tensor(x_max, x.dtype))


@_dense()
def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Replaces NaN and infinities with numbers.

    Args:
        nan: The number for NaN.
        posinf, neginf: The numbers for infinities; by default the largest and the smallest number
            of the dtype.
    """
    x = to_tensor(x)
    if _keeps(x):
        return x
    dtype = x.dtype
    high = dtype.max if posinf is None else posinf
    low = dtype.min if neginf is None else neginf
    infinite = tf.math.is_inf(x)
    x = tf.where(tf.math.is_nan(x), to_tensor(nan, dtype), x)
    x = tf.where(infinite & (x > 0), tf.cast(high, dtype), x)
    return tf.where(infinite & (x < 0), tf.cast(low, dtype), x)


@_unary()
def conjugate(x: Any) -> Any:
    """Computes the complex conjugate; real numbers stay as they are."""
    return tf.math.conj(to_tensor(x))


_unary("Conj")(inspect.unwrap(conjugate))


def conj(x: Any) -> Any:
    """Computes the complex conjugate, as `conjugate`."""
    return conjugate(x)


@_unary()
def real(x: Any) -> Any:
    """Returns the real parts."""
    return tf.math.real(to_tensor(x))


@_unary()
def imag(x: Any) -> Any:
    """Returns the imaginary parts."""
    return tf.math.imag(to_tensor(x))


@_unary()
def copy(x: Any) -> Any:
    """Returns a copy of `x`."""
    return tf.identity(to_tensor(x))
