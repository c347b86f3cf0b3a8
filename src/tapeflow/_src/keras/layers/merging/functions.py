"""The merging layers as functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.internal.argument_types import Axis
from tapeflow._src.keras.layers.merging import elementwise, joining


def add(inputs: Any, **kwargs: Any) -> Any:
    """Add tensors element by element, as the layer `Add`.

    Args:
        inputs: List of tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The sum.

    Example:
        >>> tf.keras.layers.add([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[4.]], dtype=float32)
    """
    return elementwise.Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """Subtract the second of two tensors from the first, as the layer `Subtract`.

    Args:
        inputs: List of two tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The difference.

    Example:
        >>> tf.keras.layers.subtract([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[2.]], dtype=float32)
    """
    return elementwise.Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise product of a list of tensors, as the layer `Multiply`.

    Args:
        inputs: List of tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The product.

    Example:
        >>> tf.keras.layers.multiply([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
        array([[6.]], dtype=float32)
    """
    return elementwise.Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise mean of a list of tensors, as the layer `Average`.

    Args:
        inputs: List of tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The mean.

    Example:
        >>> tf.keras.layers.average([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[2.]], dtype=float32)
    """
    return elementwise.Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise maximum of a list of tensors, as the layer `Maximum`.

    Args:
        inputs: List of tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The maximum.

    Example:
        >>> tf.keras.layers.maximum([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[3.]], dtype=float32)
    """
    return elementwise.Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise minimum of a list of tensors, as the layer `Minimum`.

    Args:
        inputs: List of tensors whose shapes broadcast.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The minimum.

    Example:
        >>> tf.keras.layers.minimum([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
        array([[1.]], dtype=float32)
    """
    return elementwise.Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Concatenate tensors along an axis, as the layer `Concatenate`.

    Args:
        inputs: List of tensors of the same rank.
        axis: Axis to concatenate along.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        The concatenated tensor.

    Example:
        >>> tf.keras.layers.concatenate([tf.ones((2, 3)), tf.ones((2, 4))]).shape
        TensorShape([2, 7])
    """
    return joining.Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Axis = -1, normalize: bool = False, **kwargs: Any) -> Any:
    """Compute batched dot products of two tensors along `axes`, as the layer `Dot`.

    Args:
        inputs: List of two tensors.
        axes: Axis to sum over in both tensors, or a pair with one per tensor.
        normalize: Whether to L2-normalize along these axes first.
        **kwargs: Arguments of the layer, such as `name`.

    Returns:
        A tensor with the remaining axes of the first and of the second tensor after the batch.

    Example:
        >>> tf.keras.layers.dot([tf.ones((2, 3)), tf.ones((2, 3))], axes=1).shape
        TensorShape([2, 1])
    """
    return joining.Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
