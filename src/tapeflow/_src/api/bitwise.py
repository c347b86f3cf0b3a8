"""`tf.bitwise`: bitwise ops on integers."""

from __future__ import annotations

from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math import bitwise as _ops


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """Compute `x & y` bit by bit.

    Args:
        x: An integer tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.bitwise.bitwise_and([6, 5], 3).numpy().tolist()
        [2, 1]
    """
    return _ops.bitwise_and(x, y, name=name)


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """Compute `x | y` bit by bit.

    Args:
        x: An integer tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.bitwise.bitwise_or([6, 5], 3).numpy().tolist()
        [7, 7]
    """
    return _ops.bitwise_or(x, y, name=name)


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """Compute `x ^ y` bit by bit.

    Args:
        x: An integer tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.bitwise.bitwise_xor([6, 5], 3).numpy().tolist()
        [5, 6]
    """
    return _ops.bitwise_xor(x, y, name=name)


def invert(x: TensorLike, name: str | None = None) -> _Tensor:
    """Invert every bit of `x`; of a signed integer that is `-x - 1`.

    Args:
        x: An integer tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.bitwise.invert([0, 5]).numpy().tolist()
        [-1, -6]
    """
    return _ops.invert(x, name=name)


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """Shift `x` left by `y` bits.

    Args:
        x: An integer tensor.
        y: The number of bits, of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.bitwise.left_shift([1, 3], 2).numpy().tolist()
        [4, 12]
    """
    return _ops.left_shift(x, y, name=name)


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """Shift `x` right by `y` bits; arithmetic for signed integers.

    Args:
        x: An integer tensor.
        y: The number of bits, of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.bitwise.right_shift([8, -8], 2).numpy().tolist()
        [2, -2]
    """
    return _ops.right_shift(x, y, name=name)
