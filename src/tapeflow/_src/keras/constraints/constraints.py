"""What holds for weights after each step of an optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import epsilon


class Constraint:
    """A function that gives the allowed value nearest to a weight; subclasses define it."""

    def __call__(self, w: Any) -> Any:
        return w

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal constraint."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Constraint:
        """A constraint from what `get_config` gave."""
        return cls(**config)


def _norms(w: Any, axis: Any) -> Any:
    return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Norms along `axis` of at most `max_value`."""

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        norms = _norms(w, self.axis)
        wanted = tf.clip_by_value(norms, 0, tf.cast(self.max_value, w.dtype))
        return w * (wanted / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """No weight below zero."""

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        return w * tf.cast(w >= 0, w.dtype)


class UnitNorm(Constraint):
    """Norms along `axis` of one."""

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        w = tf.convert_to_tensor(w)
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Norms along `axis` between two values; each time a `rate` of what is missing is made up."""

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
        wanted = self.rate * inside + (1 - self.rate) * norms
        return w * (wanted / (epsilon() + norms))

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
        diagonal = tf.stack([w[place, place] for place in range(size)])
        return tf.gather(diagonal, _rings(size))


def _rings(size: int) -> Any:
    """For each place of a square, the place on the diagonal that its ring takes the value of."""
    distances = np.abs(np.arange(size) - (size - 1) / 2).astype(int)
    ring = np.maximum(distances[:, np.newaxis], distances)
    first = size // 2 - 1
    # The rings of an even size leave one place of the diagonal out, as Keras 2 does.
    return ring + first + (ring > 0) * (1 - size % 2)
