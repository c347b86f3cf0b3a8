"""Integers: their bits, divisors and multiples."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
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
def bitwise_and(x: Any, y: Any) -> Any:
    """Computes the AND of bits."""
    return _logical(x, y, tf.logical_and, tf.bitwise.bitwise_and)


@_bitwise()
def bitwise_or(x: Any, y: Any) -> Any:
    """Computes the OR of bits."""
    return _logical(x, y, tf.logical_or, tf.bitwise.bitwise_or)


@_bitwise()
def bitwise_xor(x: Any, y: Any) -> Any:
    """Computes the exclusive OR of bits."""
    return _logical(x, y, tf.math.logical_xor, tf.bitwise.bitwise_xor)


def _inverted(x: Any) -> Any:
    x = to_tensor(x)
    return tf.logical_not(x) if x.dtype is tf.bool else tf.bitwise.invert(x)


@_op(output_spec=specs.broadcast())
def bitwise_invert(x: Any) -> Any:
    """Flips all bits."""
    return _inverted(x)


@_op(output_spec=specs.broadcast())
def bitwise_not(x: Any) -> Any:
    """Flips all bits."""
    return _inverted(x)


def _shifted(shift: Any, x: Any, y: Any) -> Any:
    x = to_tensor(x)
    if isinstance(y, int):
        return shift(x, tf.constant(y, x.dtype))
    x, y = strongly_promoted(x, y, boolean="int32")
    return shift(x, y)


@_shift()
def bitwise_left_shift(x: Any, y: Any) -> Any:
    """Shifts the bits of `x` by `y` positions to the left."""
    return _shifted(tf.bitwise.left_shift, x, y)


@_shift()
def left_shift(x: Any, y: Any) -> Any:
    """Shifts the bits of `x` by `y` positions to the left."""
    return _shifted(tf.bitwise.left_shift, x, y)


@_shift()
def bitwise_right_shift(x: Any, y: Any) -> Any:
    """Shifts the bits of `x` by `y` positions to the right; the sign stays."""
    return _shifted(tf.bitwise.right_shift, x, y)


@_shift()
def right_shift(x: Any, y: Any) -> Any:
    """Shifts the bits of `x` by `y` positions to the right; the sign stays."""
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

    def step(a: Any, b: Any) -> tuple[Any, Any]:
        unfinished = tf.not_equal(b, zero)
        rest = tf.math.floormod(a, tf.where(unfinished, b, one))
        return tf.where(unfinished, b, a), tf.where(unfinished, rest, zero)

    divisor, _ = tf.while_loop(lambda a, b: tf.reduce_any(tf.not_equal(b, zero)), step, (x1, x2))
    return divisor


@_binary()
def gcd(x1: Any, x2: Any) -> Any:
    """Computes the greatest common divisor element-wise."""
    return _gcd(*_integers("gcd", x1, x2))


@_binary()
def lcm(x1: Any, x2: Any) -> Any:
    """Computes the least common multiple element-wise."""
    x1, x2 = _integers("lcm", x1, x2)
    divisor = tf.maximum(_gcd(x1, x2), tf.constant(1, x1.dtype))
    return x1 * (x2 // divisor)
