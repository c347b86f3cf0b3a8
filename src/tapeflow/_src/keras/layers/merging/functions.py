"""The merging layers as functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.merging import elementwise, joining


def add(inputs: Any, **kwargs: Any) -> Any:
    """Add tensors element by element."""
    return elementwise.Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """Subtract the second of two tensors from the first."""
    return elementwise.Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise product of a list of tensors."""
    return elementwise.Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise mean of a list of tensors."""
    return elementwise.Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise maximum of a list of tensors."""
    return elementwise.Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """Compute the element-wise minimum of a list of tensors."""
    return elementwise.Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Concatenate tensors along an axis."""
    return joining.Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, normalize: bool = False, **kwargs: Any) -> Any:
    """Compute batched dot products of two tensors along `axes`."""
    return joining.Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
