"""The merging layers as functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.merging import elementwise, joining


def add(inputs: Any, **kwargs: Any) -> Any:
    """The sum of tensors."""
    return elementwise.Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """The first of two tensors less the second."""
    return elementwise.Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """The product of tensors."""
    return elementwise.Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """The mean of tensors."""
    return elementwise.Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """The largest of tensors."""
    return elementwise.Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """The smallest of tensors."""
    return elementwise.Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Tensors one after the other."""
    return joining.Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any = -1, **kwargs: Any) -> Any:
    """The dot products of the items of two batches."""
    return joining.Dot(axes=axes, **kwargs)(inputs)
