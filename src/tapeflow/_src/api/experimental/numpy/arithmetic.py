"""Binary element-wise functions with NumPy's type promotion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import bitwise
from tapeflow._src.api.arrays import where, zeros_like
from tapeflow._src.api.control_flow import while_loop
from tapeflow._src.api.experimental.numpy.elementwise import exp2, log1p
from tapeflow._src.api.experimental.numpy.promotion import (
    asarray,
    promote,
    promote_as_numpy,
    to_float,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.types import TensorLike

_Binary = Callable[[Any, Any], Any]


def _apply(compute: _Binary, x1: Any, x2: Any, of_bools: _Binary | None = None) -> Any:
    """Apply `compute` in the common dtype; `of_bools` replaces it for booleans."""
    x1, x2 = promote_as_numpy(x1, x2)
    if of_bools is not None and x1.dtype.is_bool:
        return of_bools(x1, x2)
    return compute(x1, x2)


def _as_bytes(compute: _Binary) -> _Binary:
    """Return `compute` applied to booleans as the integers 0 and 1."""
    return lambda x, y: compute(cast(x, dtypes.int8), cast(y, dtypes.int8))


# -- the four operations, and powers -------------------------------------------------------------


def add(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 + x2`; logical OR of booleans.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.add([1, 2], 0.5).numpy()
        array([1.5, 2.5])
    """
    return _apply(tfm.add, x1, x2, tfm.logical_or)


def subtract(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 - x2`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.subtract([3, 2], 1).numpy()
        array([2, 1])
    """
    return _apply(tfm.subtract, x1, x2)


def multiply(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 * x2`; logical AND of booleans.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.multiply([1, 2], [3, 4]).numpy()
        array([3, 8])
    """
    return _apply(tfm.multiply, x1, x2, tfm.logical_and)


def true_divide(x1: Any, x2: Any) -> Any:
    """Compute `x1 / x2`; integers are converted to floats.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of floats; float64 for integers.

    Example:
        >>> tf.experimental.numpy.true_divide([1, 2], 2).numpy()
        array([0.5, 1. ])
    """
    x1, x2 = promote_as_numpy(x1, x2)
    if not (x1.dtype.is_floating or x1.dtype.is_complex):
        x1, x2 = cast(x1, dtypes.float64), cast(x2, dtypes.float64)
    return tfm.truediv(x1, x2)


def divide(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 / x2`; integers are converted to floats.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of floats; float64 for integers.

    Example:
        >>> tf.experimental.numpy.divide([1, 2], 4).numpy()
        array([0.25, 0.5 ])
    """
    return true_divide(x1, x2)


def floor_divide(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1 / x2` rounded towards negative infinity.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.floor_divide([7, -7], 2).numpy()
        array([ 3, -4])
    """
    return _apply(tfm.floordiv, x1, x2, _as_bytes(tfm.floordiv))


def mod(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the remainder of `floor_divide`, which has the sign of `x2`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.mod([7, -7], 3).numpy()
        array([1, 2])
    """
    return _apply(tfm.floormod, x1, x2, _as_bytes(tfm.floormod))


def remainder(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the remainder of `floor_divide`, which has the sign of `x2`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.remainder([7, -7], 3).numpy()
        array([1, 2])
    """
    return mod(x1, x2)


def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any]:
    """Compute `floor_divide` and `mod`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        Two tensors: the quotient and the remainder.

    Example:
        >>> quotient, rest = tf.experimental.numpy.divmod(7, 2)
        >>> int(quotient), int(rest)
        (3, 1)
    """
    return floor_divide(x1, x2), mod(x1, x2)


def power(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1` to the power `x2`.

    Args:
        x1: Array, or what converts to one.
        x2: Exponents that broadcast with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.power([1, 2, 3], 2).numpy()
        array([1, 4, 9])
    """
    return _apply(tfm.pow, x1, x2)


def float_power(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `x1` to the power `x2` in their common dtype.

    Args:
        x1: Array, or what converts to one.
        x2: Exponents that broadcast with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.float_power([4.0, 9.0], 0.5).numpy()
        array([2., 3.])
    """
    return power(x1, x2)


def gcd(x1: Any, x2: Any) -> Any:
    """Compute the greatest common divisor.

    Args:
        x1: Integers.
        x2: Integers that broadcast with `x1`.

    Returns:
        A tensor of non-negative integers.

    Raises:
        ValueError: If the arguments are no integers.

    Example:
        >>> tf.experimental.numpy.gcd([12, 18], 8).numpy()
        array([4, 2])
    """
    x1, x2 = _integers(x1, x2)
    # Both have the shape of the result from the start: a loop keeps the shapes of its variables.
    x1, x2 = tfm.add(x1, zeros_like(x2)), tfm.add(x2, zeros_like(x1))
    zero = convert(0, x1.dtype)

    def is_left(a: TensorLike, b: TensorLike) -> Any:
        return tfm.reduce_any(tfm.not_equal(b, zero))

    def step(a: Any, b: Any) -> tuple[Any, Any]:
        done = tfm.equal(b, zero)
        left = tfm.floormod(a, where(done, convert(1, b.dtype), b))
        return where(done, a, b), where(done, b, left)

    divisor, _ = while_loop(is_left, step, (x1, x2))
    return _magnitude(divisor)


def lcm(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the least common multiple.

    Args:
        x1: Integers.
        x2: Integers that broadcast with `x1`.

    Returns:
        A tensor of non-negative integers.

    Raises:
        ValueError: If the arguments are no integers.

    Example:
        >>> tf.experimental.numpy.lcm([4, 6], 10).numpy()
        array([20, 30])
    """
    divisor = gcd(x1, x2)
    x1, x2 = _integers(x1, x2)
    zero, one = convert(0, divisor.dtype), convert(1, divisor.dtype)
    none = tfm.equal(divisor, zero)
    multiple = tfm.multiply(x1, tfm.floordiv(x2, where(none, one, divisor)))
    return where(none, zero, _magnitude(multiple))


def _integers(x1: Any, x2: Any) -> tuple[Any, ...]:
    x1, x2 = promote_as_numpy(x1, x2)
    if not x1.dtype.is_integer:
        raise ValueError(f"Arguments to gcd must be integers. Received dtype {x1.dtype.name}.")
    return x1, x2


def _magnitude(x: Any) -> Any:
    return x if x.dtype.is_unsigned else tfm.abs(x)


# -- of floats -------------------------------------------------------------------------------------


def arctan2(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the angle of the point (x2, x1) in radians.

    Args:
        x1: The y coordinates.
        x2: The x coordinates.

    Returns:
        Angles in [-pi, pi].

    Example:
        >>> tf.experimental.numpy.arctan2(1.0, 1.0).numpy().round(3)
        np.float64(0.785)
    """
    return _apply(tfm.atan2, x1, x2)


def hypot(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `sqrt(x1**2 + x2**2)`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of floats.

    Example:
        >>> tf.experimental.numpy.hypot([3.0], [4.0]).numpy()
        array([5.])
    """
    squares = add(tfm.square(asarray(x1)), tfm.square(asarray(x2)))
    return tfm.sqrt(to_float(squares))


def heaviside(x1: Any, x2: Any) -> Any:
    """Compute the Heaviside step function of `x1`, which is `x2` at 0.

    Args:
        x1: Array, or what converts to one.
        x2: The value at 0.

    Returns:
        A tensor of floats.

    Raises:
        TypeError: For booleans.

    Example:
        >>> tf.experimental.numpy.heaviside([-2.0, 0.0, 3.0], 0.5).numpy()
        array([0. , 0.5, 1. ])
    """
    x1, x2 = promote_as_numpy(x1, x2)
    if x1.dtype.is_bool:
        raise TypeError("heaviside takes numbers, not bool.")
    x1, x2 = to_float(x1), to_float(x2)
    zero, one = convert(0, x1.dtype), convert(1, x1.dtype)
    return where(tfm.less(x1, zero), zero, where(tfm.greater(x1, zero), one, x2))


def logaddexp(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `log(exp(x1) + exp(x2))`.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of floats.

    Example:
        >>> float(tf.experimental.numpy.logaddexp(0.0, 0.0).numpy().round(4))
        0.6931
    """
    larger, distance, total = _larger_and_distance(x1, x2)
    return where(tfm.is_nan(distance), total, tfm.add(larger, log1p(tfm.exp(-distance))))


def logaddexp2(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute `log2(2**x1 + 2**x2)`; float64 with NumPy's promotion.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of floats.

    Example:
        >>> float(tf.experimental.numpy.logaddexp2(3.0, 3.0))
        4.0
    """
    larger, distance, total = _larger_and_distance(x1, x2)
    result = larger + log1p(exp2(-distance)) / np.log(2)
    return where(tfm.is_nan(distance), cast(total, result.dtype), result)


def _larger_and_distance(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any, Any]:
    x1, x2 = promote_as_numpy(x1, x2)
    tfm.subtract(x1, x2)  # refuses booleans
    x1, x2 = to_float(x1), to_float(x2)
    return tfm.maximum(x1, x2), tfm.abs(tfm.subtract(x1, x2)), tfm.add(x1, x2)


def nextafter(x1: TensorLike, x2: TensorLike) -> Any:
    """Return the next float after `x1` towards `x2`.

    Args:
        x1: Floats.
        x2: The direction.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> bool(tf.experimental.numpy.nextafter(1.0, 2.0) > 1.0)
        True
    """
    return _apply(tfm.nextafter, x1, x2)


# -- bounds ----------------------------------------------------------------------------------------


def maximum(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the element-wise maximum; logical OR of booleans.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.maximum([1, 5], 3).numpy()
        array([3, 5])
    """
    return _apply(tfm.maximum, x1, x2, tfm.logical_or)


def minimum(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the element-wise minimum; logical AND of booleans.

    Args:
        x1: Array, or what converts to one.
        x2: Array that broadcasts with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.minimum([1, 5], 3).numpy()
        array([1, 3])
    """
    return _apply(tfm.minimum, x1, x2, tfm.logical_and)


def clip(a: TensorLike, a_min: Any, a_max: Any) -> Any:
    """Clip values to `[a_min, a_max]`; either bound may be None.

    Args:
        a: Array.
        a_min: Lower bound, or None.
        a_max: Upper bound, or None.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: If both bounds are None.

    Example:
        >>> tf.experimental.numpy.clip([1, 5, 9], 2, 6).numpy()
        array([2, 5, 6])
    """
    if a_min is None and a_max is None:
        raise ValueError("clip needs a_min or a_max, received None for both.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    a, a_min, a_max = promote(a, a_min, a_max)
    return tfm.minimum(tfm.maximum(a, a_min), a_max)


# -- bits ------------------------------------------------------------------------------------------


def bitwise_and(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the bitwise AND.

    Args:
        x1: Integers or booleans.
        x2: Integers or booleans that broadcast with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.bitwise_and(6, 3).numpy()
        np.int64(2)
    """
    return _apply(bitwise.bitwise_and, x1, x2, tfm.logical_and)


def bitwise_or(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the bitwise OR.

    Args:
        x1: Integers or booleans.
        x2: Integers or booleans that broadcast with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.bitwise_or(6, 3).numpy()
        np.int64(7)
    """
    return _apply(bitwise.bitwise_or, x1, x2, tfm.logical_or)


def bitwise_xor(x1: TensorLike, x2: TensorLike) -> Any:
    """Compute the bitwise XOR.

    Args:
        x1: Integers or booleans.
        x2: Integers or booleans that broadcast with `x1`.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.

    Example:
        >>> tf.experimental.numpy.bitwise_xor(6, 3).numpy()
        np.int64(5)
    """
    return _apply(bitwise.bitwise_xor, x1, x2, tfm.logical_xor)
