"""Integers: their bits, divisors and multiples."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.ops import specs
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import strongly_promoted, to_tensor

_op = functools.partial(declare, family="numpy")
_promoted = specs.broadcast(weak=False)
_bitwise = functools.partial(_op, call=("x", "y"), output_spec=_promoted)
_shift = functools.partial(_op, call=("x", "y"), output_spec=specs.broadcast(boolean="int32"))
_binary = functools.partial(_op, call=("x1", "x2"), output_spec=_promoted)


def _logical(x: Any, y: Any, on_booleans: Any, on_bits: Any) -> Any:
    x, y = strongly_promoted(x, y)
    return on_booleans(x, y) if x.dtype is tf.bool else on_bits(x, y)


@_bitwise()
def bitwise_and(x: TensorLike, y: TensorLike) -> Any:
    """Computes the AND of bits, or the logical AND of booleans.

    Args:
        x: Tensor of integers or booleans.
        y: The other operand, of a shape that broadcasts with that of `x`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.bitwise_and([5, 12], 6).numpy()
        array([4, 4], dtype=int32)
    """
    return _logical(x, y, tf.logical_and, tf.bitwise.bitwise_and)


@_bitwise()
def bitwise_or(x: TensorLike, y: TensorLike) -> Any:
    """Computes the OR of bits, or the logical OR of booleans.

    Args:
        x: Tensor of integers or booleans.
        y: The other operand, of a shape that broadcasts with that of `x`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.bitwise_or([5, 12], 6).numpy()
        array([ 7, 14], dtype=int32)
    """
    return _logical(x, y, tf.logical_or, tf.bitwise.bitwise_or)


@_bitwise()
def bitwise_xor(x: TensorLike, y: TensorLike) -> Any:
    """Computes the exclusive OR of bits, or of booleans.

    Args:
        x: Tensor of integers or booleans.
        y: The other operand, of a shape that broadcasts with that of `x`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.bitwise_xor([5, 12], 6).numpy()
        array([ 3, 10], dtype=int32)
    """
    return _logical(x, y, tf.math.logical_xor, tf.bitwise.bitwise_xor)


def _inverted(x: Any) -> Any:
    x = to_tensor(x)
    return tf.logical_not(x) if x.dtype is tf.bool else tf.bitwise.invert(x)


@_op(output_spec=specs.broadcast())
def bitwise_invert(x: TensorLike) -> Any:
    """Flips all bits; booleans are negated.

    Args:
        x: Tensor of integers or booleans.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.bitwise_invert([0, 5]).numpy()
        array([-1, -6], dtype=int32)
    """
    return _inverted(x)


@_op(output_spec=specs.broadcast())
def bitwise_not(x: TensorLike) -> Any:
    """Flips all bits, as `bitwise_invert`; booleans are negated.

    Args:
        x: Tensor of integers or booleans.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.bitwise_not([True, False]).numpy()
        array([False,  True])
    """
    return _inverted(x)


def _shifted(shift: Any, x: Any, y: Any) -> Any:
    x = to_tensor(x)
    if isinstance(y, int):
        return shift(x, tf.constant(y, x.dtype))
    x, y = strongly_promoted(x, y, boolean="int32")
    return shift(x, y)


@_shift()
def bitwise_left_shift(x: TensorLike, y: TensorLike) -> Any:
    """Shifts the bits of `x` by `y` positions to the left.

    Args:
        x: Tensor of integers.
        y: Number of positions: an integer, which adapts to the dtype of `x`, or a tensor that
            broadcasts with it.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype. Bits shifted out are lost.

    Example:
        >>> tf.keras.ops.bitwise_left_shift([1, 3], 2).numpy()
        array([ 4, 12], dtype=int32)
    """
    return _shifted(tf.bitwise.left_shift, x, y)


@_shift()
def left_shift(x: TensorLike, y: TensorLike) -> Any:
    """Shifts the bits of `x` by `y` positions to the left.

    It is `bitwise_left_shift` under another name.

    Args:
        x: Tensor of integers.
        y: Number of positions: an integer, or a tensor that broadcasts with `x`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.left_shift([1, 3], [1, 4]).numpy()
        array([ 2, 48], dtype=int32)
    """
    return _shifted(tf.bitwise.left_shift, x, y)


@_shift()
def bitwise_right_shift(x: TensorLike, y: TensorLike) -> Any:
    """Shifts the bits of `x` by `y` positions to the right; the sign stays.

    Args:
        x: Tensor of integers.
        y: Number of positions: an integer, which adapts to the dtype of `x`, or a tensor that
            broadcasts with it.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.bitwise_right_shift([12, -12], 2).numpy()
        array([ 3, -3], dtype=int32)
    """
    return _shifted(tf.bitwise.right_shift, x, y)


@_shift()
def right_shift(x: TensorLike, y: TensorLike) -> Any:
    """Shifts the bits of `x` by `y` positions to the right; the sign stays.

    It is `bitwise_right_shift` under another name.

    Args:
        x: Tensor of integers.
        y: Number of positions: an integer, or a tensor that broadcasts with `x`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype.

    Example:
        >>> tf.keras.ops.right_shift([12, 64], [1, 4]).numpy()
        array([6, 4], dtype=int32)
    """
    return _shifted(tf.bitwise.right_shift, x, y)


def _integers(name: str, x1: Any, x2: Any) -> tuple[Any, Any]:
    x1, x2 = to_tensor(x1), to_tensor(x2)
    if not (x1.dtype.is_integer and x2.dtype.is_integer):
        raise TypeError(
            f"`{name}` takes integers. Received: x1 of dtype {x1.dtype.name} and x2 of dtype "
            f"{x2.dtype.name}"
        )
    x1, x2 = strongly_promoted(x1, x2)
    return (x1, x2) if x1.dtype.is_unsigned else (tf.abs(x1), tf.abs(x2))


def _gcd(x1: Any, x2: Any) -> Any:
    """Euclid's algorithm on all elements at once."""
    zero, one = tf.constant(0, x1.dtype), tf.constant(1, x1.dtype)
    x1, x2 = x1 + tf.zeros_like(x2), x2 + tf.zeros_like(x1)

    def step(a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
        unfinished = tf.not_equal(b, zero)
        rest = tf.math.floormod(a, tf.where(unfinished, b, one))
        return tf.where(unfinished, b, a), tf.where(unfinished, rest, zero)

    divisor, _ = tf.while_loop(lambda a, b: tf.reduce_any(tf.not_equal(b, zero)), step, (x1, x2))
    return divisor


@_binary()
def gcd(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the greatest common divisor element-wise.

    Args:
        x1: Tensor of integers; signs are ignored.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype; `gcd(0, x)` is `abs(x)`.

    Raises:
        TypeError: An operand is not of an integer dtype.

    Example:
        >>> tf.keras.ops.gcd([12, 7, 0], [18, 5, -3]).numpy()
        array([6, 1, 3], dtype=int32)
    """
    return _gcd(*_integers("gcd", x1, x2))


@_binary()
def lcm(x1: Any, x2: Any) -> Any:
    """Computes the least common multiple element-wise.

    Args:
        x1: Tensor of integers; signs are ignored.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A tensor of the broadcast shape, in the promoted dtype; 0 if an operand is.

    Raises:
        TypeError: An operand is not of an integer dtype.

    Example:
        >>> tf.keras.ops.lcm([4, 7, 0], [6, 5, 3]).numpy()
        array([12, 35,  0], dtype=int32)
    """
    x1, x2 = _integers("lcm", x1, x2)
    divisor = tf.maximum(_gcd(x1, x2), tf.constant(1, x1.dtype))
    return x1 * (x2 // divisor)
