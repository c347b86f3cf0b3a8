"""Arithmetic of two operands."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
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
def add(x1: TensorLike, x2: TensorLike) -> Any:
    """Adds two tensors element-wise.

    The operands broadcast, and are promoted to a common dtype: Python numbers adapt to tensors. Two
    sparse tensors stay sparse.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other summand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.add([1, 2], 0.5).numpy()
        array([1.5, 2.5], dtype=float32)
        >>> tf.keras.ops.add([[1], [2]], [10, 20]).numpy()
        array([[11, 21],
               [12, 22]], dtype=int32)
    """
    x1, x2 = promoted(x1, x2)
    return tf.add(x1, x2)


@_binary(
    sparse=sparse.union(lambda x1, x2: tf.sparse.add(x1, sparse.unary(tf.negative, x2))),
    output_spec=_promoted,
)
def subtract(x1: TensorLike, x2: TensorLike) -> Any:
    """Subtracts `x2` from `x1` element-wise.

    The operands broadcast, and are promoted to a common dtype.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The subtrahend, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.subtract([5, 7], [1, 10]).numpy()
        array([ 4, -3], dtype=int32)
    """
    x1, x2 = promoted(x1, x2)
    return tf.subtract(x1, x2)


@_binary(sparse=sparse.intersection, output_spec=_promoted)
def multiply(x1: Any, x2: Any) -> Any:
    """Multiplies two tensors element-wise.

    The operands broadcast, and are promoted to a common dtype. The product of booleans is their
    logical AND; a product with a sparse tensor is sparse.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other factor, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.multiply([1, 2, 3], 0.5).numpy()
        array([0.5, 1. , 1.5], dtype=float32)
    """
    x1, x2 = promoted(x1, x2)
    if x1.dtype is tf.bool:
        return tf.logical_and(x1, x2)
    return tf.multiply(x1, x2)


@_binary(sparse=sparse.division, output_spec=_float)
def divide(x1: TensorLike, x2: TensorLike) -> Any:
    """Divides `x1` by `x2` element-wise; the result is floating-point.

    Division by zero results in an infinity or NaN, for integers, too. See `divide_no_nan`, and
    `floor_divide` for integers.

    Args:
        x1: The numerators.
        x2: The denominators, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape; integers become `floatx()`.

    Example:
        >>> tf.keras.ops.divide([3, 4], 2).numpy()
        array([1.5, 2. ], dtype=float32)
        >>> tf.keras.ops.divide(1.0, [0.0, 4.0]).numpy()
        array([ inf, 0.25], dtype=float32)
    """
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.division, output_spec=_float)
def true_divide(x1: TensorLike, x2: TensorLike) -> Any:
    """Divides `x1` by `x2` element-wise, as `divide`.

    Args:
        x1: The numerators.
        x2: The denominators, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape; integers become `floatx()`.

    Example:
        >>> tf.keras.ops.true_divide([1, 2], 4).numpy()
        array([0.25, 0.5 ], dtype=float32)
    """
    x1, x2 = promoted_to_float(x1, x2)
    return tf.divide(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_float)
def divide_no_nan(x1: TensorLike, x2: TensorLike) -> Any:
    """Divides `x1` by `x2` element-wise; the result is 0 where `x2` is 0.

    The gradient is 0 there, too, so that a masked mean can be computed without a branch.

    Args:
        x1: The numerators.
        x2: The denominators, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape; integers become `floatx()`.

    Example:
        >>> tf.keras.ops.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy()
        array([0. , 0.5], dtype=float32)
    """
    x1, x2 = promoted_to_float(x1, x2)
    return tf.math.divide_no_nan(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_promoted)
def floor_divide(x1: TensorLike, x2: TensorLike) -> Any:
    """Divides `x1` by `x2` element-wise and rounds towards negative infinity.

    Args:
        x1: The dividends.
        x2: The divisors, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype: integers stay integers.

    Raises:
        tf.errors.InvalidArgumentError: An integer is divided by 0.

    Example:
        >>> tf.keras.ops.floor_divide([7, -7], 2).numpy()
        array([ 3, -4], dtype=int32)
    """
    x1, x2 = promoted(x1, x2)
    return tf.math.floordiv(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_strong)
def mod(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the remainder of `x1 / x2`, which has the sign of `x2`.

    `fmod` has the sign of `x1` instead. Booleans are computed as `int32`.

    Args:
        x1: The dividends.
        x2: The divisors, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.mod([7, -7], 3).numpy()
        array([1, 2], dtype=int32)
    """
    x1, x2 = strongly_promoted(x1, x2, boolean="int32")
    return tf.math.floormod(x1, x2)


@_binary(sparse=sparse.densified, output_spec=_promoted)
def power(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes `x1**x2` element-wise.

    Both are promoted to a common dtype: powers of integers are integers.

    Args:
        x1: The bases.
        x2: The exponents, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.power([2, 3], 2).numpy()
        array([4, 9], dtype=int32)
        >>> tf.keras.ops.power(4.0, [0.5, -1.0]).numpy()
        array([2.  , 0.25], dtype=float32)
    """
    x1, x2 = operand(x1), operand(x2)
    dtype = result_type(dtype_of(x1), dtype_of(x2))
    if "uint" in dtype:
        return tf.cast(tf.pow(to_tensor(x1, "int32"), to_tensor(x2, "int32")), dtype)
    return tf.pow(to_tensor(x1, dtype), to_tensor(x2, dtype))


@_binary(sparse=sparse.densified, output_spec=_strong)
def fmod(x1: Any, x2: Any) -> Any:
    """Computes the remainder of `x1 / x2`, which has the sign of `x1`.

    `mod` has the sign of `x2` instead. Booleans are computed as `int32`.

    Args:
        x1: The dividends.
        x2: The divisors, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.fmod([7, -7], 3).numpy()
        array([ 1, -1], dtype=int32)
    """
    x1, x2 = strongly_promoted(x1, x2, boolean="int32")
    dtype = x1.dtype
    if dtype.is_unsigned:
        return tf.math.floormod(x1, x2)
    return tf.sign(x1) * tf.math.floormod(tf.abs(x1), tf.abs(x2))


@_binary(sparse=sparse.union(tf.sparse.maximum), output_spec=_promoted)
def maximum(x1: Any, x2: Any) -> Any:
    """Returns the larger of two elements; NaN if one of them is.

    `fmax` ignores NaN; `max` reduces one tensor along axes.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.maximum([1, 5], [3, 2]).numpy()
        array([3, 5], dtype=int32)
        >>> tf.keras.ops.maximum([-1.0, 2.0], 0).numpy()
        array([0., 2.], dtype=float32)
    """
    x1, x2 = promoted(x1, x2)
    return tf.logical_or(x1, x2) if x1.dtype is tf.bool else tf.maximum(x1, x2)


@_binary(sparse=sparse.union(tf.sparse.minimum), output_spec=_promoted)
def minimum(x1: Any, x2: Any) -> Any:
    """Returns the smaller of two elements; NaN if one of them is.

    `fmin` ignores NaN; `min` reduces one tensor along axes.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.minimum([1, 5], [3, 2]).numpy()
        array([1, 2], dtype=int32)
    """
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
def fmax(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns the larger of two elements; NaN only if both are.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.fmax([1.0, float("nan")], [0.5, 2.0]).numpy()
        array([1., 2.], dtype=float32)
    """
    return _without_nan(maximum, *promoted(x1, x2))


@_binary(sparse=sparse.densified, output_spec=_promoted)
def fmin(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns the smaller of two elements; NaN only if both are.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.fmin([1.0, float("nan")], [0.5, 2.0]).numpy()
        array([0.5, 2. ], dtype=float32)
    """
    return _without_nan(minimum, *promoted(x1, x2))


@_binary(sparse=sparse.densified)
def heaviside(x1: Any, x2: Any) -> Any:
    """Returns 0 where `x1` is negative, 1 where it is positive, `x2` where it is 0.

    Args:
        x1: Where the step function is evaluated.
        x2: Values at 0, often 0.5; broadcasts with `x1`.

    Returns:
        A tensor of the broadcast shape, floating-point: `floatx()` for most integers, `float64` for
        `int64`.

    Example:
        >>> tf.keras.ops.heaviside([-1.5, 0.0, 2.0], 0.5).numpy()
        array([0. , 0.5, 1. ], dtype=float32)
    """
    x1, x2 = (floating(x, int64="float64") for x in strongly_promoted(x1, x2))
    step = tf.where(x1 > 0, tf.ones_like(x1), tf.zeros_like(x1))
    return tf.where(tf.equal(x1, 0), x2, step)


@_binary(sparse=sparse.densified)
def nextafter(x1: Any, x2: Any) -> Any:
    """Returns the floating-point number next to `x1` in the direction of `x2`.

    The neighbour is computed in `float64` and then cast: for operands of a narrower dtype the
    result rounds back to `x1`.

    Args:
        x1: Where to start.
        x2: The direction; broadcasts with `x1`. Where both are equal, that number is returned.

    Returns:
        A tensor of the broadcast shape, in the floating-point dtype that both are promoted to.

    Example:
        >>> x = np.array([1.0, 1.0])
        >>> (tf.keras.ops.nextafter(x, np.array([2.0, 0.0])) - x).numpy()
        array([ 2.22044605e-16, -1.11022302e-16])
    """
    x1, x2 = to_tensor(x1), to_tensor(x2)
    dtype = result_type(x1.dtype, x2.dtype, float)
    wide = tf.math.nextafter(tf.cast(x1, tf.float64), tf.cast(x2, tf.float64))
    return tf.cast(wide, dtype)
