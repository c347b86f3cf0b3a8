"""`tf.math`: comparisons and logic, element-wise."""

from __future__ import annotations

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math import comparison, logical


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x == y` element-wise.

    Also written `x == y`, which returns False instead of raising where shapes do not broadcast.

    Args:
        x: A tensor of any dtype.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [True, False, True]
    """
    return comparison.equal(x, y, name=name)


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x != y` element-wise.

    Also written `x != y`, which returns True instead of raising where shapes do not broadcast.

    Args:
        x: A tensor of any dtype.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.not_equal([1, 2, 3], [1, 5, 3]).numpy().tolist()
        [False, True, False]
    """
    return comparison.not_equal(x, y, name=name)


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x < y` element-wise; also written `x < y`.

    Comparisons with NaN are false.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.less([1, 2, 3], 2).numpy().tolist()
        [True, False, False]
    """
    return comparison.less(x, y, name=name)


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x <= y` element-wise; also written `x <= y`.

    Comparisons with NaN are false.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.less_equal([1, 2, 3], 2).numpy().tolist()
        [True, True, False]
    """
    return comparison.less_equal(x, y, name=name)


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x > y` element-wise; also written `x > y`.

    Comparisons with NaN are false.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.greater([1, 2, 3], 2).numpy().tolist()
        [False, False, True]
    """
    return comparison.greater(x, y, name=name)


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x >= y` element-wise; also written `x >= y`.

    Comparisons with NaN are false.

    Args:
        x: A real tensor.
        y: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.greater_equal([1, 2, 3], 2).numpy().tolist()
        [False, True, True]
    """
    return comparison.greater_equal(x, y, name=name)


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x and y` element-wise; also written `x & y`.

    Python's `and` works on tensors inside of `tf.function` only, and only on scalars.

    Args:
        x: A bool tensor.
        y: A bool tensor; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.logical_and([True, True], [True, False]).numpy().tolist()
        [True, False]
    """
    return logical.logical_and(x, y, name=name)


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Return `x or y` element-wise; also written `x | y`.

    Args:
        x: A bool tensor.
        y: A bool tensor; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.logical_or([True, False], [False, False]).numpy().tolist()
        [True, False]
    """
    return logical.logical_or(x, y, name=name)


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Return `not x` element-wise; also written `~x`.

    Args:
        x: A bool tensor.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape of `x`.

    Example:

        >>> tf.logical_not([True, False]).numpy().tolist()
        [False, True]
    """
    return logical.logical_not(x, name=name)


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Compute the exclusive or of `x` and `y` element-wise; also written `x ^ y`.

    Args:
        x: A bool tensor.
        y: A bool tensor; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.logical_xor([True, True], [True, False]).numpy().tolist()
        [False, True]
    """
    return logical.logical_xor(x, y, name=name)
