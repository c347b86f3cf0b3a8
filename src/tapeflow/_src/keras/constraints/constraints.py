"""Weight constraints, applied after each optimizer step."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis
from tapeflow._src.keras.config import epsilon


class Constraint:
    """Base class of constraints: `__call__` projects a weight onto its allowed values.

    Any function of a tensor can stand for one.

    Example:
        >>> class Bounded(tf.keras.constraints.Constraint):
        ...     def __call__(self, w):
        ...         return tf.clip_by_value(w, -1.0, 1.0)
        >>> Bounded()(tf.constant([-3.0, 0.5])).numpy()
        array([-1. ,  0.5], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        return w

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that `from_config` creates an equal constraint from, as a dict."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constraint:
        """Create a constraint from the config of `get_config`.

        Args:
            config: The dict.

        Returns:
            A new constraint.

        Example:
            >>> tf.keras.constraints.MaxNorm.from_config({"max_value": 3}).max_value
            3
        """
        return cls(**config)


def _norms(w: Any, axis: Axis) -> Any:
    return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Limits the norm along `axis` to `max_value`.

    Args:
        max_value: Largest norm; smaller ones stay.
        axis: Axis or axes of the norm: 0 for the kernel of `Dense`, [0, 1, 2] for that of `Conv2D`.

    Example:
        >>> tf.keras.constraints.MaxNorm(1.0)(tf.constant([[3.0], [4.0]])).numpy().round(1)
        array([[0.6],
               [0.8]], dtype=float32)
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        norms = _norms(w, self.axis)
        target = tf.clip_by_value(norms, 0, tf.cast(self.max_value, w.dtype))
        return w * (target / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """Sets negative weights to zero.

    Example:
        >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 2.0])).numpy() + 0.0
        array([0., 2.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        return w * tf.cast(w >= 0, w.dtype)


class UnitNorm(Constraint):
    """Scales weights to norm 1 along `axis`.

    Args:
        axis: Axis or axes of the norm: 0 for the kernel of `Dense`, [0, 1, 2] for that of `Conv2D`.

    Example:
        >>> tf.keras.constraints.UnitNorm()(tf.constant([[3.0], [4.0]])).numpy().round(1)
        array([[0.6],
               [0.8]], dtype=float32)
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Keeps the norm along `axis` between `min_value` and `max_value`, enforced at `rate`.

    Args:
        min_value: Smallest norm.
        max_value: Largest norm.
        rate: How far towards the interval norms are moved: 1 at once, less over several steps.
        axis: Axis or axes of the norm: 0 for the kernel of `Dense`, [0, 1, 2] for that of `Conv2D`.

    Example:
        >>> tf.keras.constraints.MinMaxNorm(1.0, 2.0)(tf.constant([[3.0], [4.0]])).numpy().round(1)
        array([[1.2],
               [1.6]], dtype=float32)
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        norms = _norms(w, self.axis)
        inside = tf.clip_by_value(
            norms, tf.cast(self.min_value, w.dtype), tf.cast(self.max_value, w.dtype)
        )
        target = self.rate * inside + (1 - self.rate) * norms
        return w * (target / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


class RadialConstraint(Constraint):
    """Kernels of convolutions that are the same in all directions from their centre.

    Each square ring around the centre takes one value of the diagonal of the kernel.

    Example:
        >>> tf.keras.constraints.RadialConstraint()(tf.random.normal((3, 3, 8, 16))).shape
        TensorShape([3, 3, 8, 16])
    """

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        if w.shape.rank != 4:
            raise ValueError(
                f"A radial constraint needs a kernel of shape (height, width, inputs, outputs). "
                f"Received: {tuple(w.shape)}"
            )
        size = w.shape[0]
        if w.shape[1] != size:
            raise ValueError(
                f"A radial constraint needs a square kernel. Received: {tuple(w.shape)}"
            )
        diagonal = tf.stack([w[index, index] for index in range(size)])
        return tf.gather(diagonal, _rings(size))


def _rings(size: int) -> Any:
    """For each place of a square, the place on the diagonal that its ring takes the value of."""
    distances = np.abs(np.arange(size) - (size - 1) / 2).astype(int)
    ring = np.maximum(distances[:, np.newaxis], distances)
    first = size // 2 - 1
    # The rings of an even size leave one place of the diagonal out, as Keras 2 does.
    return ring + first + (ring > 0) * (1 - size % 2)
