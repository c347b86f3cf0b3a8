"""Comparisons, and logic on booleans."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.ops import sparse, specs
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import strongly_promoted, to_tensor

_binary = functools.partial(
    declare,
    family="numpy",
    call=("x1", "x2"),
    sparse=sparse.densified,
    output_spec=specs.broadcast(dtype="bool"),
)


@_binary()
def equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements are equal.

    The operands broadcast and are promoted to a common dtype. NaN equals nothing.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.equal([1, 2, 3], [1.0, 5.0, 3.0]).numpy()
        array([ True, False,  True])
    """
    return tf.equal(*strongly_promoted(x1, x2))


@_binary()
def not_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements differ.

    The operands broadcast and are promoted to a common dtype. NaN differs from everything.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.not_equal([1, 2, 3], 2).numpy()
        array([ True, False,  True])
    """
    return tf.not_equal(*strongly_promoted(x1, x2))


@_binary()
def greater(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements of `x1` are greater than those of `x2`.

    The operands broadcast; a comparison with NaN is false.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.greater([1, 2, 3], 2).numpy()
        array([False, False,  True])
    """
    return tf.greater(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def greater_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements of `x1` are greater than or equal to those of `x2`.

    The operands broadcast; a comparison with NaN is false.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.greater_equal([1, 2, 3], 2).numpy()
        array([False,  True,  True])
    """
    return tf.greater_equal(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def less(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements of `x1` are less than those of `x2`.

    The operands broadcast; a comparison with NaN is false.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.less([1, 2, 3], 2).numpy()
        array([ True, False, False])
    """
    return tf.less(*strongly_promoted(x1, x2, boolean="int32"))


@_binary()
def less_equal(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns whether elements of `x1` are less than or equal to those of `x2`.

    The operands broadcast; a comparison with NaN is false.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.less_equal([1, 2, 3], 2).numpy()
        array([ True,  True, False])
    """
    return tf.less_equal(*strongly_promoted(x1, x2, boolean="int32"))


def _boolean(x: TensorLike) -> Any:
    return to_tensor(x, "bool")


@_binary()
def logical_and(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the logical AND; nonzero numbers count as true.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.logical_and([True, False], [1, 1]).numpy()
        array([ True, False])
    """
    return tf.logical_and(_boolean(x1), _boolean(x2))


@_binary()
def logical_or(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the logical OR; nonzero numbers count as true.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.logical_or([True, False], [0, 0]).numpy()
        array([ True, False])
    """
    return tf.logical_or(_boolean(x1), _boolean(x2))


@_binary()
def logical_xor(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the exclusive OR; nonzero numbers count as true.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: The other operand, of a shape that broadcasts with that of `x1`.

    Returns:
        A boolean tensor of the broadcast shape.

    Example:
        >>> tf.keras.ops.logical_xor([True, False], [True, True]).numpy()
        array([False,  True])
    """
    return tf.math.logical_xor(_boolean(x1), _boolean(x2))


@declare(family="numpy", sparse=sparse.densified)
def logical_not(x: TensorLike) -> Any:
    """Computes the logical NOT; nonzero numbers count as true.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A boolean tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.logical_not([1, 0, 3]).numpy()
        array([False,  True, False])
    """
    return tf.logical_not(_boolean(x))
