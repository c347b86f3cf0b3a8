"""Keras 2's `RandomHeight` and `RandomWidth`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow.keras import random


class _RandomSize(Layer):
    """Images resized along one axis by a factor that is drawn for the batch."""

    _axis: int

    def __init__(
        self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        lower, upper = factor if isinstance(factor, (tuple, list)) else (-factor, factor)
        if upper < lower or lower < -1 or upper < -1:
            raise ValueError(
                f"`factor` must be a number or (lower, upper), above -1. Received: factor={factor}"
            )
        self.factor, self.interpolation, self.seed = factor, interpolation, seed
        self._limits = (1.0 + lower, 1.0 + upper)
        self.generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: Any = True) -> Any:
        inputs = tf.cast(inputs, self.compute_dtype)
        if not training:
            return inputs
        factor = random.uniform((), *self._limits, seed=self.generator)
        shape = tf.shape(inputs)
        size = [shape[-3], shape[-2]]
        changed = tf.cast(size[self._axis], "float32") * factor
        size[self._axis] = tf.cast(changed, "int32")
        resized = tf.image.resize(inputs, tf.stack(size), self.interpolation)
        static = inputs.shape.as_list()
        static[self._axis - 3] = None
        return tf.ensure_shape(tf.cast(resized, self.compute_dtype), static)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(input_shape)
        shape[self._axis - 3] = None
        return tuple(shape)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "factor": self.factor,
            "interpolation": self.interpolation,
            "seed": self.seed,
        }


class RandomHeight(_RandomSize):
    """Changes the height of the images of a batch at random in training (Keras 2).

    Args:
        factor: Limits of the change, such as `(-0.2, 0.3)`; one number for both directions.
        interpolation: A method of `tf.image.resize`.
        seed: Seed of the random numbers; None for a new one.

    Raises:
        ValueError: `factor` has a limit below -1, or limits in the wrong order.

    Example:
        >>> layer = tf.keras.layers.RandomHeight((0.5, 0.5))
        >>> layer(tf.ones((1, 4, 4, 3)), training=True).shape
        TensorShape([1, 6, 4, 3])
    """

    _axis = 0


class RandomWidth(_RandomSize):
    """Changes the width of the images of a batch at random in training (Keras 2).

    Args:
        factor: Limits of the change, such as `(-0.2, 0.3)`; one number for both directions.
        interpolation: A method of `tf.image.resize`.
        seed: Seed of the random numbers; None for a new one.

    Raises:
        ValueError: `factor` has a limit below -1, or limits in the wrong order.

    Example:
        >>> layer = tf.keras.layers.RandomWidth((0.5, 0.5))
        >>> layer(tf.ones((1, 4, 4, 3)), training=True).shape
        TensorShape([1, 4, 6, 3])
    """

    _axis = 1
