"""`Dense`, `Dropout` and `Flatten` of `tf.compat.v1.layers`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.tf1.layers.base import Layer, as_function

layers = tf.keras.layers


class Dense(Layer, layers.Dense):  # type: ignore[misc, name-defined]
    """`activation(inputs @ kernel + bias)`, along the last axis."""

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


dense = as_function(
    Dense, "dense", "`activation(inputs @ kernel + bias)`: creates a `Dense` layer and calls it."
)


class Dropout(Layer, layers.Dropout):  # type: ignore[misc, name-defined]
    """Replaces a fraction of the inputs by zeros in training, and scales up the others."""

    def __init__(
        self,
        rate: float = 0.5,
        noise_shape: Any = None,
        seed: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))

    def _make_generator(self, needed: bool) -> None:
        """Nothing to create: a stateful random op draws the numbers."""

    def call(self, inputs: Any, training: Any = False) -> Any:
        def dropped() -> Any:
            return tf.nn.dropout(inputs, self.rate, self.noise_shape, seed=self.seed)

        if tf.is_tensor(training):
            return tf.cond(training, dropped, lambda: tf.identity(inputs))
        return dropped() if training else tf.identity(inputs)


def dropout(
    inputs: Any,
    rate: float = 0.5,
    noise_shape: Any = None,
    seed: Any = None,
    training: Any = False,
    name: Any = None,
) -> Any:
    """Replace a fraction of the inputs by zeros in training, and scale up the others.

    `training` may be a boolean tensor.
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


class Flatten(Layer, layers.Flatten):  # type: ignore[misc, name-defined]
    """One axis for all but the batch axis."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**passed_on(locals()))


def flatten(inputs: Any, name: Any = None, data_format: str = "channels_last") -> Any:
    """Reshape inputs to one axis beside the batch axis."""
    return Flatten(data_format, name=name)(inputs)
