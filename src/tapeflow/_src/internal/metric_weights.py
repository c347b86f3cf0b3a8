"""Weights of metrics and losses, brought to the shape of the values that they weigh."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import convert_to_tensor, ones_like
from tapeflow._src.api.math.arithmetic import multiply
from tapeflow._src.core.types import TensorLike


def broadcast_weights(weights: Any, values: TensorLike) -> Any:
    """Return weights of the shape of the values.

    Weights are a scalar, or have the rank of the values and in each dimension their size or 1.

    Raises:
        ValueError: the weights have another shape.
    """
    weights, values = convert_to_tensor(weights), convert_to_tensor(values)
    ours, values_shape = weights.shape, values.shape
    if ours.rank is not None and values_shape.rank is not None and ours.rank != 0:
        fits = ours.rank == values_shape.rank and all(
            one in (1, None) or other is None or one == other
            for one, other in zip(ours, values_shape)
        )
        if not fits:
            raise ValueError(
                f"weights of shape {ours} can not be broadcast to values of shape {values_shape}: "
                f"expected a scalar, or for each dimension 1 or the size of the values."
            )
    if ours.is_fully_defined() and ours == values_shape:
        return weights
    return multiply(weights, ones_like(values, dtype=weights.dtype), name="broadcast_weights")
