"""Element-wise functions of one tensor: signs, rounding, complex numbers."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
    """Computes the absolute value element-wise.

    The absolute value of complex numbers is their magnitude, which is real.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape of `x`, and of its dtype unless that is complex.

    Example:
        >>> tf.keras.ops.absolute([-1.5, 0.0, 2.0]).numpy()
        array([1.5, 0. , 2. ], dtype=float32)
        >>> tf.keras.ops.absolute(3 + 4j).numpy()
        np.float64(5.0)
    """
    x = to_tensor(x)
    return x if x.dtype.is_unsigned or x.dtype is tf.bool else tf.abs(x)


# Keras has a class for the alias, too.
_unary("Abs")(inspect.unwrap(absolute))


def abs(x: TensorLike) -> Any:
    """Computes the absolute value element-wise, as `absolute`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape of `x`, and of its dtype unless that is complex.

    Example:
        >>> tf.keras.ops.abs([-1, 2]).numpy()
        array([1, 2], dtype=int32)
    """
    return absolute(x)


@_unary()
def fabs(x: Any) -> Any:
    """Computes the absolute value element-wise, as floating-point numbers.

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.

    Returns:
        A floating-point tensor of the shape of `x`.

    Raises:
        TypeError: `x` is complex; see `absolute`.

    Example:
        >>> tf.keras.ops.fabs([-1, 2]).numpy()
        array([1., 2.], dtype=float32)
    """
    x = to_tensor(x)
    if x.dtype.is_complex:
        raise TypeError(
            f"`fabs` takes real numbers; use `absolute` for complex ones. Received: x of dtype "
            f"{x.dtype.name}"
        )
    return tf.abs(tf.cast(x, floatx()) if _keeps(x) else x)


@_unary()
def negative(x: TensorLike) -> Any:
    """Computes `-x` element-wise.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.negative([1.0, -2.0]).numpy()
        array([-1.,  2.], dtype=float32)
    """
    return tf.negative(to_tensor(x))


@_dense()
def reciprocal(x: TensorLike) -> Any:
    """Computes `1 / x` element-wise.

    Args:
        x: Floating-point or complex tensor; see `divide` for integers.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.reciprocal([2.0, -4.0]).numpy()
        array([ 0.5 , -0.25], dtype=float32)
    """
    return tf.math.reciprocal(to_tensor(x))


@_unary()
def sign(x: Any) -> Any:
    """Returns -1, 0 or 1 for negative, zero and positive elements.

    Args:
        x: Tensor, or a value that converts to one. For complex numbers the sign is `x / abs(x)`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.sign([-2.5, 0.0, 3.0]).numpy()
        array([-1.,  0.,  1.], dtype=float32)
    """
    x = to_tensor(x)
    if x.dtype.is_unsigned:
        return tf.cast(tf.sign(tf.cast(x, tf.int32)), x.dtype)
    return tf.sign(x)


@_unary()
def signbit(x: Any) -> Any:
    """Returns whether the sign bit is set, as it is of -0.0.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.signbit([-1.0, -0.0, 0.0, 1.0]).numpy()
        array([ True,  True, False, False])
    """
    x = to_tensor(x)
    if x.dtype is tf.bool:
        return tf.zeros_like(x)
    if x.dtype.is_integer:
        return x < 0
    return tf.bitcast(x, _BITS[x.dtype.size]) < 0


@_unary()
def ceil(x: Any) -> Any:
    """Rounds towards positive infinity.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point tensor of the shape of `x`: integers become `floatx()`.

    Example:
        >>> tf.keras.ops.ceil([-1.5, 0.2, 3.0]).numpy()
        array([-1.,  1.,  3.], dtype=float32)
    """
    return tf.math.ceil(floating(x))


@_unary()
def floor(x: TensorLike) -> Any:
    """Rounds towards negative infinity.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A floating-point tensor of the shape of `x`: integers become `floatx()`.

    Example:
        >>> tf.keras.ops.floor([-1.5, 0.2, 3.0]).numpy()
        array([-2.,  0.,  3.], dtype=float32)
    """
    return tf.floor(floating(x))


@_unary()
def trunc(x: Any) -> Any:
    """Rounds towards zero.

    Args:
        x: Tensor, or a value that converts to one; integers are returned as they are.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.trunc([-1.5, 0.2, 3.7]).numpy()
        array([-1.,  0.,  3.], dtype=float32)
    """
    x = to_tensor(x)
    return x if _keeps(x) else tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


@_unary()
def round(x: Any, decimals: int = 0) -> Any:
    """Rounds to `decimals` digits after the point, halves to even.

    Args:
        x: Tensor, or a value that converts to one.
        decimals: Digits to keep after the point; a negative number rounds to tens, hundreds, …

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.round([0.5, 1.5, 2.567]).numpy()
        array([0., 2., 3.], dtype=float32)
        >>> tf.keras.ops.round(2.567, decimals=1).numpy()
        np.float32(2.6)
        >>> tf.keras.ops.round([1234, 1250], decimals=-2).numpy()
        array([1200, 1200], dtype=int32)
    """
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

    Args:
        x: Tensor, or a value that converts to one. Booleans become `int32`.
        x_min: The lower bound: a number, or a tensor that broadcasts with `x`. It is cast to the
            dtype of `x`.
        x_max: The upper bound, likewise; where it is below `x_min`, `x_min` wins.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.ops.clip([1, 5, 9], 2, 6).numpy()
        array([2, 5, 6], dtype=int32)
        >>> tf.keras.ops.clip([-2.0, 0.3, 1.7], 0.0, [1.0, 0.2, 1.0]).numpy()
        array([0. , 0.2, 1. ], dtype=float32)
    """
    x = to_tensor(x)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.int32)
    return tf.clip_by_value(x, to_tensor(x_min, x.dtype), to_tensor(x_max, x.dtype))


@_dense()
def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Replaces NaN and infinities with numbers.

    Args:
        x: Tensor, or a value that converts to one; integers are returned as they are.
        nan: The number for NaN.
        posinf: The number for infinity; None is the largest finite one of the dtype.
        neginf: The number for negative infinity; None is the lowest finite one of the dtype.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> x = [float("nan"), float("inf"), -float("inf"), 1.5]
        >>> tf.keras.ops.nan_to_num(x, nan=0.0, posinf=9.0, neginf=-9.0).numpy()
        array([ 0. ,  9. , -9. ,  1.5], dtype=float32)
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
def conjugate(x: TensorLike) -> Any:
    """Computes the complex conjugate; real numbers stay as they are.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.conjugate([1 + 2j, 3 - 1j]).numpy()
        array([1.-2.j, 3.+1.j])
    """
    return tf.math.conj(to_tensor(x))


_unary("Conj")(inspect.unwrap(conjugate))


def conj(x: TensorLike) -> Any:
    """Computes the complex conjugate, as `conjugate`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.conj([1 + 2j]).numpy()
        array([1.-2.j])
    """
    return conjugate(x)


@_unary()
def real(x: TensorLike) -> Any:
    """Returns the real parts.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A real tensor of the shape of `x`; `x` itself if it is not complex.

    Example:
        >>> tf.keras.ops.real([1 + 2j, 3 - 1j]).numpy()
        array([1., 3.])
    """
    return tf.math.real(to_tensor(x))


@_unary()
def imag(x: TensorLike) -> Any:
    """Returns the imaginary parts.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A real tensor of the shape of `x`, all zeros if `x` is not complex.

    Example:
        >>> tf.keras.ops.imag([1 + 2j, 3 - 1j]).numpy()
        array([ 2., -1.])
    """
    return tf.math.imag(to_tensor(x))


@_unary()
def copy(x: TensorLike) -> Any:
    """Returns a copy of `x`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A new tensor with the values of `x`; gradients pass through.

    Example:
        >>> tf.keras.ops.copy(np.array([1.0, 2.0])).numpy()
        array([1., 2.])
    """
    return tf.identity(to_tensor(x))
