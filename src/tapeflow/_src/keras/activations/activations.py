"""The activations that are no ops of their own in Keras, and what they are in models."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Operation


class ReLU(Operation):
    """`keras.activations.relu` in a model."""

    def __init__(
        self,
        negative_slope: float = 0.0,
        max_value: float | None = None,
        threshold: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.negative_slope = negative_slope
        self.max_value = max_value
        self.threshold = threshold

    def call(self, x: Any) -> Any:
        """Compute the activation."""
        return _relu(x, self.negative_slope, self.max_value, self.threshold)


class Mish(Operation):
    """`keras.activations.mish` in a model."""

    def call(self, x: Any) -> Any:
        """Compute the activation."""
        return _mish(x)


def relu(
    x: TensorLike,
    negative_slope: float = 0.0,
    max_value: float | None = None,
    threshold: float = 0.0,
    alpha: float | None = None,
) -> Any:
    """Compute the rectified linear unit, with a slope below `threshold` and a limit above.

    Args:
        x: Tensor, or a value that converts to one.
        negative_slope: Slope of what is below `threshold`.
        max_value: Limit of the result; None for none.
        threshold: Elements up to it count as 0, or fall along the slope.
        alpha: The name of `negative_slope` in Keras 2, which wins over it.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.activations.relu([-2.0, 1.0, 9.0]).numpy()
        array([0., 1., 9.], dtype=float32)
        >>> tf.keras.activations.relu([-2.0, 1.0, 9.0], negative_slope=0.5, max_value=6.0).numpy()
        array([-1.,  1.,  6.], dtype=float32)
    """
    negative_slope = negative_slope if alpha is None else alpha
    if isinstance(x, KerasTensor):
        return ReLU(negative_slope, max_value, threshold)(x)
    return _relu(x, negative_slope, max_value, threshold)


def _relu(x: TensorLike, negative_slope: float, max_value: float | None, threshold: float) -> Any:
    x = tf.convert_to_tensor(x)
    if negative_slope and max_value is None and not threshold:
        return tf.nn.leaky_relu(x, negative_slope)
    below = tf.nn.relu(threshold - x) if negative_slope else None
    if threshold:
        x = x * tf.cast(x > tf.cast(threshold, x.dtype), x.dtype)
    elif max_value == 6:
        x, max_value = tf.nn.relu6(x), None
    else:
        x = tf.nn.relu(x)
    if max_value is not None:
        x = tf.clip_by_value(x, tf.cast(0, x.dtype), tf.cast(max_value, x.dtype))
    return x if below is None else x - negative_slope * below


def mish(x: TensorLike) -> Any:
    """Compute the mish activation: `x * tanh(softplus(x))`.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.activations.mish([-1.0, 0.0, 2.0]).numpy().round(4)
        array([-0.3034,  0.    ,  1.944 ], dtype=float32)
    """
    return Mish()(x) if isinstance(x, KerasTensor) else _mish(x)


@fused
def _mish(x: TensorLike) -> Any:
    x = tf.convert_to_tensor(x)
    return x * tf.tanh(tf.math.softplus(x))
